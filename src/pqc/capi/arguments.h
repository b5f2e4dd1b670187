// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CAPI_ARGUMENTS_H
#define SLHCONSENSUS_PQC_CAPI_ARGUMENTS_H

#include <pqc/slhdsa/params.h>
#include <slhdsa.h>

#include <cstdint>
#include <span>

/** Arguments that several functions of the C API take. */
namespace slhc::capi {

/** The set for users with that number; null if there is none. */
[[nodiscard]] const slhdsa::ParameterSetEntry* FindSet(int number);

/** @throws ApiError if there is none */
[[nodiscard]] slhdsa::ParameterSet RequiredSet(int number);

/** A context string of FIPS 205. @throws ApiError if it has more than 255 bytes */
[[nodiscard]] std::span<const uint8_t> ContextString(const slhc_bytes& ctx);

} // namespace slhc::capi

#endif // SLHCONSENSUS_PQC_CAPI_ARGUMENTS_H
