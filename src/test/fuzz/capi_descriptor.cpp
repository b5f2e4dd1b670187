// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The descriptors of slhconsensus.h: what is refused gives a line; what it says of a descriptor that it takes fits together.

#include <slhwallet.h>
#include <test/fuzz/capi_error.h>
#include <test/fuzz/fuzz.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

using slhc::test::Require;
using slhc::test::RequireError;

namespace {

using DescriptorPtr = std::unique_ptr<slhc_descriptor, decltype(&slhc_descriptor_destroy)>;

slhc_descriptor_info Info(const DescriptorPtr& descriptor)
{
    slhc_descriptor_info info = SLHC_DESCRIPTOR_INFO_INIT;
    Require(slhc_descriptor_get_info(descriptor.get(), &info) == SLHC_OK, "a descriptor can be described");
    return info;
}

void CheckKeys(const DescriptorPtr& descriptor, const slhc_descriptor_info& info)
{
    slhc_descriptor_key key = SLHC_DESCRIPTOR_KEY_INIT;
    for (size_t i{0}; i < info.n_keys; ++i) {
        Require(slhc_descriptor_get_key(descriptor.get(), i, &key) == SLHC_OK, "a key can be asked for");
        Require(key.type == SLHC_KEY_SLHDSA || key.type == SLHC_KEY_SCHNORR, "a key is of a known type");
    }
    Require(slhc_descriptor_get_key(descriptor.get(), info.n_keys, &key) == SLHC_ERROR, "there is no key behind the last");
    RequireError(SLHC_ERR_ARGUMENT);
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
    const DescriptorPtr again{slhc_descriptor_parse(info.text, 1), slhc_descriptor_destroy};
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
    RequireError(SLHC_ERR_ARGUMENT);
}

/** An address, where there is one, is that of the output. */
void CheckAddress(const DescriptorPtr& descriptor, const slhc_descriptor_info& info)
{
    for (const char* const network : {"mainnet", "testnet", "signet", "regtest", "moon"}) {
        char address[SLHC_ADDRESS_SIZE];
        if (slhc_descriptor_address(descriptor.get(), network, address) == SLHC_ERROR) {
            RequireError(std::string_view{network} == "moon" ? SLHC_ERR_ARGUMENT : SLHC_ERR_DATA);
            Require((!info.has_tree && !info.has_internal_key) || std::string_view{network} == "moon",
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

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string text(data, data + size);
    char checksum[SLHC_DESCRIPTOR_CHECKSUM_SIZE];
    const bool has_checksum{slhc_descriptor_checksum(text.c_str(), checksum) == SLHC_OK};
    if (!has_checksum) RequireError(SLHC_ERR_DATA);
    const DescriptorPtr descriptor{slhc_descriptor_parse(text.c_str(), 0), slhc_descriptor_destroy};
    if (!descriptor) {
        RequireError(SLHC_ERR_DATA);
        return 0;
    }
    const slhc_descriptor_info info{Info(descriptor)};
    const bool checked{std::strchr(text.c_str(), '#') != nullptr};
    Require(checked != has_checksum, "what is a descriptor has a checksum, or one is computed");
    const DescriptorPtr strict{slhc_descriptor_parse(text.c_str(), 1), slhc_descriptor_destroy};
    Require((strict != nullptr) == checked, "a checksum is missing if there is none");
    CheckText(info);
    CheckKeys(descriptor, info);
    CheckLeaves(descriptor, info);
    CheckAddress(descriptor, info);
    return 0;
}
