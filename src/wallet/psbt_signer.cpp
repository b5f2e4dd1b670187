// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_signer.h>

#include <crypto/sha256.h>
#include <pqc/slhdsa/slhdsa.h>
#include <script/pubkey.h>
#include <script/taptree.h>
#include <util/hex.h>
#include <wallet/lock_time.h>

#include <array>
#include <utility>
#include <variant>

namespace slhc::wallet {
namespace {

[[noreturn]] void Refuse(size_t n_in, const std::string& why)
{
    throw PSBTError{PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in) + ": " + why};
}

std::vector<CTxOut> SpentOutputs(const PartiallySignedTransaction& psbt)
{
    std::vector<CTxOut> spent;
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) spent.push_back(KnownSpentOutput(psbt, i));
    return spent;
}

} // namespace

bool VerifyLeafSignature(const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature)
{
    if (!IsKey(key.type, key.public_key) || signature.size() != SignatureSize(key.type, key.public_key)) return false;
    const std::span public_key{std::span{key.public_key}.last<slhdsa::PUBLIC_KEY_SIZE>()};
    if (key.type == KeyType::SLHDSA) {
        return slhdsa::slh_verify(*SetOfKey(key.public_key), hash.Bytes(), signature, {}, public_key);
    }
    return XOnlyPubKey{public_key}.VerifySchnorr(hash, signature.first<SCHNORR_SIGNATURE_SIZE>());
}

PSBTVerifier::PSBTVerifier(const PartiallySignedTransaction& psbt, VerifySignature verify)
    : m_tx{psbt.UnsignedTx()}, m_txdata{m_tx, SpentOutputs(psbt), /*force=*/true}, m_verify{std::move(verify)}
{
}

std::optional<PSBTVerifier> PSBTVerifier::Make(const PartiallySignedTransaction& psbt, const VerifySignature& verify)
{
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        if (!psbt.SpentOutput(i)) return std::nullopt;
    }
    return PSBTVerifier{psbt, verify};
}

uint256 PSBTVerifier::Hash(size_t n_in, const uint256& leaf_hash, KeyVersion key_version, uint8_t hash_type) const
{
    if (n_in >= m_tx.vin.size()) throw PSBTError{"there is no " + PartiallySignedTransaction::Place(PSBTScope::INPUT, n_in)};
    ScriptExecutionData data;
    data.m_annex_init = true;
    data.m_tapleaf_hash = leaf_hash;
    const auto hash{
        SignatureHashSchnorr(data, m_tx, static_cast<uint32_t>(n_in), hash_type, SigVersion::TAPSCRIPT, m_txdata, key_version)};
    if (hash) return *hash;
    Refuse(n_in, HashTypeProblem(hash_type, n_in, m_tx.vout.size()));
}

std::string PSBTVerifier::SignatureError(size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                                         std::span<const uint8_t> signature) const
{
    const std::string by{"the signature by " + HexStr(key.public_key)};
    const uint8_t hash_type{SignatureHashType(key, signature)};
    const size_t size{SignatureSize(key.type, key.public_key)};
    if (signature.size() > size && hash_type == SIGHASH_DEFAULT) return by + " has a hash type of 0";
    try {
        const uint256 hash{Hash(n_in, leaf_hash, KeyVersionOf(key.type, key.public_key), hash_type)};
        const auto without_type{signature.first(size)};
        const auto id{CSHA256{}.Write(key.public_key).Write(hash.Bytes()).Write(without_type).Digest()};
        const auto [verdict, added]{m_verdicts.try_emplace({id.begin(), id.end()})};
        if (added) verdict->second = m_verify(key, hash, without_type);
        return verdict->second ? "" : by + " is not valid for this transaction";
    } catch (const PSBTError& e) {
        return by + ": " + e.what();
    }
}

std::set<LeafKey> KeysOf(const LeafRecipe& recipe)
{
    std::set<LeafKey> keys;
    for (const auto& condition : recipe.conditions) {
        if (const auto* const signatures{std::get_if<LeafSignatures>(&condition)}) {
            keys.insert(signatures->keys.begin(), signatures->keys.end());
        }
    }
    return keys;
}

std::vector<uint8_t> SignatureField(const LeafKey& key, const uint256& leaf_hash)
{
    std::vector<uint8_t> data{key.public_key};
    data.insert(data.end(), leaf_hash.begin(), leaf_hash.end());
    return key.type == KeyType::SLHDSA ? PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, data) : PSBTKey(PSBT_IN_TAP_SCRIPT_SIG, data);
}

std::optional<PSBTSignatureOf> ReadSignatureField(std::span<const uint8_t> field)
{
    const PSBTKeyParts parts{PSBTKeyParts::Parse(field)};
    if (parts.type != (parts.slhdsa ? PSBT_IN_SLHDSA_SIG : uint64_t{PSBT_IN_TAP_SCRIPT_SIG})) return std::nullopt;
    const auto key{parts.data.first(parts.data.size() - uint256::SIZE)};
    return PSBTSignatureOf{{{key.begin(), key.end()}, parts.slhdsa ? KeyType::SLHDSA : KeyType::SCHNORR},
                           uint256{parts.data.last<uint256::SIZE>()}};
}

