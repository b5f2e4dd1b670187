// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/signature_parts.h>

#include <pqc/slhdsa/slhdsa.h>
#include <primitives/serialize.h>
#include <util/check.h>
#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <string>

namespace slhc::tool {

MessageFields SignatureMessage(const ScriptExecutionData& execdata, const CTransaction& tx, unsigned n_in, uint8_t hash_type,
                               SigVersion sigversion, const PrecomputedTransactionData& txdata, KeyVersion key_version)
{
    assert(txdata.m_bip341_taproot_ready);
    MessageFields fields;
    // write: to a VectorWriter
    const auto add{[&](std::string_view name, const auto& write) {
        VectorWriter writer{fields.emplace_back(name, std::vector<uint8_t>{}).second};
        write(writer);
    }};
    const auto add_byte{[&](std::string_view name, uint8_t value) { add(name, [&](auto& to) { WriteU8(to, value); }); }};
    const auto add_number{[&](std::string_view name, uint32_t value) { add(name, [&](auto& to) { WriteU32(to, value); }); }};
    const auto add_hash{[&](std::string_view name, const uint256& hash) { add(name, [&](auto& to) { to.write(hash.Bytes()); }); }};
    const bool this_input_alone{(hash_type & SIGHASH_INPUT_MASK) == SIGHASH_ANYONECANPAY};
    const uint8_t outputs{static_cast<uint8_t>(hash_type & SIGHASH_OUTPUT_MASK)};
    const bool in_script{sigversion == SigVersion::TAPSCRIPT};

    add_byte("epoch", 0);
    add_byte("hash_type", hash_type);
    add_number("nVersion", tx.version);
    add_number("nLockTime", tx.nLockTime);
    if (!this_input_alone) {
        add_hash("sha_prevouts", txdata.m_prevouts_single_hash);
        add_hash("sha_amounts", txdata.m_spent_amounts_single_hash);
        add_hash("sha_scriptpubkeys", txdata.m_spent_scripts_single_hash);
        add_hash("sha_sequences", txdata.m_sequences_single_hash);
    }
    if (outputs == SIGHASH_DEFAULT || outputs == SIGHASH_ALL) add_hash("sha_outputs", txdata.m_outputs_single_hash);
    add_byte("spend_type", static_cast<uint8_t>((in_script ? 2 : 0) + (execdata.m_annex_hash ? 1 : 0)));
    if (this_input_alone) {
        const CTxOut& spent{txdata.m_spent_outputs[n_in]};
        add("outpoint", [&](auto& to) { Serialize(to, tx.vin[n_in].prevout); });
        add("amount", [&](auto& to) { WriteU64(to, static_cast<uint64_t>(spent.nValue)); });
        add("scriptPubKey", [&](auto& to) { WriteVarBytes(to, spent.scriptPubKey); });
        add_number("nSequence", tx.vin[n_in].nSequence);
    } else {
        add_number("input_index", n_in);
    }
    if (execdata.m_annex_hash) add_hash("sha_annex", *execdata.m_annex_hash);
    if (outputs == SIGHASH_SINGLE) {
        HashWriter hasher;
        Serialize(hasher, tx.vout[n_in]);
        add_hash("sha_single_output", hasher.GetSHA256());
    }
    if (in_script) {
        add_hash("tapleaf_hash", *execdata.m_tapleaf_hash);
        add_byte("key_version", static_cast<uint8_t>(key_version));
        add_number("codesep_pos", execdata.m_codeseparator_pos);
    }
    return fields;
}

Json SignatureAnatomy(slhdsa::ParameterSet set, std::span<const uint8_t> signature, const uint256& message,
                      std::span<const uint8_t, slhdsa::PUBLIC_KEY_SIZE> public_key)
{
    using namespace slhdsa;
    return WithParams(set, [&]<Params P>() -> Json {
        assert(signature.size() == P.SignatureSize());
        const auto digest{DigestMessage<P>(signature.first<N>(), public_key, *MessagePieces::Pure(message.Bytes(), {}))};
        const HashContext hash{public_key.first<N>()};
        size_t at{0};
        Json parts = Json::array();
        const auto add{[&](const std::string& name, size_t size, Json&& more) {
            Json part = {{"part", name}, {"at", at}, {"size", size}};
            part.update(more);
            parts.push_back(std::move(part));
            at += size;
        }};
        add("R", N, {{"value", HexStr(signature.first<N>())}});
        const auto sig_fors{signature.subspan<N, P.ForsSigSize()>()};
        for (const uint32_t index : base_2b<P.a, P.k>(digest.md)) {
            add("FORS tree " + std::to_string(parts.size() - 1), (1 + P.a) * N, {{"index", index}});
        }
        Node node{fors_pkFromSig<P>(hash, sig_fors, digest.md, ForsAddress(digest))};
        Json json = {{"set", ParameterSetName(set)}, {"fors_public_key", HexStr(node)}};
        HypertreePosition<P> position{digest.idx_tree, digest.idx_leaf};
        uint64_t tree{digest.idx_tree};
        for (size_t layer{0}; layer < P.d; ++layer) {
            if (layer > 0) {
                position.MoveUp();
                tree >>= P.h_prime();
            }
            const std::span<const uint8_t, P.XmssSigSize()> sig_layer{signature.data() + at, P.XmssSigSize()};
            node = xmss_pkFromSig<P>(hash, position.Leaf(), sig_layer, node, position.Address());
            // A tree's number may have more bits than a reader of JSON keeps.
            add("layer " + std::to_string(layer), P.XmssSigSize(),
                {{"tree", std::to_string(tree)}, {"leaf", position.Leaf()}, {"wots_size", P.WotsSigSize()}, {"root", HexStr(node)}});
        }
        json["parts"] = std::move(parts);
        json["root"] = HexStr(node);
        json["pk_root"] = HexStr(public_key.last<N>());
        return json;
    });
}

} // namespace slhc::tool
