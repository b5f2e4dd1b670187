// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The test vectors of the BIP text (doc/bip/vectors) in the node's own code: each spend goes through CheckInputScripts alone, as
// a transaction for the mempool does, and as the only transaction of a block whose signatures are deferred, as in
// ConnectBlock. check_vectors.sh builds and runs this; it replaces bitcoind.cpp in the node's link.

#include <coins.h>
#include <consensus/amount.h>
#include <consensus/validation.h>
#include <kernel/cs_main.h>
#include <logging.h>
#include <policy/policy.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <script/interpreter.h>
#include <script/script_error.h>
#include <slhdsa/batch.h>
#include <slhdsa/verifier.h>
#include <streams.h>
#include <sync.h>
#include <univalue.h>
#include <util/strencodings.h>
#include <util/string.h>
#include <util/translation.h>
#include <validation.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

const TranslateFn G_TRANSLATION_FUN{nullptr};

// In validation.cpp, which does not export it; Core's own tests declare it in the same way.
bool CheckInputScripts(const CTransaction& tx, TxValidationState& state, const CCoinsViewCache& inputs, script_verify_flags flags,
                       bool cacheSigStore, bool cacheFullScriptStore, PrecomputedTransactionData& txdata, ValidationCache& validation_cache,
                       std::vector<CScriptCheck>* pvChecks = nullptr, SLHDSABatch* slhdsa_batch = nullptr, size_t tx_index = 0)
    EXCLUSIVE_LOCKS_REQUIRED(cs_main);

