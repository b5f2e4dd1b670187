// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Verifying at once against verifying later: a block of P2MR inputs whose SLH-DSA signatures are real, corrupted,
// misplaced or absent, in leaves that go on to fail or not. Eager or deferred, on one thread or three, with a cache or
// without, the first input that fails is the same, for the same reason, at the same opcode.

#include <consensus/block_scripts.h>
#include <pqc/experiment_signer.h>
#include <script/interpreter.h>
#include <script/script_check.h>
#include <script/slhdsa_pubkey.h>
#include <test/core/choices.h>
#include <test/core/plan.h>
#include <test/fuzz/fuzz.h>
#include <test/util/verifier.h>

#include <array>
#include <map>
#include <memory>

using namespace slhc;
using namespace slhc::test;

namespace {

/** Commits to nothing that the fuzzer chooses but the leaf script: signatures can be made beforehand. */
constexpr uint8_t HASH_TYPE{SIGHASH_NONE | SIGHASH_ANYONECANPAY};
constexpr size_t N_KEYS{2};

/** One of 128s and one of 128-24: with SCRIPT_VERIFY_SLHDSA_SETS, scripts know both. */
const std::array<slhdsa::ExperimentSigner, N_KEYS>& Signers()
{
    static constexpr std::array<uint8_t, slhdsa::KEYGEN_SEED_SIZE> SEED{1};
    static const std::array<slhdsa::ExperimentSigner, N_KEYS> signers{
        slhdsa::ExperimentSigner{slhdsa::ParameterSet::SHA2_128S, SEED}, slhdsa::ExperimentSigner{slhdsa::ParameterSet::SHA2_128_24, SEED}};
    return signers;
}

size_t SignatureSize(size_t key) { return slhdsa::ParamsOf(Signers()[key].Set()).SignatureSize(); }

std::vector<uint8_t> Element(size_t key) { return SLHDSAPubKey{Signers()[key].Set(), Signers()[key].Key(0)}.Element(); }

/** Leaves that check two signatures and differ around that. */
std::vector<CScript> LeafScripts()
{
    const auto key_a{Element(0)}, key_b{Element(1)};
    std::vector<CScript> leaves(5);
    leaves[0] << key_a << OP_CHECKSIGSLHDSA << OP_VERIFY << key_b << OP_CHECKSIGSLHDSA;
    leaves[1] << OP_0 << key_a << OP_CHECKSIGADDSLHDSA << key_b << OP_CHECKSIGADDSLHDSA << OP_2 << OP_NUMEQUAL;
    leaves[2] << key_a << OP_CHECKSIGSLHDSA << OP_IF << OP_DROP << OP_RETURN << OP_ELSE << key_b << OP_CHECKSIGSLHDSA << OP_ENDIF;
    leaves[3] << OP_SWAP << key_b << OP_CHECKSIGSLHDSA << OP_DROP << key_a << OP_CHECKSIGSLHDSA << OP_DROP << OP_DEPTH << OP_NOT;
    leaves[4] << key_a << OP_CHECKSIGSLHDSA << OP_TOALTSTACK << key_b << OP_CHECKSIGSLHDSA << OP_FROMALTSTACK << OP_BOOLAND << OP_DUP
              << OP_VERIFY << OP_SIZE << OP_EQUAL;
    return leaves;
}

struct Leaf {
    Spend spend; //!< of one input, without the initial stack
    std::array<std::vector<uint8_t>, N_KEYS> signatures;
};

/** Learns the messages of a leaf's signatures. */
struct MessageSink final : SignatureSink {
    std::map<std::vector<uint8_t>, uint256> messages{}; //!< by public key

