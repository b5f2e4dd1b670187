// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/signature_check.h>

#include <script/observer.h>
#include <script/taptree.h>
#include <slhconsensus.h>
#include <tool/api.h>
#include <tool/hash_type.h>
#include <tool/keys.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/leaf_recipe.h>

#include <array>
#include <set>
#include <span>

namespace slhc::tool {
namespace {

//! A script may have a hundred thousand keys, and each is a verification.
constexpr size_t MAX_KEYS_TRIED{1000};

KeyType KeyTypeOf(KeyVersion key_version)
{
    return key_version == KeyVersion::SLHDSA ? KeyType::SLHDSA : KeyType::SCHNORR;
}

KeyVersion Other(KeyVersion key_version)
{
    return key_version == KeyVersion::SLHDSA ? KeyVersion::BIP340 : KeyVersion::SLHDSA;
}

/** The signature without its hash type; nothing if it has another size than those of this kind. */
std::optional<std::span<const uint8_t>> WithoutHashType(std::span<const uint8_t> signature, KeyType type)
{
    const size_t size{SignatureSize(type)};
    if (signature.size() != size && signature.size() != size + 1) return std::nullopt;
    return signature.first(size);
}

uint8_t HashTypeOf(std::span<const uint8_t> signature, KeyType type)
{
    return signature.size() == SignatureSize(type) ? static_cast<uint8_t>(SIGHASH_DEFAULT) : signature.back();
}

} // namespace

SignatureChecks::SignatureChecks(const CTransaction& tx, unsigned n_in, const PrecomputedTransactionData& txdata,
                                 const CScript& leaf_script)
    : m_tx{tx}
    , m_n_in{n_in}
    , m_txdata{txdata}
    , m_script{leaf_script}
{
    const auto& stack{tx.vin[n_in].scriptWitness.stack};
    m_execdata.m_tapleaf_hash = ComputeTapleafHash(TAPROOT_LEAF_TAPSCRIPT, leaf_script);
    m_execdata.m_annex_init = true;
    if (stack.size() >= 2 && !stack.back().empty() && stack.back()[0] == ANNEX_TAG) {
        m_execdata.m_annex_hash = ComputeAnnexHash(stack.back());
    }
}

std::optional<uint256> SignatureChecks::Hash(uint8_t hash_type, KeyVersion key_version)
{
    m_execdata.m_codeseparator_pos = m_codeseparator_pos;
    return SignatureHashSchnorr(m_execdata, m_tx, m_n_in, hash_type, SigVersion::TAPSCRIPT, m_txdata, key_version);
}

std::optional<SignatureCheck> SignatureChecks::Look(opcodetype opcode, const ScriptStack& stack)
{
    const auto type{wallet::CheckedKeyType(opcode)};
    if (!type) return std::nullopt;
    // "sig pubkey", and where signatures are counted "sig n pubkey"
    const size_t depth{wallet::IsCountingCheck(opcode) ? 3U : 2U};
    if (stack.size() < depth) return std::nullopt;
    const auto public_key{PeekForDisplay(stack, 1)}, signature{PeekForDisplay(stack, depth)};
    SignatureCheck check{{public_key.begin(), public_key.end()},
                         {signature.begin(), signature.end()},
                         {},
                         {},
                         wallet::KeyVersionOf(*type)};
    if (WithoutHashType(signature, *type)) {
        check.hash_type = HashTypeOf(signature, *type);
        check.hash = Hash(*check.hash_type, check.key_version);
    }
    return check;
}

bool SignatureChecks::Verifies(const SignatureCheck& check, const std::vector<uint8_t>& public_key, uint8_t hash_type,
                               KeyVersion key_version)
{
    const KeyType type{KeyTypeOf(check.key_version)};
    const auto signature{WithoutHashType(check.signature, type)};
    const auto hash{Hash(hash_type, key_version)};
    return signature && hash && public_key.size() == ANY_PUBLIC_KEY_SIZE && VerifyMessage(type, public_key, hash->Bytes(), {}, *signature);
}

std::string SignatureChecks::Explain(const SignatureCheck& check)
{
    const KeyType type{KeyTypeOf(check.key_version)};
    if (check.signature.empty()) return "";
    if (!check.hash_type) {
        const KeyType other{KeyTypeOf(Other(check.key_version))};
        const std::string size{"it has " + Counted(check.signature.size(), "byte")};
        return WithoutHashType(check.signature, other) ? size + ", like a signature by a " + std::string{KeyTypeName(other)} + " key"
                                                       : size;
    }
    std::set<std::vector<uint8_t>> tried{check.public_key};
    opcodetype opcode;
    std::span<const uint8_t> data;
    uint32_t position{0};
    for (auto pc{m_script.begin()}; tried.size() < MAX_KEYS_TRIED && m_script.GetOp(pc, opcode, data); ++position) {
        if (data.size() != ANY_PUBLIC_KEY_SIZE) continue;
        const auto [key, added]{tried.emplace(data.begin(), data.end())};
        if (added && Verifies(check, *key, *check.hash_type, check.key_version)) {
            return "it would verify under another key of the script: <" + HexStr(*key) + "> (instruction " + std::to_string(position) + ")";
        }
    }
    for (const auto& [name, hash_type] : HASH_TYPES) {
        if (hash_type != *check.hash_type && Verifies(check, check.public_key, hash_type, check.key_version)) {
            return "it would verify for hash type " + std::string{name};
        }
    }
    if (Verifies(check, check.public_key, *check.hash_type, Other(check.key_version))) {
        return "it would verify with key_version " + std::to_string(static_cast<int>(Other(check.key_version))) +
               " in the signature hash; it must be " + std::to_string(static_cast<int>(check.key_version));
    }
    const auto signature{WithoutHashType(check.signature, type)};
    if (type == KeyType::SLHDSA && check.hash && check.public_key.size() == ANY_PUBLIC_KEY_SIZE &&
        slhc_slhdsa_verify_internal(check.public_key.data(), View(check.hash->Bytes()), View(*signature)) == SLHC_VALID) {
        return "it would verify with slh_verify_internal: the two zero bytes of slh_sign are missing before the signature hash";
    }
    return "";
}

} // namespace slhc::tool
