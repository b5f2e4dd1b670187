// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Writes a corpus for each fuzz target to DIRECTORY/<target>/: cases of the differential test's generator, the BIP's vectors and, if
// Bitcoin Core's sources are there, its test data. The same files every time; a fuzzer adds its findings.

#include <pqc/vulkan/cache_file.h>
#include <primitives/block.h>
#include <script/address.h>
#include <script/opcode_info.h>
#include <script/p2mr.h>
#include <script/script_error.h>
#include <script/script_tree.h>
#include <script/sighash.h>
#include <script/taptree.h>
#include <test/core/core_vectors.h>
#include <test/core/fuzzed_spend.h>
#include <test/core/module_side.h>
#include <test/core/rounds.h>
#include <test/temp_dir.h>
#include <wallet/psbt.h>
#include <wallet/psbt_signer.h>
#include <wallet/psbt_updater.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace slhc;
using namespace slhc::test;

namespace {

/** Spends that become transactions and scripts. */
constexpr uint64_t N_ROUNDS{40};
/** The number before a key of 128-24 */
constexpr uint8_t SLHDSA_128_24{24};
/** Strings of choices for the targets that build spends from them. */
constexpr uint64_t N_CHOICES{300};

class Corpus
{
    const std::filesystem::path m_directory;
    size_t m_count{0};

public:
    explicit Corpus(std::filesystem::path directory) : m_directory{std::move(directory)} {}
    [[nodiscard]] size_t Count() const { return m_count; }

