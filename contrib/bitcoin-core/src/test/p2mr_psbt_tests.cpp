// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/config.h>

#ifdef ENABLE_SLHDSA

#include <addresstype.h>
#include <coins.h>
#include <common/types.h>
#include <consensus/amount.h>
#include <consensus/consensus.h>
#include <core_io.h>
#include <crypto/sha256.h>
#include <hash.h>
#include <key.h>
#include <node/psbt.h>
#include <policy/policy.h>
#include <primitives/transaction.h>
#include <psbt.h>
#include <script/descriptor.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/sign.h>
#include <script/signingprovider.h>
#include <slhdsa.h>
#include <slhdsa/leaf.h>
#include <slhdsa/psbt.h>
#include <slhdsa/pubkey.h>
#include <slhdsa/witness.h>
#include <streams.h>
#include <test/util/setup_common.h>
#include <uint256.h>
#include <univalue.h>
#include <util/strencodings.h>
#include <util/translation.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {
using valtype = std::vector<unsigned char>;

/** An SLH-DSA key pair. */
struct SLHDSAKey {
    std::array<unsigned char, 64> secret;
    std::array<unsigned char, 32> bytes;

    explicit SLHDSAKey(unsigned char seed_byte)
    {
        const std::vector<unsigned char> seed(48, seed_byte);
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_keygen(Context(), SLHC_SET_128S, seed.data(), secret.data(), bytes.data(), nullptr, nullptr), SLHC_OK);
    }
    SLHDSAPubKey PubKey() const { return SLHDSAPubKey{bytes}; }
    std::string Hex() const { return HexStr(bytes); }

    valtype Sign(const uint256& hash) const
    {
        // Signing takes a while, and several tests sign the same.
        static std::map<std::pair<std::string, uint256>, valtype> cache;
        valtype& sig{cache[{Hex(), hash}]};
        if (sig.empty()) {
            sig.resize(SLHDSAPubKey::SIGNATURE_SIZE);
            BOOST_REQUIRE_EQUAL(slhc_slhdsa_sign(Context(), SLHC_SET_128S, secret.data(), {hash.data(), hash.size()}, /*ctx=*/{nullptr, 0}, /*addrnd16=*/nullptr, sig.data(), nullptr, nullptr), SLHC_OK);
        }
        return sig;
    }

private:
    static const slhc_context* Context();
};

CKey SchnorrKey(unsigned char byte)
{
    const std::vector<unsigned char> secret(32, byte);
    CKey key;
    key.Set(secret.begin(), secret.end(), /*fCompressedIn=*/true);
    return key;
}

const std::string UNSPENDABLE{"rawleaf(6a)"};

/** combinerawtransaction's result for variants of a transaction with one input. */
SignatureData Combine(const CMutableTransaction& unsigned_tx, const CTxOut& spent, const std::vector<CMutableTransaction>& variants)
{
    PrecomputedTransactionData txdata;
    txdata.Init(unsigned_tx, {spent}, /*force=*/true);
    SignatureData sigdata;
    for (const auto& variant : variants) sigdata.MergeSignatureData(DataFromTransaction(variant, 0, spent, &txdata));
    ProduceSignature(DUMMY_SIGNING_PROVIDER, MutableTransactionSignatureCreator(unsigned_tx, 0, spent.nValue, &txdata, SIGHASH_ALL), spent.scriptPubKey, sigdata);
    return sigdata;
}

/** Makes PSBTs with one input. */
struct PSBTSetup : BasicTestingSetup {
    const SLHDSAKey k1{1}, k2{2}, k3{3};
    const CKey schnorr{SchnorrKey(1)};
    const std::string xonly{HexStr(XOnlyPubKey{schnorr.GetPubKey()})};

    /** A PSBT of an input that spends `desc`, as utxoupdatepsbt leaves it. */
    PartiallySignedTransaction MakePSBT(const std::string& text, FlatSigningProvider& provider, uint32_t locktime = 0, uint32_t sequence = CTxIn::SEQUENCE_FINAL) const
    {
        std::string error;
        FlatSigningProvider keys;
        const auto parsed{Parse(text, keys, error, /*require_checksum=*/false)};
        BOOST_REQUIRE_MESSAGE(parsed.size() == 1, error);
        std::vector<CScript> scripts;
        BOOST_REQUIRE(parsed[0]->Expand(0, keys, scripts, provider));

        CMutableTransaction tx;
        tx.version = 2;
        tx.nLockTime = locktime;
        tx.vin.emplace_back(COutPoint{Txid::FromUint256(uint256::ONE), 0}, CScript{}, sequence);
        tx.vout.emplace_back(COIN / 2, CScript{} << OP_1 << valtype(32, 7));
        PartiallySignedTransaction psbt{tx};
        psbt.inputs[0].witness_utxo = CTxOut{COIN, scripts[0]};
        const auto txdata{PrecomputePSBTData(psbt)};
        BOOST_CHECK(SignPSBTInput(HidingSigningProvider{&provider, /*hide_secret=*/true, /*hide_origin=*/false}, psbt, 0, &txdata, std::nullopt, nullptr, /*finalize=*/false) == common::PSBTError::INCOMPLETE);
        return psbt;
    }

    static const std::pair<valtype, int>& Leaf(const PartiallySignedTransaction& psbt, const std::string& contained)
    {
        for (const auto& [leaf, _] : psbt.inputs[0].m_tap_scripts) {
            if (contained.empty() ? HexStr(leaf.first) != "6a" : HexStr(leaf.first).find(contained) != std::string::npos) return leaf;
        }
        BOOST_FAIL("no such leaf");
        throw std::runtime_error{"unreachable"};
    }

