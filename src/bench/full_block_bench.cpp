// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Samples the cost of verification, for contrib/bench/bench.py worst-case, which makes tables of it: full blocks of SLH-DSA spends (as
 *  signatures come, made to be expensive, and invalid at the last signature) beside a block of Schnorr key path spends, with one
 *  backend at a time; and transactions that turn out invalid at their last input, as a relaying node meets them. Signatures are made
 *  without trees (experiment_signer.h), which takes a 900th of the time and makes no difference to a verifier. Each backend is measured
 *  in a process of its own, for the sake of its peak memory; the blocks take turns, so that other load on the machine hits all of
 *  them. */

#include <slhconsensus.h>

#include <bench/block_bench_util.h>
#include <consensus/block_scripts.h>
#include <consensus/validation.h>
#include <pqc/verifier.h>
#include <test/util/block_builder.h>
#include <test/util/costly_signer.h>
#include <test/util/spends.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using nlohmann::json;
using slhc::bench::ClockTimes;

namespace {

struct Options {
    std::vector<std::string> backends{"cpu"};
    std::vector<unsigned> threads{1, 2};
    unsigned rounds{100};
    double seconds{5};
    unsigned least_rounds{3};
    uint32_t tries{4096};
    unsigned percent{100};
};

/** A block and its expected verdict. */
struct Block {
    std::string name;
    std::string what;
    BlockWithSpent content;
    BlockScriptStatus expected{BlockScriptStatus::VALID};
};

/** The number of signatures, and of compressions of SHA-256 that their verification takes. */
struct Work {
    size_t signatures{0};
    size_t compressions{0};
};

BlockWithSpent FillWith(SpendKind kind, Signer& signer, unsigned percent, Work* work)
{
    BlockBuilder builder;
    const int64_t left{builder.Room() * (100 - percent) / 100};
    for (size_t key{0};; ++key) {
        SignedSpend spend{SpendKinds({kind}, signer, key)};
        if (builder.Room() - GetTransactionWeight(CTransaction{spend.tx}) < left) return std::move(builder).Finish();
        if (work) ++work->signatures;
        builder.Add(std::move(spend.tx), std::move(spend.spent));
    }
}

/** The same functions, which count the cost of their signatures. */
SLHDSAFunctions Counting(SLHDSAFunctions functions, Work& work)
{
    const auto sign{functions.sign};
    functions.sign = [sign, &work](std::span<const uint8_t> message, const slhdsa::SecretKey& sk,
                                   const std::array<uint8_t, slhdsa::N>& addrnd, slhdsa::Signature& sig) {
        sign(message, sk, addrnd, sig);
        work.compressions += VerificationCompressions(std::span{sk}.last<slhdsa::PUBLIC_KEY_SIZE>(), message, sig);
        ++work.signatures;
    };
    return functions;
}

json ToJson(const Work& work)
{
    return {{"signatures", work.signatures},
            {"compressions_each",
             work.signatures > 0 ? static_cast<double>(work.compressions) / static_cast<double>(work.signatures) : 0.0}};
}

/** Flip a bit of the last node on the path of the last signature, which is found only after everything is hashed. */
void SpoilLastSignature(CBlock& block)
{
    CMutableTransaction tx{*block.vtx.back()};
    tx.vin.back().scriptWitness.stack[0][slhdsa::SIGNATURE_SIZE - 1] ^= 1;
    block.vtx.back() = std::make_shared<const CTransaction>(std::move(tx));
    UpdateCommitments(block);
}

class Samples
{
public:
    void Add(const ClockTimes& times)
    {
        m_wall.push_back(times.wall);
        m_cpu.push_back(times.cpu);
        m_spent += times.cpu;
    }
    [[nodiscard]] bool Enough(const Options& options) const
    {
        return m_wall.size() >= options.rounds || (m_wall.size() >= options.least_rounds && m_spent >= options.seconds);
    }
    [[nodiscard]] json ToJson() const { return {{"wall_s", m_wall}, {"cpu_s", m_cpu}}; }

private:
    std::vector<double> m_wall, m_cpu;
    double m_spent{0};
};

void VerifyOnce(const Block& block, const std::shared_ptr<slhdsa::Verifier>& verifier, SignatureTiming timing)
{
    const BlockScriptResult result{
        VerifyBlockScripts(block.content.block, block.content.spent_outputs, MANDATORY_SCRIPT_VERIFY_FLAGS, verifier, {.timing = timing})};
    if (result.status != block.expected) throw std::logic_error{"a block of another validity than its maker says: " + block.name};
}

/** Runs in a process of its own. */
json MeasureBlocks(const std::string& backend, const std::vector<Block>& blocks, const Options& options)
{
    json runs = json::array();
    std::string name;
    for (const unsigned threads : options.threads) {
        const auto verifier{bench::OpenVerifier(backend, threads)};
        std::vector<json> memory;
        for (const Block& block : blocks) {
            const size_t before{bench::ResetPeakMemory()};
            VerifyOnce(block, verifier, SignatureTiming::DEFERRED); // caches warm, threads started
            memory.push_back({{"before_bytes", before}, {"peak_bytes", bench::PeakMemory()}});
        }
        constexpr std::array TIMINGS{std::pair{"deferred", SignatureTiming::DEFERRED}, std::pair{"eager", SignatureTiming::EAGER}};
        std::vector<std::array<Samples, TIMINGS.size()>> samples(blocks.size());
        for (bool more{true}; more;) {
            more = false;
            for (size_t i = 0; i < blocks.size(); ++i) {
                for (size_t t = 0; t < TIMINGS.size(); ++t) {
                    if (samples[i][t].Enough(options)) continue;
                    samples[i][t].Add(bench::Measure([&] { VerifyOnce(blocks[i], verifier, TIMINGS[t].second); }));
                    bench::RequireDevices(backend, verifier->Statistics());
                    more = true;
                }
            }
        }
        name = bench::WorkingBackends(backend, verifier->Statistics());
        for (size_t i = 0; i < blocks.size(); ++i) {
            for (size_t t = 0; t < TIMINGS.size(); ++t) {
                runs.push_back({{"block", blocks[i].name},
                                {"threads", threads},
                                {"timing", TIMINGS[t].first},
                                {"samples", samples[i][t].ToJson()},
                                {"memory", memory[i]}});
            }
        }
    }
    return {{"backend", backend}, {"name", name}, {"runs", runs}};
}

// Transactions as a node meets them, through the C API.

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using TxPtr = std::unique_ptr<slhc_tx, decltype(&slhc_tx_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;

/** One transaction: valid, and with its last signature spoilt. */
struct RelayTx {
    std::string name;
    size_t bytes;
    size_t inputs;
    TxPtr valid;
    TxPtr invalid;
};

TxPtr MakeTx(const CMutableTransaction& tx, const std::vector<CTxOut>& spent)
{
    const auto raw{SerializeToVector(tx)};
    std::vector<std::vector<uint8_t>> outputs;
    std::vector<slhc_bytes> views;
    for (const CTxOut& output : spent) outputs.push_back(SerializeToVector(output));
    for (const auto& output : outputs) views.push_back({output.data(), output.size()});
    TxPtr result{slhc_tx_create({raw.data(), raw.size()}, views.data(), views.size()), slhc_tx_destroy};
    if (!result) throw std::logic_error{"a transaction that should parse does not"};
    return result;
}

RelayTx MakeRelayTx(std::string name, SpendKind kind, size_t inputs, Signer& signer)
{
    SignedSpend spend{SpendKinds(std::vector<SpendKind>(inputs, kind), signer, 0)};
    const size_t bytes{SerializeToVector(spend.tx).size()};
    TxPtr valid{MakeTx(spend.tx, spend.spent)};
    spend.tx.vin.back().scriptWitness.stack[0].back() ^= 1;
    return {std::move(name), bytes, inputs, std::move(valid), MakeTx(spend.tx, spend.spent)};
}

/** Verify inputs in order, until one fails. @return true if all are valid */
bool VerifyTx(const slhc_context* context, slhc_signature_cache* cache, const slhc_tx* tx, size_t inputs, bool batched)
{
    const BatchPtr batch{batched ? slhc_batch_create(context, 0) : nullptr, slhc_batch_destroy};
    for (unsigned i = 0; i < inputs; ++i) {
        const int verdict{slhc_verify_input(context, tx, i, SLHC_VERIFY_CONSENSUS, cache, batch.get(), i, nullptr)};
        if (verdict == SLHC_INVALID) return false;
        if (verdict == SLHC_ERROR) throw std::logic_error{"an input cannot be verified"};
    }
    return !batch || slhc_batch_verify(batch.get(), nullptr) == SLHC_VALID;
}

json MeasureRelay(const std::string& backend, const std::vector<RelayTx>& txs, const Options& options)
{
    json runs = json::array();
    for (const bool cached : {false, true}) {
        slhc_context_options context_options SLHC_CONTEXT_OPTIONS_INIT;
        context_options.backend = backend.c_str();
        context_options.threads = 1;
        const ContextPtr context{slhc_context_create(&context_options), slhc_context_destroy};
        if (!context) throw std::runtime_error{"no context with this backend"};
        const std::unique_ptr<slhc_signature_cache, decltype(&slhc_signature_cache_destroy)> cache{
            cached ? slhc_signature_cache_create(0) : nullptr, slhc_signature_cache_destroy};
        for (const RelayTx& tx : txs) {
            if (!VerifyTx(context.get(), cache.get(), tx.valid.get(), tx.inputs, false)) {
                throw std::logic_error{"a transaction that should be valid is not"}; // fills the cache
            }
            std::array<Samples, 2> samples;
            for (bool more{true}; more;) {
                more = false;
                for (const bool batched : {false, true}) {
                    if (samples[batched].Enough(options)) continue;
                    samples[batched].Add(bench::Measure([&] {
                        if (VerifyTx(context.get(), cache.get(), tx.invalid.get(), tx.inputs, batched)) {
                            throw std::logic_error{"a transaction that should be invalid is not"};
                        }
                    }));
                    more = true;
                }
            }
            for (const bool batched : {false, true}) {
                runs.push_back({{"tx", tx.name},
                                {"bytes", tx.bytes},
                                {"inputs", tx.inputs},
                                {"batched", batched},
                                {"cached", cached},
                                {"samples", samples[batched].ToJson()}});
            }
        }
    }
    return {{"backend", backend}, {"runs", runs}};
}

json Run(const Options& options)
{
    Work plain, costly;
    RealSigner plain_signer{Counting(CostlySLHDSA(1), plain)};
    RealSigner costly_signer{Counting(CostlySLHDSA(options.tries), costly)};
    std::vector<Block> blocks;
    blocks.push_back({"slhdsa", "SLH-DSA spends, one input and one output each",
                      FillWith(SpendKind::P2MR_SLHDSA, plain_signer, options.percent, nullptr)});
    blocks.push_back({"slhdsa_costly", "the same, their signatures made to be expensive",
                      FillWith(SpendKind::P2MR_SLHDSA, costly_signer, options.percent, nullptr)});
    blocks.push_back({"slhdsa_invalid", "the first block, invalid at its last signature", blocks[0].content, BlockScriptStatus::INVALID});
    SpoilLastSignature(blocks.back().content.block);
    Work schnorr;
    blocks.push_back({"schnorr", "P2TR key path spends, one input and one output each",
                      FillWith(SpendKind::P2TR_KEY_PATH, plain_signer, options.percent, &schnorr)});

    // Standard transactions have up to 400,000 weight units.
    const size_t many_slhdsa{std::max<size_t>(2, 49 * options.percent / 100)},
        many_schnorr{std::max<size_t>(2, 1730 * options.percent / 100)};
    std::vector<RelayTx> txs;
    txs.push_back(MakeRelayTx("slhdsa_one", SpendKind::P2MR_SLHDSA, 1, plain_signer));
    txs.push_back(MakeRelayTx("slhdsa_many", SpendKind::P2MR_SLHDSA, many_slhdsa, plain_signer));
    txs.push_back(MakeRelayTx("slhdsa_many_costly", SpendKind::P2MR_SLHDSA, many_slhdsa, costly_signer));
    txs.push_back(MakeRelayTx("schnorr_one", SpendKind::P2TR_KEY_PATH, 1, plain_signer));
    txs.push_back(MakeRelayTx("schnorr_many", SpendKind::P2TR_KEY_PATH, many_schnorr, plain_signer));

    json about = json::array();
    for (const Block& block : blocks) {
        about.push_back({{"name", block.name},
                         {"what", block.what},
                         {"weight", GetBlockWeight(block.content.block)},
                         {"transactions", block.content.block.vtx.size() - 1}});
    }
    json result{{"machine", bench::DescribeMachine()}, {"percent", options.percent}, {"tries", options.tries},
                {"plain", ToJson(plain)}, {"costly", ToJson(costly)}, {"blocks", about}, {"backends", json::array()}};
    for (const std::string& backend : options.backends) {
        json entry;
        try {
            entry = json::parse(bench::InChildProcess([&] {
                try {
                    json measured = MeasureBlocks(backend, blocks, options);
                    if (backend.starts_with("cpu")) measured["relay"] = MeasureRelay(backend, txs, options).at("runs");
                    return measured.dump();
                } catch (const bench::NoBackend& e) { // the machine does not have it
                    return json{{"backend", backend}, {"skipped", e.what()}}.dump();
                }
            }));
        } catch (const std::runtime_error& e) {
            throw std::runtime_error{backend + ": " + e.what()};
        }
        result["backends"].push_back(std::move(entry));
    }
    return result;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app{"Sample what verifying full blocks and invalid transactions takes, and print JSON."};
    app.add_option("--backends", options.backends, "as SLHC_BACKEND, one after the other")->delimiter(',');
    app.add_option("--threads", options.threads, "numbers of threads")->delimiter(',')->check(CLI::Range(1, 256));
    app.add_option("--rounds", options.rounds, "samples of each, at most")->check(CLI::Range(1, 100'000));
    app.add_option("--seconds", options.seconds, "CPU time for each after which there are samples enough");
    app.add_option("--least-rounds", options.least_rounds, "samples of each, at least")->check(CLI::Range(1, 100'000));
    app.add_option("--tries", options.tries, "messages that the maker of expensive signatures tries for each layer")
        ->check(CLI::Range(1, 1 << 24));
    app.add_option("--percent", options.percent, "of a block's weight, and of a large transaction's")->check(CLI::Range(1, 100));
    CLI11_PARSE(app, argc, argv);
    try {
        std::cout << Run(options).dump(1) << '\n';
    } catch (const std::exception& e) {
        std::cerr << "bench_full_blocks: " << e.what() << '\n';
        return 2;
    }
    return 0;
}
