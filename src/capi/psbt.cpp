// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/input.h>
#include <pqc/capi/arguments.h>
#include <pqc/capi/error.h>
#include <primitives/script.h>
#include <primitives/serialize.h>
#include <script/slhdsa_pubkey.h>
#include <script/taptree.h>
#include <slhwallet.h>
#include <wallet/psbt_combiner.h>
#include <wallet/psbt_finalizer.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::capi;

/** A PSBT, and the data last given out about it. */
struct slhc_psbt {
    wallet::PartiallySignedTransaction psbt;
    std::vector<uint8_t> bytes{};
    CScript script_pubkey{};
    std::vector<wallet::PSBTLeaf> leaves{};
    std::vector<wallet::PSBTSignature> to_sign{};
    std::string missing{};
};

namespace slhc::capi {
namespace {

template <typename T>
slhc_bytes View(const T& bytes)
{
    return {bytes.data(), bytes.size()};
}

wallet::LeafKey ReadLeafKey(int type, const unsigned char* public_key)
{
    const auto bytes{FixedBytes<32>(public_key, "public_key")};
    if (type == SLHC_KEY_SLHDSA || type == SLHC_KEY_SCHNORR) {
        return {{bytes.begin(), bytes.end()}, type == SLHC_KEY_SLHDSA ? wallet::KeyType::SLHDSA : wallet::KeyType::SCHNORR};
    }
    const auto* const entry{type < SLHC_KEY_SLHDSA_SETS ? nullptr : FindSet(type - SLHC_KEY_SLHDSA_SETS)};
    if (entry && SLHDSAPubKey::HasKeyType(entry->set)) {
        return {SLHDSAPubKey{entry->set, bytes}.Element(), wallet::KeyType::SLHDSA};
    }
    if (entry) ThrowArgument("key_type " + std::to_string(type) + ": no script knows keys of " + std::string{entry->name});
    ThrowArgument("key_type " + std::to_string(type) + " is neither SLHC_KEY_SLHDSA, SLHC_KEY_SCHNORR nor SLHC_KEY_SLHDSA_SETS plus a set");
}

void CheckInput(const slhc_psbt& psbt, unsigned n_in)
{
    if (n_in >= psbt.psbt.Inputs().size()) ThrowArgument("there is no input " + std::to_string(n_in));
}

template <typename T>
const T& At(const std::vector<T>& all, size_t index, const char* what)
{
    if (index < all.size()) return all[index];
    ThrowArgument("index " + std::to_string(index) + ": there are " + std::to_string(all.size()) + " " + what);
}

} // namespace
} // namespace slhc::capi

slhc_psbt* slhc_psbt_create(slhc_bytes tx, unsigned version)
{
    return GuardedParse<slhc_psbt*>(__func__, nullptr, [&] {
        if (version != 0 && version != 2) ThrowArgument("version " + std::to_string(version) + " is neither 0 nor 2");
        SpanReader reader{Bytes(tx, "tx.data")};
        const wallet::PartiallySignedTransaction made{ReadTransaction(reader, TxFormat::WITHOUT_WITNESS), version};
        reader.ExpectEnd("transaction");
        return new slhc_psbt{wallet::PartiallySignedTransaction::Parse(made.Serialize())}; // which looks at the amounts
    });
}

slhc_psbt* slhc_psbt_parse(slhc_bytes psbt)
{
    return GuardedParse<slhc_psbt*>(__func__, nullptr,
                               [&] { return new slhc_psbt{wallet::PartiallySignedTransaction::Parse(Bytes(psbt, "psbt.data"))}; });
}

void slhc_psbt_destroy(slhc_psbt* psbt) { delete psbt; }

int slhc_psbt_serialize(slhc_psbt* psbt, slhc_bytes* bytes)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        slhc_bytes& out{Required(bytes, "bytes")};
        in.bytes = in.psbt.Serialize();
        out = View(in.bytes);
        return SLHC_OK;
    });
}

