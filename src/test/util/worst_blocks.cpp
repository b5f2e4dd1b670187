// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/worst_blocks.h>

#include <consensus/consensus.h>
#include <script/interpreter.h>
#include <script/taptree.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace slhc::test {

namespace {

using Elements = std::vector<std::vector<uint8_t>>;

/** Weight of a large element in a witness, with its length. */
constexpr int64_t SIGNATURE_WEIGHT{SERIALIZED_SLHDSA_SIGNATURE_SIZE};
/** With room for a hash type. */
constexpr int64_t LARGE_ELEMENT_WEIGHT{MAX_SLHDSA_ELEMENT_SIZE + 3};

template <typename Bytes>
std::vector<uint8_t> ToVector(const Bytes& bytes)
{
    return {bytes.begin(), bytes.end()};
}

Elements LargeElements(size_t n) { return Elements(n, std::vector<uint8_t>(MAX_SLHDSA_ELEMENT_SIZE, 0x5a)); }

void Repeat(CScript& script, int64_t n, std::initializer_list<opcodetype> opcodes)
{
    for (int64_t i = 0; i < n; ++i) script.insert(script.end(), opcodes.begin(), opcodes.end());
}

/** Make the script heavier by opcodes that do nothing, until it and others have used all of the room. */
void Pad(CScript& script, int64_t room, int64_t others)
{
    Repeat(script, room - others - static_cast<int64_t>(script.size()), {OP_NOP});
}

void Append(CScript& script, const CScript& more) { script.insert(script.end(), more.begin(), more.end()); }

/** Where an SLH-DSA opcode stands, large elements may be on the stack; it need not be executed. */
CScript AllowLargeElements() { return CScript{} << OP_0 << OP_IF << OP_CHECKSIGSLHDSA << OP_ENDIF; }

/** A block with one transaction with one input that spends a leaf of a P2MR tree. */
class OneInputBlock
{
public:
    /** @param[in] output_size  bytes of the script of the transaction's output */
    explicit OneInputBlock(size_t output_size = 1) : m_tx{MakeSpend(1)}
    {
        m_tx.vout[0].scriptPubKey.assign(output_size, OP_NOP);
        CMutableTransaction tx{m_tx};
        tx.vin[0].scriptWitness = LeafSpend::P2MR(CScript{} << OP_TRUE).Witness({});
        BlockBuilder builder;
        builder.Add(std::move(tx), {});
        // The lengths of the script and of the list of elements take up to four bytes more each.
        m_room = builder.Room() - 8;
    }

    /** Weight units for the script and the elements, the lengths of the elements among them. */
    [[nodiscard]] int64_t Room() const { return m_room; }

    using MakeElements = std::function<Elements(const std::function<uint256(uint8_t hash_type, KeyVersion)>& message)>;

    /** @param[in] make_elements  the initial stack; it may ask for the hashes to sign */
    [[nodiscard]] BlockWithSpent Finish(CScript script, const MakeElements& make_elements) &&
    {
        const LeafSpend leaf{LeafSpend::P2MR(std::move(script))};
        const auto spent{MakeSpent({leaf.script_pub_key})};
        const PrecomputedTransactionData txdata{m_tx, std::vector<CTxOut>{spent}, /*force=*/true};
        const auto message{[&](uint8_t hash_type, KeyVersion key_version) { return leaf.Message(m_tx, 0, txdata, hash_type, key_version); }};
        Elements elements{make_elements(message)};
        m_tx.vin[0].scriptWitness = leaf.Witness(std::move(elements));
        BlockBuilder builder;
        builder.Add(std::move(m_tx), spent);
        if (builder.Room() < 0) throw std::logic_error{"the block is too heavy"};
        return std::move(builder).Finish();
    }

private:
    CMutableTransaction m_tx;
    int64_t m_room;
};

/** As many transactions as fit, each with one input for each kind. */
BlockWithSpent FillWithSpends(const std::vector<SpendKind>& kinds, Signer& signer)
{
    BlockBuilder builder;
    for (size_t key = 0;; key += kinds.size()) {
        SignedSpend spend{SpendKinds(kinds, signer, key)};
        const int64_t weight{GetTransactionWeight(CTransaction{spend.tx})};
        if (builder.Room() < weight) return std::move(builder).Finish();
        builder.Add(std::move(spend.tx), std::move(spend.spent));
    }
}

BlockWithSpent SchnorrKeyPath(Signer& signer) { return FillWithSpends({SpendKind::P2TR_KEY_PATH}, signer); }

BlockWithSpent SLHDSASpends(Signer& signer) { return FillWithSpends({SpendKind::P2MR_SLHDSA}, signer); }

BlockWithSpent MixedSpends(Signer& signer)
{
    return FillWithSpends({SpendKind::P2WPKH, SpendKind::P2TR_KEY_PATH, SpendKind::P2TR_SCRIPT_PATH, SpendKind::P2MR_SCHNORR, SpendKind::P2MR_SLHDSA}, signer);
}

/** Three bytes of script for each signature, all of them by one key: OP_TUCK puts the key below the signature for the next. */
BlockWithSpent SLHDSAOneInput(Signer& signer)
{
    OneInputBlock block;
    CScript script{CScript{} << ToVector(signer.SLHDSAKey(0))};
    const int64_t n{(block.Room() - static_cast<int64_t>(script.size())) / (SIGNATURE_WEIGHT + 3)};
    Repeat(script, n, {OP_TUCK, OP_CHECKSIGSLHDSA, OP_DROP});
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        Elements elements;
        for (int64_t i = 0; i < n; ++i) elements.push_back(signer.SignSLHDSA(0, message(SIGHASH_DEFAULT, KeyVersion::SLHDSA)));
        return elements;
    });
}