    static uint256 SigHash(const PartiallySignedTransaction& psbt, const uint256& leaf_hash, uint8_t key_version, uint8_t hash_type = SIGHASH_DEFAULT)
    {
        const CMutableTransaction tx{*psbt.tx};
        const auto txdata{PrecomputePSBTData(psbt)};
        ScriptExecutionData execdata;
        execdata.m_annex_init = execdata.m_codeseparator_pos_init = execdata.m_tapleaf_hash_init = true;
        execdata.m_annex_present = false;
        execdata.m_codeseparator_pos = 0xffffffff;
        execdata.m_tapleaf_hash = leaf_hash;
        uint256 hash;
        BOOST_REQUIRE(SignatureHashSchnorr(hash, execdata, tx, 0, hash_type, SigVersion::TAPSCRIPT, txdata, MissingDataBehavior::FAIL, key_version));
        return hash;
    }

    static void AddSignature(PartiallySignedTransaction& psbt, const SLHDSAKey& key, const std::string& leaf_contains = "", uint8_t hash_type = SIGHASH_DEFAULT)
    {
        const auto& [script, version]{Leaf(psbt, leaf_contains)};
        const uint256 leaf_hash{ComputeTapleafHash(version, script)};
        valtype sig{key.Sign(SigHash(psbt, leaf_hash, TAPSCRIPT_KEY_VERSION_SLHDSA, hash_type))};
        if (hash_type != SIGHASH_DEFAULT) sig.push_back(hash_type);
        psbt.inputs[0].m_proprietary.insert(SLHDSAPartialSig{{key.PubKey(), leaf_hash}, std::move(sig)}.ToProprietary());
    }

    static void AddSchnorrSignature(PartiallySignedTransaction& psbt, const CKey& key)
    {
        const auto& [script, version]{Leaf(psbt, "")};
        const uint256 leaf_hash{ComputeTapleafHash(version, script)};
        valtype sig(64);
        BOOST_REQUIRE(key.SignSchnorr(SigHash(psbt, leaf_hash, /*key_version=*/0), sig, nullptr, {}));
        psbt.inputs[0].m_tap_script_sigs[{XOnlyPubKey{key.GetPubKey()}, leaf_hash}] = sig;
    }

    static PartiallySignedTransaction RoundTrip(const PartiallySignedTransaction& psbt)
    {
        DataStream stream;
        stream << psbt;
        return PartiallySignedTransaction{deserialize, stream};
    }

    /** Finalize and extract. @return the first input's witness, empty if it is not complete */
    static std::vector<valtype> Finalize(const PartiallySignedTransaction& psbt)
    {
        PartiallySignedTransaction copy{RoundTrip(psbt)};
        CMutableTransaction tx;
        if (!FinalizeAndExtractPSBT(copy, tx)) return {};
        BOOST_CHECK(GetSLHDSAPartialSigs(copy.inputs[0]).empty()); // they have gone into the witness
        return tx.vin[0].scriptWitness.stack;
    }
};

const slhc_context* SLHDSAKey::Context()
{
    struct Deleter {
        void operator()(slhc_context* context) const { slhc_context_destroy(context); }
    };
    slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu";
    static const std::unique_ptr<slhc_context, Deleter> context{slhc_context_create(&options)};
    return context.get();
}

bool Complete(const std::vector<valtype>& witness) { return !witness.empty(); }
} // namespace

BOOST_FIXTURE_TEST_SUITE(p2mr_psbt_tests, PSBTSetup)

BOOST_AUTO_TEST_CASE(field)
{
    const SLHDSAPartialSig sig{{k1.PubKey(), uint256::ONE}, valtype(7856, 5)};
    const PSBTProprietary field{sig.ToProprietary()};
    BOOST_CHECK_EQUAL(HexStr(field.key), "fc06736c6864736100" + k1.Hex() + HexStr(uint256::ONE));
    const auto read{SLHDSAPartialSig::FromProprietary(field)};
    BOOST_REQUIRE(read);
    BOOST_CHECK(read->pubkey_leaf == sig.pubkey_leaf && read->sig == sig.sig);

    // The parser of PSBTs reads the same.
    FlatSigningProvider provider;
    PartiallySignedTransaction psbt{MakePSBT("mr({pk_slhdsa(" + k1.Hex() + ")," + UNSPENDABLE + "})", provider)};
    psbt.inputs[0].m_proprietary.insert(field);
    const auto sigs{GetSLHDSAPartialSigs(RoundTrip(psbt).inputs[0])};
    BOOST_REQUIRE_EQUAL(sigs.size(), 1U);
    BOOST_CHECK(sigs[0].pubkey_leaf == sig.pubkey_leaf && sigs[0].sig == sig.sig);
    const PSBTProprietary parsed{*RoundTrip(psbt).inputs[0].m_proprietary.begin()};
    BOOST_CHECK_EQUAL(parsed.subtype, 0U);
    BOOST_CHECK_EQUAL(std::string(parsed.identifier.begin(), parsed.identifier.end()), "slhdsa");

    // Others are left alone: another identifier or subtype, other sizes.
    const auto ignored{[&](auto change) {
        PSBTProprietary other{field};
        change(other);
        return !SLHDSAPartialSig::FromProprietary(other);
    }};
    BOOST_CHECK(ignored([](auto& f) { f.key[2] = 'S'; }));
    BOOST_CHECK(ignored([](auto& f) { f.key[8] = 1; }));
    BOOST_CHECK(ignored([](auto& f) { f.key.pop_back(); }));
    BOOST_CHECK(ignored([](auto& f) { f.key.push_back(0); }));
    BOOST_CHECK(ignored([](auto& f) { f.value.pop_back(); }));
    BOOST_CHECK(ignored([](auto& f) { f.value.resize(7858); }));
    BOOST_CHECK(!ignored([](auto& f) { f.value.push_back(1); }));
    psbt.inputs[0].m_proprietary.clear();
    PSBTProprietary other{field};
    other.key[8] = 1;
    psbt.inputs[0].m_proprietary.insert(other);
    ClearSLHDSAPartialSigs(psbt.inputs[0]);
    BOOST_CHECK_EQUAL(psbt.inputs[0].m_proprietary.size(), 1U);
}

