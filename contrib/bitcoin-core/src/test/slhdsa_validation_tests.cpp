// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <addresstype.h>
#include <chain.h>
#include <chainparams.h>
#include <common/args.h>
#include <common/settings.h>
#include <consensus/amount.h>
#include <consensus/validation.h>
#include <kernel/chainstatemanager_opts.h>
#include <node/blockstorage.h>
#include <node/chainstatemanager_args.h>
#include <node/kernel_notifications.h>
#include <node/miner.h>
#include <policy/policy.h>
#include <pow.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <pubkey.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/signingprovider.h>
#include <slhdsa/batch.h>
#include <slhdsa/pubkey.h>
#include <slhdsa/verifier.h>
#include <test/util/common.h>
#include <test/util/setup_common.h>
#include <txmempool.h>
#include <uint256.h>
#include <univalue.h>
#include <util/check.h>
#include <util/fs.h>
#include <util/strencodings.h>
#include <validation.h>
#include <validationinterface.h>

#include <slhdsa.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

bool CheckInputScripts(const CTransaction& tx, TxValidationState& state,
                       const CCoinsViewCache& inputs, script_verify_flags flags, bool cacheSigStore,
                       bool cacheFullScriptStore, PrecomputedTransactionData& txdata,
                       ValidationCache& validation_cache,
                       std::vector<CScriptCheck>* pvChecks, SLHDSABatch* slhdsa_batch = nullptr, size_t tx_index = 0) EXCLUSIVE_LOCKS_REQUIRED(cs_main);

namespace {

using valtype = std::vector<unsigned char>;

constexpr CAmount OUTPUT_AMOUNT{COIN};
constexpr CAmount FEE{20'000};
const std::string INVALID_SIGNATURE{"block-script-verify-flag-failed (Invalid SLH-DSA signature)"};

/** Makes the keys and signatures. */
const slhc_context* SigningContext()
{
    static const std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)> context{[] {
        slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
        options.backend = "cpu";
        options.cache_dir = "";
        return slhc_context_create(&options);
    }(), slhc_context_destroy};
    return context.get();
}

/** An SLH-DSA key pair. */
struct Key {
    std::array<unsigned char, SLHC_SECRET_KEY_SIZE> secret;
    valtype pub;

    explicit Key(unsigned char number) : pub(SLHC_PUBLIC_KEY_SIZE)
    {
        std::array<unsigned char, SLHC_SEED_SIZE> seed{number};
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_keygen(SigningContext(), SLHC_SET_128S, seed.data(), secret.data(), pub.data(), nullptr, nullptr), SLHC_OK);
    }
};

/** An output with a leaf that can be spent, beside one that cannot. */
struct Output {
    CScript leaf;
    bool p2tr{false};
    CScript script_pub_key{};
    valtype control{};

    explicit Output(const CScript& leaf_in, bool p2tr_in = false) : leaf{leaf_in}, p2tr{p2tr_in}
    {
        const CScript sibling{CScript{} << OP_RETURN};
        if (p2tr) {
            TaprootBuilder builder;
            builder.Add(1, leaf, TAPROOT_LEAF_TAPSCRIPT).Add(1, sibling, TAPROOT_LEAF_TAPSCRIPT).Finalize(XOnlyPubKey::NUMS_H);
            script_pub_key = GetScriptForDestination(builder.GetOutput());
            control = *builder.GetSpendData().scripts.at({valtype{leaf.begin(), leaf.end()}, TAPROOT_LEAF_TAPSCRIPT}).begin();
        } else {
            const uint256 sibling_hash{ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, sibling)};
            const uint256 root{ComputeTapbranchHash(ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, leaf), sibling_hash)};
            script_pub_key << OP_2 << ToByteVector(root);
            control = {TAPROOT_LEAF_TAPSCRIPT | 1};
            control.insert(control.end(), sibling_hash.begin(), sibling_hash.end());
        }
    }
};

/** The outcome of a block's validation. */
struct Outcome {
    bool valid{false};
    std::string reason;
    std::string debug;

    friend bool operator==(const Outcome&, const Outcome&) = default;
};

class StateCatcher final : public CValidationInterface
{
public:
    std::map<uint256, BlockValidationState> states;

protected:
    void BlockChecked(const std::shared_ptr<const CBlock>& block, const BlockValidationState& state) override { states.insert_or_assign(block->GetHash(), state); }
};

struct SLHDSATestingSetup : public TestChain100Setup {
    const Key key{1};
    const CScript checksig{CScript{} << key.pub << OP_CHECKSIGSLHDSA};

    explicit SLHDSATestingSetup(const std::vector<const char*>& extra_args = {})
        : TestChain100Setup{ChainType::REGTEST, {.extra_args = extra_args, .setup_net = false}} {}

    ChainstateManager& Chainman() { return *Assert(m_node.chainman); }
    SLHDSAVerifier& Verifier() { return *Assert(Chainman().m_validation_cache.m_slhdsa_verifier); }
    SLHDSAStatistics& Statistics() { return Verifier().Statistics(); }
    int Height() { return WITH_LOCK(cs_main, return Chainman().ActiveHeight()); }
    uint256 TipHash() { return WITH_LOCK(cs_main, return Chainman().ActiveTip()->GetBlockHash()); }