namespace {

// The numbers of flags are the module's, too.
#define SLHC_VERIFY_FLAG(name, use) SCRIPT_VERIFY_##name,
#define SLHC_OWN_VERIFY_FLAG(name, use) SLHC_VERIFY_FLAG(name, use)
constexpr std::array FLAGS{
#include "../../../src/script/verify_flags.def"
};
constexpr bool InOrder()
{
    for (size_t i{0}; i < FLAGS.size(); ++i) {
        if (static_cast<size_t>(FLAGS[i]) != i) return false;
    }
    return FLAGS.size() == MAX_SCRIPT_VERIFY_FLAGS_BITS;
}
static_assert(InOrder(), "the node and the module have different flags");

// The names of script errors are the module's, too; vectors have names.
#define SLHC_SCRIPT_ERROR(name, text) std::pair<std::string_view, ScriptError>{#name, name},
#define SLHC_OWN_SCRIPT_ERROR(name, text) SLHC_SCRIPT_ERROR(name, text)
constexpr std::array ERRORS{
#include "../../../src/script/script_errors.def"
};
static_assert(ERRORS.size() == SCRIPT_ERR_ERROR_COUNT, "the node and the module have different script errors");

/** A transaction that spends outputs of our choice. */
struct Spend {
    CTransactionRef tx;
    CCoinsViewCache coins{&CoinsViewEmpty::Get()};
    script_verify_flags flags{SCRIPT_VERIFY_NONE};
};

std::vector<unsigned char> HexField(const UniValue& object, const std::string& name)
{
    const auto bytes{TryParseHex<unsigned char>(object[name].get_str())};
    if (!bytes) throw std::runtime_error{name + " is not hex"};
    return *bytes;
}

/** By the node's names; "consensus" and "standard" are what it applies to a block and to the mempool while the rules are active. */
script_verify_flags ParseFlags(const std::string& text)
{
    constexpr script_verify_flags ACTIVE{SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA};
    if (text == "consensus") return MANDATORY_SCRIPT_VERIFY_FLAGS | ACTIVE;
    if (text == "standard") return STANDARD_SCRIPT_VERIFY_FLAGS | ACTIVE;
    script_verify_flags flags{SCRIPT_VERIFY_NONE};
    for (const std::string& name : util::SplitString(text, ',')) {
        const auto& names{ScriptFlagNamesToEnum()};
        const auto found{names.find(name)};
        if (found == names.end()) throw std::runtime_error{"the node does not know the flag " + name};
        flags |= found->second;
    }
    return flags;
}

void ParseSpend(const UniValue& vector, Spend& spend)
{
    const std::vector<unsigned char> raw_tx{HexField(vector, "tx")};
    SpanReader reader{raw_tx};
    spend.tx = std::make_shared<const CTransaction>(deserialize, TX_WITH_WITNESS, reader);
    if (!reader.empty()) throw std::runtime_error{"bytes after the transaction"};

    const std::vector<UniValue>& outputs{vector["spent_outputs"].getValues()};
    if (outputs.size() != spend.tx->vin.size()) throw std::runtime_error{"not one spent output for each input"};
    for (size_t i{0}; i < outputs.size(); ++i) {
        const std::vector<unsigned char> script{HexField(outputs[i], "script_pubkey")};
        const CTxOut output{outputs[i]["amount"].getInt<CAmount>(), CScript(script.begin(), script.end())};
        // AddCoin() leaves out an output that begins with OP_RETURN.
        spend.coins.EmplaceCoinInternalDANGER(COutPoint{spend.tx->vin[i].prevout}, Coin{output, /*nHeightIn=*/1, /*fCoinBaseIn=*/false});
    }
    spend.flags = ParseFlags(vector["flags"].get_str());
}

/** The node's message for a transaction with this error; "" for a valid one. */
std::string Expectation(const UniValue& vector)
{
    if (vector["error"].isNull()) return "";
    const std::string& name{vector["error"].get_str()};
    for (const auto& [candidate, error] : ERRORS) {
        if (candidate == name) return "(" + ScriptErrorString(error) + ") input " + vector["input"].getValStr();
    }
    throw std::runtime_error{"there is no script error " + name};
}

/** In the form of Expectation. */
template <typename State>
std::string Verdict(const State& state)
{
    if (state.IsValid()) return "";
    const std::string reason{state.GetRejectReason()};
    const std::string where{state.GetDebugMessage()};
    // "block-script-verify-flag-failed (...)" and "mempool-...", "input ... of <txid>"
    const size_t error{reason.find('(')};
    return (error == std::string::npos ? reason : reason.substr(error)) + " " + where.substr(0, where.find(" of "));
}

std::string CheckAlone(const Spend& spend, ValidationCache& cache)
{
    LOCK(cs_main);
    PrecomputedTransactionData txdata;
    TxValidationState state;
    const bool valid{CheckInputScripts(*spend.tx, state, spend.coins, spend.flags, /*cacheSigStore=*/false, /*cacheFullScriptStore=*/false,
                                       txdata, cache)};
    if (valid != state.IsValid()) return "a result that contradicts its state";
    return Verdict(state);
}

/** As in ConnectBlock with one script thread. @param[out] deferred  increased by the number of signatures that were */
std::string CheckInBlock(const Spend& spend, ValidationCache& cache, size_t& deferred)
{
    LOCK(cs_main);
    SLHDSABatch batch{*cache.m_slhdsa_verifier};
    PrecomputedTransactionData txdata;
    TxValidationState state;
    const bool valid{CheckInputScripts(*spend.tx, state, spend.coins, spend.flags, /*cacheSigStore=*/false, /*cacheFullScriptStore=*/false,
                                       txdata, cache, /*pvChecks=*/nullptr, &batch, /*tx_index=*/0)};
    if (valid != state.IsValid()) return "a result that contradicts its state";
    deferred += batch.Size();
    SLHDSABatch::Input failure;
    switch (batch.Verify(failure)) {
    case SLHDSABatch::Result::VALID: return Verdict(state);
    case SLHDSABatch::Result::INVALID: return "(" + ScriptErrorString(SCRIPT_ERR_SLHDSA_SIG) + ") input " + std::to_string(failure.n_in);
    case SLHDSABatch::Result::FAILED: break;
    }
    return "no verdict";
}

UniValue ReadVectors(const char* path)
{
    std::ifstream file{path, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    UniValue vectors;
    if (!file || !vectors.read(text) || !vectors.isArray()) throw std::runtime_error{std::string{path} + " is not a readable JSON array"};
    return vectors;
}

struct Counts {
    size_t spends{0};
    size_t valid{0};
    size_t failed{0};
    size_t deferred{0};
};

void CheckVector(const UniValue& vector, ValidationCache& cache, Counts& counts)
{
    ++counts.spends;
    bool failed{false};
    const auto fail{[&](std::string_view what) {
        std::cerr << vector["name"].getValStr() << ": " << what << "\n";
        failed = true;
    }};
    try {
        Spend spend;
        ParseSpend(vector, spend);
        const std::string expected{Expectation(vector)};
        if (expected.empty()) ++counts.valid;
        const auto compare{[&](const std::string& where, const std::string& verdict) {
            const auto text{[](const std::string& v) { return v.empty() ? "valid" : v; }};
            if (verdict != expected) fail(where + ": expected " + text(expected) + ", the node says " + text(verdict));
        }};
        compare("alone", CheckAlone(spend, cache));
        compare("in a block", CheckInBlock(spend, cache, counts.deferred));
    } catch (const std::exception& e) {
        fail(e.what());
    }
    if (failed) ++counts.failed;
}

/** @return how many vectors disagree */
size_t CheckFiles(const std::vector<const char*>& paths)
{
    // Nothing is stored in them: what a spend alone has shown to be valid is deferred in its block all the same.
    ValidationCache cache{/*script_execution_cache_bytes=*/1 << 16, /*signature_cache_bytes=*/1 << 16};
    cache.m_slhdsa_verifier = std::make_unique<SLHDSAVerifier>(SLHDSAOptions{.threads = 1});
    Counts counts;
    for (const char* path : paths) {
        const UniValue vectors{ReadVectors(path)};
        for (const UniValue& vector : vectors.getValues()) CheckVector(vector, cache, counts);
    }
    if (counts.deferred == 0) throw std::runtime_error{"no vector deferred a signature"};
    std::cout << counts.spends << " spends (" << counts.valid << " valid, " << counts.spends - counts.valid
              << " invalid), each alone and in a block: " << counts.failed << " disagree; signatures deferred " << counts.deferred << "\n";
    return counts.failed;
}

} // namespace

int main(int argc, char* argv[])
{
    try {
        LogInstance().DisableLogging();
        if (argc < 2) throw std::runtime_error{"usage: check_vectors FILE..."};
        return CheckFiles({argv + 1, argv + argc}) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception& e) {
        std::cerr << "check_vectors: " << e.what() << "\n";
        return EXIT_FAILURE;
    }
}
