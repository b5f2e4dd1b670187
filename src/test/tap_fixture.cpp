// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/tap_fixture.h>

#include <script/p2mr.h>
#include <script/pubkey.h>
#include <test/util/signing_context.h>

#include <boost/test/unit_test.hpp>
#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>

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

Bytes TestKey::Sign(const uint256& message) const { return Sign(message, {}); }

Bytes TestKey::Sign(const uint256& message, std::span<const uint8_t> ctx) const
{
    static std::map<std::tuple<slhdsa::PublicKey, uint256, Bytes>, Bytes> signatures;
    Bytes& kept{signatures[{m_pk, message, Bytes(ctx.begin(), ctx.end())}]};
    if (kept.empty()) {
        slhdsa::Signature sig;
        if (!slhdsa::slh_sign(message.Bytes(), ctx, m_sk, nullptr, sig)) throw std::runtime_error{"cannot sign"};
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

ScriptExecutionData AnnexData(const std::optional<Bytes>& annex)
{
    ScriptExecutionData execdata;
    execdata.m_annex_init = true;
    if (annex) {
        HashWriter writer;
        WriteVarBytes(writer, *annex);
        execdata.m_annex_hash = writer.GetSHA256();
    }
    return execdata;
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
    witness.stack.push_back(shown_leaf.value_or(leaf));
    witness.stack.push_back(control ? *control : ControlBlock());
    if (annex) witness.stack.push_back(*annex);
    return witness;
}

std::vector<CTxOut> TapSpend::SpentOutputs() const
{
    std::vector<CTxOut> outputs;
    for (unsigned i{0}; i < n_in; ++i) outputs.emplace_back(1000 + i, CScript{} << OP_TRUE);
    outputs.emplace_back(AMOUNT, ScriptPubKey());
    return outputs;
}

CTransaction TapSpend::Tx() const
{
    CMutableTransaction tx;
    tx.version = tx_version;
    tx.nLockTime = lock_time;
    for (unsigned i{0}; i <= n_in; ++i) {
        uint256 hash;
        hash.data()[0] = static_cast<uint8_t>(i + 1);
        tx.vin.emplace_back(COutPoint{hash, i}, CScript{}, i == n_in ? sequence : CTxIn::SEQUENCE_FINAL);
    }
    tx.vin[n_in].scriptWitness = Witness();
    for (size_t i{0}; i < n_outputs; ++i) {
        tx.vout.emplace_back(static_cast<CAmount>(500 + i), CScript{} << OP_RETURN << static_cast<int64_t>(i));
    }
    return CTransaction{std::move(tx)};
}

uint256 TapSpend::Message(uint8_t hash_type, KeyVersion key_version, uint32_t codeseparator_pos) const
{
    const CTransaction tx{Tx()};
    const PrecomputedTransactionData txdata{tx, SpentOutputs(), /*force=*/true};
    ScriptExecutionData execdata{AnnexData(annex)};
    execdata.m_tapleaf_hash = LeafHash();
    execdata.m_codeseparator_pos = codeseparator_pos;
    return SignatureHashSchnorr(execdata, tx, n_in, hash_type, SigVersion::TAPSCRIPT, txdata, key_version).value();
}

ScriptError TapSpend::Run(script_verify_flags flags, Verify verify) const
{
    const CTransaction tx{Tx()};
    const PrecomputedTransactionData txdata{tx, SpentOutputs()};
    const auto run_with{[&](SignatureSink&& sink) {
        const TransactionSignatureChecker checker{tx, n_in, AMOUNT, &txdata, sink};
        ScriptError error;
        const bool valid{VerifyScript(tx.vin[n_in].scriptSig, ScriptPubKey(), &tx.vin[n_in].scriptWitness, flags, checker, error)};
        if (valid != (error == SCRIPT_ERR_OK)) throw std::logic_error{"verdict and error disagree"};
        return error;
    }};
    CScriptCheck check{tx, n_in, flags, txdata, PortableVerifier()};
    switch (verify) {
    case Verify::ACCEPT:
        return run_with(AnsweringSink{SLHDSACheckResult::VALID});
    case Verify::REJECT:
        return run_with(AnsweringSink{SLHDSACheckResult::INVALID});
    case Verify::PLAIN:
        return run_with(VerifyingSink{PortableVerifier()});
    case Verify::EAGER:
        if ((check.VerifyNow() == ScriptVerdict::VALID) != (check.Failure().error == SCRIPT_ERR_OK)) {
            throw std::logic_error{"verdict and error disagree"};
        }
        return check.Failure().error;
    case Verify::DEFERRED: {
        std::vector<slhdsa::SignatureCheck> staged;
        const ScriptVerdict verdict{check.RunDeferring(staged)};
        if ((verdict == ScriptVerdict::DEFERRED) != !staged.empty()) throw std::logic_error{"verdict and staged signatures disagree"};
        for (const slhdsa::SignatureCheck& one : staged) {
            if (!PortableVerifier().VerifyNow(one.View())) return SCRIPT_ERR_SLHDSA_SIG;
        }
        return check.Failure().error;
    }
    }
    throw std::logic_error{"unreachable"};
}

ScriptError RunReal(const TapSpend& spend, script_verify_flags flags)
{
    const ScriptError eager{spend.Run(flags, Verify::EAGER)};
    BOOST_CHECK_EQUAL(spend.Run(flags, Verify::DEFERRED), eager);
    BOOST_CHECK_EQUAL(spend.Run(flags, Verify::PLAIN), eager);
    return eager;
}

} // namespace slhc::test
