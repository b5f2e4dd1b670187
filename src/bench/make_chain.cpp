// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Makes a regtest chain of full blocks for contrib/bitcoin-core/experiment.py, which describes the plan, and transactions to go with it.
 *
 *  The coinbase of block 1 + i pays for funding transaction i in block 101 + i, which makes the coins. From then on each block spends what
 *  the one before made, so that the number of coins stays. In one chain, no key signs twice. Signatures of SLH-DSA are those of an
 *  ExperimentSigner. The same plan gives the same bytes. */

#include <consensus/consensus.h>
#include <consensus/validation.h>
#include <crypto/sha256.h>
#include <pqc/experiment_signer.h>
#include <script/interpreter.h>
#include <test/util/block_builder.h>
#include <test/util/signing_context.h>
#include <test/util/spends.h>
#include <util/hex.h>
#include <util/threadpool.h>

#include <nlohmann/json.hpp>

#include <secp256k1_extrakeys.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using nlohmann::json;
using slhdsa::ParameterSet;

namespace {

constexpr CAmount COIN{100'000'000}, SUBSIDY{50 * COIN};
constexpr int64_t HALVING_INTERVAL{150}, COINBASE_MATURITY{100};
constexpr uint32_t GENESIS_TIME{1'296'688'602}, SPACING{600}, REGTEST_BITS{0x207fffff};
constexpr std::string_view GENESIS_HASH{"06226e46111a0b59caaf126043eb5bbf28c34f3a5e332a1fc7b2b73cf188910f"}; // as it is hashed
constexpr std::array<uint8_t, 4> REGTEST_MAGIC{0xfa, 0xbf, 0xb5, 0xda};
constexpr size_t MAX_FUNDED{20'000};      // outputs of a funding transaction
constexpr CAmount DUST{10'000};           // left in a coin at the end
constexpr CAmount FEE{1}, HIGHER_FEE{2};  // satoshis for a virtual byte: of the chain; of the branch and the mempool
constexpr size_t KEYS_OF_COIN{3};
constexpr int KIND_SHIFT{48};             // of the numbers of keys
constexpr uint64_t BRANCH_KEYS{1ULL << 40};

[[noreturn]] void Fail(const std::string& what) { throw std::runtime_error{what}; }

std::vector<uint8_t> Bytes(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

/** Keys of a plan, by number. Threads may share it. */
class Keys
{
public:
    explicit Keys(std::span<const uint8_t, slhdsa::KEYGEN_SEED_SIZE> seed) : m_seed{Bytes(seed)} {}

    void Use(ParameterSet set) { m_sets.try_emplace(set, set, std::span{m_seed}.first<slhdsa::KEYGEN_SEED_SIZE>()); }
    [[nodiscard]] const slhdsa::ExperimentSigner& Of(ParameterSet set) const { return m_sets.at(set); }
    [[nodiscard]] secp256k1_keypair Pair(uint64_t key) const
    {
        HashWriter hasher;
        hasher.write(m_seed);
        WriteU64(hasher, key);
        secp256k1_keypair pair;
        if (secp256k1_keypair_create(SigningContext(), &pair, hasher.GetSHA256().data()) != 1) Fail("secret key out of range");
        return pair;
    }

private:
    std::vector<uint8_t> m_seed;
    std::map<ParameterSet, slhdsa::ExperimentSigner> m_sets;
};

/** Signs for one coin, whose EC key is at hand: making it takes as long as a signature. */
class CoinSigner : public KeyPairSigner
{
public:
    CoinSigner(const Keys& keys, const secp256k1_keypair& pair) : m_keys{keys}, m_pair{pair} {}

    [[nodiscard]] slhdsa::PublicKey Key(ParameterSet set, size_t key) const { return m_keys.Of(set).Key(key); }
    [[nodiscard]] std::vector<uint8_t> Sign(ParameterSet set, size_t key, const uint256& message) const
    {
        std::vector<uint8_t> sig(slhdsa::ParamsOf(set).SignatureSize());
        m_keys.Of(set).Sign(key, *slhdsa::MessagePieces::Pure(message.Bytes(), {}), sig);
        return sig;
    }

    slhdsa::PublicKey SLHDSAKey(size_t key) override { return Key(ParameterSet::SHA2_128S, key); }
    std::vector<uint8_t> SignSLHDSA(size_t key, const uint256& message) override { return Sign(ParameterSet::SHA2_128S, key, message); }

private:
    [[nodiscard]] const secp256k1_keypair& KeyPair(size_t) override { return m_pair; }

    const Keys& m_keys;
    secp256k1_keypair m_pair;
};

/** A kind of spend: its output, and what spends that. A coin has the keys key to key + KEYS_OF_COIN - 1. */
struct Kind {
    std::string_view name;
    ParameterSet set;          //!< of its SLH-DSA keys, if it has any
    size_t slhdsa, schnorr, ecdsa; //!< signatures in a spend
};
constexpr Kind KINDS[]{
    {"128s", ParameterSet::SHA2_128S, 1, 0, 0},   {"128-24", ParameterSet::SHA2_128_24, 1, 0, 0},
    {"128-q40", ParameterSet::SHA2_128_Q40, 1, 0, 0}, {"2-of-3", ParameterSet::SHA2_128S, 2, 0, 0},
    {"hybrid", ParameterSet::SHA2_128S, 1, 1, 0}, {"p2tr-leaf", ParameterSet::SHA2_128S, 1, 0, 0},
    {"schnorr", ParameterSet::SHA2_128S, 0, 1, 0},    {"payment", ParameterSet::SHA2_128S, 0, 0, 1},
};

/** The leaf of a coin; empty where the kind has none. */
LeafSpend MakeLeaf(const Kind& kind, CoinSigner& signer, uint64_t key)
{
    if (kind.slhdsa == 0) return {};
    const auto slhdsa_key{[&](uint64_t n) {
        auto bytes{Bytes(signer.Key(kind.set, n))};
        if (kind.set != ParameterSet::SHA2_128S) bytes.insert(bytes.begin(), static_cast<uint8_t>(kind.set));
        return bytes;
    }};
    CScript script;
    if (kind.schnorr > 0) script << Bytes(signer.SchnorrKey(key)) << OP_CHECKSIGVERIFY;
    script << slhdsa_key(key) << OP_CHECKSIGSLHDSA;
    if (kind.slhdsa == 2) {
        script << slhdsa_key(key + 1) << OP_CHECKSIGADDSLHDSA << slhdsa_key(key + 2) << OP_CHECKSIGADDSLHDSA << OP_2 << OP_NUMEQUAL;
    }
    return kind.name == "p2tr-leaf" ? LeafSpend::P2TR(std::move(script)) : LeafSpend::P2MR(std::move(script));
}

CScript MakeScriptPubKey(const Kind& kind, CoinSigner& signer, uint64_t key)
{
    if (kind.slhdsa > 0) return MakeLeaf(kind, signer, key).script_pub_key;
    return kind.ecdsa > 0 ? P2WPKHScriptPubKey(signer, key) : CScript{} << OP_1 << Bytes(signer.SchnorrKey(key));
}

CScriptWitness MakeWitness(const Kind& kind, CoinSigner signer, uint64_t key, const CMutableTransaction& tx, uint32_t n_in, CAmount value,
                           const PrecomputedTransactionData& txdata)
{
    if (kind.ecdsa > 0) return SpendP2WPKH(signer, key, tx, n_in, value, txdata);
    if (kind.slhdsa == 0) return SpendKeyPath(signer, key, tx, n_in, txdata);
    const LeafSpend leaf{MakeLeaf(kind, signer, key)};
    const uint256 message{leaf.Message(tx, n_in, txdata, SIGHASH_DEFAULT,
                                       kind.set == ParameterSet::SHA2_128S ? KeyVersion::SLHDSA : KeyVersion::SLHDSA_SETS)};
    std::vector<std::vector<uint8_t>> elements;
    if (kind.slhdsa == 2) elements.push_back({}); // the third key does not sign
    for (size_t n = kind.slhdsa; n-- > 0;) elements.push_back(signer.Sign(kind.set, key + n, message));
    if (kind.schnorr > 0) elements.push_back(signer.SignSchnorr(key, leaf.Message(tx, n_in, txdata, SIGHASH_DEFAULT, KeyVersion::BIP340)));
    return leaf.Witness(std::move(elements));
}

struct Coin {
    COutPoint outpoint;
    CAmount value;
    uint64_t key;
    secp256k1_keypair pair{}; //!< of that number, where the kind has EC keys
    CScript script_pub_key;

    /** Everything that follows from kind and key. */
    void MakeOutput(const Kind& kind, const Keys& keys)
    {
        if (kind.schnorr + kind.ecdsa > 0) pair = keys.Pair(key);
        CoinSigner signer{keys, pair};
        script_pub_key = MakeScriptPubKey(kind, signer, key);
    }
};

/** A transaction, what it spends and what it makes. */
struct Spend {
    CTransactionRef tx;
    std::vector<CTxOut> spent;
    std::vector<Coin> made;
};

/** Make a signature of the last input invalid, in a byte that any kind of signature minds. */
void BreakSignature(CMutableTransaction& tx)
{
    auto& stack{tx.vin.back().scriptWitness.stack};
    auto& sig{*std::ranges::find_if(stack, [](const auto& element) { return !element.empty(); })};
    sig[sig.size() - 2] ^= 1;
}

/** Spend coins of a kind, each to a new one with the keys from new_key on. */
Spend MakeSpend(const Kind& kind, const Keys& keys, std::span<const Coin> coins, uint64_t new_key, CAmount fee, bool broken = false)
{
    Spend spend;
    CMutableTransaction tx;
    for (const Coin& coin : coins) {
        tx.vin.emplace_back(coin.outpoint);
        spend.spent.emplace_back(coin.value, coin.script_pub_key);
        Coin& made{spend.made.emplace_back()};
        made.value = coin.value - fee / static_cast<CAmount>(coins.size());
        made.key = new_key;
        made.MakeOutput(kind, keys);
        tx.vout.emplace_back(made.value, made.script_pub_key);
        new_key += KEYS_OF_COIN;
    }
    const PrecomputedTransactionData txdata{tx, std::vector<CTxOut>{spend.spent}, /*force=*/true};
    for (size_t i = 0; i < coins.size(); ++i) {
        tx.vin[i].scriptWitness =
            MakeWitness(kind, {keys, coins[i].pair}, coins[i].key, tx, static_cast<uint32_t>(i), coins[i].value, txdata);
    }
    if (broken) BreakSignature(tx);
    spend.tx = std::make_shared<const CTransaction>(std::move(tx));
    for (size_t i = 0; i < coins.size(); ++i) {
        spend.made[i].outpoint.hash = spend.tx->GetHash();
        spend.made[i].outpoint.n = static_cast<uint32_t>(i);
    }
    return spend;
}

/** An entry of the plan's mix. */
struct Entry {
    const Kind* kind;
    uint64_t first_key;
    double share;
    size_t inputs;
    int64_t weight{0};      //!< of a transaction, at most
    size_t transactions{0}; //!< in a block

    [[nodiscard]] CAmount Fee(CAmount rate) const { return rate * (weight + WITNESS_SCALE_FACTOR - 1) / WITNESS_SCALE_FACTOR; }
    /** Of one input. */
    [[nodiscard]] CAmount MostFee() const { return Fee(HIGHER_FEE) / static_cast<CAmount>(inputs) + 1; }
};

/** Coins of an entry that wait to be spent. */
struct Coins {
    std::vector<Coin> coins;
    CAmount value;     //!< of each, when it is funded
    uint64_t next_key;
};

struct Plan {
    std::vector<uint8_t> seed;
    size_t blocks, tip, branch, mempool, flood;
    int64_t weight;
    std::vector<Entry> mix;

    explicit Plan(const json& j)
        : seed{TryParseHex(j.at("seed").get<std::string>()).value_or(std::vector<uint8_t>{})}, blocks{j.at("blocks")}, tip{j.at("tip")},
          branch{j.at("branch")}, mempool{j.at("mempool")}, flood{j.at("flood")}, weight{j.at("weight")}
    {
        if (seed.size() != slhdsa::KEYGEN_SEED_SIZE) Fail("seed: 48 bytes in hex are needed");
        if (tip >= blocks) Fail("tip: fewer than blocks are needed");
        if (weight > MAX_BLOCK_WEIGHT) Fail("weight: more than a block may have");
        for (const json& entry : j.at("mix")) {
            const auto name{entry.at("spend").get<std::string>()};
            const auto* const kind{std::ranges::find(KINDS, name, &Kind::name)};
            if (kind == std::end(KINDS)) Fail("spend: there is no kind " + name);
            mix.push_back({.kind = kind,
                           .first_key = (mix.size() + 1) << KIND_SHIFT,
                           .share = entry.at("share"),
                           .inputs = entry.at("inputs")});
            if (mix.back().inputs < 1) Fail("inputs: at least 1");
        }
    }
};

/** Writes blocks as Bitcoin Core's block files have them. */
class BlockWriter
{
public:
    explicit BlockWriter(const std::filesystem::path& path) : m_path{path}, m_file{path, std::ios::binary | std::ios::trunc} {}
    void Add(const CBlock& block)
    {
        std::vector<uint8_t> header{Bytes(REGTEST_MAGIC)};
        const auto raw{SerializeToVector(block)};
        VectorWriter writer{header};
        WriteU32(writer, static_cast<uint32_t>(raw.size()));
        Write(header);
        Write(raw);
    }
    void Write(std::span<const uint8_t> bytes)
    {
        m_file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    [[nodiscard]] int64_t Size() { return m_file.tellp(); }
    void Close()
    {
        m_file.close();
        if (!m_file) Fail(m_path.string() + ": cannot be written");
    }

private:
    std::filesystem::path m_path;
    std::ofstream m_file;
};

/** Where a block goes. */
struct Tip {
    uint256 hash;
    int64_t height{0};
};

class ChainMaker
{
public:
    ChainMaker(const Plan& plan, std::filesystem::path folder)
        : m_plan{plan}, m_folder{std::move(folder)}, m_keys{std::span{plan.seed}.first<slhdsa::KEYGEN_SEED_SIZE>()}, m_pool{0},
          m_mix{m_plan.mix}
    {
        for (const Entry& entry : m_mix) {
            if (entry.kind->slhdsa > 0) m_keys.Use(entry.kind->set);
        }
        SizeBlocks();
    }

    void Make()
    {
        json seconds;
        const auto timed{[&](const char* what, const auto& work) {
            const auto begin{std::chrono::steady_clock::now()};
            work();
            seconds[what] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        }};
        timed("funding", [&] { Fund(); });
        const json funded(m_tip.height), funding_bytes(m_base.Size());
        Tip base, branch;
        timed("blocks", [&] {
            for (size_t n = 0; n < m_plan.blocks - m_plan.tip; ++n) AddBlock(m_base, m_tip, m_coins, FEE, n + 1);
            m_base.Close();
            base = branch = m_tip;
            MakeBranch(branch);
            MakeTip();
        });
        timed("mempool", [&] { MakeTransactions(); });
        json signatures = json::object();
        size_t transactions{0}, inputs{0};
        for (const Entry& entry : m_mix) {
            const size_t n{entry.transactions * entry.inputs};
            transactions += entry.transactions;
            inputs += n;
            const auto count{[&](std::string_view name, size_t each) { signatures[name] = signatures.value(name, size_t{0}) + each * n; }};
            count(slhdsa::ParameterSetName(entry.kind->set), entry.kind->slhdsa);
            count("schnorr", entry.kind->schnorr);
            count("ecdsa", entry.kind->ecdsa);
        }
        const bool sets{std::ranges::any_of(m_mix, [](const Entry& e) { return e.kind->set != ParameterSet::SHA2_128S; })};
        const json about{{"heights", {{"funded", funded}, {"base", base.height}, {"tip", m_tip.height}}},
                         {"hashes",
                          {{"base", base.hash.GetHex()},
                           {"tip", m_tip.hash.GetHex()},
                           {"branch", branch.hash.GetHex()},
                           {"invalid", m_invalid.GetHex()}}},
                         {"block",
                          {{"transactions", transactions},
                           {"inputs", inputs},
                           {"weight", GetBlockWeight(m_last.block)},
                           {"bytes", GetSerializeSize(m_last.block)},
                           {"signatures", signatures}}},
                         {"mempool", {{"transactions", m_plan.mempool}}},
                         {"outputs", m_funded},
                         {"funding_bytes", funding_bytes},
                         {"sets", sets},
                         {"seconds", seconds}};
        std::ofstream file{m_folder / "chain.json"};
        file << about.dump(1) << '\n';
        // For slhtool verify-block
        json spent = json::array();
        for (const CTxOut& output : m_last.spent_outputs) spent.push_back(HexStr(SerializeToVector(output)));
        std::ofstream block{m_folder / "block.json"};
        block << json{{"block", HexStr(SerializeToVector(m_last.block))},
                      {"spent_outputs", spent},
                      {"flags", sets ? "consensus,SLHDSA_SETS" : "consensus"}}
              << '\n';
        if (!file.flush() || !block.flush()) Fail(m_folder.string() + ": cannot be written");
    }

private:
    /** How many transactions of each entry a block has, and the order in which they stand: evenly mixed. */
    void SizeBlocks()
    {
        CBlock empty{Assemble(Tip{.hash = {}, .height = 1'000'000}, {}, 0)};
        const int64_t room{m_plan.weight - GetBlockWeight(empty) - WITNESS_SCALE_FACTOR * 8}; // the count of transactions, a longer height
        std::vector<std::pair<double, size_t>> order;
        for (size_t e = 0; e < m_mix.size(); ++e) {
            Entry& entry{m_mix[e]};
            Coin coin{.outpoint = {}, .value = COIN, .key = entry.first_key, .script_pub_key = {}};
            coin.MakeOutput(*entry.kind, m_keys);
            const std::vector<Coin> sample(entry.inputs, coin);
            const Spend spend{MakeSpend(*entry.kind, m_keys, sample, entry.first_key, 0)};
            // An ECDSA signature has two bytes more at most.
            entry.weight = GetTransactionWeight(*spend.tx) + static_cast<int64_t>(2 * entry.kind->ecdsa * entry.inputs);
            entry.transactions = static_cast<size_t>(static_cast<double>(room) * entry.share / 100 / static_cast<double>(entry.weight));
            if (entry.transactions == 0) Fail(std::string{entry.kind->name} + ": its share has no room for a transaction");
            for (size_t i = 0; i < entry.transactions; ++i) {
                order.emplace_back((static_cast<double>(i) + 0.5) / static_cast<double>(entry.transactions), e);
            }
        }
        std::ranges::stable_sort(order);
        std::vector<size_t> next(m_mix.size());
        for (const auto& [_, e] : order) m_order.emplace_back(e, next[e]++);
    }

    /** A mined block. */
    static CBlock Assemble(const Tip& previous, std::vector<CTransactionRef> transactions, uint32_t branch)
    {
        const int64_t height{previous.height + 1};
        CMutableTransaction coinbase;
        coinbase.vin.emplace_back(COutPoint{}, CScript{} << height << int64_t{branch});
        coinbase.vin[0].scriptWitness.stack.emplace_back(32);
        const int64_t halvings{height / HALVING_INTERVAL};
        coinbase.vout.emplace_back(halvings < 64 ? SUBSIDY >> halvings : 0, CScript{} << OP_TRUE);
        CBlock block;
        block.nVersion = 0x20000000;
        block.hashPrevBlock = previous.hash;
        block.nTime = GENESIS_TIME + static_cast<uint32_t>(height) * SPACING + branch;
        block.nBits = REGTEST_BITS;
        block.vtx = std::move(transactions);
        block.vtx.insert(block.vtx.begin(), std::make_shared<const CTransaction>(std::move(coinbase)));
        UpdateCommitments(block);
        while (block.GetHash().Bytes().back() >= 0x7f) ++block.nNonce; // the target begins with 0x7fffff
        return block;
    }

    /** Call f(i) for each i below n on all cores. */
    template <typename F>
    void InParallel(size_t n, const F& f)
    {
        constexpr size_t CHUNK{16};
        (void)m_pool.Run((n + CHUNK - 1) / CHUNK, [&](size_t chunk) {
            for (size_t i = chunk * CHUNK; i < std::min(n, (chunk + 1) * CHUNK); ++i) f(i);
        });
    }

    /** Blocks of coins for all that follows. */
    void Fund()
    {
        m_coins.resize(m_mix.size());
        m_mempool.resize(m_mix.size());
        m_flood.resize(m_mix.size());
        size_t in_block{0};
        for (const Entry& entry : m_mix) in_block += entry.transactions;
        std::vector<std::pair<const Entry*, Coins*>> all;
        for (size_t e = 0; e < m_mix.size(); ++e) {
            const Entry& entry{m_mix[e]};
            uint64_t key{entry.first_key};
            const auto add{[&](Coins& coins, size_t transactions, size_t spends) {
                coins.coins.resize(transactions * entry.inputs);
                coins.value = static_cast<CAmount>(spends) * entry.MostFee() + DUST;
                for (Coin& coin : coins.coins) {
                    coin.value = coins.value;
                    coin.key = key;
                    key += KEYS_OF_COIN;
                }
                all.emplace_back(&entry, &coins);
            }};
            const auto part{[&](size_t total) { return (total * entry.transactions + in_block / 2) / in_block; }};
            add(m_coins[e], entry.transactions, m_plan.blocks + 2);
            add(m_mempool[e], part(m_plan.mempool), 1);
            add(m_flood[e], part(m_plan.flood), 1);
            m_coins[e].next_key = m_mempool[e].next_key = m_flood[e].next_key = key;
        }
        std::vector<std::pair<const Entry*, Coin*>> rest;
        for (const auto& [entry, coins] : all) {
            for (Coin& coin : coins->coins) rest.emplace_back(entry, &coin);
        }
        m_funded = rest.size();
        std::vector<size_t> sizes; // of funding transactions
        CAmount room{0};
        for (const auto& [entry, coin] : rest) {
            if (sizes.empty() || coin->value > room || sizes.back() == MAX_FUNDED) {
                sizes.push_back(0);
                room = SUBSIDY;
            }
            ++sizes.back();
            room -= coin->value;
        }
        if (sizes.size() > COINBASE_MATURITY || std::ranges::any_of(rest, [](const auto& r) { return r.second->value > SUBSIDY; })) {
            Fail("the coins of this plan are worth more than the first coinbases: fewer blocks or transactions are needed");
        }

        std::vector<CTransactionRef> coinbases;
        for (int64_t i = 0; i < COINBASE_MATURITY; ++i) coinbases.push_back(AddToBase({}));
        std::span<const std::pair<const Entry*, Coin*>> left{rest};
        for (size_t i = 0; i < sizes.size(); ++i) {
            const auto funded{left.first(sizes[i])};
            left = left.subspan(sizes[i]);
            InParallel(funded.size(), [&](size_t n) { funded[n].second->MakeOutput(*funded[n].first->kind, m_keys); });
            CMutableTransaction tx;
            tx.vin.emplace_back(COutPoint{coinbases[i]->GetHash(), 0});
            for (size_t n = 0; n < funded.size(); ++n) tx.vout.emplace_back(funded[n].second->value, funded[n].second->script_pub_key);
            const auto funding{std::make_shared<const CTransaction>(std::move(tx))};
            for (size_t n = 0; n < funded.size(); ++n) funded[n].second->outpoint = {funding->GetHash(), static_cast<uint32_t>(n)};
            AddToBase({funding});
        }
    }

    /** @return the coinbase */
    CTransactionRef AddToBase(std::vector<CTransactionRef> transactions)
    {
        const CBlock block{Assemble(m_tip, std::move(transactions), 0)};
        m_base.Add(block);
        m_tip = {.hash = block.GetHash(), .height = m_tip.height + 1};
        return block.vtx[0];
    }

    /** A full block that spends all of coins, and puts what it makes in their place.
     *  @param[in] broken  the transaction, in m_order, that gets an invalid signature */
    BlockWithSpent FullBlock(const Tip& previous, std::vector<Coins>& coins, CAmount rate, uint32_t branch,
                             std::optional<size_t> broken = {})
    {
        std::vector<Spend> spends(m_order.size());
        InParallel(spends.size(), [&](size_t i) {
            const auto [e, n]{m_order[i]};
            const Entry& entry{m_mix[e]};
            spends[i] = MakeSpend(*entry.kind, m_keys, std::span{coins[e].coins}.subspan(n * entry.inputs, entry.inputs),
                             coins[e].next_key + n * entry.inputs * KEYS_OF_COIN, entry.Fee(rate), broken == i);
        });
        std::vector<CTransactionRef> transactions;
        BlockWithSpent result;
        for (size_t i = 0; i < spends.size(); ++i) {
            const auto [e, n]{m_order[i]};
            transactions.push_back(std::move(spends[i].tx));
            std::ranges::move(spends[i].spent, std::back_inserter(result.spent_outputs));
            std::ranges::copy(spends[i].made, coins[e].coins.begin() + static_cast<std::ptrdiff_t>(n * m_mix[e].inputs));
        }
        for (Coins& c : coins) c.next_key += c.coins.size() * KEYS_OF_COIN;
        result.block = Assemble(previous, std::move(transactions), branch);
        return result;
    }

    BlockWithSpent AddBlock(BlockWriter& writer, Tip& tip, std::vector<Coins>& coins, CAmount rate, size_t number, uint32_t branch = 0)
    {
        BlockWithSpent block{FullBlock(tip, coins, rate, branch)};
        writer.Add(block.block);
        tip = {.hash = block.block.GetHash(), .height = tip.height + 1};
        Progress("block", number, m_plan.blocks + m_plan.branch);
        return block;
    }

    void MakeBranch(Tip& tip)
    {
        BlockWriter writer{m_folder / "branch.dat"};
        std::vector<Coins> coins{m_coins};
        for (Coins& c : coins) c.next_key += BRANCH_KEYS;
        for (size_t n = 0; n < m_plan.branch; ++n) AddBlock(writer, tip, coins, HIGHER_FEE, m_plan.blocks - m_plan.tip + n + 1, 1);
        writer.Close();
    }

    void MakeTip()
    {
        BlockWriter writer{m_folder / "tip.dat"}, invalid{m_folder / "invalid.dat"};
        const size_t made{m_plan.blocks + m_plan.branch - m_plan.tip};
        for (size_t n = 0; n < m_plan.tip; ++n) m_last = AddBlock(writer, m_tip, m_coins, FEE, made + n + 1);
        // The last SLH-DSA signature of the block, if it has one.
        size_t broken{m_order.size() - 1};
        for (size_t i = 0; i < m_order.size(); ++i) {
            if (m_mix[m_order[i].first].kind->slhdsa > 0) broken = i;
        }
        const BlockWithSpent block{FullBlock(m_tip, m_coins, FEE, 0, broken)};
        invalid.Add(block.block);
        m_invalid = block.block.GetHash();
        writer.Close();
        invalid.Close();
    }

    /** The mempool's transactions as RPC importmempool reads them (version 1 of its file), and those of a flood, each after its size. */
    void MakeTransactions()
    {
        constexpr size_t AT_ONCE{4096};
        const auto for_each{[&](std::vector<Coins>& coins, bool broken, const auto& take) {
            for (size_t e = 0; e < m_mix.size(); ++e) {
                const Entry& entry{m_mix[e]};
                const size_t total{coins[e].coins.size() / entry.inputs};
                for (size_t done = 0; done < total; done += AT_ONCE) {
                    std::vector<Spend> spends(std::min(AT_ONCE, total - done));
                    InParallel(spends.size(), [&](size_t i) {
                        const size_t first{(done + i) * entry.inputs};
                        spends[i] = MakeSpend(*entry.kind, m_keys, std::span{coins[e].coins}.subspan(first, entry.inputs),
                                              coins[e].next_key + BRANCH_KEYS * 2 + first * KEYS_OF_COIN, entry.Fee(HIGHER_FEE), broken);
                    });
                    for (const Spend& spend : spends) take(SerializeToVector(*spend.tx));
                }
            }
        }};
        const auto bytes_of{[](auto... numbers) {
            std::vector<uint8_t> bytes;
            VectorWriter writer{bytes};
            (WriteU64(writer, numbers), ...);
            return bytes;
        }};
        BlockWriter mempool{m_folder / "mempool.dat"}, flood{m_folder / "flood.dat"};
        m_plan.mempool = 0;
        for (size_t e = 0; e < m_mix.size(); ++e) m_plan.mempool += m_mempool[e].coins.size() / m_mix[e].inputs;
        mempool.Write(bytes_of(uint64_t{1}, uint64_t{m_plan.mempool}));
        size_t n{0};
        for_each(m_mempool, false, [&](const std::vector<uint8_t>& raw) {
            mempool.Write(raw);
            mempool.Write(bytes_of(uint64_t{0}, uint64_t{0})); // time and fee delta
            if (++n % 1000 == 0) Progress("mempool", n, m_plan.mempool);
        });
        mempool.Write(std::vector<uint8_t>(2)); // no fee deltas, nothing unbroadcast
        mempool.Close();
        for_each(m_flood, true, [&](const std::vector<uint8_t>& raw) {
            std::vector<uint8_t> size;
            VectorWriter writer{size};
            WriteU32(writer, static_cast<uint32_t>(raw.size()));
            flood.Write(size);
            flood.Write(raw);
        });
        flood.Close();
    }

    static void Progress(const char* what, size_t done, size_t total)
    {
        std::printf("%s %zu/%zu\n", what, done, total);
        std::fflush(stdout);
    }

    Plan m_plan;
    std::filesystem::path m_folder;
    Keys m_keys;
    ThreadPool m_pool;
    std::vector<Entry>& m_mix; //!< the plan's, with weights and numbers of transactions
    std::vector<std::pair<size_t, size_t>> m_order; //!< entry and number of each transaction of a block
    std::vector<Coins> m_coins, m_mempool, m_flood; //!< by entry
    BlockWriter m_base{m_folder / "base.dat"};
    Tip m_tip{.hash = uint256{std::span<const uint8_t, 32>{*TryParseHex(GENESIS_HASH)}}, .height = 0};
    BlockWithSpent m_last;
    uint256 m_invalid;
    size_t m_funded{0};
};

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::cerr << "make_chain: usage: make_chain PLAN.json FOLDER\n";
        return 2;
    }
    try {
        const std::filesystem::path folder{argv[2]}, unfinished{folder.string() + ".new"};
        std::ifstream file{argv[1]};
        const Plan plan{json::parse(file)};
        if (std::filesystem::exists(folder)) Fail(folder.string() + ": is there already");
        std::filesystem::remove_all(unfinished);
        std::filesystem::create_directories(unfinished);
        ChainMaker{plan, unfinished}.Make();
        std::filesystem::rename(unfinished, folder);
    } catch (const std::exception& e) {
        std::cerr << "make_chain: " << e.what() << '\n';
        return 2;
    }
    return 0;
}
