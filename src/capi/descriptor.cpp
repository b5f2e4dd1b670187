// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/error.h>
#include <capi/input.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_checksum.h>
#include <wallet/descriptor_error.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::capi;

/** A descriptor and everything that is given out about it. */
struct slhc_descriptor {
    const wallet::Descriptor descriptor;
    const std::string text;
    const std::vector<wallet::KeyExpression> keys;
    std::vector<std::string> origins;               //!< of each key; empty: none
    std::optional<wallet::DescriptorOutput> output; //!< unless it is a range
    std::vector<std::string> leaves;                //!< of the output, as the descriptor writes them

    explicit slhc_descriptor(wallet::Descriptor in) : descriptor{std::move(in)}, text{descriptor.ToString()}, keys{descriptor.Keys()}
    {
        for (const auto& key : keys) origins.push_back(key.Origin() ? key.Origin()->ToString() : "");
        if (descriptor.IsRange()) return;
        output = descriptor.Output();
        for (const auto& leaf : output->leaves) leaves.push_back(leaf.expression.ToString());
    }
};

namespace slhc::capi {
namespace {

slhc_bytes View(const std::vector<uint8_t>& bytes) { return {bytes.data(), bytes.size()}; }
slhc_bytes View(const CScript& script) { return {script.data(), script.size()}; }

wallet::KeyTable ReadTable(const slhc_key_table& table)
{
    wallet::KeyTable read;
    if (table.type != SLHC_KEY_SLHDSA && table.type != SLHC_KEY_SCHNORR) {
        ThrowArgument("type " + std::to_string(table.type) + " is neither SLHC_KEY_SLHDSA nor SLHC_KEY_SCHNORR");
    }
    read.type = table.type == SLHC_KEY_SLHDSA ? wallet::KeyType::SLHDSA : wallet::KeyType::SCHNORR;
    try {
        read.origin = wallet::KeyOrigin::Parse(&Required(table.origin, "origin"));
    } catch (const wallet::DescriptorError& e) {
        throw ApiError{SLHC_ERR_DATA, std::string{"origin of a table: "} + e.what()};
    }
    read.first = table.first;
    if (table.n_keys > 0) Required(table.keys, "keys");
    wallet::KeyTable::CheckIndexes(table.first, table.n_keys); // before there is room for so many
    read.keys.resize(table.n_keys);
    for (size_t i = 0; i < table.n_keys; ++i) std::copy_n(table.keys + i * read.keys[i].size(), read.keys[i].size(), read.keys[i].begin());
    read.Check();
    return read;
}

const wallet::DescriptorOutput& Output(const slhc_descriptor& descriptor)
{
    if (!descriptor.output) throw ApiError{SLHC_ERR_STATE, "the descriptor is a range: slhc_descriptor_at() gives one of its outputs"};
    return *descriptor.output;
}

[[noreturn]] void ThrowIndex(size_t index, size_t size, const char* what)
{
    ThrowArgument("index " + std::to_string(index) + ": the descriptor has " + std::to_string(size) + " " + what);
}

} // namespace
} // namespace slhc::capi

slhc_descriptor* slhc_descriptor_parse(const char* text, int require_checksum, slhc_error* error)
{
    return Guarded<slhc_descriptor*>(__func__, nullptr, error, [&] {
        using Checksum = wallet::Descriptor::Checksum;
        return new slhc_descriptor{
            wallet::Descriptor::Parse(&Required(text, "text"), require_checksum != 0 ? Checksum::REQUIRED : Checksum::OPTIONAL)};
    });
}

void slhc_descriptor_destroy(slhc_descriptor* descriptor) { delete descriptor; }

int slhc_descriptor_checksum(const char* text, char* checksum)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const std::string_view descriptor{&Required(text, "text")};
        Required(checksum, "checksum");
        if (const size_t invalid{wallet::FindInvalidDescriptorCharacter(descriptor)}; invalid != descriptor.npos) {
            throw wallet::DescriptorError{invalid, "a character that no descriptor has"};
        }
        if (const size_t checksum_at{descriptor.find('#')}; checksum_at != descriptor.npos) {
            throw wallet::DescriptorError{checksum_at, "'#': give the descriptor without its checksum"};
        }
        const std::string computed{wallet::DescriptorChecksum(descriptor)};
        static_assert(SLHC_DESCRIPTOR_CHECKSUM_SIZE == wallet::DESCRIPTOR_CHECKSUM_SIZE + 1);
        std::copy_n(computed.c_str(), SLHC_DESCRIPTOR_CHECKSUM_SIZE, checksum);
        return SLHC_OK;
    });
}