int slhc_psbt_set_field(slhc_psbt* psbt, int map, unsigned index, slhc_bytes key, const slhc_bytes* value)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        using enum wallet::PSBTScope;
        constexpr std::array SCOPES{GLOBAL, INPUT, OUTPUT};
        static_assert(SLHC_PSBT_GLOBAL == 0 && SLHC_PSBT_INPUT == 1 && SLHC_PSBT_OUTPUT == 2);
        auto changed{Required(psbt, "psbt").psbt};
        if (map < 0 || static_cast<size_t>(map) >= SCOPES.size()) {
            ThrowArgument("map " + std::to_string(map) + " is not one of SLHC_PSBT_*");
        }
        const auto key_bytes{Bytes(key, "key.data")};
        const std::vector<uint8_t> field{key_bytes.begin(), key_bytes.end()};
        if (value != nullptr) {
            changed.Set(SCOPES[static_cast<size_t>(map)], index, field, Bytes(*value, "value.data"));
        } else {
            changed.Erase(SCOPES[static_cast<size_t>(map)], index, field);
        }
        psbt->psbt = std::move(changed);
        return SLHC_OK;
    });
}

int slhc_psbt_unsigned_tx(slhc_psbt* psbt, slhc_bytes* tx)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        slhc_bytes& out{Required(tx, "tx")};
        std::vector<uint8_t> bytes;
        VectorWriter writer{bytes};
        Serialize(writer, in.psbt.UnsignedTx(), TxFormat::WITHOUT_WITNESS);
        in.bytes = std::move(bytes);
        out = View(in.bytes);
        return SLHC_OK;
    });
}

int slhc_psbt_get_input(slhc_psbt* psbt, unsigned n_in, slhc_psbt_input* input)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        CheckInput(in, n_in);
        slhc_psbt_input out SLHC_PSBT_INPUT_INIT;
        auto leaves{wallet::Leaves(in.psbt, n_in)};
        std::erase_if(leaves, [](const auto& leaf) { return !leaf.problem.empty(); });
        auto spent{in.psbt.SpentOutput(n_in)};
        const COutPoint outpoint{in.psbt.Outpoint(n_in)};
        std::ranges::copy(outpoint.hash, out.previous_txid);
        out.previous_index = outpoint.n;
        out.is_final = wallet::IsFinal(in.psbt, n_in) ? 1 : 0;
        out.n_leaves = leaves.size();
        CheckStructSize(Required(input, "input"), "input");
        if (spent) {
            in.script_pubkey = std::move(spent->scriptPubKey);
            out.has_spent_output = 1;
            out.amount = spent->nValue;
            out.script_pubkey = View(in.script_pubkey);
        }
        in.leaves = std::move(leaves);
        WriteStruct(*input, out, "input");
        return SLHC_OK;
    });
}

int slhc_psbt_get_leaf(const slhc_psbt* psbt, size_t index, slhc_psbt_leaf* leaf)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const auto& found{At(Required(psbt, "psbt").leaves, index, "leaves")};
        slhc_psbt_leaf out SLHC_PSBT_LEAF_INIT;
        out.script = View(found.script);
        out.leaf_version = found.version;
        out.control_block = View(found.control_block);
        std::ranges::copy(found.hash.Bytes(), out.leaf_hash);
        WriteStruct(Required(leaf, "leaf"), out, "leaf");
        return SLHC_OK;
    });
}

int slhc_psbt_add_leaf(slhc_psbt* psbt, unsigned n_in, slhc_bytes control_block, unsigned leaf_version, slhc_bytes script)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        CheckInput(in, n_in);
        if ((leaf_version & ~unsigned{TAPROOT_LEAF_MASK}) != 0) {
            ThrowArgument("leaf_version " + std::to_string(leaf_version) + " is odd or above 254");
        }
        auto changed{in.psbt};
        wallet::AddLeaf(changed, n_in, Bytes(control_block, "control_block.data"), static_cast<uint8_t>(leaf_version),
                        CScript{Bytes(script, "script.data")});
        in.psbt = std::move(changed);
        return SLHC_OK;
    });
}

int slhc_psbt_add_preimage(slhc_psbt* psbt, unsigned n_in, slhc_bytes preimage)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        CheckInput(in, n_in);
        if (wallet::AddPreimage(in.psbt, n_in, Bytes(preimage, "preimage.data"))) return SLHC_OK;
        throw ApiError{SLHC_ERR_DATA, "no leaf of input " + std::to_string(n_in) + " asks for this preimage"};
    });
}

