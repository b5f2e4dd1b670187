// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/pubkey.h>

#include <crypto/hash.h>
#include <primitives/serialize.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <algorithm>

namespace slhc {

namespace {

/** Verification needs no tables made at run time: libsecp256k1's static context will do, once it has tested itself. */
const secp256k1_context* VerifyContext()
{
    static const secp256k1_context* const s_context{[] {
        secp256k1_selftest();
        return secp256k1_context_static;
    }()};
    return s_context;
}

/** Reads ECDSA signatures as leniently as consensus (that is, OpenSSL) did before BIP 66 required strict DER: lengths may take
 *  more bytes than necessary, the sequence's length may be wrong, integers may have any sign and padding, and anything may
 *  follow. */
class LaxDerReader
{
public:
    explicit LaxDerReader(std::span<const uint8_t> bytes) noexcept : m_rest{bytes} {}

    /** The header of the sequence. Its length is skipped unread. */
    bool ReadSequenceHeader() noexcept
    {
        uint8_t length;
        if (!ReadTag(0x30) || !ReadByte(length)) return false;
        return !(length & LONG_FORM) || Skip(length & ~LONG_FORM);
    }

    /** An integer without its leading zeros. */
    bool ReadInteger(std::span<const uint8_t>& integer) noexcept
    {
        size_t length;
        if (!ReadTag(0x02) || !ReadLength(length) || length > m_rest.size()) return false;
        integer = m_rest.first(length);
        while (!integer.empty() && integer[0] == 0) integer = integer.subspan(1);
        m_rest = m_rest.subspan(length);
        return true;
    }

private:
    static constexpr uint8_t LONG_FORM{0x80}; //!< the other bits are the number of length bytes that follow
    static constexpr size_t MAX_LENGTH_BYTES{3};

    std::span<const uint8_t> m_rest;

    bool ReadByte(uint8_t& byte) noexcept
    {
        if (m_rest.empty()) return false;
        byte = m_rest[0];
        m_rest = m_rest.subspan(1);
        return true;
    }

    bool ReadTag(uint8_t tag) noexcept
    {
        uint8_t byte;
        return ReadByte(byte) && byte == tag;
    }

    bool Skip(size_t size) noexcept
    {
        if (size > m_rest.size()) return false;
        m_rest = m_rest.subspan(size);
        return true;
    }