    /** Begin a new chain on a node with other options. */
    void Restart(int worker_threads, bool defer)
    {
        m_node.chainman.reset();
        const ChainstateManager::Options options{
            .chainparams = Params(),
            .datadir = m_args.GetDataDirNet(),
            .check_block_index = 1,
            .notifications = *m_node.notifications,
            .signals = m_node.validation_signals.get(),
            .worker_threads_num = worker_threads,
            .slhdsa = {.defer = defer},
        };
        const node::BlockManager::Options blockman_options{
            .chainparams = options.chainparams,
            .blocks_dir = m_args.GetBlocksDirPath(),
            .notifications = options.notifications,
            .block_tree_db_params = DBParams{.path = m_args.GetDataDirNet() / "blocks" / "index", .cache_bytes = m_kernel_cache_sizes.block_tree_db, .memory_only = true},
        };
        m_node.chainman = std::make_unique<ChainstateManager>(*Assert(m_node.shutdown_signal), options, blockman_options);
        LoadVerifyActivateChainstate();
        m_coinbase_txns.clear();
        m_next_coinbase = 0;
        mineBlocks(COINBASE_MATURITY);
    }

    /** Mine a transaction that pays to these outputs, and return it. */
    CTransactionRef Fund(const std::vector<CScript>& scripts)
    {
        std::vector<CTxOut> outputs;
        for (const CScript& script : scripts) outputs.emplace_back(OUTPUT_AMOUNT, script);
        const CTransactionRef coinbase{m_coinbase_txns.at(m_next_coinbase++)};
        const CMutableTransaction tx{CreateValidTransaction({coinbase}, {{coinbase->GetHash(), 0}}, /*input_height=*/0, {coinbaseKey}, outputs, std::nullopt, std::nullopt).first};
        const CBlock block{CreateAndProcessBlock({tx}, CScript{} << OP_TRUE)};
        BOOST_REQUIRE(TipHash() == block.GetHash());
        return MakeTransactionRef(tx);
    }

    CTransactionRef Fund(const Output& output, size_t n = 1) { return Fund(std::vector<CScript>(n, output.script_pub_key)); }

    /** What the one input of a transaction signs. */
    uint256 SigHash(const CMutableTransaction& tx, const CTxOut& spent, const CScript& leaf, uint8_t key_version = TAPSCRIPT_KEY_VERSION_SLHDSA)
    {
        PrecomputedTransactionData txdata;
        txdata.Init(tx, {spent}, /*force=*/true);
        ScriptExecutionData execdata;
        execdata.m_annex_init = true;
        execdata.m_annex_present = false;
        execdata.m_codeseparator_pos_init = true;
        execdata.m_codeseparator_pos = 0xffffffff;
        execdata.m_tapleaf_hash_init = true;
        execdata.m_tapleaf_hash = ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, leaf);
        uint256 sighash;
        BOOST_REQUIRE(SignatureHashSchnorr(sighash, execdata, tx, 0, SIGHASH_DEFAULT, SigVersion::TAPSCRIPT, txdata, MissingDataBehavior::ASSERT_FAIL, key_version));
        return sighash;
    }

    valtype Sign(const CMutableTransaction& tx, const CTxOut& spent, const CScript& leaf)
    {
        const uint256 sighash{SigHash(tx, spent, leaf)};
        valtype sig(SLHC_SIGNATURE_SIZE);
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_sign(SigningContext(), SLHC_SET_128S, key.secret.data(), {sighash.begin(), sighash.size()}, {nullptr, 0}, nullptr, sig.data(), nullptr, nullptr), SLHC_OK);
        return sig;
    }

    /** A signed spend of one of the outputs of a funding transaction. */
    CMutableTransaction Spend(const CTransactionRef& funding, uint32_t n, const Output& output, bool valid = true)
    {
        CMutableTransaction tx;
        tx.vin.emplace_back(COutPoint{funding->GetHash(), n});
        tx.vout.emplace_back(OUTPUT_AMOUNT - FEE, CScript{} << OP_1 << valtype(32, 0x02));
        valtype sig{Sign(tx, funding->vout.at(n), output.leaf)};
        if (!valid) sig.back() ^= 1;
        tx.vin[0].scriptWitness.stack = {sig, {output.leaf.begin(), output.leaf.end()}, output.control};
        return tx;
    }

    /** Let the node validate a block with these transactions. */
    Outcome Process(const std::vector<CMutableTransaction>& txs, const std::function<void(CBlock&)>& change = {})
    {
        // A coinbase of its own, or the block may be known as invalid already.
        CBlock block{CreateBlock(txs, CScript{} << ++m_block_number << OP_DROP << OP_TRUE, Chainman().ActiveChainstate())};
        if (change) {
            change(block);
            node::RegenerateCommitments(block, Chainman());
            while (!CheckProofOfWork(block.GetHash(), block.nBits, Params().GetConsensus())) ++block.nNonce;
        }
        auto catcher{std::make_shared<StateCatcher>()};
        m_node.validation_signals->RegisterSharedValidationInterface(catcher);
        Chainman().ProcessNewBlock(std::make_shared<const CBlock>(block), /*force_processing=*/true, /*min_pow_checked=*/true, nullptr);
        m_node.validation_signals->SyncWithValidationInterfaceQueue();
        m_node.validation_signals->UnregisterSharedValidationInterface(catcher);
        m_last_block = block.GetHash();
        const auto found{catcher->states.find(m_last_block)};
        if (found == catcher->states.end()) return {.valid = TipHash() == m_last_block, .reason = "not checked", .debug = ""};
        const BlockValidationState& state{found->second};
        BOOST_CHECK_EQUAL(state.IsValid(), TipHash() == m_last_block);
        return {.valid = state.IsValid(), .reason = state.GetRejectReason(), .debug = state.GetDebugMessage()};
    }

    std::string Accept(const CMutableTransaction& tx, bool test_accept = false)
    {
        LOCK(cs_main);
        return Chainman().ProcessTransaction(MakeTransactionRef(tx), test_accept).m_state.GetRejectReason();
    }

    bool InMempool(const CMutableTransaction& tx) { return m_node.mempool->exists(CTransaction{tx}.GetHash()); }

    uint256 m_last_block;

