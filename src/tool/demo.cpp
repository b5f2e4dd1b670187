// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/demo.h>

#include <script/p2mr.h>
#include <slhconsensus.h>
#include <tool/error.h>
#include <tool/hash_type.h>
#include <tool/output_file.h>
#include <tool/spender.h>
#include <tool/tree.h>
#include <util/hex.h>
#include <util/random.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <system_error>

namespace slhc::tool {
namespace {

namespace fs = std::filesystem;

constexpr CAmount COIN_AMOUNT{100'000};
constexpr const char *KEYS{"keys"}, *TREES{"trees"}, *SPENDS{"spends"}; //!< folders
constexpr const char *MARKER{"README.txt"}, *FUNDING{"funding.hex"}, *TAMPERED{"tampered.json"};
constexpr const char* ALL_KINDS{"all-kinds"};
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
    };
    return kinds;
}

/** The name of a spend's file, after its number. */
std::string SpendName(std::string_view kind)
{
    return "-" + std::string{kind} + ".json";
}

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
    std::string Public(const std::string& name) const { return HexStr(Key(name)->public_key); }

    void MakeKeys()
    {
        for (const auto& [name, type] :
             {std::pair{"alice", KeyType::SLHDSA}, {"bob", KeyType::SLHDSA}, {"carol", KeyType::SLHDSA}, {"dave", KeyType::SCHNORR}}) {
            SecretBytes seed(SeedSize(type));
            GetStrongRandBytes(seed);
            m_demo.keys.emplace_back(name, std::make_shared<const KeyPair>(MakeKeyPair(type, seed)));
        }
    }

    void MakeTrees()
    {
        m_demo.trees = {
            {"single", "{pk_slhdsa(" + Public("alice") + "),pk_schnorr(" + Public("dave") + ")}"},
            {"vault", "{multi_slhdsa(2," + Public("alice") + "," + Public("bob") + "," + Public("carol") + "),older(144) pk_slhdsa(" +
                          Public("bob") + ")}"},
            {"hybrid", "{hybrid(" + Public("bob") + "," + Public("dave") + "),{pk_slhdsa(" + Public("carol") + "),OP_RETURN}}"},
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
        spec.flags = SLHC_VERIFY_CONSENSUS;
        const char* kind_name{ALL_KINDS};
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
        file.name = number.data() + SpendName(kind_name);
        m_demo.spends.push_back(std::move(file));
    }

    /** Flip one bit of an SLH-DSA signature in the last transaction. */
    void Tamper()
    {
        m_demo.tampered = m_demo.spends.back();
        m_demo.tampered.name = TAMPERED;
        m_demo.tampered.description = "one bit of an SLH-DSA signature of input 2 is flipped";
        m_demo.tampered_input = 2;
        CMutableTransaction tx{ParseTx(m_demo.tampered.raw_tx)};
        for (auto& element : tx.vin[m_demo.tampered_input].scriptWitness.stack) {
            if (element.size() < SLHC_SIGNATURE_SIZE) continue;
            element[SLHC_SIGNATURE_SIZE / 2] ^= 0x01;
            break;
        }
        m_demo.tampered.raw_tx = SerializeToVector(tx);
    }

    const size_t m_transactions;
    DemoSet m_demo;
    std::vector<ScriptTree> m_trees;
    uint256 m_funding_id;
};

/** Whether a demo gives a spend this name: 003-hybrid.json. */
bool IsSpendName(std::string_view name)
{
    constexpr size_t LEAST_DIGITS{3};
    const size_t dash{std::min(name.find_first_not_of("0123456789"), name.size())};
    const std::string_view rest{name.substr(dash)};
    if (dash < LEAST_DIGITS) return false;
    return rest == SpendName(ALL_KINDS) || std::ranges::any_of(Kinds(), [&](const Kind& kind) { return rest == SpendName(kind.name); });
}

/** Anything but a file is left: no demo made it. */
void RemoveFile(const fs::path& path)
{
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(path, error))) return;
    fs::remove(path, error);
    if (error) throw InputError{path.string(), error.message()};
}

fs::path KeyFile(const fs::path& folder, const std::string& owner) { return folder / KEYS / (owner + ".key"); }
fs::path TreeFile(const fs::path& folder, const std::string& name) { return folder / TREES / (name + ".tree"); }

/** What a demo writes besides its mark. */
std::vector<fs::path> Files(const DemoSet& demo, const fs::path& folder)
{
    std::vector<fs::path> files{folder / FUNDING, folder / TAMPERED};
    for (const auto& [owner, key] : demo.keys) files.push_back(KeyFile(folder, owner));
    for (const auto& [name, text] : demo.trees) files.push_back(TreeFile(folder, name));
    for (const auto& spend : demo.spends) files.push_back(folder / SPENDS / spend.name);
    return files;
}

/** Links, folders and the like under the names of a demo's files would end it halfway, when the earlier one is gone.
 *  @throws InputError */
