// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/prehash.h>

#include <crypto/sha256.h>
#include <crypto/sha3.h>
#include <crypto/sha512.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace slhc::slhdsa {
namespace {

struct HashInfo {
    std::string_view name;
    uint8_t oid;        //!< last arc of 2.16.840.1.101.3.4.2.x, NIST's registry of hash algorithms
    size_t output_size; //!< bytes
};

/** In the order of PreHash. */
constexpr std::array<HashInfo, 12> HASHES{{
    {"SHA2-224", 4, 28},
    {"SHA2-256", 1, 32},
    {"SHA2-384", 2, 48},
    {"SHA2-512", 3, 64},
    {"SHA2-512/224", 5, 28},
    {"SHA2-512/256", 6, 32},
    {"SHA3-224", 7, 28},
    {"SHA3-256", 8, 32},
    {"SHA3-384", 9, 48},
    {"SHA3-512", 10, 64},
    {"SHAKE-128", 11, 32},
    {"SHAKE-256", 12, 64},
}};

constexpr size_t MAX_OUTPUT_SIZE{64};

template <typename Hasher, typename State>
void HashFrom(const State& initial, std::span<const uint8_t> m, std::span<uint8_t, MAX_OUTPUT_SIZE> out)
{
    static_assert(Hasher::OUTPUT_SIZE <= MAX_OUTPUT_SIZE);
    Hasher{typename Hasher::Midstate{initial}}.Write(m).Finalize(out.data());
}

/** A digest, and what M' has of it and of its hash. */
class PreHashed
{
public:
    PreHashed(std::span<const uint8_t> m, PreHash ph) noexcept : m_info{HASHES[static_cast<size_t>(ph)]}
    {
        m_oid.back() = m_info.oid;
        const std::span<uint8_t, MAX_OUTPUT_SIZE> out{m_digest};
        const std::span<uint8_t> sized{out.first(m_info.output_size)};
        switch (ph) {
        case PreHash::SHA2_224: HashFrom<CSHA256>(sha256::INITIAL_224, m, out); break;
        case PreHash::SHA2_256: HashFrom<CSHA256>(sha256::INITIAL, m, out); break;
        case PreHash::SHA2_384: HashFrom<CSHA512>(sha512::INITIAL_384, m, out); break;
        case PreHash::SHA2_512: HashFrom<CSHA512>(sha512::INITIAL, m, out); break;
        case PreHash::SHA2_512_224: HashFrom<CSHA512>(sha512::INITIAL_512_224, m, out); break;
        case PreHash::SHA2_512_256: HashFrom<CSHA512>(sha512::INITIAL_512_256, m, out); break;
        case PreHash::SHA3_224:
        case PreHash::SHA3_256:
        case PreHash::SHA3_384:
        case PreHash::SHA3_512: Keccak{2 * sized.size(), Keccak::SHA3_SUFFIX}.Write(m).Finalize(sized); break;
        case PreHash::SHAKE_128:
        case PreHash::SHAKE_256: Keccak{sized.size(), Keccak::SHAKE_SUFFIX}.Write(m).Finalize(sized); break;
        }
    }

    [[nodiscard]] std::optional<MessagePieces> Message(std::span<const uint8_t> ctx) const noexcept
    {
        return MessagePieces::PreHashed(std::span{m_digest}.first(m_info.output_size), m_oid, ctx);
    }

private:
    const HashInfo& m_info;
    //! The DER encoding of the object identifier: tag, length, 2.16.840.1.101.3.4.2, last arc.
    std::array<uint8_t, 11> m_oid{0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x00};
    std::array<uint8_t, MAX_OUTPUT_SIZE> m_digest;
};

} // namespace

std::optional<PreHash> PreHashByName(std::string_view name) noexcept
{
    const auto found{std::find_if(HASHES.begin(), HASHES.end(), [&](const HashInfo& info) { return info.name == name; })};
    if (found == HASHES.end()) return std::nullopt;
    return static_cast<PreHash>(found - HASHES.begin());
}

bool hash_slh_sign(std::span<const uint8_t> m, std::span<const uint8_t> ctx, PreHash ph, std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, Signature& sig)
{
    const PreHashed pre_hashed{m, ph};
    const std::optional<MessagePieces> pieces{pre_hashed.Message(ctx)};
    if (!pieces) return false;
    slh_sign_internal(*pieces, sk, std::span<const uint8_t, N>{addrnd ? addrnd : sk.data() + 2 * N, N}, sig);
    return true;
}

bool hash_slh_verify(std::span<const uint8_t> m, std::span<const uint8_t> sig, std::span<const uint8_t> ctx, PreHash ph, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    const PreHashed pre_hashed{m, ph};
    const std::optional<MessagePieces> pieces{pre_hashed.Message(ctx)};
    return pieces && slh_verify_internal(*pieces, sig, pk);
}

} // namespace slhc::slhdsa
