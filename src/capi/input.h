// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_INPUT_H
#define SLHCONSENSUS_CAPI_INPUT_H

#include <pqc/slhdsa/params.h>
#include <primitives/transaction.h>
#include <script/address.h>
#include <script/verify_flags.h>
#include <slhconsensus.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** Arguments that several functions of the C API take. */
namespace slhc::capi {

/** @throws ApiError if CheckFlags rejects them */
[[nodiscard]] script_verify_flags ReadFlags(uint64_t flags);

/** The set for users with that number; null if there is none. */
[[nodiscard]] const slhdsa::ParameterSetEntry* FindSet(int number);

/** @throws ApiError if there is none */
[[nodiscard]] slhdsa::ParameterSet RequiredSet(int number);

/** A context string of FIPS 205. @throws ApiError if it has more than 255 bytes */
[[nodiscard]] std::span<const uint8_t> ContextString(const slhc_bytes& ctx);

/** @throws ApiError if the transaction has no such input */
void CheckInputIndex(const CTransaction& tx, unsigned n_in);

/** Parse serialized outputs, one per view.
 *  @param[in] expected  how many there must be: the number of inputs
 *  @param[in] whose     "the transaction", for the error
 *  @throws ApiError that names the output */
[[nodiscard]] std::vector<CTxOut> ReadSpentOutputs(const slhc_bytes* views, size_t n, size_t expected, const char* whose);

/** @throws ApiError if there is no network of this name */
[[nodiscard]] Network ReadNetwork(std::string_view name);

/** Copy an address and its zero byte into a caller's SLHC_ADDRESS_SIZE bytes. */
void WriteAddress(const std::string& text, char* address);

} // namespace slhc::capi

#endif // SLHCONSENSUS_CAPI_INPUT_H