std::optional<std::vector<uint8_t>> GetSignature(const PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash,
                                                 const LeafKey& key)
{
    const PSBTMap& map{PSBTInput(psbt, n_in)};
    const auto found{map.find(SignatureField(key, leaf_hash))};
    if (found == map.end()) return std::nullopt;
    return found->second;
}

uint8_t SignatureHashType(const LeafKey& key, std::span<const uint8_t> signature)
{
    return signature.size() > SignatureSize(key.type, key.public_key) ? signature.back() : uint8_t{SIGHASH_DEFAULT};
}

std::string WhyNotUsed(const PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                       std::span<const uint8_t> signature, const PSBTVerifier& verifier)
{
    const auto asked{PartiallySignedTransaction::Find(psbt.Inputs()[n_in], PSBT_IN_SIGHASH_TYPE)};
    if (asked && ReadLE32(asked->data()) != SignatureHashType(key, signature)) {
        return "the signature by " + HexStr(key.public_key) + " has another hash type than PSBT_IN_SIGHASH_TYPE asks for";
    }
    return verifier.SignatureError(n_in, leaf_hash, key, signature);
}

bool IsFinal(const PartiallySignedTransaction& psbt, size_t n_in)
{
    const PSBTMap& map{PSBTInput(psbt, n_in)};
    return map.contains(PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS)) || map.contains(PSBTKey(PSBT_IN_FINAL_SCRIPTSIG));
}

std::vector<PSBTSignature> SignaturesToMake(const PartiallySignedTransaction& psbt, size_t n_in, const PSBTVerifier& verifier,
                                            const LeafKey& key, std::optional<uint8_t> hash_type)
{
    std::vector<PSBTSignature> to_make;
    if (IsFinal(psbt, n_in)) return to_make;
    std::string problem;
    std::set<uint256> seen;
    const auto leaves{Leaves(psbt, n_in)};
    for (size_t n = 0; n < leaves.size(); ++n) {
        const auto& leaf{leaves[n]};
        if (leaf.version != TAPROOT_LEAF_TAPSCRIPT || !KeysOf(ReadLeafRecipe(leaf.script)).contains(key)) continue;
        if (!leaf.problem.empty()) {
            problem = leaf.problem;
            continue;
        }
        if (!seen.insert(leaf.hash).second || !LockTimeProblem(ReadLockTimes(leaf.script), verifier.Tx(), n_in).empty()) continue;
        const auto signature{GetSignature(psbt, n_in, leaf.hash, key)};
        if (signature && WhyNotUsed(psbt, n_in, leaf.hash, key, *signature, verifier).empty()) continue;
        const auto asked{RequestedHashType(psbt, n_in)};
        const uint8_t used{hash_type ? *hash_type : asked.value_or(SIGHASH_DEFAULT)};
        if (asked && *asked != used) {
            Refuse(n_in, "the PSBT asks for hash type " + std::to_string(*asked) + ", not " + std::to_string(used));
        }
        to_make.push_back({n_in, n, leaf.hash, used, verifier.Hash(n_in, leaf.hash, KeyVersionOf(key.type, key.public_key), used)});
    }
    if (seen.empty() && !problem.empty()) Refuse(n_in, problem);
    return to_make;
}

void AddSignature(PartiallySignedTransaction& psbt, size_t n_in, const uint256& leaf_hash, const LeafKey& key,
                  std::span<const uint8_t> signature)
{
    if (!KeysOf(ReadLeafRecipe(FindLeaf(psbt, n_in, leaf_hash).script)).contains(key)) {
        Refuse(n_in, "leaf " + HexStr(leaf_hash.Bytes()) + " checks no signature by " + HexStr(key.public_key));
    }
    psbt.Set(PSBTScope::INPUT, n_in, SignatureField(key, leaf_hash), signature);

    const auto modifiable{PartiallySignedTransaction::Find(psbt.Global(), PSBT_GLOBAL_TX_MODIFIABLE)};
    if (!modifiable) return;
    const uint8_t hash_type{SignatureHashType(key, signature)};
    uint8_t flags{modifiable->front()};
    if ((hash_type & SIGHASH_ANYONECANPAY) == 0) flags &= static_cast<uint8_t>(~PSBT_INPUTS_MODIFIABLE);
    if ((hash_type & SIGHASH_OUTPUT_MASK) != SIGHASH_NONE) flags &= static_cast<uint8_t>(~PSBT_OUTPUTS_MODIFIABLE);
    if ((hash_type & SIGHASH_OUTPUT_MASK) == SIGHASH_SINGLE) flags |= PSBT_HAS_SIGHASH_SINGLE;
    psbt.Set(PSBTScope::GLOBAL, 0, PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE), std::array{flags});
}

} // namespace slhc::wallet
