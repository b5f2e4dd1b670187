// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PROCESS_VERIFIER_H
#define SLHCONSENSUS_TOOL_PROCESS_VERIFIER_H

#include <pqc/verifier.h>

#include <memory>
#include <string>

/** Verifiers made as a context of the C API makes its own, and from the same variables. */
namespace slhc::tool {

/** A verifier with its threads. @param[in] named  the option or variable that named the backend, for errors
 *  @param[in] backend  as SLHC_BACKEND names it; null: the one that SLHC_BACKEND names
 *  @param[in] threads  0: as SLHC_THREADS has it
 *  @throws InputError if these or the variables make no sense here */
std::shared_ptr<slhdsa::Verifier> MakeVerifier(const std::string& named, const char* backend, unsigned threads);

/** The verifier of this process, as SLHC_BACKEND, SLHC_THREADS and the other variables have it. Without SLHC_BACKEND
 *  it is on the CPU: no device starts in the time that a command takes.
 *  @throws InputError if they make no sense here */
const std::shared_ptr<slhdsa::Verifier>& ProcessVerifier();

/** Destroy it if there is one. To be called before main() ends: a device's driver may not survive the destructors of
 *  static objects, which run afterwards. */
void DestroyProcessVerifier();

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PROCESS_VERIFIER_H
