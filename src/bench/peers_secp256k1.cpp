// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/peers.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_preallocated.h>
#include <secp256k1_schnorrsig.h>

#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

namespace slhc::bench {
namespace {

constexpr size_t INPUTS{512};
using Bytes32 = std::array<uint8_t, 32>;

void Require(bool ok)
{
    if (!ok) throw std::runtime_error{"libsecp256k1 refused"};
}

Bytes32 Random(std::mt19937_64& random)
{
    Bytes32 bytes;
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    return bytes;
}

/** A context in memory of its own: the crate secp256k1-sys leaves out the functions that allocate. */
class Context
{
public:
    [[nodiscard]] secp256k1_context* get() const { return m_context; }

private:
    std::vector<unsigned char> m_memory = std::vector<unsigned char>(secp256k1_context_preallocated_size(SECP256K1_CONTEXT_NONE));
    secp256k1_context* const m_context{secp256k1_context_preallocated_create(m_memory.data(), SECP256K1_CONTEXT_NONE)};
};

class Bip340Peer final : public Peer
{
public:
    Bip340Peer()
    {
        std::mt19937_64 random{340};
        for (Input& input : m_inputs) {
            const Bytes32 secret{Random(random)};
            secp256k1_keypair pair;
            input.message = Random(random);
            Require(secp256k1_keypair_create(m_context.get(), &pair, secret.data()));
            Require(secp256k1_keypair_xonly_pub(m_context.get(), &input.key, nullptr, &pair));
            Require(secp256k1_schnorrsig_sign32(m_context.get(), input.signature.data(), input.message.data(), &pair, nullptr));
        }
    }

#ifdef SLHC_BENCH_SECP256K1_HOOK
    void Use(secp256k1_sha256_compression_function compression) { secp256k1_context_set_sha256_compression(m_context.get(), compression); }
#endif

    std::string Name() const override { return "bip340"; }

    void Run() override
    {
        const Input& input{m_inputs[m_next++ % INPUTS]};
        Require(
            secp256k1_schnorrsig_verify(m_context.get(), input.signature.data(), input.message.data(), input.message.size(), &input.key));
    }

private:
    struct Input {
        secp256k1_xonly_pubkey key;
        Bytes32 message;
        std::array<uint8_t, 64> signature;
    };
    const Context m_context;
    std::vector<Input> m_inputs{INPUTS};
    size_t m_next{0};
};

class EcdsaPeer final : public Peer
{
public:
    EcdsaPeer()
    {
        std::mt19937_64 random{62};
        for (Input& input : m_inputs) {
            const Bytes32 secret{Random(random)};
            input.message = Random(random);
            Require(secp256k1_ec_pubkey_create(m_context.get(), &input.key, secret.data()));
            Require(secp256k1_ecdsa_sign(m_context.get(), &input.signature, input.message.data(), secret.data(), nullptr, nullptr));
        }
    }

    std::string Name() const override { return "ecdsa"; }

    void Run() override
    {
        const Input& input{m_inputs[m_next++ % INPUTS]};
        Require(secp256k1_ecdsa_verify(m_context.get(), &input.signature, input.message.data(), &input.key));
    }

private:
    struct Input {
        secp256k1_pubkey key;
        Bytes32 message;
        secp256k1_ecdsa_signature signature;
    };
    const Context m_context;
    std::vector<Input> m_inputs{INPUTS};
    size_t m_next{0};
};

} // namespace

std::unique_ptr<Peer> MakeBip340Peer() { return std::make_unique<Bip340Peer>(); }

std::unique_ptr<Peer> MakeBip340Peer([[maybe_unused]] void (*compression)(uint32_t*, const unsigned char*, size_t))
{
#ifdef SLHC_BENCH_SECP256K1_HOOK
    auto peer{std::make_unique<Bip340Peer>()};
    peer->Use(compression);
    return peer;
#else
    return nullptr;
#endif
}

std::unique_ptr<Peer> MakeEcdsaPeer() { return std::make_unique<EcdsaPeer>(); }

} // namespace slhc::bench
