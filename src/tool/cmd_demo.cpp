// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/params.h>
#include <script/address.h>
#include <script/opcode_info.h>
#include <script/p2mr.h>
#include <tool/commands.h>
#include <tool/debug_json.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/output.h>
#include <tool/output_file.h>
#include <tool/spender.h>
#include <tool/trace.h>
#include <tool/tree.h>
#include <tool/verification.h>
#include <util/counted.h>
#include <util/hex.h>
#include <util/random.h>

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace slhc::tool {
namespace {

namespace fs = std::filesystem;

constexpr CAmount COIN_AMOUNT{100'000};
constexpr const char *KEYS{"keys"}, *TREES{"trees"}, *SPENDS{"spends"}; //!< folders
constexpr const char *MARKER{"README.txt"}, *FUNDING{"funding.hex"}, *TAMPERED{"tampered.json"}, *PAGE{"tampered.html"};
constexpr std::string_view MARK{"Made by slhtool demo."};

/** A coin's tree and how the demo spends it. */
struct Kind {
    const char* name;
    const char* description;
    size_t tree;
    size_t leaf;
    std::vector<const char*> signers;
    const char* hash_type{"DEFAULT"};
};

const std::vector<Kind>& Kinds()
{
    static const std::vector<Kind> kinds{
        {"slhdsa", "one SLH-DSA signature", 0, 0, {"alice"}},
        {"schnorr", "one Schnorr signature, in the other leaf of the same tree", 0, 1, {"dave"}},
        {"2of3", "two of three SLH-DSA signatures, counted by OP_CHECKSIGADDSLHDSA", 1, 0, {"alice", "carol"}, "ALL"},
        {"hybrid", "an SLH-DSA and a Schnorr signature in one leaf", 2, 0, {"bob", "dave"}},
        {"q40", "one SLH-DSA signature of the parameter set 128-q40, in another leaf of that tree", 2, 2, {"erin"}},
    };
    return kinds;
}

/** Keys, coins on four P2MR trees, and transactions that spend them. */
struct DemoSet {
    std::vector<std::pair<std::string, std::shared_ptr<const KeyPair>>> keys; //!< by owner's name
    std::vector<std::pair<std::string, std::string>> trees;                   //!< name and text
    std::vector<uint8_t> funding_tx;
    std::vector<SpendFile> spends;
    SpendFile tampered; //!< one bit of one SLH-DSA signature changed
    unsigned tampered_input;
};

/** Makes it all, from fresh randomness. */
class Builder
{
public:
    explicit Builder(size_t transactions) : m_transactions{transactions} {}

    DemoSet Build()
    {
        MakeKeys();
        MakeTrees();
        Fund();
        for (size_t i = 0; i < m_transactions; ++i) MakeSpend(i);
        Tamper();
        return std::move(m_demo);
    }

private:
    std::shared_ptr<const KeyPair> Key(const std::string& name) const
    {
        for (const auto& [owner, key] : m_demo.keys) {
            if (owner == name) return key;
        }
        throw InputError{"no key of " + name};
    }
    std::string Public(const std::string& name) const { return HexStr(Key(name)->Element()); }

    void MakeKeys()
    {
        using enum slhdsa::ParameterSet;
        for (const auto& [name, type, set] :
             {std::tuple{"alice", KeyType::SLHDSA, SHA2_128S}, {"bob", KeyType::SLHDSA, SHA2_128S}, {"carol", KeyType::SLHDSA, SHA2_128S},
              {"dave", KeyType::SCHNORR, SHA2_128S}, {"erin", KeyType::SLHDSA, SHA2_128_Q40}}) {
            std::vector<uint8_t> seed(SeedSize(type));
            GetStrongRandBytes(seed);
            m_demo.keys.emplace_back(name, std::make_shared<const KeyPair>(MakeKeyPair(type, seed, set)));
        }
    }

    void MakeTrees()
    {
        m_demo.trees = {
            {"single", "{pk_slhdsa(" + Public("alice") + "),pk_schnorr(" + Public("dave") + ")}"},
            {"vault", "{multi_slhdsa(2," + Public("alice") + "," + Public("bob") + "," + Public("carol") + "),older(144) pk_slhdsa(" +
                          Public("bob") + ")}"},
            {"hybrid", "{hybrid(" + Public("bob") + "," + Public("dave") + "),{pk_slhdsa(" + Public("carol") + "),pk_slhdsa(" +
                           Public("erin") + ")}}"},
        };
        for (const auto& [name, text] : m_demo.trees) m_trees.push_back(ParseTree(text));
    }

    /** One coin for each transaction; the last transaction spends one of each kind. */
    void Fund()
    {
        CMutableTransaction tx;
        std::array<uint8_t, 4> extra; // makes the coins of each run different
        GetStrongRandBytes(extra);
        tx.vin.emplace_back(COutPoint{}, CScript{} << extra);
        const auto add{[&](const Kind& kind) { tx.vout.emplace_back(COIN_AMOUNT, P2MRScriptPubKey(m_trees[kind.tree].Root())); }};
        for (size_t i = 0; i + 1 < m_transactions; ++i) add(Kinds()[i % Kinds().size()]);
        for (const Kind& kind : Kinds()) add(kind);
        m_demo.funding_tx = SerializeToVector(tx);
        m_funding_id = tx.GetHash();
    }

    SpendInput Input(const Kind& kind, uint32_t coin) const
    {
        SpendInput input{.outpoint = {m_funding_id, coin},
                         .amount = COIN_AMOUNT,
                         .tree = m_trees[kind.tree],
                         .leaf = kind.leaf};
        input.hash_type = ParseHashType(kind.hash_type);
        for (const char* signer : kind.signers) input.keys.push_back(Key(signer));
        return input;
    }

    void MakeSpend(size_t index)
    {
        const bool last{index + 1 == m_transactions};
        SpendSpec spec;
        const char* kind_name{"all-kinds"};
        if (last) {
            spec.description = "one input of each kind";
            for (size_t i = 0; i < Kinds().size(); ++i) spec.inputs.push_back(Input(Kinds()[i], static_cast<uint32_t>(index + i)));
        } else {
            const Kind& kind{Kinds()[index % Kinds().size()]};
            kind_name = kind.name;
            spec.description = kind.description;
            spec.inputs.push_back(Input(kind, static_cast<uint32_t>(index)));
        }
        spec.rest = 0;
        spec.outputs.emplace_back(0, P2MRScriptPubKey(m_trees[0].Root()));
        SpendFile file{SignSpend(spec, PlanSpend(spec))};
        std::array<char, 32> number;
        std::snprintf(number.data(), number.size(), "%03zu", index);
        file.name = std::string{number.data()} + "-" + kind_name + ".json";
        m_demo.spends.push_back(std::move(file));
    }

    /** Flip one bit of an SLH-DSA signature in the last transaction. */
    void Tamper()
    {
        m_demo.tampered = m_demo.spends.back();
        m_demo.tampered.name = TAMPERED;
        m_demo.tampered.description = "one bit of an SLH-DSA signature of input 2 is flipped";
        m_demo.tampered_input = 2;
        CMutableTransaction tx{*m_demo.tampered.tx};
        for (auto& element : tx.vin[m_demo.tampered_input].scriptWitness.stack) {
            if (element.size() < slhdsa::SIGNATURE_SIZE) continue;
            element[slhdsa::SIGNATURE_SIZE / 2] ^= 0x01;
            break;
        }
        m_demo.tampered.tx = std::make_shared<const CTransaction>(std::move(tx));
    }

    const size_t m_transactions;
    DemoSet m_demo;
    std::vector<ScriptTree> m_trees;
    uint256 m_funding_id;
};

/** A file of the demo's own folder. */
OutputFile InFolder(const fs::path& path)
{
    return {path.string(), /*force=*/true};
}

void WriteReadme(const DemoSet& demo, const fs::path& folder)
{
    WriteTextFile(InFolder(folder / MARKER),
                  std::string{MARK} + " The coins are made up and the keys are worth nothing.\n"
                  "The next demo in this folder replaces all of this.\n\n"
                  "keys/          secret keys of alice, bob, carol (SLH-DSA), erin (with the parameter set 128-q40) and dave (Schnorr)\n"
                  "trees/         the script trees of the P2MR (P2TSH) outputs\n"
                  "funding.hex    the transaction that makes the coins\n"
                  "spends/        " + std::to_string(demo.spends.size()) + " transactions that spend them, with the outputs they spend\n"
                  "tampered.json  the last of them with one bit of a signature changed\n"
                  "tampered.html  how it fails, for a browser\n\n"
                  "slhtool verify-tx --batch spends/*.json\n"
                  "slhtool verify-tx tampered.json\n"
                  "slhtool debug tampered.json --input " + std::to_string(demo.tampered_input) + "\n");
}

/** A README.txt alone would be too little: what is beside it is going to be replaced. */
bool HasMark(const fs::path& folder)
{
    std::ifstream file{folder / MARKER};
    std::string begin(MARK.size(), '\0');
    return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == MARK;
}

/** See that the folder is empty, absent, or that of an earlier demo.
 *  @throws InputError if it holds something else */
void CheckDemoFolder(const fs::path& folder)
{
    std::error_code error;
    if (!fs::exists(folder, error)) return;
    if (!fs::is_directory(folder, error)) throw InputError{folder.string(), "exists and is not a directory"};
    const bool empty{fs::is_empty(folder, error)};
    if (error) throw InputError{folder.string(), error.message()};
    if (!empty && !HasMark(folder)) throw InputError{folder.string(), "is not empty and not from an earlier demo"};
}

/** Make a demo's folders, without what an earlier one has in them. */
void PrepareFolder(const DemoSet& demo, const fs::path& folder)
{
    CheckDemoFolder(folder);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw InputError{folder.string(), error.message()};
    WriteReadme(demo, folder); // first: without its mark, a demo that is interrupted would look like something else
    for (const char* part : {KEYS, TREES, SPENDS}) {
        fs::remove_all(folder / part, error);
        if (!error) fs::create_directory(folder / part, error);
        if (error) throw InputError{(folder / part).string(), error.message()};
    }
}

/** Write it to a folder, in place of an earlier demo, and set each SpendFile's name to its file.
 *  @throws InputError, also as CheckDemoFolder */
void WriteDemo(DemoSet& demo, const fs::path& folder)
{
    PrepareFolder(demo, folder);
    for (const auto& [owner, key] : demo.keys) WriteKeyFile(InFolder(folder / KEYS / (owner + ".key")), *key);
    for (const auto& [name, text] : demo.trees) WriteTextFile(InFolder(folder / TREES / (name + ".tree")), text + "\n");
    WriteTextFile(InFolder(folder / FUNDING), HexStr(demo.funding_tx) + "\n");
    for (auto& spend : demo.spends) {
        spend.name = (folder / SPENDS / spend.name).string();
        WriteTextFile(InFolder(spend.name), SpendFileJson(spend).dump(2) + "\n");
    }
    demo.tampered.name = (folder / demo.tampered.name).string();
    WriteTextFile(InFolder(demo.tampered.name), SpendFileJson(demo.tampered).dump(2) + "\n");
    const Trace trace{Tracer{demo.tampered}.TraceInput(demo.tampered_input)};
    WriteTextFile(InFolder(folder / PAGE), DebugPage(DebugJson(demo.tampered, demo.tampered_input, trace)));
}

constexpr uint64_t MAX_TRANSACTIONS{5000};

struct Options {
    std::string folder{"demo-output"}, transactions{"16"};
    bool json{false};
};

/** With two decimals. */
std::string Number(double value)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.2f", value);
    return text.data();
}

std::string Ms(double milliseconds) { return Number(milliseconds) + " ms"; }

struct Outcome {
    double making_seconds;
    VerificationResult eager, batch, tampered_eager, tampered_batch;

    const InputVerdict& Bad(const DemoSet& demo) const { return tampered_batch.transactions[0].inputs[demo.tampered_input]; }

    /** Good spends are valid, the tampered one is rejected for the right reason, both ways say the same. */
    bool AsExpected(const DemoSet& demo) const
    {
        const auto rejected{[&](const VerificationResult& result) {
            const auto& inputs{result.transactions[0].inputs};
            for (unsigned i = 0; i < inputs.size(); ++i) {
                if (inputs[i].Valid() != (i != demo.tampered_input)) return false;
            }
            return inputs[demo.tampered_input].failure.error == SCRIPT_ERR_SLHDSA_SIG;
        }};
        return eager.Valid() && batch.Valid() && rejected(tampered_eager) && rejected(tampered_batch);
    }
};

Json AddressesJson(const DemoSet& demo)
{
    Json json = Json::object();
    for (const auto& [name, text] : demo.trees) {
        const auto program{WitnessProgram::FromScriptPubKey(P2MRScriptPubKey(ParseTree(text).Root()))};
        json[name] = EncodeAddress(Network::REGTEST, *program);
    }
    return json;
}

std::string AllValid(const VerificationResult& result)
{
    return result.Valid() ? "all valid" : "NOT ALL VALID";
}

void PrintSummary(const DemoSet& demo, const Outcome& outcome, const Options& options)
{
    PrintLine("Keys      alice, bob, carol: SLH-DSA-SHA2-128s; erin: with the parameter set 128-q40; dave: Schnorr (BIP 340)");
    const Json addresses = AddressesJson(demo);
    for (const auto& [name, address] : addresses.items()) {
        PrintLine((name == demo.trees[0].first ? "P2MR      " : "          ") + name + std::string(8 - name.size(), ' ') +
                  address.get<std::string>());
    }
    PrintLine("Spends    " + Counted(outcome.eager.transactions.size(), "transaction") + ", " +
              Counted(outcome.eager.InputCount(), "input") + ", " + Counted(outcome.batch.signatures, "SLH-DSA signature") +
              ": single, Schnorr, 2-of-3, hybrid, 128-q40 (made in " + Number(outcome.making_seconds) + " s)");
    PrintLine("Eager     " + AllValid(outcome.eager) + " in " + Ms(outcome.eager.script_milliseconds));
    PrintLine("Batch     " + AllValid(outcome.batch) + " in " + Ms(outcome.batch.script_milliseconds + outcome.batch.batch_milliseconds) +
              " (scripts " + Ms(outcome.batch.script_milliseconds) + ", signatures together " + Ms(outcome.batch.batch_milliseconds) + ")");
    const InputVerdict& bad{outcome.Bad(demo)};
    PrintLine("Tampered  " + (bad.Valid() ? "NOT REJECTED"
                                          : "rejected, eagerly and in a batch: input " + std::to_string(demo.tampered_input) + ", " +
                                                std::string{ScriptErrorName(bad.failure.error)} + " at instruction " +
                                                std::to_string(bad.failure.opcode_pos) + " (" +
                                                GetTapscriptOpName(bad.failure.opcode, demo.tampered.flags) + ")"));
    PrintLine("Files     in " + Printable(options.folder) + "; to run on them again:");
    PrintLine("            slhtool verify-tx --batch " + Printable(options.folder) + "/spends/*.json");
    PrintLine("            slhtool verify-tx " + Printable(demo.tampered.name));
    PrintLine("            slhtool debug " + Printable(demo.tampered.name) + " --input " + std::to_string(demo.tampered_input));
    PrintLine("Page      " + Printable((fs::path{options.folder} / PAGE).string()) + ": how the tampered one fails, for a browser");
    if (!outcome.AsExpected(demo)) PrintLine("This is not the expected result: please report it.");
}

Json SummaryJson(const DemoSet& demo, const Outcome& outcome, const Options& options)
{
    return {{"folder", options.folder},
            {"addresses", AddressesJson(demo)},
            {"transactions", outcome.eager.transactions.size()},
            {"inputs", outcome.eager.InputCount()},
            {"slhdsa_signatures", outcome.batch.signatures},
            {"making_seconds", outcome.making_seconds},
            {"eager", {{"valid", outcome.eager.Valid()}, {"milliseconds", outcome.eager.script_milliseconds}}},
            {"batch",
             {{"valid", outcome.batch.Valid()},
              {"script_milliseconds", outcome.batch.script_milliseconds},
              {"batch_milliseconds", outcome.batch.batch_milliseconds}}},
            {"tampered", VerificationJson(outcome.tampered_batch)["transactions"][0]},
            {"as_expected", outcome.AsExpected(demo)}};
}

DemoSet MakeAndVerify(size_t transactions, const Options& options, Outcome& outcome)
{
    const auto begin{std::chrono::steady_clock::now()};
    DemoSet demo{Builder{transactions}.Build()};
    outcome.making_seconds = std::chrono::duration<double>{std::chrono::steady_clock::now() - begin}.count();
    WriteDemo(demo, options.folder);

    outcome.eager = VerifySpends(demo.spends, /*batched=*/false);
    outcome.batch = VerifySpends(demo.spends, /*batched=*/true);
    outcome.tampered_eager = VerifySpends(std::span{&demo.tampered, 1}, /*batched=*/false);
    outcome.tampered_batch = VerifySpends(std::span{&demo.tampered, 1}, /*batched=*/true);
    return demo;
}

ExitStatus Demo(const Options& options)
{
    const auto count{Within("--transactions", [&] { return ParseNumber(options.transactions, MAX_TRANSACTIONS); })};
    if (count == 0) throw InputError{"--transactions", "0 is too few"};
    CheckDemoFolder(options.folder);
    Outcome outcome{};
    const DemoSet demo{MakeAndVerify(count, options, outcome)};
    options.json ? PrintJson(SummaryJson(demo, outcome, options)) : PrintSummary(demo, outcome, options);
    return outcome.AsExpected(demo) ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

Action DeclareDemo(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain(
        "Makes keys, coins on P2MR (P2TSH) outputs, and transactions that spend them with SLH-DSA, Schnorr, 2-of-3 SLH-DSA\n"
        "and hybrid leaves, and with a key of another parameter set (SLHDSA_SETS); verifies them one by one and as a batch;\n"
        "changes one bit of a signature and shows how that is rejected. Everything stays on disk until the next demo in the\n"
        "same folder, which replaces it. The coins are made up: no network, no node.");
    parser.Add("--dir FOLDER", options->folder, "Where files go; must be empty, absent or from an earlier demo, which is replaced");
    parser.Add("--transactions N", options->transactions, "How many transactions, up to " + std::to_string(MAX_TRANSACTIONS));
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"a larger batch", "slhtool demo --transactions 512 --dir /tmp/demo"}});
    return [options] { return Demo(*options); };
}

} // namespace slhc::tool