private:
    size_t m_next_coinbase{0};
    int m_block_number{1000};
};

/** The deployments as BIP 9 has them: both can be active from height 432 on, if the second period of 144 blocks signals. */
struct ActivationSetup : public SLHDSATestingSetup {
    ActivationSetup() : SLHDSATestingSetup{{"-vbparams=p2mr:0:9223372036854775807", "-vbparams=slhdsa:0:9223372036854775807"}} {}
};

/** With keys of other parameter sets. */
struct SetsSetup : public SLHDSATestingSetup {
    SetsSetup() : SLHDSATestingSetup{{"-vbparams=slhdsasets:-1:9223372036854775807"}} {}
};

/** A key of another parameter set, for experiments. */
struct SetKey {
    const std::unique_ptr<slhc_experiment_signer, decltype(&slhc_experiment_signer_destroy)> signer;
    valtype pub; //!< as a script has it

    explicit SetKey(unsigned char set)
        : signer{slhc_experiment_signer_create(set, std::array<unsigned char, SLHC_SEED_SIZE>{1}.data()), slhc_experiment_signer_destroy}, pub(SLHDSAPubKey::SIZE_WITH_SET, set)
    {
        BOOST_REQUIRE(signer);
        BOOST_REQUIRE_EQUAL(slhc_experiment_public_key(signer.get(), 0, pub.data() + 1), SLHC_OK);
    }

    Output Out() const { return Output{CScript{} << pub << OP_CHECKSIGSLHDSA}; }

    CMutableTransaction Spend(SLHDSATestingSetup& setup, const CTransactionRef& funding, uint32_t n, bool valid = true) const
    {
        CMutableTransaction tx;
        tx.vin.emplace_back(COutPoint{funding->GetHash(), n});
        tx.vout.emplace_back(OUTPUT_AMOUNT - FEE, CScript{} << OP_1 << valtype(32, 0x02));
        const Output output{Out()};
        const uint256 sighash{setup.SigHash(tx, funding->vout.at(n), output.leaf, TAPSCRIPT_KEY_VERSION_SLHDSA_SETS)};
        valtype sig(SLHDSAPubKey{pub}.SignatureSize());
        BOOST_REQUIRE_EQUAL(slhc_experiment_sign(signer.get(), 0, {sighash.begin(), sighash.size()}, {nullptr, 0}, sig.data()), SLHC_OK);
        if (!valid) sig.back() ^= 1;
        tx.vin[0].scriptWitness.stack = {sig, {output.leaf.begin(), output.leaf.end()}, output.control};
        return tx;
    }
};

struct NeverActiveSetup : public SLHDSATestingSetup {
    NeverActiveSetup() : SLHDSATestingSetup{{"-vbparams=p2mr:-2:0", "-vbparams=slhdsa:-2:0"}} {}
};

} // namespace

BOOST_AUTO_TEST_SUITE(slhdsa_validation_tests)

BOOST_FIXTURE_TEST_CASE(deferred_block, SLHDSATestingSetup)
{
    const Output output{checksig};
    const auto funding{Fund(output, 6)};

    const std::vector<CMutableTransaction> valid{Spend(funding, 0, output), Spend(funding, 1, output), Spend(funding, 2, output)};
    BOOST_CHECK(Process(valid).valid);
    BOOST_CHECK_EQUAL(Statistics().batches, 1U);
    BOOST_CHECK_EQUAL(Statistics().last_batch_signatures, 3U);
    BOOST_CHECK_EQUAL(Statistics().single_signatures, 0U);

    // The first invalid signature of the block is the one that is reported, with any number of threads.
    const std::vector<CMutableTransaction> invalid{Spend(funding, 3, output), Spend(funding, 4, output, false), Spend(funding, 5, output, false)};
    const Outcome outcome{Process(invalid)};
    BOOST_CHECK_EQUAL(outcome.reason, INVALID_SIGNATURE);
    BOOST_CHECK_EQUAL(outcome.debug, strprintf("input 0 of %s (wtxid %s), spending %s:4", CTransaction{invalid[1]}.GetHash().ToString(), CTransaction{invalid[1]}.GetWitnessHash().ToString(), funding->GetHash().ToString()));
    BOOST_CHECK_EQUAL(Statistics().batches_invalid, 1U);
    BOOST_CHECK(WITH_LOCK(cs_main, return Chainman().m_blockman.LookupBlockIndex(m_last_block)->nStatus & BLOCK_FAILED_VALID));

    // No batch where nothing is deferred.
    BOOST_CHECK(Process({}).valid);
    BOOST_CHECK_EQUAL(Statistics().batches, 2U);
}

