// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/input.h>

#include <pqc/capi/error.h>
#include <util/counted.h>

#include <algorithm>
#include <string>

namespace slhc::capi {

script_verify_flags ReadFlags(uint64_t flags)
{
    const auto read{script_verify_flags::from_int(flags)};
    if (const auto problem{CheckFlags(read)}) ThrowArgument("flags: " + *problem);
    return read;
}

void CheckInputIndex(const CTransaction& tx, unsigned n_in)
{
    if (n_in >= tx.vin.size()) {
        ThrowArgument("n_in is " + std::to_string(n_in) + ", but the transaction has " + Counted(tx.vin.size(), "input"));
    }
}

std::vector<CTxOut> ReadSpentOutputs(const slhc_bytes* views, size_t n, size_t expected, const char* whose)
{
    if (n != expected) ThrowArgument("n_spent is " + std::to_string(n) + ", but " + whose + " has " + Counted(expected, "input"));
    std::vector<CTxOut> outputs;
    outputs.reserve(n);
    for (size_t i = 0; i < n; ++i) {
        const std::string name{"spent_outputs[" + std::to_string(i) + "]"};
        try {
            outputs.push_back(ParseTxOut(Bytes((&Required(views, "spent_outputs"))[i], (name + ".data").c_str())));
        } catch (const ParseError& e) {
            throw ApiError{SLHC_ERR_DATA, name + ": " + e.what()};
        }
    }
    return outputs;
}

Network ReadNetwork(std::string_view name)
{
    const auto found{std::ranges::find(ALL_NETWORKS, name, NetworkName)};
    if (found == ALL_NETWORKS.end()) ThrowArgument("network '" + std::string{name} + "' is not mainnet, testnet, signet or regtest");
    return *found;
}

void WriteAddress(const std::string& text, char* address)
{
    if (text.size() >= SLHC_ADDRESS_SIZE) {
        throw ApiError{SLHC_ERR_INTERNAL, "an address of " + std::to_string(text.size()) + " characters"};
    }
    std::copy_n(text.c_str(), text.size() + 1, address);
}

} // namespace slhc::capi