BOOST_AUTO_TEST_CASE(updater)
{
    FlatSigningProvider provider;
    const auto psbt{RoundTrip(MakePSBT("mr({pk_slhdsa(" + k1.Hex() + "),{pk(" + xonly + ")," + UNSPENDABLE + "}})", provider))};
    const PSBTInput& input{psbt.inputs[0]};
    BOOST_CHECK_EQUAL(HexStr(input.m_tap_merkle_root), HexStr(std::span{input.witness_utxo.scriptPubKey}.last(32)));
    BOOST_CHECK(input.m_tap_internal_key.IsNull());
    BOOST_REQUIRE_EQUAL(input.m_tap_scripts.size(), 3U);
    for (const auto& [leaf, controls] : input.m_tap_scripts) {
        BOOST_REQUIRE_EQUAL(controls.size(), 1U);
        BOOST_CHECK_EQUAL(controls.begin()->size(), leaf.first[0] == 0x20 && leaf.first.back() == OP_CHECKSIGSLHDSA ? 33U : 65U);
    }

    // The tree goes into outputs.
    PartiallySignedTransaction pays{psbt};
    pays.tx->vout[0].scriptPubKey = input.witness_utxo.scriptPubKey;
    UpdatePSBTOutput(provider, pays, 0);
    const auto tree{RoundTrip(pays).outputs[0].m_tap_tree};
    BOOST_REQUIRE_EQUAL(tree.size(), 3U);
    TaprootBuilder builder;
    for (const auto& [depth, version, script] : tree) builder.Add(depth, script, version);
    BOOST_CHECK(GetScriptForDestination(builder.GetP2MROutput()) == input.witness_utxo.scriptPubKey);
}

BOOST_AUTO_TEST_CASE(single_key)
{
    FlatSigningProvider provider;
    const auto unsigned_psbt{MakePSBT("mr({pk_slhdsa(" + k1.Hex() + ")," + UNSPENDABLE + "})", provider)};
    BOOST_CHECK(!Complete(Finalize(unsigned_psbt)));

    auto psbt{unsigned_psbt};
    AddSignature(psbt, k1);
    const auto witness{Finalize(psbt)};
    BOOST_REQUIRE_EQUAL(witness.size(), 3U);
    BOOST_CHECK_EQUAL(witness[0].size(), 7856U);
    BOOST_CHECK_EQUAL(HexStr(witness[1]), "20" + k1.Hex() + "7f");
    BOOST_CHECK_EQUAL(witness[2].size(), 33U);

    // A signature that is bad, or of another leaf, or with a key version of Schnorr signatures.
    for (const size_t position : {0, 16, 4000, 7855}) {
        auto bad{unsigned_psbt};
        auto sig{GetSLHDSAPartialSigs(psbt.inputs[0])[0]};
        sig.sig[position] ^= 1;
        bad.inputs[0].m_proprietary.insert(sig.ToProprietary());
        BOOST_CHECK(!Complete(Finalize(bad)));
        // Nothing is lost.
        PartiallySignedTransaction copy{bad};
        FinalizePSBT(copy);
        BOOST_CHECK_EQUAL(GetSLHDSAPartialSigs(copy.inputs[0]).size(), 1U);
        BOOST_CHECK(copy.inputs[0].final_script_witness.IsNull());
    }
    auto wrong_version{unsigned_psbt};
    auto sig{GetSLHDSAPartialSigs(psbt.inputs[0])[0]};
    sig.sig = k1.Sign(SigHash(psbt, sig.pubkey_leaf.second, TAPSCRIPT_KEY_VERSION_SCHNORR));
    wrong_version.inputs[0].m_proprietary.insert(sig.ToProprietary());
    BOOST_CHECK(!Complete(Finalize(wrong_version)));

    // A shorter way that the output does not commit to is not taken.
    auto decoy{psbt};
    decoy.inputs[0].m_tap_scripts[{valtype{OP_1}, 0xc0}].insert(valtype(33, 0xc1));
    valtype first{0xc1}; // in the order of control blocks
    first.resize(33);
    decoy.inputs[0].m_tap_scripts[Leaf(psbt, "")].insert(first);
    BOOST_CHECK(Finalize(decoy) == witness);

    // Final witnesses are known as such, and so are those that are not valid.
    PartiallySignedTransaction final_psbt{psbt};
    BOOST_REQUIRE(FinalizePSBT(final_psbt));
    const auto txdata{PrecomputePSBTData(final_psbt)};
    BOOST_CHECK(PSBTInputSignedAndVerified(final_psbt, 0, &txdata));
    final_psbt.inputs[0].final_script_witness.stack[0][100] ^= 1;
    BOOST_CHECK(!PSBTInputSignedAndVerified(final_psbt, 0, &txdata));
}

BOOST_AUTO_TEST_CASE(hash_types)
{
    FlatSigningProvider provider;
    auto psbt{MakePSBT("mr({pk_slhdsa(" + k1.Hex() + ")," + UNSPENDABLE + "})", provider)};
    auto unexpected{psbt};
    AddSignature(unexpected, k1, "", SIGHASH_ALL);
    BOOST_CHECK(!Complete(Finalize(unexpected))); // without PSBT_IN_SIGHASH_TYPE, DEFAULT is expected, as in P2TR
    unexpected.inputs[0].sighash_type = SIGHASH_ALL;
    BOOST_CHECK_EQUAL(Finalize(unexpected).at(0).size(), 7857U);
    AddSignature(psbt, k1);
    psbt.inputs[0].sighash_type = SIGHASH_ALL;
    BOOST_CHECK(!Complete(Finalize(psbt)));
}

