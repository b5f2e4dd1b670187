// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Descriptors. What is refused gives a line with a column; what is accepted has one normal form, which is read back to the same output.

#include <test/fuzz/fuzz.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_checksum.h>

#include <optional>
#include <string>
#include <string_view>

using namespace slhc;
using namespace slhc::wallet;
using slhc::test::Require;

namespace {

//! BIP 341's point of which nobody knows the secret key.
constexpr std::string_view POINT{"50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"};

std::optional<Descriptor> Read(std::string_view text)
{
    try {
        return Descriptor::Parse(text);
    } catch (const DescriptorError& error) {
        const std::string_view what{error.what()};
        Require(what.starts_with("column ") && what.find('\n') == what.npos && what.size() < 1000, "an error is one line with its place");
        return std::nullopt;
    }
}

void CheckOutput(const Descriptor& descriptor)
{
    const DescriptorOutput output{descriptor.Output()};
    const bool p2mr{descriptor.GetType() == Descriptor::Type::MR};
    if (p2mr) Require(output.leaves.size() > 1, "nobody makes a P2MR output with a single leaf");
    for (const auto& leaf : output.leaves) {
        const size_t base{p2mr ? size_t{1} : size_t{33}};
        Require(leaf.control_block.size() == base + leaf.leaf.path.size(), "a control block has a path");
        Require(ComputeTapPathRoot(std::span{leaf.control_block}.subspan(base), leaf.leaf.hash) == output.tree->Root(),
                "the path leads to the root");
        const auto alone{Read("tr(" + std::string{POINT} + "," + leaf.expression.ToString() + ")")};
        Require(alone && alone->Output().leaves[0].leaf.script == leaf.leaf.script, "a leaf is printed as it was read");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    const auto descriptor{Read(text)};
    if (!descriptor) return 0;
    const std::string normal{descriptor->ToString()};
    const auto again{Read(normal)};
    Require(again && again->ToString() == normal, "the normal form is read back");
    CheckOutput(*descriptor);
    Require(again->Output().script_pubkey == descriptor->Output().script_pubkey, "the normal form gives the same output");
    return 0;
}
