// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/spends.h>

#include <crypto/ripemd160.h>
#include <crypto/sha256.h>
#include <pqc/slhdsa/message.h>
#include <script/interpreter.h>
#include <script/p2mr.h>
#include <script/pubkey.h>
#include <script/taptree.h>
#include <test/util/block_builder.h>
#include <test/util/signing_context.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

namespace slhc::test {

namespace {

constexpr CAmount SPENT_VALUE{100'000};

/** Bytes that follow from a letter and a number. */
std::array<uint8_t, 32> Derive(uint8_t letter, uint64_t number)
{
    HashWriter hasher;
    WriteU8(hasher, letter);
    WriteU64(hasher, number);
    return hasher.GetSHA256().Bytes();
}

/** Append a path of so many siblings to the control block. @return the root that it leads to */
uint256 ClimbTree(std::vector<uint8_t>& control, const CScript& script, size_t depth)
{
    uint256 node{ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, script)};
    for (size_t level = 0; level < depth; ++level) {
        const auto sibling{Derive('s', level)};
        control.insert(control.end(), sibling.begin(), sibling.end());
        node = ComputeTapbranchHash(node.Bytes(), sibling);
    }
    return node;
}

void Require(bool ok, const char* what)
{
    if (!ok) throw std::runtime_error{what};
}

std::vector<uint8_t> Filler(size_t size, size_t key)
{
    std::vector<uint8_t> bytes(size, 0x5a);
    bytes[0] = static_cast<uint8_t>(key);
    return bytes;
}

template <size_t SIZE>
std::vector<uint8_t> ToVector(const std::array<uint8_t, SIZE>& bytes)
{
    return {bytes.begin(), bytes.end()};
}

} // namespace

SLHDSAFunctions SLHDSAFunctions::Scalar()
{
    return {
        .keygen = slhdsa::slh_keygen_internal<slhdsa::PARAMS_128S>,
        .sign = [](std::span<const uint8_t> message, const slhdsa::SecretKey& sk, const std::array<uint8_t, slhdsa::N>& addrnd,
                   slhdsa::Signature& sig) { slhdsa::slh_sign_internal(*slhdsa::MessagePieces::Pure(message, {}), sk, addrnd, sig); },
    };
}

SLHDSAFunctions SLHDSAFunctions::Fake()
{
    return {
        .keygen =
            [](std::span<const uint8_t, slhdsa::KEYGEN_SEED_SIZE> seed, slhdsa::SecretKey& sk, slhdsa::PublicKey& pk) {
                std::ranges::copy_n(seed.begin(), pk.size(), pk.begin());
                sk.fill(0);
                std::ranges::copy_n(pk.end() - slhdsa::N, slhdsa::N, sk.end() - slhdsa::N);
            },
        .sign =
            [](std::span<const uint8_t> message, const slhdsa::SecretKey& sk, const std::array<uint8_t, slhdsa::N>& addrnd,
               slhdsa::Signature& sig) {
                sig.fill(0);
                auto out{std::ranges::copy_n(sk.end() - slhdsa::N, slhdsa::N, sig.begin()).out};
                out = std::ranges::copy(addrnd, out).out;
                std::ranges::copy(message, out);
            },
    };
}

struct RealSigner::Impl {
    struct SLHDSAKeyPair {
        slhdsa::SecretKey sk;
        slhdsa::PublicKey pk;
    };

    SLHDSAFunctions slhdsa;
    std::map<size_t, SLHDSAKeyPair> slhdsa_keys;
    std::map<size_t, secp256k1_keypair> schnorr_keys;
    uint64_t n_signed{0};

    explicit Impl(SLHDSAFunctions functions) : slhdsa{std::move(functions)} {}

    const SLHDSAKeyPair& SLHDSA(size_t key)
    {
        const auto [it, inserted]{slhdsa_keys.try_emplace(key)};
        if (inserted) {
            std::array<uint8_t, slhdsa::KEYGEN_SEED_SIZE> seed{};
            std::ranges::copy(Derive('p', key), seed.begin());
            slhdsa.keygen(seed, it->second.sk, it->second.pk);
        }
        return it->second;
    }

