// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_INPUT_H
#define SLHCONSENSUS_CAPI_INPUT_H

#include <pqc/capi/error.h>
#include <primitives/serialize.h>
#include <primitives/transaction.h>
#include <script/address.h>
#include <script/verify_flags.h>
#include <slhconsensus.h>
#include <wallet/descriptor_checksum.h>
#include <wallet/psbt.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/** Arguments that several functions of the C API take. */
namespace slhc::capi {

/** @throws ApiError if CheckFlags rejects them */
[[nodiscard]] script_verify_flags ReadFlags(uint64_t flags);

/** @throws ApiError if the transaction has no such input */
void CheckInputIndex(const CTransaction& tx, unsigned n_in);

/** Parse serialized outputs, one per view.
 *  @param[in] expected  how many there must be: the number of inputs
 *  @param[in] whose     "the transaction", for the error
 *  @throws ApiError that names the output */
[[nodiscard]] std::vector<CTxOut> ReadSpentOutputs(const slhc_bytes* views, size_t n, size_t expected, const char* whose);

/** @throws ApiError if there is no network of this name */
[[nodiscard]] Network ReadNetwork(std::string_view name);

/** As Guarded, for bodies that parse: data that are not what they should be are SLHC_ERR_DATA. */
template <typename R, typename F>
R GuardedParse(const char* function, R on_error, F&& body) noexcept
{
    return Guarded<R>(function, on_error, [&] {
        try {
            return body();
        } catch (const ParseError& e) {
            throw ApiError{SLHC_ERR_DATA, e.what()};
        } catch (const wallet::DescriptorError& e) {
            throw ApiError{SLHC_ERR_DATA, e.what()};
        } catch (const wallet::PSBTError& e) {
            throw ApiError{SLHC_ERR_DATA, e.what()};
        }
    });
}

/** Copy an address and its zero byte into a caller's SLHC_ADDRESS_SIZE bytes. */
void WriteAddress(const std::string& text, char* address);

} // namespace slhc::capi

#endif // SLHCONSENSUS_CAPI_INPUT_H