void CheckDemoFiles(const DemoSet& demo, const fs::path& folder)
{
    auto files{Files(demo, folder)};
    files.push_back(folder / MARKER);
    for (const auto& path : files) {
        std::error_code error;
        const auto status{fs::symlink_status(path, error)};
        if (fs::exists(status) && !fs::is_regular_file(status)) {
            throw InputError{path.string(), "is not a file of a demo, which would replace it: move it away"};
        }
    }
}

/** Remove the files of an earlier demo, whose keys and trees have the same names and which may have more spends. All of them go before
 *  the first new one is written: if this is interrupted, the folder does not have some of each. */
void RemoveEarlierDemo(const DemoSet& demo, const fs::path& folder)
{
    auto files{Files(demo, folder)};
    for (const auto& entry : fs::directory_iterator{folder / SPENDS}) {
        if (IsSpendName(entry.path().filename().string())) files.push_back(entry.path());
    }
    std::ranges::for_each(files, RemoveFile);
}

/** A file of the demo's own folder. */
OutputFile InFolder(const fs::path& path)
{
    return {path.string(), /*force=*/true};
}

void WriteReadme(const DemoSet& demo, const fs::path& folder)
{
    WriteTextFile(InFolder(folder / MARKER),
                  std::string{MARK} + " The coins are made up and the keys are worth nothing.\n"
                  "The next demo in this folder replaces these files. Other files stay as they are.\n\n"
                  "keys/          secret keys of alice, bob, carol (SLH-DSA) and dave (Schnorr)\n"
                  "trees/         the script trees of the P2MR (P2TSH) outputs\n"
                  "funding.hex    the transaction that makes the coins\n"
                  "spends/        " + std::to_string(demo.spends.size()) + " transactions that spend them, with the outputs they spend\n"
                  "tampered.json  the last of them with one bit of a signature changed\n\n"
                  "slhtool verify-tx --batch spends/*.json\n"
                  "slhtool verify-tx tampered.json\n"
                  "slhtool debug tampered.json --input " + std::to_string(demo.tampered_input) + "\n");
}

/** A README.txt alone would be too little: files beside it are going to be replaced. */
bool HasMark(const fs::path& folder)
{
    std::ifstream file{folder / MARKER};
    std::string begin(MARK.size(), '\0');
    return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == MARK;
}

/** Make a demo's folders, without the files of an earlier one. */
void PrepareFolder(const DemoSet& demo, const fs::path& folder)
{
    CheckDemoFolder(folder);
    CheckDemoFiles(demo, folder);
    const auto make{[](const fs::path& path) {
        std::error_code error;
        fs::create_directories(path, error);
        if (error) throw InputError{path.string(), error.message()};
    }};
    make(folder);
    WriteReadme(demo, folder); // first: without its mark, a demo that is interrupted would look like something else
    for (const char* part : {KEYS, TREES, SPENDS}) make(folder / part);
    RemoveEarlierDemo(demo, folder);
}

} // namespace

void CheckDemoFolder(const fs::path& folder)
{
    std::error_code error;
    if (!fs::exists(folder, error)) return RefuseSecretAsName(folder.string());
    if (!fs::is_directory(folder, error)) throw InputError{folder.string(), "exists and is not a directory"};
    const bool empty{fs::is_empty(folder, error)};
    if (error) throw InputError{folder.string(), error.message()};
    if (!empty && !HasMark(folder)) {
        throw InputError{folder.string(), "is not empty and not from an earlier demo"};
    }
    // A link would lead to somebody else's files.
    for (const char* part : {KEYS, TREES, SPENDS}) {
        const auto status{fs::symlink_status(folder / part, error)};
        if (fs::exists(status) && !fs::is_directory(status)) {
            throw InputError{(folder / part).string(), "is not a folder of a demo: move it away"};
        }
    }
}

DemoSet MakeDemo(size_t transactions)
{
    return Builder{transactions}.Build();
}

void WriteDemo(DemoSet& demo, const fs::path& folder)
{
    PrepareFolder(demo, folder);
    for (const auto& [owner, key] : demo.keys) WriteKeyFile(InFolder(KeyFile(folder, owner)), *key);
    for (const auto& [name, text] : demo.trees) WriteTextFile(InFolder(TreeFile(folder, name)), text + "\n");
    WriteTextFile(InFolder(folder / FUNDING), HexStr(demo.funding_tx) + "\n");
    for (auto& spend : demo.spends) {
        spend.name = (folder / SPENDS / spend.name).string();
        WriteTextFile(InFolder(spend.name), SpendFileJson(spend).dump(2) + "\n");
    }
    demo.tampered.name = (folder / demo.tampered.name).string();
    WriteTextFile(InFolder(demo.tampered.name), SpendFileJson(demo.tampered).dump(2) + "\n");
}

} // namespace slhc::tool