BOOST_AUTO_TEST_CASE(multi)
{
    FlatSigningProvider provider;
    const auto psbt{MakePSBT("mr({multi_slhdsa(2," + k1.Hex() + "," + k2.Hex() + "," + k3.Hex() + ")," + UNSPENDABLE + "})", provider)};
    auto by1{psbt}, by2{psbt}, by3{psbt};
    AddSignature(by1, k1);
    AddSignature(by2, k2);
    AddSignature(by3, k3);
    BOOST_CHECK(!Complete(Finalize(by1)));
    const auto sizes{[&](const std::vector<PartiallySignedTransaction>& psbts) {
        PartiallySignedTransaction combined;
        BOOST_REQUIRE(CombinePSBTs(combined, psbts));
        const auto witness{Finalize(combined)};
        BOOST_REQUIRE_EQUAL(witness.size(), 5U);
        return std::vector<size_t>{witness[0].size(), witness[1].size(), witness[2].size()};
    }};
    // The first key's signature is on top. With three signatures, two are taken.
    BOOST_CHECK((sizes({by1, by2}) == std::vector<size_t>{0, 7856, 7856}));
    BOOST_CHECK((sizes({by3, by1}) == std::vector<size_t>{7856, 0, 7856}));
    BOOST_CHECK((sizes({by3, by2}) == std::vector<size_t>{7856, 7856, 0}));
    BOOST_CHECK((sizes({by3, by2, by1}) == std::vector<size_t>{0, 7856, 7856}));
    PartiallySignedTransaction combined;
    BOOST_REQUIRE(CombinePSBTs(combined, {by2, by2}));
    BOOST_CHECK(!Complete(Finalize(combined)));
    BOOST_CHECK(!CombinePSBTs(combined, {by1, MakePSBT("mr({pk(" + xonly + ")," + UNSPENDABLE + "})", provider, 1)}));
}

BOOST_AUTO_TEST_CASE(hybrid)
{
    // Both orders, and what comes between.
    const std::string schnorr_key{"20" + xonly}, slhdsa_key{"20" + k1.Hex()};
    valtype sha256(32);
    CSHA256().Write(valtype(32, 9).data(), 32).Finalize(sha256.data());
    for (const auto& [script, elements] : std::vector<std::pair<std::string, std::string>>{
             {schnorr_key + "ad" + slhdsa_key + "7f", "LS"},                      // CHECKSIGVERIFY, CHECKSIGSLHDSA
             {schnorr_key + "ac69" + slhdsa_key + "7f", "LS"},                    // CHECKSIG VERIFY, CHECKSIGSLHDSA
             {slhdsa_key + "7f69" + schnorr_key + "ac", "SL"},                    // slhtool's hybrid()
             {slhdsa_key + "7f" + schnorr_key + "ba529c", "SL"},                  // CHECKSIGADD 2 NUMEQUAL
             {schnorr_key + "ac" + slhdsa_key + "80529c", "LS"},                  // CHECKSIGADDSLHDSA 2 NUMEQUAL
             {schnorr_key + "ac" + slhdsa_key + "80519c", "0S"},                  // 1 of the two: the smaller
             {schnorr_key + "ac" + slhdsa_key + "80529d51b2", "LS"},              // NUMEQUALVERIFY, 1 CHECKSEQUENCEVERIFY
             {"51b275" + slhdsa_key + "7f", "L"},                                 // 1 CHECKSEQUENCEVERIFY DROP
             {"51b169" + slhdsa_key + "7f51b175", "L"},                           // CHECKLOCKTIMEVERIFY VERIFY, and DROP
             {slhdsa_key + "7f69a820" + HexStr(sha256) + "87", "PL"},             // SHA256
             {"82012088a820" + HexStr(sha256) + "88" + slhdsa_key + "7f", "LP"},  // miniscript's form of it
         }) {
        FlatSigningProvider provider;
        auto psbt{MakePSBT("mr({rawleaf(" + script + ")," + UNSPENDABLE + "})", provider, /*locktime=*/5, /*sequence=*/1)};
        BOOST_CHECK(!Complete(Finalize(psbt)));
        AddSignature(psbt, k1);
        if (elements.size() > 1) {
            if (elements != "0S") BOOST_CHECK_MESSAGE(!Complete(Finalize(psbt)), script);
            AddSchnorrSignature(psbt, schnorr);
            uint256 hash{std::span<const unsigned char>{sha256}};
            psbt.inputs[0].sha256_preimages[hash] = valtype(32, 9);
        }
        const auto witness{Finalize(psbt)};
        BOOST_REQUIRE_MESSAGE(witness.size() == elements.size() + 2, script);
        for (size_t i{0}; i < elements.size(); ++i) {
            const size_t expected(elements[i] == 'L' ? 7856 : elements[i] == 'S' ? 64 : elements[i] == 'P' ? 32 : 0);
            BOOST_CHECK_EQUAL(witness[i].size(), expected);
        }
    }
}

BOOST_AUTO_TEST_CASE(lock_not_met)
{
    FlatSigningProvider provider;
    const std::string leaf{"mr({rawleaf(52b27520" + k1.Hex() + "7f)," + UNSPENDABLE + "})"};
    auto early{MakePSBT(leaf, provider, /*locktime=*/0, /*sequence=*/1)}, late{MakePSBT(leaf, provider, /*locktime=*/0, /*sequence=*/2)};
    AddSignature(early, k1);
    AddSignature(late, k1);
    BOOST_CHECK(!Complete(Finalize(early)));
    BOOST_CHECK(Complete(Finalize(late)));
}

