// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The descriptors of slhconsensus.h: what is refused gives a line; what it says of a descriptor that it takes fits together, and leads to
// the same output by its other functions.

#include <slhconsensus.h>
#include <test/fuzz/capi_error.h>
#include <test/fuzz/fuzz.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using slhc::test::Require;
using slhc::test::RequireError;

namespace {

using DescriptorPtr = std::unique_ptr<slhc_descriptor, decltype(&slhc_descriptor_destroy)>;

constexpr uint32_t INDEX{7}, TOO_LARGE{0x80000000};

slhc_descriptor_info Info(const DescriptorPtr& descriptor)
{
    slhc_descriptor_info info = SLHC_DESCRIPTOR_INFO_INIT;
    Require(slhc_descriptor_get_info(descriptor.get(), &info) == SLHC_OK, "a descriptor can be described");
    return info;
}

/** The keys, in order. */
std::vector<slhc_descriptor_key> Keys(const DescriptorPtr& descriptor, const slhc_descriptor_info& info)
{
    std::vector<slhc_descriptor_key> keys(info.n_keys, slhc_descriptor_key SLHC_DESCRIPTOR_KEY_INIT);
    for (size_t i{0}; i < keys.size(); ++i) {
        Require(slhc_descriptor_get_key(descriptor.get(), i, &keys[i]) == SLHC_OK, "a key can be asked for");
        Require(keys[i].type == SLHC_KEY_SLHDSA || keys[i].type == SLHC_KEY_SCHNORR, "a key is of a known type");
        Require(!keys[i].is_range || keys[i].origin, "a range has an origin");
    }
    slhc_descriptor_key beyond = SLHC_DESCRIPTOR_KEY_INIT;
    Require(slhc_descriptor_get_key(descriptor.get(), keys.size(), &beyond) == SLHC_ERROR, "there is no key behind the last");
    RequireError(SLHC_ERR_ARGUMENT);
    const bool any_range{std::ranges::any_of(keys, [](const slhc_descriptor_key& key) { return key.is_range != 0; })};
    Require(any_range == (info.is_range != 0), "a descriptor is a range if a key is");
    return keys;
}

/** The normal form: it has the checksum that its text has, and is read back. */
void CheckText(const slhc_descriptor_info& info)
{
    const std::string_view text{info.text};
    const size_t mark{text.rfind('#')};
    Require(mark != text.npos, "the normal form has a checksum");
    char checksum[SLHC_DESCRIPTOR_CHECKSUM_SIZE];
    Require(slhc_descriptor_checksum(std::string{text.substr(0, mark)}.c_str(), checksum) == SLHC_OK, "the normal form has its characters");
    Require(text.substr(mark + 1) == checksum, "the normal form has its checksum");
    const DescriptorPtr again{slhc_descriptor_parse(info.text, 1, nullptr), slhc_descriptor_destroy};
    Require(again && Info(again).text == text, "the normal form is read back");
}

/** Each leaf's control block leads from its hash to the root. */
void CheckLeaves(const DescriptorPtr& descriptor, const slhc_descriptor_info& info)
{
    const bool p2mr{std::string_view{info.type} == "mr"};
    std::array<unsigned char, 32> output_key{};
    int parity{0};
    if (info.has_internal_key) {
        Require(slhc_p2tr_output_key(info.internal_key, info.has_tree ? info.merkle_root : nullptr, output_key.data(), &parity) == SLHC_OK,
                "an internal key is a point");
        Require(info.script_pubkey.size == 34 && std::equal(output_key.begin(), output_key.end(), info.script_pubkey.data + 2),
                "the output's key is the tweaked one");
    }
    for (size_t i{0}; i < info.n_leaves; ++i) {
        slhc_descriptor_leaf leaf = SLHC_DESCRIPTOR_LEAF_INIT;
        Require(slhc_descriptor_get_leaf(descriptor.get(), i, &leaf) == SLHC_OK && leaf.text[0] != 0, "a leaf can be asked for");
        std::array<unsigned char, 32> hash;
        Require(slhc_tapleaf_hash(leaf.leaf_version, leaf.script, hash.data()) == SLHC_OK, "a leaf has a hash");
        Require(std::ranges::equal(hash, leaf.leaf_hash), "the hash of its script");
        const size_t base{p2mr ? size_t{1} : size_t{33}};
        Require(leaf.control_block.size >= base && (leaf.control_block.size - base) % hash.size() == 0, "a control block has a path");
        for (size_t at{base}; at < leaf.control_block.size; at += hash.size()) {
            Require(slhc_tapbranch_hash(hash.data(), leaf.control_block.data + at, hash.data()) == SLHC_OK, "nodes have a branch");
        }
        Require(info.has_tree && std::ranges::equal(hash, info.merkle_root), "the path leads to the root");
        const unsigned low_bit{p2mr ? 1U : static_cast<unsigned>(parity)};
        Require(leaf.control_block.data[0] == (leaf.leaf_version | low_bit), "the first byte is version and bit");
    }
    slhc_descriptor_leaf beyond = SLHC_DESCRIPTOR_LEAF_INIT;
    Require(slhc_descriptor_get_leaf(descriptor.get(), info.n_leaves, &beyond) == SLHC_ERROR, "there is no leaf behind the last");
    RequireError(info.is_range ? SLHC_ERR_STATE : SLHC_ERR_ARGUMENT);
}

/** An address, where there is one, is that of the output. */
void CheckAddress(const DescriptorPtr& descriptor, const slhc_descriptor_info& info)
{
    for (const char* const network : {"mainnet", "testnet", "signet", "regtest", "moon"}) {
        char address[SLHC_ADDRESS_SIZE];
        if (slhc_descriptor_address(descriptor.get(), network, address) == SLHC_ERROR) {
            RequireError(info.is_range ? SLHC_ERR_STATE : std::string_view{network} == "moon" ? SLHC_ERR_ARGUMENT : SLHC_ERR_DATA);
            Require(info.is_range || (!info.has_tree && !info.has_internal_key) || std::string_view{network} == "moon",
                    "an output with keys has an address");
            continue;
        }
        slhc_decoded_address decoded = SLHC_DECODED_ADDRESS_INIT;
        Require(slhc_address_decode(address, &decoded) == SLHC_OK, "an address is one");
        const auto& script{info.script_pubkey};
        Require(script.size == decoded.program_size + 2 && script.data[0] == (decoded.version == 0 ? 0 : 0x50 + decoded.version) &&
                    std::equal(decoded.program, decoded.program + decoded.program_size, script.data + 2),
                "an address is the output's");
    }
}

/** One output, from tables with a key for each of the ranges. */
DescriptorPtr Output(const DescriptorPtr& descriptor, const std::vector<slhc_descriptor_key>& keys)
{
    //! BIP 341's point of which nobody knows the secret key.
    static constexpr std::array<unsigned char, 32> POINT{0x50, 0x92, 0x9b, 0x74, 0xc1, 0xa0, 0x49, 0x54, 0xb7, 0x8b, 0x4b,
                                                         0x60, 0x35, 0xe9, 0x7a, 0x5e, 0x07, 0x8a, 0x5a, 0x0f, 0x28, 0xec,
                                                         0x96, 0xd5, 0x47, 0xbf, 0xee, 0x9a, 0xce, 0x80, 0x3a, 0xc0};
    std::vector<slhc_key_table> tables;
    for (const auto& key : keys) {
        if (key.is_range) tables.push_back({sizeof(slhc_key_table), key.type, key.origin, INDEX, POINT.data(), 1});
    }
    const auto at{[&](uint32_t index) {
        return DescriptorPtr{slhc_descriptor_at(descriptor.get(), index, tables.data(), tables.size(), nullptr), slhc_descriptor_destroy};
    }};
    Require(!at(TOO_LARGE), "there is no such index");
    RequireError(SLHC_ERR_ARGUMENT);
    if (!tables.empty()) {
        Require(!at(INDEX + 1), "a table has no more than its keys");
        RequireError(SLHC_ERR_DATA);
    }
    DescriptorPtr output{at(INDEX)};
    if (!output) {
        Require(tables.size() > 1, "a key in a table can stand where it is alone");
        RequireError(SLHC_ERR_DATA); // the same key twice in a leaf
    }
    return output;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string text(data, data + size);
    char checksum[SLHC_DESCRIPTOR_CHECKSUM_SIZE];
    const bool has_checksum{slhc_descriptor_checksum(text.c_str(), checksum) == SLHC_OK};
    if (!has_checksum) RequireError(SLHC_ERR_DATA);
    slhc_error error = SLHC_ERROR_INIT;
    const DescriptorPtr descriptor{slhc_descriptor_parse(text.c_str(), 0, &error), slhc_descriptor_destroy};
    if (!descriptor) {
        Require(error.code == SLHC_ERR_DATA, "a descriptor is refused for its text");
        RequireError(SLHC_ERR_DATA);
        return 0;
    }
    const slhc_descriptor_info info{Info(descriptor)};
    const bool checked{std::strchr(text.c_str(), '#') != nullptr};
    Require(checked != has_checksum, "what is a descriptor has a checksum, or one is computed");
    const DescriptorPtr strict{slhc_descriptor_parse(text.c_str(), 1, nullptr), slhc_descriptor_destroy};
    Require((strict != nullptr) == checked, "a checksum is missing if there is none");
    CheckText(info);
    const auto keys{Keys(descriptor, info)};
    CheckLeaves(descriptor, info);
    CheckAddress(descriptor, info);

    const DescriptorPtr output{Output(descriptor, keys)};
    if (!output) return 0;
    const slhc_descriptor_info output_info{Info(output)};
    Require(!output_info.is_range, "one output of a range is no range");
    Require(info.is_range || std::strcmp(output_info.text, info.text) == 0, "what is no range gives itself");
    CheckLeaves(output, output_info);
    CheckAddress(output, output_info);
    return 0;
}
