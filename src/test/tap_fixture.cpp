// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/tap_fixture.h>

#include <script/p2mr.h>
#include <script/pubkey.h>
#include <test/util/signing_context.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

namespace slhc::test {

namespace {

constexpr CAmount AMOUNT{100'000};

/** The generator's x coordinate hashed: a point whose logarithm nobody knows (BIP 341). */
const XOnlyPubKey& InternalKey()
{
    static const XOnlyPubKey KEY{std::span<const uint8_t, 32>{Hex("50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0")}};
    return KEY;
}

const secp256k1_keypair& SchnorrKeyPair()
{
    static const secp256k1_keypair s_key_pair{[] {
        secp256k1_keypair made;
        const Bytes secret(32, 0x11);
        if (!secp256k1_keypair_create(SigningContext(), &made, secret.data())) throw std::runtime_error{"bad secret key"};
        return made;
    }()};
    return s_key_pair;
}

} // namespace

TestKey::TestKey(uint8_t seed)
{
    std::array<uint8_t, slhdsa::KEYGEN_SEED_SIZE> bytes;
    bytes.fill(seed);
    slhdsa::slh_keygen_internal(bytes, m_sk, m_pk);
}

const TestKey& TestKey::Get(uint8_t seed)
{
    static std::map<uint8_t, std::unique_ptr<TestKey>> keys;
    auto& key{keys[seed]};
    if (!key) key.reset(new TestKey{seed});
    return *key;
}

Bytes TestKey::Sign(const uint256& message) const
{
    static std::map<std::pair<slhdsa::PublicKey, uint256>, Bytes> signatures;
    Bytes& kept{signatures[{m_pk, message}]};
    if (kept.empty()) {
        slhdsa::Signature sig;
        if (!slhdsa::slh_sign(message.Bytes(), {}, m_sk, nullptr, sig)) throw std::runtime_error{"cannot sign"};
        kept.assign(sig.begin(), sig.end());
    }
    return kept;
}

Bytes SignSchnorr(const uint256& message)
{
    Bytes sig(64);
    if (!secp256k1_schnorrsig_sign32(SigningContext(), sig.data(), message.data(), &SchnorrKeyPair(), nullptr)) {
        throw std::runtime_error{"cannot sign"};
    }
    return sig;
}

Bytes SchnorrPublicKey()
{
    secp256k1_xonly_pubkey pubkey;
    Bytes bytes(32);
    if (!secp256k1_keypair_xonly_pub(SigningContext(), &pubkey, nullptr, &SchnorrKeyPair())) {
        throw std::runtime_error{"no public key"};
    }
    secp256k1_xonly_pubkey_serialize(SigningContext(), bytes.data(), &pubkey);
    return bytes;
}

Bytes WithHashType(Bytes sig, uint8_t hash_type)
{
    sig.push_back(hash_type);
    return sig;
}

Bytes TapSpend::Path() const
{
    Bytes path;
    for (size_t i{0}; i < path_length; ++i) path.insert(path.end(), TAPROOT_CONTROL_NODE_SIZE, static_cast<uint8_t>(37 * i + 1));
    return path;
}

CScript TapSpend::ScriptPubKey() const
{
    const uint256 root{ComputeTapPathRoot(Path(), LeafHash())};
    if (output == Output::P2MR) return P2MRScriptPubKey(root);
    return CScript{} << OP_1 << InternalKey().CreateTapTweak(&root)->first.Bytes();
}

Bytes TapSpend::ControlBlock() const
{
    const Bytes path{Path()};
    Bytes block;
    if (output == Output::P2MR) {
        block.push_back(leaf_version | P2MR_CONTROL_BIT);
    } else {
        const uint256 root{ComputeTapPathRoot(path, LeafHash())};
        block.push_back(static_cast<uint8_t>(leaf_version | (InternalKey().CreateTapTweak(&root)->second ? 1 : 0)));
        block.insert(block.end(), InternalKey().Bytes().begin(), InternalKey().Bytes().end());
    }
    block.insert(block.end(), path.begin(), path.end());
    return block;
}

CScriptWitness TapSpend::Witness() const
{
    CScriptWitness witness{stack};
    witness.stack.push_back(leaf);
    witness.stack.push_back(ControlBlock());
    return witness;
}

std::vector<CTxOut> TapSpend::SpentOutputs() const { return {CTxOut{AMOUNT, ScriptPubKey()}}; }

CTransaction TapSpend::Tx() const
{
    CMutableTransaction tx;
    tx.vin.emplace_back(COutPoint{uint256{uint8_t{1}}, 0}, CScript{});
    tx.vin[0].scriptWitness = Witness();
    for (size_t i{0}; i < n_outputs; ++i) {
        tx.vout.emplace_back(static_cast<CAmount>(500 + i), CScript{} << OP_RETURN << static_cast<int64_t>(i));
    }
    return CTransaction{std::move(tx)};
}

uint256 TapSpend::Message(uint8_t hash_type, KeyVersion key_version, uint32_t codeseparator_pos) const
{
    const CTransaction tx{Tx()};
    const PrecomputedTransactionData txdata{tx, SpentOutputs(), /*force=*/true};
    ScriptExecutionData execdata;
    execdata.m_annex_init = true;
    execdata.m_tapleaf_hash = LeafHash();
    execdata.m_codeseparator_pos = codeseparator_pos;
    return SignatureHashSchnorr(execdata, tx, 0, hash_type, SigVersion::TAPSCRIPT, txdata, key_version).value();
}

} // namespace slhc::test