BOOST_AUTO_TEST_CASE(unknown_leaves)
{
    const auto parse{[](const std::string& hex) {
        const auto bytes{ParseHex(hex)};
        return ParseSLHDSALeaf(CScript(bytes.begin(), bytes.end()));
    }};
    const std::string key{"20" + k1.Hex()};
    BOOST_CHECK(parse(key + "7f"));
    for (const std::string& hex : std::vector<std::string>{
             std::string{"20"} + xonly + "ac",  // neither opcode: Miniscript's part
             key + "7f" + key + "7f",           // the second takes the result of the first
             key + "7f" + key + "80",           // a count that nothing compares
             key + "7f" + key + "80539c",       // 3 of 2
             key + "7f69",                      // no result
             key + "7f51b2",                    // two results
             key + "7f635168",                  // a branch
             key + "80",                        // counts from nothing
             "00b275" + key + "7f69",           // no result, and no lock
             "1f" + k1.Hex().substr(2) + "7f",  // a key of 31 bytes
             key + "7f4c",                      // a cut instruction
         }) {
        BOOST_CHECK_MESSAGE(!parse(hex), hex);
    }
}

BOOST_AUTO_TEST_CASE(taproot_leaf)
{
    // The opcodes are in P2TR leaves, too.
    FlatSigningProvider provider;
    auto psbt{MakePSBT("mr({pk_slhdsa(" + k1.Hex() + ")," + UNSPENDABLE + "})", provider)};
    TaprootBuilder builder;
    const CScript leaf{CScript{} << ToByteVector(k1.PubKey()) << OP_CHECKSIGSLHDSA};
    builder.Add(0, leaf, TAPROOT_LEAF_TAPSCRIPT).Finalize(XOnlyPubKey{schnorr.GetPubKey()});
    psbt.inputs[0] = PSBTInput{};
    psbt.inputs[0].witness_utxo = CTxOut{COIN, GetScriptForDestination(builder.GetOutput())};
    psbt.inputs[0].m_tap_scripts = builder.GetSpendData().scripts;
    AddSignature(psbt, k1);
    const auto witness{Finalize(psbt)};
    BOOST_REQUIRE_EQUAL(witness.size(), 3U);
    BOOST_CHECK_EQUAL(witness[2].size(), 33U);

    const UniValue path{ScriptPathToUniv(psbt.inputs[0].witness_utxo.scriptPubKey, [&] { CScriptWitness w; w.stack = witness; return w; }())};
    BOOST_CHECK_EQUAL(path["control_block"]["internal_key"].get_str(), xonly);
    BOOST_CHECK_EQUAL(path["control_block"]["path_length"].getInt<int>(), 0);
    BOOST_CHECK_EQUAL(path["slhdsa_signatures"].size(), 1U);
}

BOOST_AUTO_TEST_CASE(schnorr_leaf)
{
    // A leaf without the opcodes is Miniscript's part, as in P2TR; the node can sign it.
    FlatSigningProvider provider;
    auto psbt{MakePSBT("mr({and_v(v:pk(" + xonly + "),older(1)),pk_slhdsa(" + k1.Hex() + ")})", provider, 0, 1)};
    provider.keys.emplace(schnorr.GetPubKey().GetID(), schnorr);
    const auto txdata{PrecomputePSBTData(psbt)};
    BOOST_CHECK(SignPSBTInput(provider, psbt, 0, &txdata) == common::PSBTError::OK);
    BOOST_CHECK_EQUAL(psbt.inputs[0].final_script_witness.stack.at(0).size(), 64U);
}

BOOST_AUTO_TEST_CASE(analysis_and_estimate)
{
    FlatSigningProvider provider;
    auto psbt{MakePSBT("mr({multi_slhdsa(1," + k1.Hex() + "," + k2.Hex() + "),{pk_slhdsa(" + k1.Hex() + ")," + UNSPENDABLE + "}})", provider)};
    auto analysis{node::AnalyzePSBT(psbt)};
    BOOST_CHECK(analysis.next == PSBTRole::SIGNER);
    BOOST_REQUIRE_EQUAL(analysis.inputs[0].missing_sigs.size(), 2U);
    BOOST_CHECK_EQUAL(std::ranges::count(analysis.inputs[0].missing_sigs, CKeyID{Hash160(k1.bytes)}), 1);
    BOOST_REQUIRE(analysis.estimated_vsize);
    AddSignature(psbt, k2, k2.Hex());
    analysis = node::AnalyzePSBT(psbt);
    BOOST_CHECK(analysis.next == PSBTRole::FINALIZER);
    PartiallySignedTransaction copy{psbt};
    CMutableTransaction tx;
    BOOST_REQUIRE(FinalizeAndExtractPSBT(copy, tx));
    BOOST_CHECK_EQUAL(*analysis.estimated_vsize, static_cast<size_t>(GetVirtualTransactionSize(CTransaction{tx})));
    BOOST_CHECK(node::AnalyzePSBT(copy).next == PSBTRole::EXTRACTOR);
}