    const secp256k1_keypair& Schnorr(size_t key)
    {
        const auto [it, inserted]{schnorr_keys.try_emplace(key)};
        if (inserted) {
            Require(secp256k1_keypair_create(SigningContext(), &it->second, Derive('e', key).data()) == 1, "secret key out of range");
        }
        return it->second;
    }
};

RealSigner::RealSigner(SLHDSAFunctions slhdsa) : m_impl{std::make_unique<Impl>(std::move(slhdsa))} {}
RealSigner::~RealSigner() = default;

slhdsa::PublicKey RealSigner::SLHDSAKey(size_t key) { return m_impl->SLHDSA(key).pk; }

std::vector<uint8_t> RealSigner::SignSLHDSA(size_t key, const uint256& message)
{
    std::array<uint8_t, slhdsa::N> addrnd;
    std::ranges::copy_n(Derive('r', ++m_impl->n_signed).begin(), addrnd.size(), addrnd.begin());
    slhdsa::Signature sig;
    m_impl->slhdsa.sign(message.Bytes(), m_impl->SLHDSA(key).sk, addrnd, sig);
    return ToVector(sig);
}

const secp256k1_keypair& RealSigner::KeyPair(size_t key) { return m_impl->Schnorr(key); }

std::array<uint8_t, 32> KeyPairSigner::SchnorrKey(size_t key)
{
    secp256k1_xonly_pubkey xonly;
    std::array<uint8_t, 32> bytes;
    Require(secp256k1_keypair_xonly_pub(SigningContext(), &xonly, nullptr, &KeyPair(key)) == 1, "keypair");
    secp256k1_xonly_pubkey_serialize(SigningContext(), bytes.data(), &xonly);
    return bytes;
}

std::vector<uint8_t> KeyPairSigner::SignSchnorr(size_t key, const uint256& message)
{
    std::vector<uint8_t> sig(64);
    Require(secp256k1_schnorrsig_sign32(SigningContext(), sig.data(), message.data(), &KeyPair(key), nullptr) == 1, "schnorrsig_sign32");
    return sig;
}

std::array<uint8_t, 33> KeyPairSigner::ECDSAKey(size_t key)
{
    secp256k1_pubkey pubkey;
    std::array<uint8_t, 33> bytes;
    size_t size{bytes.size()};
    Require(secp256k1_keypair_pub(SigningContext(), &pubkey, &KeyPair(key)) == 1, "keypair");
    secp256k1_ec_pubkey_serialize(SigningContext(), bytes.data(), &size, &pubkey, SECP256K1_EC_COMPRESSED);
    return bytes;
}

std::vector<uint8_t> KeyPairSigner::SignECDSA(size_t key, const uint256& message)
{
    uint256 secret;
    secp256k1_ecdsa_signature sig;
    std::vector<uint8_t> der(72);
    size_t size{der.size()};
    Require(secp256k1_keypair_sec(SigningContext(), secret.data(), &KeyPair(key)) == 1, "keypair");
    Require(secp256k1_ecdsa_sign(SigningContext(), &sig, message.data(), secret.data(), nullptr, nullptr) == 1, "ecdsa_sign");
    Require(secp256k1_ecdsa_signature_serialize_der(SigningContext(), der.data(), &size, &sig) == 1, "serialize_der");
    der.resize(size);
    return der;
}

slhdsa::PublicKey FillerSigner::SLHDSAKey(size_t key) { return Derive('p', key); }
std::vector<uint8_t> FillerSigner::SignSLHDSA(size_t key, const uint256&) { return Filler(slhdsa::SIGNATURE_SIZE, key); }
std::array<uint8_t, 32> FillerSigner::SchnorrKey(size_t key) { return Derive('e', key); }
std::vector<uint8_t> FillerSigner::SignSchnorr(size_t key, const uint256&) { return Filler(64, key); }

std::array<uint8_t, 33> FillerSigner::ECDSAKey(size_t key)
{
    std::array<uint8_t, 33> bytes{0x02};
    std::ranges::copy(Derive('e', key), bytes.begin() + 1);
    return bytes;
}

std::vector<uint8_t> FillerSigner::SignECDSA(size_t key, const uint256&)
{
    // Two integers of 32 bytes, well-formed.
    std::vector<uint8_t> der{0x30, 0x44, 0x02, 0x20};
    const auto r{Filler(32, 1 + key % 0x7f)}; // positive, and its first byte is needed
    der.insert(der.end(), r.begin(), r.end());
    der.insert(der.end(), {0x02, 0x20});
    der.insert(der.end(), r.begin(), r.end());
    return der;
}

LeafSpend LeafSpend::P2MR(CScript script, size_t depth)
{
    Require(depth > 0, "a tree of one leaf can be spent by anyone");
    LeafSpend spend;
    spend.control.push_back(TAPROOT_LEAF_TAPSCRIPT | P2MR_CONTROL_BIT);
    spend.script_pub_key = P2MRScriptPubKey(ClimbTree(spend.control, script, depth));
    spend.script = std::move(script);
    return spend;
}

LeafSpend LeafSpend::P2TR(CScript script, size_t depth)
{
    static const XOnlyPubKey INTERNAL{RealSigner{}.SchnorrKey(0)};
    LeafSpend spend;
    spend.control.push_back(TAPROOT_LEAF_TAPSCRIPT);
    spend.control.insert(spend.control.end(), INTERNAL.Bytes().begin(), INTERNAL.Bytes().end());
    const uint256 root{ClimbTree(spend.control, script, depth)};
    const auto tweaked{INTERNAL.CreateTapTweak(&root)};
    Require(tweaked.has_value(), "internal key");
    if (tweaked->second) spend.control[0] |= 1;
    spend.script_pub_key << OP_1 << ToVector(tweaked->first.Bytes());
    spend.script = std::move(script);
    return spend;
}

uint256 LeafSpend::Message(const CMutableTransaction& tx, uint32_t n_in, const PrecomputedTransactionData& txdata, uint8_t hash_type,
                           KeyVersion key_version) const
{
    ScriptExecutionData execdata;
    execdata.m_tapleaf_hash = ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, script);
    execdata.m_annex_init = true;
    const auto message{SignatureHashSchnorr(execdata, tx, n_in, hash_type, SigVersion::TAPSCRIPT, txdata, key_version)};
    Require(message.has_value(), "no signature message for this hash type");
    return *message;
}