// Whatever a block with one thing wrong is validated with, the reason is the same; with several, it is so without threads.
BOOST_FIXTURE_TEST_CASE(deferred_agrees_with_eager, SLHDSATestingSetup)
{
    const Output plain{checksig};
    const Output fails{CScript{} << key.pub << OP_CHECKSIGSLHDSA << OP_DROP << OP_0};
    const Output verify_fails{CScript{} << key.pub << OP_CHECKSIGSLHDSA << OP_VERIFY << OP_RETURN};

    std::map<std::string, Outcome> expected;
    for (const auto& [threads, defer] : {std::pair{0, false}, std::pair{0, true}, std::pair{2, false}, std::pair{2, true}}) {
        Restart(threads, defer);
        const auto funding{Fund({plain.script_pub_key, plain.script_pub_key, fails.script_pub_key, verify_fails.script_pub_key, plain.script_pub_key})};

        const auto check{[&](const std::string& name, const std::string& reason, bool one_fault, const std::vector<CMutableTransaction>& txs, const std::function<void(CBlock&)>& change = {}) {
            const Outcome outcome{Process(txs, change)};
            BOOST_TEST_CONTEXT(name << ", " << threads << " threads, " << (defer ? "deferred" : "eager")) {
                if (one_fault || threads == 0) {
                    BOOST_CHECK_EQUAL(outcome.reason, reason);
                    // Transaction ids are the same on each chain if it funds the same outputs with the same coinbase.
                    const auto [it, inserted] = expected.emplace(name, outcome);
                    if (!inserted) BOOST_CHECK_EQUAL(outcome.debug, it->second.debug);
                }
                BOOST_CHECK(!outcome.valid);
            }
        }};
        const std::string own_false{"block-script-verify-flag-failed (Script evaluated without error but finished with a false/empty top stack element)"};
        const std::string own_return{"block-script-verify-flag-failed (OP_RETURN was encountered)"};

        check("invalid signature", INVALID_SIGNATURE, true, {Spend(funding, 0, plain, false)});
        check("script fails after a valid signature", own_false, true, {Spend(funding, 2, fails)});
        check("script fails after an invalid signature", INVALID_SIGNATURE, true, {Spend(funding, 2, fails, false)});
        check("OP_RETURN after a valid signature", own_return, true, {Spend(funding, 3, verify_fails)});
        check("OP_RETURN after an invalid signature", INVALID_SIGNATURE, true, {Spend(funding, 3, verify_fails, false)});
        check("invalid signature, then a script that fails", INVALID_SIGNATURE, false, {Spend(funding, 0, plain, false), Spend(funding, 2, fails)});
        check("script that fails, then an invalid signature", own_false, false, {Spend(funding, 2, fails), Spend(funding, 0, plain, false)});
        check("two invalid signatures", INVALID_SIGNATURE, false, {Spend(funding, 0, plain), Spend(funding, 1, plain, false), Spend(funding, 4, plain, false)});
        check("coinbase that pays too much", "bad-cb-amount", true, {Spend(funding, 0, plain)}, [](CBlock& block) {
            CMutableTransaction coinbase{*block.vtx[0]};
            coinbase.vout[0].nValue += MAX_MONEY / 2;
            block.vtx[0] = MakeTransactionRef(coinbase);
        });
        check("invalid signature, and a coinbase that pays too much", INVALID_SIGNATURE, false, {Spend(funding, 0, plain, false)}, [](CBlock& block) {
            CMutableTransaction coinbase{*block.vtx[0]};
            coinbase.vout[0].nValue += MAX_MONEY / 2;
            block.vtx[0] = MakeTransactionRef(coinbase);
        });

        BOOST_CHECK(Process({Spend(funding, 0, plain), Spend(funding, 1, plain), Spend(funding, 4, plain)}).valid);
        if (defer) {
            BOOST_CHECK_EQUAL(Statistics().last_batch_signatures, 3U);
        } else {
            BOOST_CHECK_EQUAL(Statistics().batches, 0U);
            BOOST_CHECK_GE(Statistics().single_signatures, 3U);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(no_verdict, SLHDSATestingSetup)
{
    const Output output{checksig};
    const auto funding{Fund(output, 3)};
    const auto is_known_as_invalid{[&] { return bool(WITH_LOCK(cs_main, return Chainman().m_blockman.LookupBlockIndex(m_last_block)->nStatus & BLOCK_FAILED_VALID)); }};
    m_node.notifications->m_shutdown_on_fatal_error = false;

    for (const bool valid : {true, false}) {
        // The node never interrupts the module, but that is how a batch can be made to end as it does for lack of memory.
        BOOST_REQUIRE_EQUAL(slhc_context_interrupt(Verifier().Context()), SLHC_OK);

        // Without a verdict, the block is neither connected nor remembered as invalid, and the node gives up.
        const uint256 tip{TipHash()};
        const uint64_t batches{Statistics().batches};
        m_node.exit_status = EXIT_SUCCESS;
        BOOST_CHECK_EQUAL(Process({Spend(funding, valid ? 0 : 1, output, valid)}).reason, "The SLH-DSA signatures of a block could not be verified.");
        BOOST_CHECK(TipHash() == tip);
        BOOST_CHECK(!is_known_as_invalid());
        BOOST_CHECK_EQUAL(Statistics().batches, batches);
        BOOST_CHECK_EQUAL(Statistics().no_verdicts, 1U);
        BOOST_CHECK_EQUAL(m_node.exit_status, EXIT_FAILURE);

        // The mempool needs verdicts, and gets them.
        if (valid) {
            BOOST_CHECK_EQUAL(Accept(Spend(funding, 2, output, false)), "mempool-script-verify-flag-failed (Invalid SLH-DSA signature)");
            BOOST_CHECK_EQUAL(Accept(Spend(funding, 2, output)), "");
        }

        // After the next start, the block is judged.
        Chainman().m_validation_cache.m_slhdsa_verifier = std::make_unique<SLHDSAVerifier>(SLHDSAOptions{});
        BlockValidationState state;
        BOOST_CHECK(Chainman().ActiveChainstate().ActivateBestChain(state));
        BOOST_CHECK_EQUAL(TipHash() == m_last_block, valid);
        BOOST_CHECK_EQUAL(is_known_as_invalid(), !valid);
    }
}

BOOST_FIXTURE_TEST_CASE(signature_cache, SLHDSATestingSetup)
{
    const Output output{checksig};
    const auto funding{Fund(output, 2)};
    const CTransaction tx{Spend(funding, 0, output)};

    LOCK(cs_main);
    const CCoinsViewCache& coins{Chainman().ActiveChainstate().CoinsTip()};
    ValidationCache& cache{Chainman().m_validation_cache};
    const script_verify_flags flags{GetBlockScriptFlags(*Chainman().ActiveTip(), Chainman())};
    BOOST_CHECK(flags & SCRIPT_VERIFY_P2MR);
    BOOST_CHECK(flags & SCRIPT_VERIFY_SLHDSA);

    const auto deferred{[&](const CTransaction& transaction) EXCLUSIVE_LOCKS_REQUIRED(cs_main) {
        SLHDSABatch batch{Verifier()};
        PrecomputedTransactionData txdata;
        TxValidationState state;
        BOOST_CHECK(CheckInputScripts(transaction, state, coins, flags, /*cacheSigStore=*/false, /*cacheFullScriptStore=*/false, txdata, cache, nullptr, &batch, 7));
        const size_t size{batch.Size()};
        SLHDSABatch::Input failure{};
        const auto result{batch.Verify(failure)};
        if (result == SLHDSABatch::Result::INVALID) BOOST_CHECK_EQUAL(failure.tx_index, 7U);
        return std::pair{size, result};
    }};
    const auto eager{[&](const CTransaction& transaction, bool store) EXCLUSIVE_LOCKS_REQUIRED(cs_main) {
        PrecomputedTransactionData txdata;
        TxValidationState state;
        return CheckInputScripts(transaction, state, coins, flags, /*cacheSigStore=*/store, /*cacheFullScriptStore=*/false, txdata, cache, nullptr);
    }};
    using Result = SLHDSABatch::Result;

    // A deferred signature is stored neither before nor after it is verified.
    BOOST_CHECK(deferred(tx) == std::pair(size_t{1}, Result::VALID));
    BOOST_CHECK(deferred(tx) == std::pair(size_t{1}, Result::VALID));

    // A signature that is not stored is verified again.
    BOOST_CHECK(eager(tx, /*store=*/false));
    BOOST_CHECK_EQUAL(Statistics().single_signatures, 1U);
    BOOST_CHECK(eager(tx, /*store=*/true));
    BOOST_CHECK_EQUAL(Statistics().single_signatures, 2U);

    // A signature that is stored is neither verified nor deferred.
    BOOST_CHECK(eager(tx, /*store=*/true));
    BOOST_CHECK_EQUAL(Statistics().single_signatures, 2U);
    BOOST_CHECK(deferred(tx) == std::pair(size_t{0}, Result::VALID));

    // The entry is for this signature, not for this input.
    CMutableTransaction changed{tx};
    changed.vin[0].scriptWitness.stack[0].front() ^= 1;
    BOOST_CHECK(deferred(CTransaction{changed}) == std::pair(size_t{1}, Result::INVALID));
    BOOST_CHECK(!eager(CTransaction{changed}, /*store=*/true));
    BOOST_CHECK(!eager(CTransaction{changed}, /*store=*/true));
    BOOST_CHECK_EQUAL(Statistics().single_signatures, 4U);
}

BOOST_FIXTURE_TEST_CASE(mempool_then_block, SLHDSATestingSetup)
{
    const Output output{checksig};
    const auto funding{Fund(output)};
    const auto tx{Spend(funding, 0, output)};

    // Once for policy; the second pass, with the flags of the tip, finds it in the signature cache.
    BOOST_CHECK_EQUAL(Accept(tx), "");
    BOOST_CHECK_EQUAL(Statistics().single_signatures, 1U);
    BOOST_CHECK(Process({tx}).valid);
    BOOST_CHECK_EQUAL(Statistics().single_signatures, 1U);
    BOOST_CHECK_EQUAL(Statistics().batches, 0U);
}

BOOST_FIXTURE_TEST_CASE(policy_active, SLHDSATestingSetup)
{
    const Output p2mr{checksig};
    const Output p2tr{checksig, /*p2tr_in=*/true};
    const Output drops{CScript{} << OP_DROP << key.pub << OP_CHECKSIGSLHDSA};
    const Output no_opcode{CScript{} << OP_DROP << OP_TRUE};
    const Output success{CScript{} << OP_DROP << key.pub << OP_CHECKSIGSLHDSA << OP_RESERVED};
    const auto funding{Fund({p2mr.script_pub_key, p2tr.script_pub_key, drops.script_pub_key, no_opcode.script_pub_key, success.script_pub_key})};

    const std::string nonstandard{"bad-witness-nonstandard"};
    const auto with_item{[&](uint32_t n, const Output& output, size_t size) {
        CMutableTransaction tx{Spend(funding, n, output)};
        auto& stack{tx.vin[0].scriptWitness.stack};
        stack.insert(stack.end() - 2, valtype(size));
        return tx;
    }};

    BOOST_CHECK_EQUAL(Accept(Spend(funding, 0, p2mr, false)), "mempool-script-verify-flag-failed (Invalid SLH-DSA signature)");
    BOOST_CHECK_EQUAL(Accept(Spend(funding, 1, p2tr, false)), "mempool-script-verify-flag-failed (Invalid SLH-DSA signature)");

    // Other items have at most 80 bytes, or exactly the size of a signature: policy-element
    for (const size_t size : {81, 520, 3856, 3857, 5776, 5777, 7855, 7858}) BOOST_CHECK_EQUAL(Accept(with_item(2, drops, size)), nonstandard);
    for (const size_t size : {0, 80, 7856, 7857}) BOOST_CHECK_EQUAL(Accept(with_item(2, drops, size), /*test_accept=*/true), "");
    for (const size_t size : {81, 7856, 7857}) {
        CMutableTransaction tx{with_item(3, no_opcode, size)};
        tx.vin[0].scriptWitness.stack.erase(tx.vin[0].scriptWitness.stack.begin());
        BOOST_CHECK_EQUAL(Accept(tx), nonstandard);
        // An opcode that makes the script succeed is no reason for large items either.
        BOOST_CHECK_EQUAL(Accept(with_item(4, success, size)), nonstandard);
    }

    // No annex, for either kind of output.
    for (const auto& [n, output] : {std::pair{0, p2mr}, std::pair{1, p2tr}}) {
        CMutableTransaction tx{Spend(funding, n, output)};
        tx.vin[0].scriptWitness.stack.push_back({ANNEX_TAG});
        BOOST_CHECK_EQUAL(Accept(tx), nonstandard);
    }

    // A tree of one leaf is reserved.
    Output one_leaf{CScript{} << OP_TRUE};
    one_leaf.script_pub_key = CScript{} << OP_2 << ToByteVector(ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, one_leaf.leaf));
    one_leaf.control = {TAPROOT_LEAF_TAPSCRIPT | 1};
    CMutableTransaction reserved{Spend(Fund(one_leaf), 0, one_leaf)};
    reserved.vin[0].scriptWitness.stack.erase(reserved.vin[0].scriptWitness.stack.begin());
    BOOST_CHECK_EQUAL(Accept(reserved), "mempool-script-verify-flag-failed (Witness version reserved for soft-fork upgrades)");

    BOOST_CHECK_EQUAL(Accept(Spend(funding, 0, p2mr)), "");
    BOOST_CHECK_EQUAL(Accept(Spend(funding, 1, p2tr)), "");
}

BOOST_FIXTURE_TEST_CASE(other_sets, SetsSetup)
{
    const SetKey key_24{24}, key_40{40};
    const Output drops{CScript{} << OP_DROP << key.pub << OP_CHECKSIGSLHDSA};
    const Output no_opcode{CScript{} << OP_DROP << OP_TRUE};
    const Output plain{checksig};
    const auto funding{Fund({key_24.Out().script_pub_key, key_40.Out().script_pub_key, plain.script_pub_key, drops.script_pub_key, no_opcode.script_pub_key})};

    // The sizes of every set's signatures are standard: sets-element
    for (const size_t size : {80, 81, 3855, 3856, 3857, 3858, 5775, 5776, 5777, 5778, 7855, 7856, 7857, 7858}) {
        CMutableTransaction tx{Spend(funding, 3, drops)};
        auto& stack{tx.vin[0].scriptWitness.stack};
        stack.insert(stack.end() - 2, valtype(size));
        const bool standard{size == 80 || size == 3856 || size == 3857 || size == 5776 || size == 5777 || size == 7856 || size == 7857};
        BOOST_CHECK_EQUAL(Accept(tx, /*test_accept=*/true), standard ? "" : "bad-witness-nonstandard");
        tx = Spend(funding, 4, no_opcode);
        tx.vin[0].scriptWitness.stack[0] = valtype(size);
        BOOST_CHECK_EQUAL(Accept(tx, /*test_accept=*/true), size == 80 ? "" : "bad-witness-nonstandard");
    }

    for (uint32_t n{0}; n < 2; ++n) {
        const SetKey& set_key{n == 0 ? key_24 : key_40};
        BOOST_CHECK_EQUAL(Accept(set_key.Spend(*this, funding, n, false)), "mempool-script-verify-flag-failed (Invalid SLH-DSA signature)");
        BOOST_CHECK_EQUAL(Process({set_key.Spend(*this, funding, n, false)}).reason, INVALID_SIGNATURE);
    }
    // A batch may mix sets. What the mempool has verified is not in it.
    const auto in_mempool{key_40.Spend(*this, funding, 1)};
    BOOST_CHECK_EQUAL(Accept(in_mempool), "");
    BOOST_CHECK(Process({key_24.Spend(*this, funding, 0), in_mempool, Spend(funding, 2, plain)}).valid);
    BOOST_CHECK_EQUAL(Statistics().last_batch_signatures, 2U);
}

BOOST_FIXTURE_TEST_CASE(other_sets_never_active, SLHDSATestingSetup)
{
    // As long as nothing activates them, such keys are of an unknown type: not relayed, and in a block any signature is as good as another.
    const SetKey key_24{24};
    const auto funding{Fund(key_24.Out(), 2)};
    BOOST_CHECK_EQUAL(Accept(key_24.Spend(*this, funding, 0)), "bad-witness-nonstandard");
    CMutableTransaction small{key_24.Spend(*this, funding, 0)};
    small.vin[0].scriptWitness.stack[0] = {1};
    BOOST_CHECK_EQUAL(Accept(small), "mempool-script-verify-flag-failed (Public key version reserved for soft-fork upgrades)");
    BOOST_CHECK(Process({small, key_24.Spend(*this, funding, 1, false)}).valid);
    BOOST_CHECK_EQUAL(Statistics().batches, 0U);
}

BOOST_FIXTURE_TEST_CASE(policy_never_active, NeverActiveSetup)
{
    BOOST_CHECK(!Chainman().m_validation_cache.m_slhdsa_verifier);
    const Output p2mr{checksig};
    const Output p2tr{checksig, /*p2tr_in=*/true};
    const auto funding{Fund({p2mr.script_pub_key, p2tr.script_pub_key})};

    BOOST_CHECK_EQUAL(Accept(Spend(funding, 0, p2mr)), "bad-txns-nonstandard-inputs");
    BOOST_CHECK_EQUAL(Accept(Spend(funding, 1, p2tr)), "bad-witness-nonstandard");
    CMutableTransaction small{Spend(funding, 1, p2tr)};
    small.vin[0].scriptWitness.stack[0].clear();
    BOOST_CHECK_EQUAL(Accept(small), "mempool-script-verify-flag-failed (OP_SUCCESSx reserved for soft-fork upgrades)");

    // In a block, anyone can spend both.
    BOOST_CHECK(Process({Spend(funding, 0, p2mr, false), Spend(funding, 1, p2tr, false)}).valid);
}

BOOST_FIXTURE_TEST_CASE(spend_flags, SLHDSATestingSetup)
{
    const auto flags{[](const Output& output, const CScript& script, const valtype& control) {
        CScriptWitness witness;
        witness.stack = {{}, {script.begin(), script.end()}, control};
        return GetSLHDSASpendFlags(output.script_pub_key, witness);
    }};
    const script_verify_flags none{SCRIPT_VERIFY_NONE}, p2mr{SCRIPT_VERIFY_P2MR}, slhdsa{SCRIPT_VERIFY_SLHDSA};
    const Output in_p2mr{checksig}, in_p2tr{checksig, /*p2tr_in=*/true};
    const CScript other{CScript{} << OP_TRUE};

    BOOST_CHECK(flags(in_p2mr, checksig, in_p2mr.control) == (p2mr | slhdsa));
    BOOST_CHECK(flags(in_p2tr, checksig, in_p2tr.control) == slhdsa);
    BOOST_CHECK(flags(in_p2mr, other, in_p2mr.control) == p2mr);
    BOOST_CHECK(flags(in_p2tr, other, in_p2tr.control) == none);
    BOOST_CHECK(flags(in_p2tr, CScript{} << key.pub << OP_0 << OP_CHECKSIGADDSLHDSA, in_p2tr.control) == slhdsa);
    // A byte of data that looks like the opcode, and another leaf version
    BOOST_CHECK(flags(in_p2tr, CScript{} << valtype{OP_CHECKSIGSLHDSA}, in_p2tr.control) == none);
    BOOST_CHECK(flags(in_p2tr, checksig, {0xc2}) == none);

    CScriptWitness witness;
    BOOST_CHECK(GetSLHDSASpendFlags(in_p2mr.script_pub_key, witness) == p2mr);
    witness.stack = {valtype(64)}; // key path
    BOOST_CHECK(GetSLHDSASpendFlags(in_p2tr.script_pub_key, witness) == none);
    witness.stack = {{}, {checksig.begin(), checksig.end()}, in_p2tr.control, {ANNEX_TAG}};
    BOOST_CHECK(GetSLHDSASpendFlags(in_p2tr.script_pub_key, witness) == slhdsa);
    BOOST_CHECK(GetSLHDSASpendFlags(other, witness) == none);
    // Another set has a say where an element has the size of its signatures.
    for (const size_t size : {3855, 3856, 3857, 3858, 5776, 5777, 7856, 7857}) {
        witness.stack = {valtype(size), {checksig.begin(), checksig.end()}, in_p2tr.control};
        const bool of_other{size == 3856 || size == 3857 || size == 5776 || size == 5777};
        BOOST_CHECK(GetSLHDSASpendFlags(in_p2tr.script_pub_key, witness) == (of_other ? slhdsa | SCRIPT_VERIFY_SLHDSA_SETS : slhdsa));
    }
}

BOOST_FIXTURE_TEST_CASE(activation_and_reorganization, ActivationSetup)
{
    constexpr int ACTIVATION_HEIGHT{432};
    const Output p2mr{checksig};
    const Output p2tr{checksig, /*p2tr_in=*/true};
    const Output p2mr_other{CScript{} << OP_TRUE};
    const auto funding{Fund({p2mr.script_pub_key, p2tr.script_pub_key, p2mr_other.script_pub_key, p2mr.script_pub_key})};

    const auto spend_mr{Spend(funding, 0, p2mr)};
    const auto spend_tr{Spend(funding, 1, p2tr)};
    auto spend_other{Spend(funding, 2, p2mr_other)};
    auto& stack{spend_other.vin[0].scriptWitness.stack};
    stack.erase(stack.begin());

    // Until the block before the last one that does not enforce the rules, nothing is accepted.
    mineBlocks(ACTIVATION_HEIGHT - 2 - Height());
    BOOST_CHECK_EQUAL(Accept(spend_mr), "bad-txns-nonstandard-inputs");
    BOOST_CHECK_EQUAL(Accept(spend_tr), "bad-witness-nonstandard");
    // A spend that is invalid by the new rules may be mined.
    BOOST_CHECK(Process({Spend(funding, 3, p2mr, false)}).valid);
    BOOST_CHECK_EQUAL(Height(), ACTIVATION_HEIGHT - 1);

    const CTransactionRef coinbase{m_coinbase_txns.at(2)};
    const CMutableTransaction plain{CreateValidTransaction({coinbase}, {{coinbase->GetHash(), 0}}, /*input_height=*/0, {coinbaseKey}, {CTxOut{COIN, CScript{} << OP_1 << valtype(32, 0x02)}}, std::nullopt, std::nullopt).first};
    const auto accept_all{[&] {
        for (const auto& tx : {spend_mr, spend_tr, spend_other, plain}) BOOST_CHECK_EQUAL(Accept(tx), "");
        BOOST_CHECK_EQUAL(m_node.mempool->size(), 4U);
    }};
    accept_all();

    // The block before activation is replaced: in the next block, which is another one before activation, these spends are not judged.
    const auto invalidate_tip{[&] {
        CBlockIndex* const tip{WITH_LOCK(cs_main, return Chainman().ActiveTip())};
        BlockValidationState state;
        BOOST_REQUIRE(Chainman().ActiveChainstate().InvalidateBlock(state, tip));
    }};
    invalidate_tip();
    BOOST_CHECK_EQUAL(Height(), ACTIVATION_HEIGHT - 2);
    BOOST_CHECK(!InMempool(spend_mr));
    BOOST_CHECK(!InMempool(spend_tr));
    BOOST_CHECK(!InMempool(spend_other));
    BOOST_CHECK(InMempool(plain));

    // A reorganization of later blocks drops nothing, and puts back what they had.
    BOOST_CHECK(Process({}).valid);
    for (const auto& tx : {spend_mr, spend_tr, spend_other}) BOOST_CHECK_EQUAL(Accept(tx), "");
    BOOST_CHECK(Process({spend_mr}).valid);
    BOOST_CHECK_EQUAL(Height(), ACTIVATION_HEIGHT);
    BOOST_CHECK(WITH_LOCK(cs_main, return GetBlockScriptFlags(*Chainman().ActiveTip(), Chainman()) & SCRIPT_VERIFY_P2MR));
    BOOST_CHECK(!WITH_LOCK(cs_main, return GetBlockScriptFlags(*Chainman().ActiveTip()->pprev, Chainman()) & SCRIPT_VERIFY_P2MR));
    BOOST_CHECK(!InMempool(spend_mr));
    invalidate_tip();
    for (const auto& tx : {spend_mr, spend_tr, spend_other, plain}) BOOST_CHECK(InMempool(tx));

    // From here on, a block must keep the rules.
    BOOST_CHECK_EQUAL(Process({Spend(funding, 0, p2mr, false)}).reason, INVALID_SIGNATURE);
}

BOOST_FIXTURE_TEST_CASE(verifier_options, BasicTestingSetup)
{
    BOOST_CHECK_EXCEPTION(SLHDSAVerifier{SLHDSAOptions{.backend = "no such backend"}}, std::runtime_error, HasReason("no such backend"));
    BOOST_CHECK_EXCEPTION((SLHDSAVerifier{SLHDSAOptions{.backend = "vulkan", .device_program = "/none/slhgpu"}}), std::runtime_error,
                          HasReason("vulkan: cannot start /none/slhgpu"));
    const SLHDSAVerifier verifier{SLHDSAOptions{.threads = 3}};
    slhc_statistics statistics SLHC_STATISTICS_INIT;
    BOOST_REQUIRE_EQUAL(slhc_context_statistics(verifier.Context(), &statistics), SLHC_OK);
    BOOST_CHECK_EQUAL(statistics.threads, 3U);
    // The default starts no device.
    BOOST_CHECK_EQUAL(statistics.n_backends, 1U);
}

BOOST_FIXTURE_TEST_CASE(cache_dir_option, RegTestingSetup)
{
    const auto cache_dir{[&](const common::SettingsValue& value) {
        m_args.LockSettings([&](common::Settings& settings) { settings.forced_settings["slhdsacachedir"] = value; });
        ChainstateManager::Options options{
            .chainparams = Params(),
            .datadir = m_args.GetDataDirNet(),
            .notifications = *m_node.notifications,
        };
        BOOST_REQUIRE(node::ApplyArgsManOptions(m_args, options));
        return options.slhdsa.cache_dir;
    }};
    // In the network's own data directory, unless the path is absolute.
    BOOST_CHECK_EQUAL(cache_dir({}), fs::PathToString(m_args.GetDataDirNet() / "slhdsa"));
    BOOST_CHECK_EQUAL(cache_dir("shaders"), fs::PathToString(m_args.GetDataDirNet() / "shaders"));
    BOOST_CHECK_EQUAL(cache_dir(fs::PathToString(m_path_root / "shaders")), fs::PathToString(m_path_root / "shaders"));
    BOOST_CHECK_EQUAL(cache_dir(false), "");
}

BOOST_AUTO_TEST_SUITE_END()