/** A key takes 34 bytes of a leaf, and what stands for its signature 7856: a PSBT must not get its size times that in memory. */
BOOST_AUTO_TEST_CASE(analysis_of_a_hostile_leaf)
{
    const auto leaf{[&](size_t n) {
        std::string script{"20" + k1.Hex() + "7f"};
        for (size_t i{1}; i < n; ++i) script += "20" + k1.Hex() + "80";
        return script + HexStr(CScript{} << static_cast<int64_t>(n) << OP_NUMEQUAL);
    }};
    const auto parsed{[&](size_t n) {
        const auto bytes{ParseHex(leaf(n))};
        return ParseSLHDSALeaf(CScript{bytes.begin(), bytes.end()}).has_value();
    }};
    BOOST_CHECK(parsed(MAX_STACK_SIZE - 1));
    BOOST_CHECK(!parsed(MAX_STACK_SIZE)); // the first key would be one element too many

    FlatSigningProvider provider;
    const size_t fits{MAX_BLOCK_WEIGHT / (SLHDSAPubKey::SIGNATURE_SIZE + 40)};
    for (const size_t n : {size_t{2}, fits, fits + 40}) {
        const auto analysis{node::AnalyzePSBT(MakePSBT("mr({rawleaf(" + leaf(n) + ")," + UNSPENDABLE + "})", provider))};
        BOOST_CHECK(analysis.next == PSBTRole::SIGNER);
        BOOST_CHECK_EQUAL(analysis.estimated_vsize.has_value(), n <= fits);
    }

    // A placeholder for a signature is no signature.
    SignatureData sigdata;
    const auto psbt{MakePSBT("mr({pk_slhdsa(" + k1.Hex() + ")," + UNSPENDABLE + "})", provider)};
    BOOST_CHECK(ProduceSignature(provider, DUMMY_SIGNATURE_CREATOR, psbt.inputs[0].witness_utxo.scriptPubKey, sigdata));
    BOOST_CHECK(sigdata.complete && sigdata.slhdsa_script_sigs.empty());
}

BOOST_AUTO_TEST_CASE(joining)
{
    FlatSigningProvider provider;
    auto psbt{MakePSBT("mr({pk_slhdsa(" + k1.Hex() + ")," + UNSPENDABLE + "})", provider)};
    AddSignature(psbt, k1);
    BOOST_CHECK_EQUAL(GetSLHDSAPartialSigs(psbt.inputs[0]).size(), 1U);
    // joinpsbts: what others signed is not signed any more, but leaf scripts stay.
    PartiallySignedTransaction joined{CMutableTransaction{}};
    BOOST_REQUIRE(joined.AddInput(psbt.tx->vin[0], psbt.inputs[0]));
    BOOST_CHECK(GetSLHDSAPartialSigs(joined.inputs[0]).empty());
    BOOST_CHECK_EQUAL(joined.inputs[0].m_tap_scripts.size(), 2U);
}

BOOST_AUTO_TEST_CASE(raw_transactions)
{
    // As combinerawtransaction and signrawtransactionwithkey do.
    FlatSigningProvider provider;
    auto psbt{MakePSBT("mr({multi_slhdsa(2," + k1.Hex() + "," + k2.Hex() + ")," + UNSPENDABLE + "})", provider)};
    const CTxOut spent{psbt.inputs[0].witness_utxo};
    const auto& [script, version]{Leaf(psbt, "")};
    const uint256 sighash{SigHash(psbt, ComputeTapleafHash(version, script), TAPSCRIPT_KEY_VERSION_SLHDSA)};
    const valtype control_block{*psbt.inputs[0].m_tap_scripts.at({script, version}).begin()};
    const auto with_sigs{[&](const valtype& sig1, const valtype& sig2) {
        CMutableTransaction tx{*psbt.tx};
        tx.vin[0].scriptWitness.stack = {sig2, sig1, script, control_block};
        return tx;
    }};
    const CMutableTransaction unsigned_tx{*psbt.tx}, by1{with_sigs(k1.Sign(sighash), {})}, by2{with_sigs({}, k2.Sign(sighash))};
    const auto combine{[&](const std::vector<CMutableTransaction>& variants) { return Combine(unsigned_tx, spent, variants); }};
    const auto both{with_sigs(k1.Sign(sighash), k2.Sign(sighash))};
    for (const auto& variants : std::vector<std::vector<CMutableTransaction>>{{by1, by2}, {by2, by1}, {both, unsigned_tx}, {unsigned_tx, both}, {by1, both}, {unsigned_tx, by1, by2}}) {
        const auto sigdata{combine(variants)};
        BOOST_CHECK(sigdata.complete);
        BOOST_CHECK(sigdata.scriptWitness.stack == both.vin[0].scriptWitness.stack);
    }
    for (const auto& variants : std::vector<std::vector<CMutableTransaction>>{{by1, unsigned_tx}, {unsigned_tx, by1}, {by1, by1}}) {
        const auto sigdata{combine(variants)};
        BOOST_CHECK(!sigdata.complete);
        BOOST_CHECK(sigdata.scriptWitness.stack == by1.vin[0].scriptWitness.stack); // kept
    }
    valtype bad{k2.Sign(sighash)};
    bad[7000] ^= 1;
    BOOST_CHECK(!combine({by1, with_sigs({}, bad)}).complete);

    // signrawtransactionwithkey keeps a complete witness, says so, and names what is wrong with another.
    std::map<COutPoint, Coin> coins;
    coins[unsigned_tx.vin[0].prevout] = Coin{spent, 1, false};
    const auto sign{[&](CMutableTransaction tx, std::map<int, bilingual_str>& errors) {
        const auto before{tx.vin[0].scriptWitness.stack};
        const bool complete{SignTransaction(tx, &DUMMY_SIGNING_PROVIDER, coins, SIGHASH_DEFAULT, errors)};
        BOOST_CHECK(tx.vin[0].scriptWitness.stack == before);
        return complete;
    }};
    std::map<int, bilingual_str> errors;
    BOOST_CHECK(sign(both, errors));
    BOOST_CHECK(errors.empty());
    BOOST_CHECK(!sign(by1, errors));
    BOOST_CHECK(!errors.at(0).original.empty());
    errors.clear();
    BOOST_CHECK(!sign(with_sigs(k1.Sign(sighash), bad), errors));
    BOOST_CHECK(errors.at(0).original.find("SLH-DSA") != std::string::npos);
}

