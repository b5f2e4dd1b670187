// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_TAP_FIXTURE_H
#define SLHCONSENSUS_TEST_TAP_FIXTURE_H

#include <crypto/hash.h>
#include <pqc/slhdsa/slhdsa.h>
#include <primitives/transaction.h>
#include <script/checker.h>
#include <script/interpreter.h>
#include <script/script_check.h>
#include <script/taptree.h>
#include <test/script_util.h>
#include <test/util/verifier.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <vector>

/** Spends of leaf scripts, as tests vary them. */
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
    [[nodiscard]] Bytes Sign(const uint256& message, std::span<const uint8_t> ctx) const;

private:
    explicit TestKey(uint8_t seed);

    slhdsa::SecretKey m_sk;
    slhdsa::PublicKey m_pk;
};

/** 64 bytes of BIP 340 signature over a message by a key whose x-only public key is SchnorrPublicKey(). */
Bytes SignSchnorr(const uint256& message);
Bytes SchnorrPublicKey();
Bytes WithHashType(Bytes sig, uint8_t hash_type);
/** An annex in the form in which signatures commit to it. */
ScriptExecutionData AnnexData(const std::optional<Bytes>& annex);

/** The output that commits to the leaf. */
enum class Output { P2MR, P2TR };
inline constexpr std::array<Output, 2> BOTH_OUTPUTS{Output::P2MR, Output::P2TR};
inline std::ostream& operator<<(std::ostream& out, Output output) { return out << (output == Output::P2MR ? "P2MR" : "P2TR"); }

/** The way in which SLH-DSA signatures are verified. */
enum class Verify {
    ACCEPT,   //!< all of the right form are valid: for tests of everything but signatures
    REJECT,   //!< none is
    PLAIN,    //!< really, by TransactionSignatureChecker with a VerifyingSink
    EAGER,    //!< really, by CScriptCheck
    DEFERRED, //!< really, staged and then verified
};
inline std::ostream& operator<<(std::ostream& out, Verify verify)
{
    return out << (verify == Verify::ACCEPT   ? "accept"
                   : verify == Verify::REJECT ? "reject"
                   : verify == Verify::PLAIN  ? "plain"
                   : verify == Verify::EAGER  ? "eager"
                                              : "deferred");
}

/** One input that spends a leaf script of a tree. */
struct TapSpend {
    // The output and its spend
    Output output{Output::P2MR};
    CScript leaf;
    uint8_t leaf_version{TAPROOT_LEAF_TAPSCRIPT};
    size_t path_length{1};           //!< m
    std::vector<Bytes> stack;        //!< below the leaf script
    std::optional<Bytes> annex;
    std::optional<Bytes> control;    //!< instead of the right one
    std::optional<CScript> shown_leaf; //!< in the witness instead of the one in the tree

    // The transaction around it: this input comes after n_in others
    unsigned n_in{0};
    size_t n_outputs{1};
    uint32_t tx_version{2};
    uint32_t lock_time{0};
    uint32_t sequence{CTxIn::SEQUENCE_FINAL};

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

    /** Run it. */
    [[nodiscard]] ScriptError Run(script_verify_flags flags = CONSENSUS, Verify verify = Verify::ACCEPT) const;
};

/** The verdict on real signatures, verified at once and deferred: a check fails if they differ. */
[[nodiscard]] ScriptError RunReal(const TapSpend& spend, script_verify_flags flags = CONSENSUS);

/** Signatures of the right form, for Verify::ACCEPT and REJECT alone. */
inline Bytes FakeSignature(size_t size = slhdsa::SIGNATURE_SIZE, uint8_t last = 0x5a)
{
    Bytes sig(size, 0x5a);
    if (!sig.empty()) sig.back() = last;
    return sig;
}

/** A sink that doesn't compute SLH-DSA. */
class AnsweringSink final : public SignatureSink
{
public:
    explicit AnsweringSink(SLHDSACheckResult answer) : m_answer{answer} {}
    [[nodiscard]] SLHDSACheckResult PutSLHDSA(slhdsa::SignatureCheck&&) override { return m_answer; }

private:
    const SLHDSACheckResult m_answer;
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_TAP_FIXTURE_H