/** n of n, each with a key of its own. */
BlockWithSpent SLHDSAMultisig(Signer& signer)
{
    OneInputBlock block;
    const int64_t n{(block.Room() - 8) / (SIGNATURE_WEIGHT + 34)};
    CScript script{CScript{} << OP_0};
    for (int64_t i = 0; i < n; ++i) script << ToVector(signer.SLHDSAKey(static_cast<size_t>(i))) << OP_CHECKSIGADDSLHDSA;
    script << n << OP_NUMEQUAL;
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        Elements elements; // the last key's signature is at the bottom
        for (int64_t i = n; i-- > 0;) elements.push_back(signer.SignSLHDSA(static_cast<size_t>(i), message(SIGHASH_DEFAULT, KeyVersion::SLHDSA)));
        return elements;
    });
}

/** SLH-DSA signatures, each verified, and with the validation weight that their bytes buy as many Schnorr checks.
 *  @param[in] output_size  bytes of the output's script that all of them sign with SIGHASH_SINGLE; 0 for SIGHASH_DEFAULT */
BlockWithSpent SLHDSAAndSchnorr(Signer& signer, size_t output_size)
{
    const uint8_t hash_type{output_size > 0 ? SIGHASH_SINGLE : SIGHASH_DEFAULT};
    OneInputBlock block{std::max<size_t>(output_size, 1)};
    const int64_t signature_weight{SIGNATURE_WEIGHT + (hash_type == SIGHASH_DEFAULT ? 0 : 1)};
    const int64_t n_checks{block.Room() / VALIDATION_WEIGHT_PER_SIGOP_PASSED};
    const int64_t n_slhdsa{(block.Room() - 2 * n_checks - 150) / (signature_weight + 3)};
    CScript script{CScript{} << ToVector(signer.SLHDSAKey(0))};
    Repeat(script, n_slhdsa, {OP_TUCK, OP_CHECKSIGSLHDSA, OP_DROP});
    script << OP_DROP << ToVector(signer.SchnorrKey(0));
    Repeat(script, n_checks - n_slhdsa, {OP_2DUP, OP_CHECKSIGVERIFY});
    script << OP_2DROP << OP_TRUE;
    Pad(script, block.Room(), n_slhdsa * signature_weight + 66); // each byte of the witness buys its part
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        Elements elements{signer.SignSchnorr(0, message(hash_type, KeyVersion::BIP340))};
        for (int64_t i = 0; i < n_slhdsa; ++i) elements.push_back(signer.SignSLHDSA(0, message(hash_type, KeyVersion::SLHDSA)));
        if (hash_type != SIGHASH_DEFAULT) {
            for (auto& element : elements) element.push_back(hash_type);
        }
        return elements;
    });
}

BlockWithSpent SLHDSAAndSchnorrBudget(Signer& signer) { return SLHDSAAndSchnorr(signer, 0); }
BlockWithSpent SingleHugeOutput(Signer& signer) { return SLHDSAAndSchnorr(signer, 500'000); }

/** The same budget without SLH-DSA: elements of 520 bytes, dropped. What taproot has allowed all along. */
BlockWithSpent SchnorrBudget(Signer& signer)
{
    OneInputBlock block;
    const int64_t n_checks{block.Room() / VALIDATION_WEIGHT_PER_SIGOP_PASSED};
    // The stack may have 1000 elements, so the bulk of the bytes is in pushes of the script.
    CScript script{CScript{} << ToVector(signer.SchnorrKey(0))};
    Repeat(script, n_checks, {OP_2DUP, OP_CHECKSIGVERIFY});
    script << OP_2DROP;
    const std::vector<uint8_t> bulk(MAX_SCRIPT_ELEMENT_SIZE);
    while (block.Room() - static_cast<int64_t>(script.size()) > 700) script << bulk << OP_DROP;
    script << OP_TRUE;
    Pad(script, block.Room(), 65);
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        return Elements{signer.SignSchnorr(0, message(SIGHASH_DEFAULT, KeyVersion::BIP340))};
    });
}