/** Lock times and preimages before signatures stand in the way of none. */
BOOST_AUTO_TEST_CASE(raw_transactions_with_conditions)
{
    const valtype preimage(32, 0x2a);
    uint256 hash;
    CSHA256().Write(preimage.data(), preimage.size()).Finalize(hash.begin());
    const auto signatures{"multi_slhdsa(2," + k1.Hex() + "," + k2.Hex() + ")"};
    for (const auto& [leaf, has_preimage] : {std::pair{"and_v(v:after(5)," + signatures + ")", false}, std::pair{"and_v(v:older(1)," + signatures + ")", false},
                                             std::pair{"and_v(v:sha256(" + HexStr(hash) + ")," + signatures + ")", true}}) {
        FlatSigningProvider provider;
        auto psbt{MakePSBT("mr({" + leaf + "," + UNSPENDABLE + "})", provider, /*locktime=*/5, /*sequence=*/1)};
        const CTxOut spent{psbt.inputs[0].witness_utxo};
        const auto& [script, version]{Leaf(psbt, "")};
        const uint256 sighash{SigHash(psbt, ComputeTapleafHash(version, script), TAPSCRIPT_KEY_VERSION_SLHDSA)};
        const valtype control_block{*psbt.inputs[0].m_tap_scripts.at({script, version}).begin()};
        const CMutableTransaction unsigned_tx{*psbt.tx};
        const auto with{[&](const valtype& sig1, const valtype& sig2, const valtype& first) {
            CMutableTransaction tx{unsigned_tx};
            tx.vin[0].scriptWitness.stack = {sig2, sig1};
            if (has_preimage) tx.vin[0].scriptWitness.stack.push_back(first);
            tx.vin[0].scriptWitness.stack.push_back(script);
            tx.vin[0].scriptWitness.stack.push_back(control_block);
            return tx;
        }};
        PrecomputedTransactionData txdata;
        txdata.Init(unsigned_tx, {spent}, /*force=*/true);
        const auto combine{[&](const std::vector<CMutableTransaction>& variants) { return Combine(unsigned_tx, spent, variants).scriptWitness.stack; }};
        const valtype sig1{k1.Sign(sighash)}, sig2{k2.Sign(sighash)};
        const auto both{with(sig1, sig2, preimage).vin[0].scriptWitness.stack};
        BOOST_CHECK_MESSAGE(combine({with(sig1, {}, {}), with({}, sig2, preimage)}) == both, leaf);
        BOOST_CHECK_MESSAGE(combine({with({}, sig2, preimage), with(sig1, {}, {})}) == both, leaf);
        if (has_preimage) BOOST_CHECK(combine({with(sig1, {}, valtype(32, 7)), with({}, sig2, {})}) == with(sig1, sig2, {}).vin[0].scriptWitness.stack);

        // Nothing is taken from a leaf that is not one of the output, be it the one that is asked for or another.
        CMutableTransaction foreign{with(sig1, {}, preimage)};
        foreign.vin[0].scriptWitness.stack.back()[1] ^= 1;
        BOOST_CHECK(DataFromTransaction(foreign, 0, spent, &txdata).tr_spenddata.scripts.empty());
        BOOST_CHECK(!DataFromTransaction(with(sig1, {}, preimage), 0, spent, &txdata).tr_spenddata.scripts.empty());
    }
}

/** A witness of P2TR with a leaf of nobody's says nothing about the internal key. */
BOOST_AUTO_TEST_CASE(foreign_leaf_of_p2tr)
{
    const CTxOut spent{1, GetScriptForDestination(WitnessV1Taproot{XOnlyPubKey{schnorr.GetPubKey()}})};
    CMutableTransaction tx;
    tx.vin.resize(1);
    tx.vout.emplace_back(1, CScript{} << OP_TRUE);
    const valtype script{ParseHex("20" + k1.Hex() + "7f")};
    tx.vin[0].scriptWitness.stack = {valtype(1, 1), script, valtype(33, 0xc0)};
    PrecomputedTransactionData txdata;
    txdata.Init(tx, {spent}, /*force=*/true);
    const auto data{DataFromTransaction(tx, 0, spent, &txdata)};
    BOOST_CHECK(data.tr_spenddata.internal_key.IsNull() && data.tr_spenddata.scripts.empty());
}

BOOST_AUTO_TEST_CASE(incomplete_raw_transactions)
{
    // The signatures of two of three signers are kept until the third comes.
    FlatSigningProvider provider;
    auto psbt{MakePSBT("mr({rawleaf(20" + k1.Hex() + "7f20" + k2.Hex() + "8020" + xonly + "ba539c)," + UNSPENDABLE + "})", provider)};
    const CTxOut spent{psbt.inputs[0].witness_utxo};
    const auto& [script, version]{Leaf(psbt, "")};
    const valtype control_block{*psbt.inputs[0].m_tap_scripts.at({script, version}).begin()};
    const uint256 sighash{SigHash(psbt, ComputeTapleafHash(version, script), TAPSCRIPT_KEY_VERSION_SLHDSA)};
    const valtype sig1{k1.Sign(sighash)}, sig2{k2.Sign(sighash)};
    const CMutableTransaction unsigned_tx{*psbt.tx};
    const auto with_sigs{[&](const std::vector<valtype>& sigs) {
        CMutableTransaction tx{unsigned_tx};
        tx.vin[0].scriptWitness.stack = {sigs[2], sigs[1], sigs[0], script, control_block};
        return tx;
    }};
    const auto sigdata{Combine(unsigned_tx, spent, {with_sigs({sig1, {}, {}}), with_sigs({{}, sig2, {}})})};
    BOOST_CHECK(!sigdata.complete);
    const CMutableTransaction two{with_sigs({sig1, sig2, {}})};
    BOOST_CHECK(sigdata.scriptWitness.stack == two.vin[0].scriptWitness.stack);

    // A witness that is not understood is kept, too.
    CMutableTransaction unknown{unsigned_tx};
    unknown.vin[0].scriptWitness.stack = {valtype{1}, valtype{OP_IF, OP_1, OP_ENDIF}, valtype(33, 0xc1)};
    for (const bool first : {false, true}) {
        const auto kept{Combine(unsigned_tx, spent, {first ? unknown : unsigned_tx, first ? unsigned_tx : unknown})};
        BOOST_CHECK(!kept.complete);
        BOOST_CHECK(kept.scriptWitness.stack == unknown.vin[0].scriptWitness.stack);
    }

    // signrawtransactionwithkey adds the Schnorr signature, if it has the key.
    std::map<COutPoint, Coin> coins;
    coins[unsigned_tx.vin[0].prevout] = Coin{spent, 1, false};
    FlatSigningProvider keys;
    keys.keys.emplace(schnorr.GetPubKey().GetID(), schnorr);
    std::map<int, bilingual_str> errors;
    CMutableTransaction tx{two};
    BOOST_CHECK(!SignTransaction(tx, &DUMMY_SIGNING_PROVIDER, coins, SIGHASH_DEFAULT, errors));
    BOOST_CHECK(tx.vin[0].scriptWitness.stack == two.vin[0].scriptWitness.stack);
    errors.clear();
    BOOST_CHECK(SignTransaction(tx, &keys, coins, SIGHASH_DEFAULT, errors));
    BOOST_CHECK_EQUAL(tx.vin[0].scriptWitness.stack[0].size(), 64U);
}