    void Add(const std::string& target, std::span<const uint8_t> bytes)
    {
        const auto folder{m_directory / target};
        std::filesystem::create_directories(folder);
        char name[16];
        std::snprintf(name, sizeof(name), "made-%05zu", m_count++);
        std::ofstream file{folder / name, std::ios::binary};
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        if (!file) throw std::runtime_error{"cannot write to " + folder.string()};
    }
    void Add(const std::string& target, std::string_view text)
    {
        Add(target, std::span{reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    }
};

/** For the library's own interface and the public one. */
void AddPSBT(Corpus& corpus, const wallet::PartiallySignedTransaction& psbt)
{
    for (const char* target : {"psbt", "capi_psbt"}) corpus.Add(target, psbt.Serialize());
}

/** A transaction of one leaf spend as a PSBT: created, signed as far as fields without meaning go, and final. */
void AddPSBTs(Corpus& corpus, const Spend& spend)
{
    const std::vector<uint8_t> data(64, 1);
    for (const uint32_t version : {0, 2}) {
        wallet::PartiallySignedTransaction psbt{spend.tx, version};
        for (size_t i{0}; i < spend.spent.size(); ++i) {
            if (!MoneyRange(spend.spent[i].nValue)) return;
            wallet::SetSpentOutput(psbt, i, spend.spent[i]);
        }
        AddPSBT(corpus, psbt);
        const auto& stack{spend.tx.vin[spend.n_in].scriptWitness.stack};
        const auto set{[&](const std::vector<uint8_t>& key, std::span<const uint8_t> value) {
            if (wallet::PSBTFieldError(wallet::PSBTScope::INPUT, version, key, value).empty()) {
                psbt.Set(wallet::PSBTScope::INPUT, spend.n_in, key, value);
            }
        }};
        if (stack.size() >= 2 && spend.spent[spend.n_in].scriptPubKey.IsPayToMerkleRoot()) {
            std::vector<uint8_t> leaf{stack[stack.size() - 2]};
            leaf.push_back(stack.back().empty() ? uint8_t{0} : static_cast<uint8_t>(stack.back()[0] & TAPROOT_LEAF_MASK));
            set(wallet::PSBTKey(wallet::PSBT_IN_TAP_LEAF_SCRIPT, stack.back()), leaf);
        }
        for (const auto& element : stack) {
            set(wallet::PSBTSLHDSAKey(wallet::PSBT_IN_SLHDSA_SIG, data), element);
            set(wallet::PSBTKey(wallet::PSBT_IN_TAP_SCRIPT_SIG, data), element);
        }
        AddPSBT(corpus, psbt);
        set(wallet::PSBTKey(wallet::PSBT_IN_FINAL_SCRIPTWITNESS), SerializeToVector(spend.tx.vin[spend.n_in].scriptWitness));
        AddPSBT(corpus, psbt);
    }
}

/** PSBTs that can be made final, if an even sum of bytes is a valid signature (psbt.cpp): one key or both, and their hash type. */
void AddCompletePSBTs(Corpus& corpus)
{
    using namespace slhc::wallet;
    const LeafKey schnorr{std::vector<uint8_t>(32, 0x79), KeyType::SCHNORR}, slhdsa{std::vector<uint8_t>(32, 0x11), KeyType::SLHDSA};
    LeafKey of_128_24{slhdsa};
    of_128_24.public_key.insert(of_128_24.public_key.begin(), SLHDSA_128_24);
    const CScript check_128_24{CScript{} << of_128_24.public_key << OP_CHECKSIGSLHDSA};
    const CScript check_slhdsa{CScript{} << slhdsa.public_key << OP_CHECKSIGSLHDSA};
    const CScript check_both{CScript{} << schnorr.public_key << OP_CHECKSIGVERIFY << slhdsa.public_key << OP_CHECKSIGSLHDSA};
    for (const CScript& script : {check_slhdsa, check_both, check_128_24}) {
        const ScriptTree tree{*ScriptTree::Branch(ScriptTree{script}, ScriptTree{CScript{} << OP_RETURN})};
        CMutableTransaction tx;
        tx.vin.emplace_back(COutPoint{uint256{1}, 0});
        tx.vout.emplace_back(1000, CScript{} << OP_TRUE);
        for (const uint32_t version : {0, 2}) {
            PartiallySignedTransaction psbt{tx, version};
            SetSpentOutput(psbt, 0, CTxOut{2000, P2MRScriptPubKey(tree.Root())});
            AddLeaves(psbt, 0, tree, std::array{size_t{0}}, std::nullopt);
            for (const LeafKey& key : {schnorr, slhdsa, of_128_24}) {
                std::vector<uint8_t> signature(SignatureSize(key.type, key.public_key) + 1, 0);
                signature.back() = SIGHASH_ALL;
                psbt.Set(PSBTScope::INPUT, 0, SignatureField(key, tree.Leaves()[0].hash), signature);
            }
            AddPSBT(corpus, psbt);
        }
    }
}

void AddSpend(Corpus& corpus, const Spend& spend)
{
    const std::vector<uint8_t> raw{SerializeToVector(spend.tx)};
    if (raw.size() > 20'000) return; // large inputs slow a fuzzer down
    corpus.Add("transaction", raw);
    corpus.Add("transaction", SerializeToVector(spend.spent[spend.n_in]));
    CBlock block;
    CMutableTransaction coinbase;
    coinbase.vin.emplace_back(COutPoint{}, CScript{} << OP_0 << OP_0);
    coinbase.vout.emplace_back(0, CScript{});
    block.vtx.push_back(std::make_shared<const CTransaction>(std::move(coinbase)));
    block.vtx.push_back(std::make_shared<const CTransaction>(spend.tx));
    const std::vector<uint8_t> raw_block{SerializeToVector(block)};
    corpus.Add("transaction", raw_block);
    const CTxIn& input{spend.tx.vin[spend.n_in]};
    corpus.Add("script", spend.spent[spend.n_in].scriptPubKey);
    if (!input.scriptSig.empty()) corpus.Add("script", input.scriptSig);
    for (const auto& element : input.scriptWitness.stack) {
        if (element.size() > 2 && element.size() < 2000) corpus.Add("script", element);
    }
    // A call, then strings with their sizes in front: a transaction or block, and what it spends.
    const auto add_call{[&](uint8_t call, const std::vector<uint8_t>& subject) {
        std::vector<uint8_t> bytes{call};
        const auto add_string{[&](const std::vector<uint8_t>& string) {
            bytes.insert(bytes.end(), {static_cast<uint8_t>(string.size()), static_cast<uint8_t>(string.size() >> 8)});
            bytes.insert(bytes.end(), string.begin(), string.end());
        }};
        add_string(subject);
        for (const CTxOut& output : spend.spent) add_string(SerializeToVector(output));
        corpus.Add("capi", bytes);
    }};
    add_call(0, raw);
    add_call(1, raw);
    add_call(2, raw_block);
    AddPSBTs(corpus, spend);
}

/** The calls of capi.cpp that take neither a transaction nor a block: to sign, and to make a context. */
void AddCalls(Corpus& corpus)
{
    for (uint64_t seed{0}; seed < 8; ++seed) {
        SeededChoices choices{seed};
        std::vector<uint8_t> signer{choices.Bytes(200)};
        signer[0] = 0xfe;
        corpus.Add("capi", signer);
    }
    for (const std::string name : {"", "portable", "avx2", "none"}) {
        const std::string call{"\xf8" + std::string{static_cast<char>(name.size()), '\0'} + name};
        for (const char named : {'\0', '\1'}) corpus.Add("capi", call + named + '\x11');
    }
}

void AddTexts(Corpus& corpus)
{
    SeededChoices choices{1};
    for (const size_t version : {0, 1, 2, 3, 16}) {
        for (const Network network : ALL_NETWORKS) {
            corpus.Add("text", EncodeAddress(network, {.version = static_cast<uint8_t>(version), .program = choices.Bytes(32)}));
        }
    }
    const std::string key(64, '7');
    for (const std::string& text :
         {std::string{"P2SH,WITNESS,TAPROOT,P2MR,SLHDSA"}, std::string{"NONE"}, std::string{"EVAL_FALSE"},
          std::string{"SCRIPT_ERR_SLHDSA_SIG"}, std::string{"00ff10"}, "pk_slhdsa(" + key + ")", "pk_schnorr(" + key + ")",
          "multi_slhdsa(1," + key + "," + key + ")", "multi_schnorr(2," + key + "," + key + ")", "hybrid(" + key + "," + key + ")",
          std::string{"after(144) older(7) 1"}, "sha256(" + key + ") 0x51 -1 144 <00ff> OP_PUSHDATA1<00ff> OP_CHECKSIGSLHDSA",
          "{pk_slhdsa(" + key + "),{OP_1,leaf(0xfa,OP_2)}}", std::string{"{51,{52,53}}"}}) {
        corpus.Add("text", text);
    }
}

void AddDescriptors(Corpus& corpus)
{
    const std::string point{"50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"}, key(64, '7');
    const std::string slhdsa{"pk_slhdsa(" + key + ")"}, schnorr{"pk(" + point + ")"};
    for (const std::string& text :
         {"mr({" + slhdsa + "," + schnorr + "})", "mr({{" + slhdsa + "," + schnorr + "}," + slhdsa + "})", "tr(02" + point + ")",
          "tr(" + point + "," + slhdsa + ")", std::string{"raw(deadbeef)#89f8spxm"}, std::string{"raw(deadbeef)"},
          std::string{"addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)"}, "tr(" + point + ",and_v(v:" + slhdsa + ",older(144)))",
          "tr(" + point + ",and_v(v:sha256(" + key + "),and_v(v:after(500000)," + schnorr + ")))",
          "tr(" + point + ",{multi_slhdsa(1," + key + "),{multi_a(1," + point + "),sortedmulti_a(1," + point + ")}})",
          "mr({pk_slhdsa([d34db33f/87h/1'/0h]" + key + "),pk([d34db33f/86h/0]" + point + ")})"}) {
        for (const char* target : {"descriptor", "capi_descriptor"}) corpus.Add(target, text);
    }
}

/** Files as they are kept between runs. */
void AddCacheFiles(Corpus& corpus)
{
    const TempDir dir;
    for (const size_t size : {0, 1, 200}) {
        const std::vector<uint8_t> content(size, 0x5a);
        // The target's first byte: 0 and a file with one of three keys, or 1 and decisions.
        for (const size_t key_size : {0, 1, 2}) {
            const std::string path{dir.Path() + "/file"};
            if (!slhdsa::WriteCacheFile(path, std::string(key_size, 'k'), content)) {
                throw std::runtime_error{"cannot write to " + dir.Path()};
            }
            std::ifstream file{path, std::ios::binary};
            const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
            corpus.Add("cache_file", std::string(1, static_cast<char>(3 * key_size)) + bytes);
        }
    }
}

/** The words of the targets whose input is text, as libFuzzer reads them: a file beside a target's folder. */
void WriteDictionaries(const std::string& directory)
{
    const auto write{[&](const std::string& target, const std::vector<std::string>& words) {
        std::ofstream file{directory + "/" + target + ".dict"};
        for (const std::string& word : words) file << '"' << word << "\"\n";
        if (!file.flush()) throw std::runtime_error{"cannot write to " + directory};
    }};
    const std::vector<std::string> descriptor{"mr(",      "tr(",            "raw(",     "addr(",  "pk(",    "pk_slhdsa(", "multi_slhdsa(",
                                              "multi_a(", "sortedmulti_a(", "and_v(v:", "older(", "after(", "sha256(",    "/87h"};
    for (const char* target : {"descriptor", "capi_descriptor"}) write(target, descriptor);
    std::vector<std::string> text{"pk_schnorr(", "pk_slhdsa(", "multi_schnorr(", "multi_slhdsa(", "hybrid(", "leaf(0xc0,", "bc1z"};
    for (unsigned opcode{0}; opcode <= 0xff; ++opcode) text.push_back(GetOpName(static_cast<opcodetype>(opcode)));
    for (const std::string& flag : GetScriptFlagNames(script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS))) text.push_back(flag);
    for (int error{0}; error < SCRIPT_ERR_ERROR_COUNT; ++error) text.emplace_back(ScriptErrorName(static_cast<ScriptError>(error)));
    write("text", text);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3 || argc > 4) {
        std::fprintf(stderr, "usage: %s DIRECTORY FOLDER_WITH_THE_BIPS_VECTORS [FOLDER_WITH_CORES_TEST_DATA]\n", argv[0]);
        return 2;
    }
    try {
        Corpus corpus{argv[1]};
        for (uint64_t round{0}; round < N_ROUNDS; ++round) {
            size_t n{0};
            VisitRound(1, round, Scope::ALL, {}, [&](const Spend& spend, const SLHDSAScheme&, Choices&) {
                if (n++ < 4) AddSpend(corpus, spend);
            });
        }
        for (const Spend& spend : ReadBIPSpends(argv[2])) {
            for (const char* target : {"verify_script", "model", "core_differential"}) {
                corpus.Add(target, WriteFuzzedSpend(spend, CONSENSUS_FLAGS | OWN_FLAGS));
            }
            corpus.Add("transaction", SerializeToVector(spend.tx));
        }
        if (argc == 4) {
            const auto spends{ReadCoreSpends(argv[3])};
            for (size_t i{0}; i < spends.size(); i += 4) AddSpend(corpus, spends[i]);
        }
        AddCompletePSBTs(corpus);
        AddCalls(corpus);
        AddTexts(corpus);
        AddDescriptors(corpus);
        AddCacheFiles(corpus);
        WriteDictionaries(argv[1]);
        for (uint64_t seed{0}; seed < N_CHOICES; ++seed) {
            SeededChoices choices{seed};
            for (const char* target : {"verify_script", "model", "core_differential", "deferred_eager"}) {
                corpus.Add(target, choices.Bytes(choices.Pick<size_t>({64, 256, 1024})));
            }
            if (seed % 10 != 0) continue;
            for (const char* target : {"backends", "device"}) corpus.Add(target, choices.Bytes(choices.Pick<size_t>({64, 256, 1024})));
            std::vector<uint8_t> damage{choices.Bytes(64)};
            damage[0] = 1;
            corpus.Add("cache_file", damage);
        }
        std::printf("%zu files in %s\n", corpus.Count(), argv[1]);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        return 1;
    }
}