int slhc_descriptor_get_info(const slhc_descriptor* descriptor, slhc_descriptor_info* info)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const slhc_descriptor& in{Required(descriptor, "descriptor")};
        slhc_descriptor_info out SLHC_DESCRIPTOR_INFO_INIT;
        out.text = in.text.c_str();
        CopyText(out.type, in.descriptor.TypeName());
        out.is_range = in.output ? 0 : 1;
        out.n_keys = in.keys.size();
        if (in.output) {
            out.n_leaves = in.output->leaves.size();
            out.script_pubkey = View(in.output->script_pubkey);
            if (in.output->tree) {
                out.has_tree = 1;
                std::ranges::copy(in.output->tree->Root().Bytes(), out.merkle_root);
            }
            if (in.output->internal_key) {
                out.has_internal_key = 1;
                std::ranges::copy(*in.output->internal_key, out.internal_key);
            }
        }
        WriteStruct(Required(info, "info"), out, "info");
        return SLHC_OK;
    });
}

int slhc_descriptor_get_key(const slhc_descriptor* descriptor, size_t index, slhc_descriptor_key* key)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const slhc_descriptor& in{Required(descriptor, "descriptor")};
        if (index >= in.keys.size()) ThrowIndex(index, in.keys.size(), "keys");
        slhc_descriptor_key out SLHC_DESCRIPTOR_KEY_INIT;
        out.type = in.keys[index].Type() == wallet::KeyType::SLHDSA ? SLHC_KEY_SLHDSA : SLHC_KEY_SCHNORR;
        out.is_range = in.keys[index].IsRange() ? 1 : 0;
        if (out.is_range == 0) std::ranges::copy(in.keys[index].Key(), out.public_key);
        if (in.keys[index].Origin()) out.origin = in.origins[index].c_str();
        WriteStruct(Required(key, "key"), out, "key");
        return SLHC_OK;
    });
}

int slhc_descriptor_get_leaf(const slhc_descriptor* descriptor, size_t index, slhc_descriptor_leaf* leaf)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const auto& leaves{Output(Required(descriptor, "descriptor")).leaves};
        if (index >= leaves.size()) ThrowIndex(index, leaves.size(), "leaves");
        slhc_descriptor_leaf out SLHC_DESCRIPTOR_LEAF_INIT;
        out.text = descriptor->leaves[index].c_str();
        out.leaf_version = leaves[index].leaf.version;
        out.script = View(leaves[index].leaf.script);
        out.control_block = View(leaves[index].control_block);
        std::ranges::copy(leaves[index].leaf.hash.Bytes(), out.leaf_hash);
        WriteStruct(Required(leaf, "leaf"), out, "leaf");
        return SLHC_OK;
    });
}

slhc_descriptor* slhc_descriptor_at(const slhc_descriptor* descriptor, uint32_t index, const slhc_key_table* tables, size_t n_tables,
                                    slhc_error* error)
{
    return Guarded<slhc_descriptor*>(__func__, nullptr, error, [&] {
        const slhc_descriptor& in{Required(descriptor, "descriptor")};
        if (index >= wallet::HARDENED) ThrowArgument("index " + std::to_string(index) + " is not below 2^31");
        std::vector<wallet::KeyTable> read;
        for (size_t i = 0; i < n_tables; ++i) read.push_back(ReadTable(Element(tables, i, "tables")));
        return new slhc_descriptor{in.descriptor.At(index, read)};
    });
}

int slhc_descriptor_address(const slhc_descriptor* descriptor, const char* network, char* address)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const auto& output{Output(Required(descriptor, "descriptor"))};
        const Network read_network{ReadNetwork(&Required(network, "network"))};
        Required(address, "address");
        std::string error;
        const std::string text{wallet::OutputAddress(output, read_network, error)};
        if (text.empty()) throw ApiError{SLHC_ERR_DATA, error.empty() ? "the output's script has no address" : error};
        WriteAddress(text, address);
        return SLHC_OK;
    });
}