/** Large elements at the bottom of a stack of 1000, and the lowest moved to the top again and again. */
BlockWithSpent RollLarge(Signer&)
{
    OneInputBlock block;
    constexpr size_t N_LARGE{200}, N_SMALL{799};
    CScript script{AllowLargeElements()};
    const int64_t n_rolls{(block.Room() - static_cast<int64_t>(N_LARGE) * LARGE_ELEMENT_WEIGHT - static_cast<int64_t>(N_SMALL) - 600) / 4};
    const CScript roll{CScript{} << static_cast<int64_t>(N_LARGE + N_SMALL - 1) << OP_ROLL};
    for (int64_t i = 0; i < n_rolls; ++i) Append(script, roll);
    Repeat(script, (N_LARGE + N_SMALL) / 2, {OP_2DROP});
    script << OP_DROP << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) {
        Elements elements{LargeElements(N_LARGE)};
        elements.resize(N_LARGE + N_SMALL);
        return elements;
    });
}

/** One byte of script for each move of two large elements. */
BlockWithSpent TwoRotLarge(Signer&)
{
    OneInputBlock block;
    CScript script{AllowLargeElements()};
    Repeat(script, block.Room() - 6 * LARGE_ELEMENT_WEIGHT - 20, {OP_2ROT});
    Repeat(script, 3, {OP_2DROP});
    script << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) { return LargeElements(6); });
}

/** To the other stack and back. */
BlockWithSpent AltStackLarge(Signer&)
{
    OneInputBlock block;
    CScript script{AllowLargeElements()};
    Repeat(script, (block.Room() - LARGE_ELEMENT_WEIGHT - 20) / 2, {OP_TOALTSTACK, OP_FROMALTSTACK});
    script << OP_DROP << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) { return LargeElements(1); });
}

/** As much hashing as a script can have: three copies of 520 bytes, hashed and dropped. */
BlockWithSpent HashLoop(opcodetype hash)
{
    OneInputBlock block;
    CScript script;
    Repeat(script, (block.Room() - 3 * 523 - 20) / 7, {OP_3DUP, hash, OP_DROP, hash, OP_DROP, hash, OP_DROP});
    script << OP_2DROP << OP_DROP << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) { return Elements(3, std::vector<uint8_t>(MAX_SCRIPT_ELEMENT_SIZE, 0x5a)); });
}

BlockWithSpent HashSHA1(Signer&) { return HashLoop(OP_SHA1); }
BlockWithSpent HashRIPEMD160(Signer&) { return HashLoop(OP_RIPEMD160); }
BlockWithSpent HashHASH256(Signer&) { return HashLoop(OP_HASH256); }

/** Copies: a stack full of 520 bytes each, three of them dropped and made again. */
BlockWithSpent CopyLoop(Signer&)
{
    OneInputBlock block;
    CScript script;
    Repeat(script, 332, {OP_3DUP}); // 999 elements
    const CScript end{CScript{} << OP_TRUE};
    constexpr int64_t DROPS{499};
    Repeat(script, (block.Room() - 3 * 523 - 332 - DROPS - 20) / 3, {OP_2DROP, OP_DROP, OP_3DUP});
    Repeat(script, DROPS, {OP_2DROP});
    script << OP_DROP << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) { return Elements(3, std::vector<uint8_t>(MAX_SCRIPT_ELEMENT_SIZE, 0x5a)); });
}

/** An OP_SUCCESSx behind everything: the whole leaf is searched, and nothing executed. */
BlockWithSpent OpSuccessAtTheEnd(Signer&)
{
    OneInputBlock block;
    constexpr size_t N_LARGE{100}; // any number is fine: nothing is looked at
    CScript script;
    Repeat(script, block.Room() - static_cast<int64_t>(N_LARGE) * LARGE_ELEMENT_WEIGHT - 20, {OP_CHECKSIGSLHDSA});
    script << static_cast<opcodetype>(0xfe);
    return std::move(block).Finish(std::move(script), [&](const auto&) { return LargeElements(N_LARGE); });
}

/** Branches in branches, each turned over once, none taken. */
BlockWithSpent NestedBranches(Signer&)
{
    OneInputBlock block;
    const int64_t n{(block.Room() - 20) / 3};
    CScript script{CScript{} << OP_0 << OP_IF};
    Repeat(script, n, {OP_IF});
    Repeat(script, n, {OP_ELSE});
    Repeat(script, n, {OP_ENDIF});
    script << OP_ENDIF << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) { return Elements{}; });
}