    bool ReadLength(size_t& length) noexcept
    {
        uint8_t byte;
        if (!ReadByte(byte)) return false;
        length = byte;
        if (!(byte & LONG_FORM)) return true;

        size_t n_bytes{static_cast<size_t>(byte & ~LONG_FORM)};
        if (n_bytes > m_rest.size()) return false;
        for (; n_bytes > 0 && m_rest[0] == 0; --n_bytes) m_rest = m_rest.subspan(1);
        if (n_bytes > MAX_LENGTH_BYTES) return false;
        length = 0;
        for (; n_bytes > 0; --n_bytes) {
            length = length << 8 | m_rest[0];
            m_rest = m_rest.subspan(1);
        }
        return true;
    }
};

/** @return false if no two integers can be found. If one is too large for the curve, the signature never
 *          verifies. */
bool ParseLaxDer(std::span<const uint8_t> bytes, secp256k1_ecdsa_signature& sig)
{
    LaxDerReader reader{bytes};
    std::span<const uint8_t> r;
    std::span<const uint8_t> s;
    if (!reader.ReadSequenceHeader() || !reader.ReadInteger(r) || !reader.ReadInteger(s)) return false;

    constexpr size_t SCALAR_SIZE{32};
    std::array<uint8_t, 2 * SCALAR_SIZE> compact{};
    if (r.size() <= SCALAR_SIZE && s.size() <= SCALAR_SIZE) {
        std::copy_backward(r.begin(), r.end(), compact.begin() + SCALAR_SIZE);
        std::copy_backward(s.begin(), s.end(), compact.end());
        if (secp256k1_ecdsa_signature_parse_compact(VerifyContext(), &sig, compact.data())) return true;
        compact.fill(0);
    }
    return secp256k1_ecdsa_signature_parse_compact(VerifyContext(), &sig, compact.data()) == 1;
}

/** The size that a key with this first byte has; 0 if there is none. */
size_t KeySize(uint8_t first) noexcept
{
    switch (first) {
    case 0x02:
    case 0x03:
        return CPubKey::COMPRESSED_SIZE;
    case 0x04:
    case 0x06:
    case 0x07:
        return CPubKey::SIZE;
    default:
        return 0;
    }
}

} // namespace

CPubKey::CPubKey(std::span<const uint8_t> bytes) noexcept
{
    if (!ValidSize(bytes)) return;
    std::copy(bytes.begin(), bytes.end(), m_bytes.begin());
    m_size = bytes.size();
}

bool CPubKey::ValidSize(std::span<const uint8_t> bytes) noexcept { return !bytes.empty() && KeySize(bytes[0]) == bytes.size(); }

bool CPubKey::Verify(const uint256& hash, std::span<const uint8_t> sig_bytes) const
{
    if (!IsValid()) return false;
    secp256k1_pubkey pubkey;
    secp256k1_ecdsa_signature sig;
    if (!secp256k1_ec_pubkey_parse(VerifyContext(), &pubkey, m_bytes.data(), m_size)) return false;
    if (!ParseLaxDer(sig_bytes, sig)) return false;
    // libsecp256k1 verifies only signatures with a low S; consensus has no such rule.
    secp256k1_ecdsa_signature_normalize(VerifyContext(), &sig, &sig);
    return secp256k1_ecdsa_verify(VerifyContext(), &sig, hash.data(), &pubkey) == 1;
}

bool CPubKey::CheckLowS(std::span<const uint8_t> sig_bytes)
{
    secp256k1_ecdsa_signature sig;
    if (!ParseLaxDer(sig_bytes, sig)) return false;
    return !secp256k1_ecdsa_signature_normalize(VerifyContext(), nullptr, &sig);
}

XOnlyPubKey::XOnlyPubKey(std::span<const uint8_t, SIZE> bytes) noexcept { std::copy(bytes.begin(), bytes.end(), m_bytes.begin()); }

bool XOnlyPubKey::IsFullyValid() const
{
    secp256k1_xonly_pubkey pubkey;
    return secp256k1_xonly_pubkey_parse(VerifyContext(), &pubkey, m_bytes.data()) == 1;
}

bool XOnlyPubKey::VerifySchnorr(const uint256& msg, std::span<const uint8_t, 64> sig) const
{
    secp256k1_xonly_pubkey pubkey;
    if (!secp256k1_xonly_pubkey_parse(VerifyContext(), &pubkey, m_bytes.data())) return false;
    return secp256k1_schnorrsig_verify(VerifyContext(), sig.data(), msg.data(), msg.size(), &pubkey) == 1;
}

uint256 XOnlyPubKey::ComputeTapTweakHash(const uint256* merkle_root) const
{
    static const CSHA256 s_tagged{TaggedHash("TapTweak")};
    HashWriter writer{s_tagged};
    writer.write(m_bytes);
    if (merkle_root) writer.write(merkle_root->Bytes());
    return writer.GetSHA256();
}

bool XOnlyPubKey::CheckTapTweak(const XOnlyPubKey& internal, const uint256& merkle_root, bool parity) const
{
    secp256k1_xonly_pubkey internal_key;
    if (!secp256k1_xonly_pubkey_parse(VerifyContext(), &internal_key, internal.m_bytes.data())) return false;
    const uint256 tweak{internal.ComputeTapTweakHash(&merkle_root)};
    return secp256k1_xonly_pubkey_tweak_add_check(VerifyContext(), m_bytes.data(), parity, &internal_key, tweak.data()) == 1;
}

std::optional<std::pair<XOnlyPubKey, bool>> XOnlyPubKey::CreateTapTweak(const uint256* merkle_root) const
{
    secp256k1_xonly_pubkey internal_key;
    if (!secp256k1_xonly_pubkey_parse(VerifyContext(), &internal_key, m_bytes.data())) return std::nullopt;
    const uint256 tweak{ComputeTapTweakHash(merkle_root)};
    secp256k1_pubkey tweaked;
    if (!secp256k1_xonly_pubkey_tweak_add(VerifyContext(), &tweaked, &internal_key, tweak.data())) return std::nullopt;
    secp256k1_xonly_pubkey output_key;
    int parity;
    if (!secp256k1_xonly_pubkey_from_pubkey(VerifyContext(), &output_key, &parity, &tweaked)) return std::nullopt;
    std::array<uint8_t, SIZE> bytes;
    secp256k1_xonly_pubkey_serialize(VerifyContext(), bytes.data(), &output_key);
    return std::pair{XOnlyPubKey{bytes}, parity != 0};
}

} // namespace slhc
