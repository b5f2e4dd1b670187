// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/input.h>
#include <pqc/capi/error.h>
#include <slhwallet.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_checksum.h>

#include <algorithm>
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
    std::vector<std::string> origins; //!< of each key; empty: none
    const wallet::DescriptorOutput output;
    std::vector<std::string> leaves; //!< of the output, as the descriptor writes them

    explicit slhc_descriptor(wallet::Descriptor in)
        : descriptor{std::move(in)}, text{descriptor.ToString()}, keys{descriptor.Keys()}, output{descriptor.Output()}
    {
        for (const auto& key : keys) origins.push_back(key.origin ? key.origin->ToString() : "");
        for (const auto& leaf : output.leaves) leaves.push_back(leaf.expression.ToString());
    }
};

namespace slhc::capi {
namespace {

slhc_bytes View(const std::vector<uint8_t>& bytes) { return {bytes.data(), bytes.size()}; }
slhc_bytes View(const CScript& script) { return {script.data(), script.size()}; }

[[noreturn]] void ThrowIndex(size_t index, size_t size, const char* what)
{
    ThrowArgument("index " + std::to_string(index) + ": the descriptor has " + std::to_string(size) + " " + what);
}

} // namespace
} // namespace slhc::capi

slhc_descriptor* slhc_descriptor_parse(const char* text, int require_checksum)
{
    return GuardedParse<slhc_descriptor*>(__func__, nullptr, [&] {
        using Checksum = wallet::Descriptor::Checksum;
        return new slhc_descriptor{
            wallet::Descriptor::Parse(&Required(text, "text"), require_checksum != 0 ? Checksum::REQUIRED : Checksum::OPTIONAL)};
    });
}

void slhc_descriptor_destroy(slhc_descriptor* descriptor) { delete descriptor; }

int slhc_descriptor_checksum(const char* text, char* checksum)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
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
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const slhc_descriptor& in{Required(descriptor, "descriptor")};
        slhc_descriptor_info out SLHC_DESCRIPTOR_INFO_INIT;
        out.text = in.text.c_str();
        CopyText(out.type, in.descriptor.TypeName());
        out.n_keys = in.keys.size();
        out.n_leaves = in.output.leaves.size();
        out.script_pubkey = View(in.output.script_pubkey);
        if (in.output.tree) {
            out.has_tree = 1;
            std::ranges::copy(in.output.tree->Root().Bytes(), out.merkle_root);
        }
        if (in.output.internal_key) {
            out.has_internal_key = 1;
            std::ranges::copy(*in.output.internal_key, out.internal_key);
        }
        WriteStruct(Required(info, "info"), out, "info");
        return SLHC_OK;
    });
}

int slhc_descriptor_get_key(const slhc_descriptor* descriptor, size_t index, slhc_descriptor_key* key)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const slhc_descriptor& in{Required(descriptor, "descriptor")};
        if (index >= in.keys.size()) ThrowIndex(index, in.keys.size(), "keys");
        slhc_descriptor_key out SLHC_DESCRIPTOR_KEY_INIT;
        out.type = in.keys[index].type == wallet::KeyType::SCHNORR ? SLHC_KEY_SCHNORR :
                   in.keys[index].prefix                           ? SLHC_KEY_SLHDSA_SETS + *in.keys[index].prefix :
                                                                     SLHC_KEY_SLHDSA;
        std::ranges::copy(in.keys[index].key, out.public_key);
        if (in.keys[index].origin) out.origin = in.origins[index].c_str();
        WriteStruct(Required(key, "key"), out, "key");
        return SLHC_OK;
    });
}

int slhc_descriptor_get_leaf(const slhc_descriptor* descriptor, size_t index, slhc_descriptor_leaf* leaf)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const auto& leaves{Required(descriptor, "descriptor").output.leaves};
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

int slhc_descriptor_address(const slhc_descriptor* descriptor, const char* network, char* address)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const auto& output{Required(descriptor, "descriptor").output};
        const Network read_network{ReadNetwork(&Required(network, "network"))};
        Required(address, "address");
        std::string error;
        const std::string text{wallet::OutputAddress(output, read_network, error)};
        if (text.empty()) throw ApiError{SLHC_ERR_DATA, error.empty() ? "the output's script has no address" : error};
        WriteAddress(text, address);
        return SLHC_OK;
    });
}