/** Nothing but opcodes that do nothing. */
BlockWithSpent Nops(Signer&)
{
    OneInputBlock block;
    CScript script;
    Repeat(script, block.Room() - 20, {OP_NOP});
    script << OP_TRUE;
    return std::move(block).Finish(std::move(script), [&](const auto&) { return Elements{}; });
}

/** Many inputs, each with a path of 128 nodes to hash. */
BlockWithSpent DeepPaths(Signer&)
{
    const LeafSpend leaf{LeafSpend::P2MR(CScript{} << OP_TRUE, TAPROOT_CONTROL_MAX_NODE_COUNT)};
    BlockBuilder builder;
    CMutableTransaction tx{MakeSpend(1)};
    tx.vin[0].scriptWitness = leaf.Witness({});
    const int64_t weight{GetTransactionWeight(CTransaction{tx})};
    while (builder.Room() >= weight) {
        tx.vin[0].prevout = NewOutPoint();
        builder.Add(tx, MakeSpent({leaf.script_pub_key}));
    }
    return std::move(builder).Finish();
}

/** As many inputs as fit, in one transaction, each with next to nothing to do. */
BlockWithSpent TinyInputs(Signer&)
{
    const LeafSpend leaf{LeafSpend::P2MR(CScript{} << OP_TRUE)};
    BlockBuilder builder;
    CMutableTransaction tx{MakeSpend(1)};
    tx.vin[0].scriptWitness = leaf.Witness({});
    const int64_t one{GetTransactionWeight(CTransaction{tx})};
    CMutableTransaction two{MakeSpend(2)};
    two.vin[0].scriptWitness = two.vin[1].scriptWitness = tx.vin[0].scriptWitness;
    const int64_t each{GetTransactionWeight(CTransaction{two}) - one};
    const auto n{static_cast<size_t>((builder.Room() - one - 16) / each)};
    tx = MakeSpend(n);
    for (CTxIn& txin : tx.vin) txin.scriptWitness = leaf.Witness({});
    builder.Add(std::move(tx), MakeSpent(std::vector<CScript>(n, leaf.script_pub_key)));
    return std::move(builder).Finish();
}

} // namespace

const std::vector<WorstBlock>& WorstBlocks()
{
    static const std::vector<WorstBlock> blocks{
        {"schnorr_key_path", "P2TR key path spends, one input and one output each", SchnorrKeyPath, false},
        {"slhdsa_spends", "P2MR spends with one SLH-DSA signature, one input and one output each", SLHDSASpends, true},
        {"mixed_spends", "spends of P2WPKH, P2TR by key and by script, P2MR with Schnorr and with SLH-DSA", MixedSpends, true},
        {"slhdsa_one_input", "as many SLH-DSA signatures as a block can hold, in one input", SLHDSAOneInput, true},
        {"slhdsa_multisig", "n of n by OP_CHECKSIGADDSLHDSA in one input, distinct keys", SLHDSAMultisig, true},
        {"slhdsa_and_schnorr", "SLH-DSA signatures, and as many Schnorr checks as their weight permits", SLHDSAAndSchnorrBudget, true},
        {"schnorr_budget", "as many Schnorr checks as a full block permits without SLH-DSA", SchnorrBudget, false},
        {"single_huge_output", "the same as slhdsa_and_schnorr, all signing one output of 500 kB with SIGHASH_SINGLE", SingleHugeOutput, true},
        {"roll_large", "OP_ROLL of large elements through a stack of 1000", RollLarge, false},
        {"2rot_large", "OP_2ROT of large elements", TwoRotLarge, false},
        {"altstack_large", "a large element to the alternative stack and back", AltStackLarge, false},
        {"hash_sha1", "OP_SHA1 of 520 bytes", HashSHA1, false},
        {"hash_ripemd160", "OP_RIPEMD160 of 520 bytes", HashRIPEMD160, false},
        {"hash_hash256", "OP_HASH256 of 520 bytes", HashHASH256, false},
        {"copy_loop", "elements of 520 bytes copied and dropped on a full stack", CopyLoop, false},
        {"op_success", "OP_SUCCESS254 behind 3 MB of opcodes", OpSuccessAtTheEnd, false},
        {"nested_branches", "1.3 million branches in one another", NestedBranches, false},
        {"nops", "4 million OP_NOPs", Nops, false},
        {"deep_paths", "control blocks of 128 nodes", DeepPaths, false},
        {"tiny_inputs", "as many inputs as fit", TinyInputs, false},
    };
    return blocks;
}

} // namespace slhc::test