    [[nodiscard]] SLHDSACheckResult PutSLHDSA(slhdsa::SignatureCheck&& check) override
    {
        messages[{check.public_key.begin(), check.public_key.end()}] = uint256{check.message};
        return SLHDSACheckResult::VALID;
    }
};

Spend MakeSpend(const CScript& leaf, size_t index)
{
    Plan plan;
    plan.kind = OutputKind::P2MR;
    plan.base.tx.vin.emplace_back(COutPoint{uint256{static_cast<uint8_t>(index + 1)}, 0});
    plan.base.spent.emplace_back(1000, CScript{});
    plan.script = {{.bytes = leaf}};
    plan.path = {uint256{9}};
    return plan.Build();
}

const std::vector<Leaf>& Leaves()
{
    static const auto leaves{[] {
        std::vector<Leaf> result;
        for (const CScript& script : LeafScripts()) {
            Leaf leaf{.spend = MakeSpend(script, result.size()), .signatures = {}};
            // Every leaf reaches both checks with one of these stacks.
            std::map<std::vector<uint8_t>, uint256> messages;
            const auto any{[](size_t key) {
                std::vector<uint8_t> signature(SignatureSize(key) + 1, 1);
                signature.back() = HASH_TYPE;
                return signature;
            }};
            for (const bool empty : {false, true}) {
                Spend trial{leaf.spend};
                auto& stack{trial.tx.vin[0].scriptWitness.stack};
                stack.insert(stack.begin(), {any(1), empty ? std::vector<uint8_t>{} : any(0)});
                const CTransaction tx{trial.tx};
                const PrecomputedTransactionData data{tx, std::vector<CTxOut>{trial.spent}};
                MessageSink sink;
                const TransactionSignatureChecker checker{tx, 0, trial.spent[0].nValue, &data, sink};
                ScriptRun run{.flags = SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA |
                                       SCRIPT_VERIFY_SLHDSA_SETS,
                              .checker = checker};
                static_cast<void>(VerifyScript({}, trial.spent[0].scriptPubKey, &tx.vin[0].scriptWitness, run));
                messages.merge(sink.messages);
            }
            for (size_t i{0}; i < N_KEYS; ++i) {
                const auto key{Signers()[i].Key(0)};
                const auto message{messages.find({key.begin(), key.end()})};
                Require(message != messages.end(), "every leaf can reach both signatures");
                leaf.signatures[i].resize(SignatureSize(i));
                Signers()[i].Sign(0, *slhdsa::MessagePieces::Pure(message->second.Bytes(), {}), leaf.signatures[i]);
                leaf.signatures[i].push_back(HASH_TYPE);
            }
            result.push_back(std::move(leaf));
        }
        return result;
    }()};
    return leaves;
}

std::vector<uint8_t> SomeElement(Choices& choices, const Leaf& leaf, size_t expected)
{
    std::vector<uint8_t> signature{leaf.signatures[expected]};
    switch (choices.Below(10)) {
    case 5: return {};
    case 6: signature[choices.Below(signature.size())] ^= static_cast<uint8_t>(1 + choices.Below(255)); return signature;
    case 7: return leaf.signatures[1 - expected];
    case 8:
        signature.resize(choices.SomeSize(
            {0, 1, 520, 521, SignatureSize(expected) - 1, SignatureSize(expected), SignatureSize(expected) + 2}, slhdsa::SIGNATURE_SIZE));
        return signature;
    case 9: return choices.Bytes(choices.Below(4));
    default: return signature;
    }
}

/** The first input that fails in eager checks one after another, on scalar code. */
std::optional<std::pair<uint32_t, ScriptFailure>> FirstFailure(const CTransaction& tx, const PrecomputedTransactionData& data,
                                                               script_verify_flags flags)
{
    for (uint32_t i{0}; i < tx.vin.size(); ++i) {
        CScriptCheck check{tx, i, flags, data, PortableVerifier()};
        const ScriptVerdict verdict{check.VerifyNow()};
        Require(verdict != ScriptVerdict::DEFERRED, "a check at once defers nothing");
        if (verdict == ScriptVerdict::INVALID) return std::pair{i, check.Failure()};
    }
    return std::nullopt;
}

/** The verification of a block's scripts in each of its ways. */
class BlockVerifiers
{
public:
    BlockVerifiers()
    {
        for (const unsigned threads : {1U, 3U}) m_verifiers.push_back(MakeVerifier("cpu", threads));
    }