int slhc_psbt_find_to_sign(slhc_psbt* psbt, int key_type, const unsigned char public_key[32], int hash_type, size_t* n)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        const wallet::LeafKey key{ReadLeafKey(key_type, public_key)};
        if (hash_type < SLHC_PSBT_ASKED_HASH_TYPE || hash_type > UINT8_MAX) {
            ThrowArgument("hash_type " + std::to_string(hash_type) + " does not fit in a byte");
        }
        std::optional<uint8_t> used;
        if (hash_type != SLHC_PSBT_ASKED_HASH_TYPE) used = static_cast<uint8_t>(hash_type);
        size_t& count{Required(n, "n")};
        const wallet::PSBTVerifier verifier{in.psbt};
        std::vector<wallet::PSBTSignature> to_sign;
        std::string problem;
        for (size_t i = 0; i < in.psbt.Inputs().size(); ++i) {
            try {
                std::ranges::copy(wallet::SignaturesToMake(in.psbt, i, verifier, key, used), std::back_inserter(to_sign));
            } catch (const wallet::PSBTError& e) {
                if (problem.empty()) problem = e.what();
            }
        }
        if (to_sign.empty() && !problem.empty()) throw wallet::PSBTError{problem};
        in.to_sign = std::move(to_sign);
        count = in.to_sign.size();
        return SLHC_OK;
    });
}

int slhc_psbt_get_to_sign(const slhc_psbt* psbt, size_t index, slhc_psbt_to_sign* to_sign)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const auto& found{At(Required(psbt, "psbt").to_sign, index, "signatures to make")};
        slhc_psbt_to_sign out SLHC_PSBT_TO_SIGN_INIT;
        out.input = static_cast<unsigned>(found.n_in);
        out.hash_type = found.hash_type;
        std::ranges::copy(found.leaf_hash.Bytes(), out.leaf_hash);
        std::ranges::copy(found.hash.Bytes(), out.hash);
        WriteStruct(Required(to_sign, "to_sign"), out, "to_sign");
        return SLHC_OK;
    });
}

int slhc_psbt_add_signature(slhc_psbt* psbt, unsigned n_in, const unsigned char leaf_hash[32], int key_type,
                            const unsigned char public_key[32], slhc_bytes signature)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        CheckInput(in, n_in);
        auto changed{in.psbt};
        wallet::AddSignature(changed, n_in, uint256{FixedBytes<32>(leaf_hash, "leaf_hash")}, ReadLeafKey(key_type, public_key),
                             Bytes(signature, "signature.data"));
        in.psbt = std::move(changed);
        return SLHC_OK;
    });
}

int slhc_psbt_combine(slhc_psbt* psbt, const slhc_psbt* other)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        const std::vector<wallet::PartiallySignedTransaction> both{in.psbt, Required(other, "other").psbt};
        in.psbt = wallet::CombinePSBTs(both);
        return SLHC_OK;
    });
}

int slhc_psbt_finalize(slhc_psbt* psbt, const char** missing)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        const wallet::PSBTVerifier verifier{in.psbt};
        wallet::PartiallySignedTransaction finalized{in.psbt};
        std::string lacks;
        for (size_t i = 0; i < finalized.Inputs().size(); ++i) {
            const std::string of_input{wallet::FinalizeInput(finalized, i, verifier)};
            if (!of_input.empty()) lacks += (lacks.empty() ? "input " : "\ninput ") + std::to_string(i) + ": " + of_input;
        }
        in.psbt = std::move(finalized);
        in.missing = std::move(lacks);
        if (missing != nullptr) *missing = in.missing.c_str();
        return in.missing.empty() ? SLHC_VALID : SLHC_INVALID;
    });
}

int slhc_psbt_extract(slhc_psbt* psbt, slhc_bytes* tx)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        slhc_bytes& out{Required(tx, "tx")};
        in.bytes = SerializeToVector(wallet::ExtractTransaction(in.psbt));
        out = View(in.bytes);
        return SLHC_OK;
    });
}
