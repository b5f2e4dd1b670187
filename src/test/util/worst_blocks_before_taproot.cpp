// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/worst_block_parts.h>

#include <crypto/hash.h>
#include <script/sighash.h>

#include <algorithm>
#include <utility>

/** Blocks of spends that neither taproot nor the module's rules change: the same under both. Some cost so much that a full
 *  block would keep any node busy for minutes, so they are measured with a part of the weight. */
namespace slhc::test {

namespace {

/** A well-formed signature of something else: verifying it takes as long as if it were valid. */
std::vector<uint8_t> InvalidSignature(Signer& signer, uint8_t hash_type)
{
    std::vector<uint8_t> sig{signer.SignECDSA(0, uint256{uint8_t{1}})};
    sig.push_back(hash_type);
    return sig;
}

/** Checks one signature as often as an operation count of 201 allows, and each time drops the result.
 *  @param[in] with_separators  the script code is another one for each check, so that nothing hashed can be used again
 *  @param[in] unexecuted       bytes that make every script code longer */
CScript CheckAgainAndAgain(Signer& signer, bool with_separators, size_t unexecuted)
{
    CScript script{CScript{} << InvalidSignature(signer, SIGHASH_ALL) << ToVector(signer.ECDSAKey(0))};
    Repeat(script, with_separators ? 49 : 65,
           with_separators ? Ops({OP_2DUP, OP_CHECKSIG, OP_DROP, OP_CODESEPARATOR}) : Ops({OP_2DUP, OP_CHECKSIG, OP_DROP}));
    script << OP_2DROP << OP_0 << OP_IF;
    Repeat(script, static_cast<int64_t>(unexecuted), Ops({OP_1}));
    script << OP_ENDIF << OP_TRUE;
    return script;
}

/** Nine OP_CHECKMULTISIGs, of twenty keys each.
 *  @param[in] sigs  the signatures that each has to try, without the dummy */
CScript MultisigAgainAndAgain(Signer& signer, const Elements& sigs, size_t unexecuted)
{
    CScript body{CScript{} << OP_0};
    for (const auto& sig : sigs) body << sig;
    body << static_cast<int64_t>(sigs.size());
    for (size_t key = 0; key < 20; ++key) body << ToVector(signer.ECDSAKey(key));
    body << int64_t{20} << OP_CHECKMULTISIG << OP_DROP;
    CScript script{Ops({OP_0, OP_IF})};
    Repeat(script, static_cast<int64_t>(unexecuted), Ops({OP_1}));
    script << OP_ENDIF;
    Repeat(script, 9, body);
    script << OP_TRUE;
    return script;
}

/** One transaction with so many inputs that spend script_pub_key, its output's script as long as the weight has room for. */
BlockWithSpent InputsAndOutput(const BlockRequest& request, size_t n_inputs, const CTxIn& txin, const CScript& script_pub_key)
{
    CMutableTransaction tx{MakeSpend(n_inputs)};
    for (CTxIn& input : tx.vin) {
        input.scriptSig = txin.scriptSig;
        input.scriptWitness = txin.scriptWitness;
    }
    BlockBuilder builder{request.weight};
    const int64_t room{builder.Room() - GetTransactionWeight(CTransaction{tx}) - 4 * WITNESS_SCALE_FACTOR}; // the script's length
    tx.vout[0].scriptPubKey.assign(static_cast<size_t>(std::max<int64_t>(room / WITNESS_SCALE_FACTOR, 1)), OP_NOP);
    builder.Add(std::move(tx), MakeSpent(std::vector<CScript>(n_inputs, script_pub_key)));
    return std::move(builder).Finish();
}

/** Inputs of a version 0 script, as many as signature operations or weight allow. */
BlockWithSpent Version0(const BlockRequest& request, const CScript& witness_script)
{
    CTxIn txin;
    txin.scriptWitness.stack = {{witness_script.begin(), witness_script.end()}};
    const int64_t weight{41 * WITNESS_SCALE_FACTOR + static_cast<int64_t>(GetSerializeSize(txin.scriptWitness))};
    const int64_t sigops{witness_script.GetSigOpCount(/*accurate=*/true)};
    const int64_t n{std::min((request.weight - 2000) / weight, sigops > 0 ? MAX_BLOCK_SIGOPS_COST / sigops : request.weight)};
    return InputsAndOutput(request, static_cast<size_t>(n), txin, CScript{} << OP_0 << ToVector(Sha256(witness_script)));
}

/** Inputs of a bare script: 41 bytes each, whatever the script, for that is in the block that made the output. */
BlockWithSpent Bare(const BlockRequest& request, const CScript& script)
{
    return FillWithInputs(request, CTxIn{}, script);
}

} // namespace

void AddBlocksBeforeTaproot(std::vector<WorstBlock>& blocks)
{
    const auto add{[&](const char* name, const char* what, int64_t weight, int64_t least_weight,
                       std::function<BlockWithSpent(const BlockRequest&)> make) {
        blocks.push_back({.name = name, .what = what, .make = std::move(make), .weight = weight, .least_weight = least_weight});
    }};
    add("v0_checks", "version 0: 80,000 ECDSA checks, of one signature in each input", MAX_BLOCK_WEIGHT, 24'000,
        [](const BlockRequest& request) { return Version0(request, CheckAgainAndAgain(request.signer, false, 0)); });
    add("v0_separators", "version 0: ECDSA checks of a script code of 10 kB that OP_CODESEPARATOR makes another one for each",
        MAX_BLOCK_WEIGHT, 24'000,
        [](const BlockRequest& request) { return Version0(request, CheckAgainAndAgain(request.signer, true, 9'600)); });
    add("v0_multisig", "version 0: OP_CHECKMULTISIG, 1 of 20, the signature tried with every key", MAX_BLOCK_WEIGHT, 24'000,
        [](const BlockRequest& request) {
            return Version0(request, MultisigAgainAndAgain(request.signer, {InvalidSignature(request.signer, SIGHASH_ALL)}, 0));
        });
    add("v0_tiny_inputs", "version 0: as many inputs as fit, each with a script of one opcode", MAX_BLOCK_WEIGHT, 24'000,
        [](const BlockRequest& request) { return Version0(request, Ops({OP_TRUE})); });
    add("legacy_sighash", "one bare signature check an input, each of which hashes the whole transaction", 1'200'000, 12'000,
        [](const BlockRequest& request) {
            return Bare(request, CScript{} << InvalidSignature(request.signer, SIGHASH_ALL) << ToVector(request.signer.ECDSAKey(0))
                                           << OP_CHECKSIG << OP_DROP << OP_TRUE);
        });
    add("legacy_separators", "bare: 49 checks an input, between which OP_CODESEPARATOR has the whole transaction hashed again", 400'000,
        12'000, [](const BlockRequest& request) {
            return InputsAndOutput(request, static_cast<size_t>(request.weight / 4'000), CTxIn{},
                                   CheckAgainAndAgain(request.signer, true, 0));
        });
    add("legacy_multisig", "bare: nine OP_CHECKMULTISIGs an input, 1 of 20", 40'000, 4'000, [](const BlockRequest& request) {
        return Bare(request, MultisigAgainAndAgain(request.signer, {InvalidSignature(request.signer, SIGHASH_ALL)}, 0));
    });
    add("find_and_delete", "bare: 65 empty signatures an input looked for in a script of 10 kB", 100'000, 2'000,
        [](const BlockRequest& request) {
            CScript script{CScript{} << OP_0 << OP_IF};
            Repeat(script, 9'600, Ops({OP_1}));
            script << OP_ENDIF << OP_0 << ToVector(request.signer.ECDSAKey(0));
            Repeat(script, 65, Ops({OP_2DUP, OP_CHECKSIG, OP_DROP}));
            script << OP_2DROP << OP_TRUE;
            return Bare(request, script);
        });
    add("find_and_delete_multisig", "bare: nine OP_CHECKMULTISIGs of twenty empty signatures an input in a script of 10 kB", 40'000, 2'000,
        [](const BlockRequest& request) { return Bare(request, MultisigAgainAndAgain(request.signer, EqualElements(20, 0), 3'400)); });
}

} // namespace slhc::test