    /** The failure, the same in every way; nothing if the block is valid. */
    std::optional<BlockScriptFailure> Verify(const CBlock& block, std::span<const CTxOut> spent, script_verify_flags flags)
    {
        std::optional<BlockScriptResult> first;
        const auto one_way{[&](const std::shared_ptr<slhdsa::Verifier>& verifier, const BlockScriptOptions& options) {
            const BlockScriptResult result{VerifyBlockScripts(block, spent, flags, verifier, options)};
            Require(result.status != BlockScriptStatus::INTERRUPTED, "nobody interrupts");
            Require((result.status == BlockScriptStatus::INVALID) == result.failure.has_value(), "what is invalid has a failure");
            if (!first) first = result;
            Require(result.status == first->status && result.failure == first->failure, "timing, threads and cache change nothing");
        }};
        for (const auto& verifier : m_verifiers) {
            SignatureCache cache{1 << 16};
            for (const SignatureTiming timing : {SignatureTiming::EAGER, SignatureTiming::DEFERRED}) {
                one_way(verifier, {.timing = timing, .cache = {}});
                one_way(verifier, {.timing = timing, .cache = {.cache = &cache, .mode = SignatureCacheMode::STORE}});
            }
            one_way(verifier, {.timing = SignatureTiming::DEFERRED, .cache = {.cache = &cache, .mode = SignatureCacheMode::ERASE_ON_HIT}});
        }
        return first->failure;
    }

private:
    std::vector<std::shared_ptr<slhdsa::Verifier>> m_verifiers;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FuzzedChoices choices{{data, size}};
    const script_verify_flags flags{
        SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA |
        (choices.OneIn(4) ? script_verify_flags{SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE | SCRIPT_VERIFY_MINIMALDATA}
                          : SCRIPT_VERIFY_NONE) |
        (choices.OneIn(4) ? SCRIPT_VERIFY_NONE : script_verify_flags{SCRIPT_VERIFY_SLHDSA_SETS})};
    CBlock block;
    std::vector<CTxOut> all_spent;
    CMutableTransaction coinbase;
    coinbase.vin.emplace_back(COutPoint{}, CScript{} << OP_0 << OP_0);
    coinbase.vout.emplace_back(0, CScript{});
    block.vtx.push_back(std::make_shared<const CTransaction>(std::move(coinbase)));
    std::optional<BlockScriptFailure> expected;
    for (size_t n_tx{choices.Below(2) + 1}; n_tx > 0; --n_tx) {
        CMutableTransaction mutable_tx;
        std::vector<CTxOut> spent;
        for (size_t n{choices.Below(2) + 1}; n > 0; --n) {
            const Leaf& leaf{choices.PickFrom(Leaves())};
            CTxIn input{leaf.spend.tx.vin[0]};
            auto& stack{input.scriptWitness.stack};
            stack.insert(stack.begin(), {SomeElement(choices, leaf, 1), SomeElement(choices, leaf, 0)});
            if (choices.OneIn(8)) stack.insert(stack.begin() + 1, choices.Bytes(choices.Below(3)));
            if (choices.OneIn(8)) stack.erase(stack.begin());
            mutable_tx.vin.push_back(std::move(input));
            spent.push_back(leaf.spend.spent[0]);
        }
        mutable_tx.vout.emplace_back(0, CScript{});
        const auto tx{std::make_shared<const CTransaction>(std::move(mutable_tx))};
        block.vtx.push_back(tx);
        all_spent.insert(all_spent.end(), spent.begin(), spent.end());
        if (expected) continue;
        const PrecomputedTransactionData txdata{*tx, std::move(spent)};
        if (const auto failure{FirstFailure(*tx, txdata, flags)}) {
            expected = {.tx_index = block.vtx.size() - 1, .input = failure->first, .where = failure->second};
        }
    }

    static BlockVerifiers VERIFIERS;
    Require(VERIFIERS.Verify(block, all_spent, flags) == expected, "the block fails where its first input fails, and for the same reason");
    return 0;
}