CScriptWitness LeafSpend::Witness(std::vector<std::vector<uint8_t>> elements) const
{
    CScriptWitness witness{std::move(elements)};
    witness.stack.emplace_back(script.begin(), script.end());
    witness.stack.push_back(control);
    return witness;
}

CScript P2WPKHScriptPubKey(Signer& signer, size_t key)
{
    std::array<uint8_t, 20> hash;
    CRIPEMD160{}.Write(CSHA256{}.Write(signer.ECDSAKey(key)).Digest()).Finalize(hash);
    return CScript{} << OP_0 << hash;
}

CScriptWitness SpendP2WPKH(Signer& signer, size_t key, const CMutableTransaction& tx, uint32_t n_in, CAmount value,
                           const PrecomputedTransactionData& txdata)
{
    const CScript output{P2WPKHScriptPubKey(signer, key)};
    CScript script_code{CScript{} << OP_DUP << OP_HASH160};
    script_code.insert(script_code.end(), output.begin() + 1, output.end()); // the push of the hash
    script_code << OP_EQUALVERIFY << OP_CHECKSIG;
    auto sig{signer.SignECDSA(key, SignatureHash(script_code, tx, n_in, SIGHASH_ALL, value, SigVersion::WITNESS_V0, &txdata))};
    sig.push_back(SIGHASH_ALL);
    return {{std::move(sig), ToVector(signer.ECDSAKey(key))}};
}

