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
            std::vector<uint8_t> seed(SeedSize(type));
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
                  "keys/          secret keys of alice, bob, carol (SLH-DSA) and dave (Schnorr)\n"
                  "trees/         the script trees of the P2MR (P2TSH) outputs\n"
                  "funding.hex    the transaction that makes the coins\n"
                  "spends/        " + std::to_string(demo.spends.size()) + " transactions that spend them, with the outputs they spend\n"
                  "tampered.json  the last of them with one bit of a signature changed\n\n"
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

} // namespace

void CheckDemoFolder(const fs::path& folder)
{
    std::error_code error;
    if (!fs::exists(folder, error)) return;
    if (!fs::is_directory(folder, error)) throw InputError{folder.string(), "exists and is not a directory"};
    const bool empty{fs::is_empty(folder, error)};
    if (error) throw InputError{folder.string(), error.message()};
    if (!empty && !HasMark(folder)) throw InputError{folder.string(), "is not empty and not from an earlier demo"};
}

DemoSet MakeDemo(size_t transactions)
{
    return Builder{transactions}.Build();
}

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
}

} // namespace slhc::tool
