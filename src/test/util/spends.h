// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_SPENDS_H
#define SLHCONSENSUS_TEST_UTIL_SPENDS_H

#include <pqc/slhdsa/slhdsa.h>
#include <primitives/script.h>
#include <primitives/transaction.h>
#include <primitives/uint256.h>
#include <script/sighash.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <secp256k1_extrakeys.h>

/** Outputs of all kinds, and the signatures that spend them, for tests and benchmarks. */
namespace slhc::test {

/** Makes keys and signatures. Keys are numbered and follow from their number. */
class Signer
{
public:
    virtual ~Signer() = default;
    /** An SLH-DSA key. */
    [[nodiscard]] virtual slhdsa::PublicKey SLHDSAKey(size_t key) = 0;
    /** A pure signature of 7856 bytes with an empty context; another one at each call. */
    [[nodiscard]] virtual std::vector<uint8_t> SignSLHDSA(size_t key, const uint256& message) = 0;
    /** A key of BIP 340. */
    [[nodiscard]] virtual std::array<uint8_t, 32> SchnorrKey(size_t key) = 0;
    [[nodiscard]] virtual std::vector<uint8_t> SignSchnorr(size_t key, const uint256& message) = 0;
    /** A compressed key for ECDSA. */
    [[nodiscard]] virtual std::array<uint8_t, 33> ECDSAKey(size_t key) = 0;
    /** In DER, with a low S. */
    [[nodiscard]] virtual std::vector<uint8_t> SignECDSA(size_t key, const uint256& message) = 0;
};

/** The EC part of a signer: BIP 340 and ECDSA with the same keys. */
class KeyPairSigner : public Signer
{
public:
    std::array<uint8_t, 32> SchnorrKey(size_t key) override;
    std::vector<uint8_t> SignSchnorr(size_t key, const uint256& message) override;
    std::array<uint8_t, 33> ECDSAKey(size_t key) override;
    std::vector<uint8_t> SignECDSA(size_t key, const uint256& message) override;

private:
    [[nodiscard]] virtual const secp256k1_keypair& KeyPair(size_t key) = 0;
};

/** RealSigner's functions for SLH-DSA keys and signatures: FIPS 205's algorithms 18 and 22, however fast. */
struct SLHDSAFunctions {
    std::function<void(std::span<const uint8_t, slhdsa::KEYGEN_SEED_SIZE> seed, slhdsa::SecretKey& sk, slhdsa::PublicKey& pk)> keygen;
    std::function<void(std::span<const uint8_t> message, const slhdsa::SecretKey& sk, const std::array<uint8_t, slhdsa::N>& addrnd,
                       slhdsa::Signature& sig)>
        sign;

    /** The scalar code. */
    [[nodiscard]] static SLHDSAFunctions Scalar();
    /** In no time, and valid for a FakeBackend alone (batch_fixture.h): a signature begins with PK.root. */
    [[nodiscard]] static SLHDSAFunctions Fake();
};

/** Signatures that verify. Not thread-safe. */
class RealSigner : public KeyPairSigner
{
public:
    explicit RealSigner(SLHDSAFunctions slhdsa = SLHDSAFunctions::Scalar());
    ~RealSigner() override;

    slhdsa::PublicKey SLHDSAKey(size_t key) override;
    std::vector<uint8_t> SignSLHDSA(size_t key, const uint256& message) override;

private:
    [[nodiscard]] const secp256k1_keypair& KeyPair(size_t key) override;
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/** Bytes of the right size in no time: for tests that count checks and never verify them. */
class FillerSigner : public Signer
{
public:
    slhdsa::PublicKey SLHDSAKey(size_t key) override;
    std::vector<uint8_t> SignSLHDSA(size_t key, const uint256& message) override;
    std::array<uint8_t, 32> SchnorrKey(size_t key) override;
    std::vector<uint8_t> SignSchnorr(size_t key, const uint256& message) override;
    std::array<uint8_t, 33> ECDSAKey(size_t key) override;
    std::vector<uint8_t> SignECDSA(size_t key, const uint256& message) override;
};

/** A leaf script in a tree, with the means to spend it. */
struct LeafSpend {
    CScript script;
    CScript script_pub_key;
    std::vector<uint8_t> control; //!< control block

    /** A P2MR tree in which the leaf is depth levels below the root. @pre depth > 0: else anyone can spend it */
    [[nodiscard]] static LeafSpend P2MR(CScript script, size_t depth = 1);
    /** A P2TR tree in which the leaf is depth levels below the root; 0: with this leaf alone. */
    [[nodiscard]] static LeafSpend P2TR(CScript script, size_t depth = 0);

    /** The message of a BIP 340 or SLH-DSA signature over this input; no code separator, no annex.
     *  @param[in] hash_type  a defined one */
    [[nodiscard]] uint256 Message(const CMutableTransaction& tx, uint32_t n_in, const PrecomputedTransactionData& txdata, uint8_t hash_type,
                                  KeyVersion key_version) const;

    /** Elements, script and control block as a witness. */
    [[nodiscard]] CScriptWitness Witness(std::vector<std::vector<uint8_t>> elements) const;
};

/** <20 bytes>: a P2WPKH output for an ECDSA key. */
[[nodiscard]] CScript P2WPKHScriptPubKey(Signer& signer, size_t key);
/** The witness that spends one. @param[in] value  the output's */
[[nodiscard]] CScriptWitness SpendP2WPKH(Signer& signer, size_t key, const CMutableTransaction& tx, uint32_t n_in, CAmount value,
                                         const PrecomputedTransactionData& txdata);
/** The witness that spends a P2TR output, whose output key is a Schnorr key as it is, by the key path. */
[[nodiscard]] CScriptWitness SpendKeyPath(Signer& signer, size_t key, const CMutableTransaction& tx, uint32_t n_in,
                                          const PrecomputedTransactionData& txdata);

/** A transaction that spends outputs never seen before, and makes one that anyone can spend. */
[[nodiscard]] CMutableTransaction MakeSpend(size_t n_inputs);
/** Outputs for it to spend, worth more than its own. */
[[nodiscard]] std::vector<CTxOut> MakeSpent(const std::vector<CScript>& scripts);

/** The kinds of output that spends are mixed from. */
enum class SpendKind {
    P2WPKH,
    P2TR_KEY_PATH,
    P2TR_SCRIPT_PATH, //!< <key> OP_CHECKSIG
    P2MR_SCHNORR,     //!< <key> OP_CHECKSIG
    P2MR_SLHDSA,      //!< <key> OP_CHECKSIGSLHDSA
};

struct SignedSpend {
    CMutableTransaction tx;
    std::vector<CTxOut> spent; //!< one for each input
};

/** A transaction with one input for each kind, signed.
 *  @param[in] first_key  input i is signed by key number first_key + i */
[[nodiscard]] SignedSpend SpendKinds(const std::vector<SpendKind>& kinds, Signer& signer, size_t first_key);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_SPENDS_H
