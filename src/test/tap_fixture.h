// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_TAP_FIXTURE_H
#define SLHCONSENSUS_TEST_TAP_FIXTURE_H

#include <pqc/slhdsa/slhdsa.h>
#include <primitives/transaction.h>
#include <script/interpreter.h>
#include <script/taptree.h>
#include <test/script_util.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

/** Spends of leaf scripts. */
namespace slhc::test {

/** The rules of the chain, ours included. */
inline constexpr script_verify_flags CONSENSUS{MANDATORY_SCRIPT_VERIFY_FLAGS};

/** An SLH-DSA key pair from a seed of one repeated byte. Each is made once. */
class TestKey
{
public:
    static const TestKey& Get(uint8_t seed);

    [[nodiscard]] const slhdsa::PublicKey& Public() const noexcept { return m_pk; }
    /** A deterministic signature over a message, by slh_sign with an empty context. Slow; the last ones are kept. */
    [[nodiscard]] Bytes Sign(const uint256& message) const;

private:
    explicit TestKey(uint8_t seed);

    slhdsa::SecretKey m_sk;
    slhdsa::PublicKey m_pk;
};

/** 64 bytes of BIP 340 signature over a message by a key whose x-only public key is SchnorrPublicKey(). */
Bytes SignSchnorr(const uint256& message);
Bytes SchnorrPublicKey();
Bytes WithHashType(Bytes sig, uint8_t hash_type);

/** The output that commits to the leaf. */
enum class Output { P2MR, P2TR };
inline constexpr std::array<Output, 2> BOTH_OUTPUTS{Output::P2MR, Output::P2TR};
inline std::ostream& operator<<(std::ostream& out, Output output) { return out << (output == Output::P2MR ? "P2MR" : "P2TR"); }

/** One input that spends a leaf script of a tree. */
struct TapSpend {
    Output output{Output::P2MR};
    CScript leaf;
    uint8_t leaf_version{TAPROOT_LEAF_TAPSCRIPT};
    size_t path_length{1};           //!< m
    std::vector<Bytes> stack;        //!< below the leaf script
    size_t n_outputs{1};

    [[nodiscard]] uint256 LeafHash() const { return ComputeTapleafHash(leaf_version, leaf); }
    [[nodiscard]] Bytes Path() const;
    [[nodiscard]] CScript ScriptPubKey() const;
    [[nodiscard]] Bytes ControlBlock() const;
    [[nodiscard]] CScriptWitness Witness() const;
    [[nodiscard]] CTransaction Tx() const;
    [[nodiscard]] std::vector<CTxOut> SpentOutputs() const;

    /** The message that a signature of the leaf signs. */
    [[nodiscard]] uint256 Message(uint8_t hash_type = SIGHASH_DEFAULT, KeyVersion key_version = KeyVersion::SLHDSA,
                                  uint32_t codeseparator_pos = 0xffffffff) const;
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_TAP_FIXTURE_H