BOOST_AUTO_TEST_CASE(witness_decoding)
{
    FlatSigningProvider provider;
    auto psbt{MakePSBT("mr({multi_slhdsa(1," + k1.Hex() + "," + k2.Hex() + ")," + UNSPENDABLE + "})", provider)};
    const CScript output{psbt.inputs[0].witness_utxo.scriptPubKey};
    const auto& [script, version]{Leaf(psbt, "")};
    CScriptWitness witness;
    witness.stack = {valtype(7857, 0x83), {}, script, *psbt.inputs[0].m_tap_scripts.at({script, version}).begin()};

    UniValue path{ScriptPathToUniv(output, witness)};
    BOOST_CHECK_EQUAL(path["leaf_asm"].get_str(), k1.Hex() + " OP_CHECKSIGSLHDSA " + k2.Hex() + " OP_CHECKSIGADDSLHDSA 1 OP_NUMEQUAL");
    BOOST_CHECK_EQUAL(path["leaf_version"].getInt<int>(), 0xc0);
    BOOST_CHECK_EQUAL(path["leaf_hash"].get_str(), HexStr(ComputeTapleafHash(version, script)));
    BOOST_CHECK_EQUAL(path["control_block"]["path_length"].getInt<int>(), 1);
    BOOST_CHECK_EQUAL(path["control_block"]["merkle_root"].get_str(), HexStr(std::span{output}.last(32)));
    BOOST_CHECK(path["control_block"]["internal_key"].isNull());
    BOOST_CHECK(path["annex"].isNull());
    BOOST_REQUIRE_EQUAL(path["slhdsa_signatures"].size(), 1U);
    BOOST_CHECK_EQUAL(path["slhdsa_signatures"][0]["index"].getInt<int>(), 0);
    BOOST_CHECK_EQUAL(path["slhdsa_signatures"][0]["size"].getInt<int>(), 7857);
    BOOST_CHECK_EQUAL(path["slhdsa_signatures"][0]["sighash"].get_str(), "SINGLE|ANYONECANPAY");
    BOOST_CHECK(ScriptPathDoc("script_path").MatchesType(path).isTrue());

    // The text of a script is left out where it would be much longer than the script in hex.
    for (const auto& [opcode, count, shown] : {std::tuple{OP_CHECKMULTISIGVERIFY, 47, true}, {OP_CHECKMULTISIGVERIFY, 48, false}, {OP_NOP, 10'000, false}, {OP_2, 10'000, true}, {OP_2, 10'001, false}}) {
        CScriptWitness names{witness};
        names.stack[2] = valtype(count, opcode);
        path = ScriptPathToUniv(output, names);
        BOOST_CHECK_EQUAL(path["leaf_asm"].isStr(), shown);
        BOOST_CHECK_EQUAL(path["leaf_version"].getInt<int>(), 0xc0);
        BOOST_CHECK(ScriptPathDoc("script_path").MatchesType(path).isTrue());
    }

    witness.stack.push_back({0x50, 0x01});
    path = ScriptPathToUniv(output, witness);
    BOOST_CHECK_EQUAL(path["annex"].get_str(), "5001");
    BOOST_CHECK_EQUAL(path["slhdsa_signatures"].size(), 1U);

    // Not a script path: other outputs, too few elements, a control block of another size.
    BOOST_CHECK(ScriptPathToUniv(CScript{} << OP_3 << valtype(32, 1), witness).isNull());
    BOOST_CHECK(ScriptPathToUniv(CScript{} << OP_0 << valtype(32, 1), witness).isNull());
    witness.stack = {valtype(64, 1)};
    BOOST_CHECK(ScriptPathToUniv(CScript{} << OP_1 << valtype(32, 1), witness).isNull());
    witness.stack = {valtype(64, 1), valtype{0x50}};
    BOOST_CHECK(ScriptPathToUniv(CScript{} << OP_1 << valtype(32, 1), witness).isNull());
    for (const size_t size : {0, 2, 32, 34, 1 + 129 * 32}) {
        witness.stack = {script, valtype(size, 0xc1)};
        BOOST_CHECK(ScriptPathToUniv(output, witness).isNull());
    }
    for (const size_t size : {1, 33, 1 + 128 * 32}) {
        witness.stack = {script, valtype(size, 0xc1)};
        BOOST_CHECK_EQUAL(ScriptPathToUniv(output, witness)["control_block"]["path_length"].getInt<size_t>(), (size - 1) / 32);
    }
}

BOOST_AUTO_TEST_SUITE_END()

#endif // ENABLE_SLHDSA