CScriptWitness SpendKeyPath(Signer& signer, size_t key, const CMutableTransaction& tx, uint32_t n_in,
                            const PrecomputedTransactionData& txdata)
{
    ScriptExecutionData execdata;
    execdata.m_annex_init = true;
    const auto message{SignatureHashSchnorr(execdata, tx, n_in, SIGHASH_DEFAULT, SigVersion::TAPROOT, txdata)};
    Require(message.has_value(), "no signature message");
    return {{signer.SignSchnorr(key, *message)}};
}

CMutableTransaction MakeSpend(size_t n_inputs)
{
    CMutableTransaction tx;
    for (size_t i = 0; i < n_inputs; ++i) tx.vin.emplace_back(NewOutPoint());
    tx.vout.emplace_back(SPENT_VALUE / 2, CScript{} << OP_TRUE);
    return tx;
}

std::vector<CTxOut> MakeSpent(const std::vector<CScript>& scripts)
{
    std::vector<CTxOut> spent;
    for (const CScript& script : scripts) spent.emplace_back(SPENT_VALUE, script);
    return spent;
}

SignedSpend SpendKinds(const std::vector<SpendKind>& kinds, Signer& signer, size_t first_key)
{
    SignedSpend result{.tx = MakeSpend(kinds.size()), .spent = {}};
    std::vector<LeafSpend> leaves(kinds.size());
    std::vector<CScript> scripts;
    for (size_t i = 0; i < kinds.size(); ++i) {
        const size_t key{first_key + i};
        const auto check_schnorr{[&] { return CScript{} << ToVector(signer.SchnorrKey(key)) << OP_CHECKSIG; }};
        switch (kinds[i]) {
        case SpendKind::P2WPKH: scripts.push_back(P2WPKHScriptPubKey(signer, key)); break;
        case SpendKind::P2TR_KEY_PATH: scripts.push_back(CScript{} << OP_1 << ToVector(signer.SchnorrKey(key))); break;
        case SpendKind::P2TR_SCRIPT_PATH: leaves[i] = LeafSpend::P2TR(check_schnorr()); break;
        case SpendKind::P2MR_SCHNORR: leaves[i] = LeafSpend::P2MR(check_schnorr()); break;
        case SpendKind::P2MR_SLHDSA: leaves[i] = LeafSpend::P2MR(CScript{} << ToVector(signer.SLHDSAKey(key)) << OP_CHECKSIGSLHDSA); break;
        }
        if (!leaves[i].script.empty()) scripts.push_back(leaves[i].script_pub_key);
    }
    result.spent = MakeSpent(scripts);
    const PrecomputedTransactionData txdata{result.tx, std::vector<CTxOut>{result.spent}, /*force=*/true};
    for (size_t i = 0; i < kinds.size(); ++i) {
        const size_t key{first_key + i};
        const auto n_in{static_cast<uint32_t>(i)};
        CScriptWitness& witness{result.tx.vin[i].scriptWitness};
        switch (kinds[i]) {
        case SpendKind::P2WPKH: witness = SpendP2WPKH(signer, key, result.tx, n_in, result.spent[i].nValue, txdata); break;
        case SpendKind::P2TR_KEY_PATH: witness = SpendKeyPath(signer, key, result.tx, n_in, txdata); break;
        case SpendKind::P2TR_SCRIPT_PATH:
        case SpendKind::P2MR_SCHNORR:
            witness = leaves[i].Witness(
                {signer.SignSchnorr(key, leaves[i].Message(result.tx, n_in, txdata, SIGHASH_DEFAULT, KeyVersion::BIP340))});
            break;
        case SpendKind::P2MR_SLHDSA:
            witness = leaves[i].Witness(
                {signer.SignSLHDSA(key, leaves[i].Message(result.tx, n_in, txdata, SIGHASH_DEFAULT, KeyVersion::SLHDSA))});
            break;
        }
    }
    return result;
}

} // namespace slhc::test
