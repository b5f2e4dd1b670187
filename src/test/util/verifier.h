// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_VERIFIER_H
#define SLHCONSENSUS_TEST_UTIL_VERIFIER_H

#include <pqc/backends.h>
#include <pqc/verifier.h>
#include <util/environment.h>
#include <util/log.h>
#include <util/threadpool.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace slhc::test {

/** A verifier with these backends, as SLHC_BACKEND names them. SLHC_DEVICE_PROGRAM may name the program of a device. */
inline std::shared_ptr<slhdsa::Verifier> MakeVerifier(std::string_view backend, unsigned threads)
{
    auto logger{std::make_shared<Logger>()};
    slhdsa::DeviceOptions options{.logger = logger};
    if (const char* const program{GetEnvironment("SLHC_DEVICE_PROGRAM")}) options.program = program;
    std::string error;
    auto backends{slhdsa::SelectBackends(backend, options, error)};
    if (!backends) throw std::runtime_error{error};
    return std::make_shared<slhdsa::Verifier>(*std::move(backends), std::make_shared<ThreadPool>(threads), std::move(logger));
}

/** One on the scalar code, for tests whose subject is something else. */
inline const slhdsa::Verifier& PortableVerifier()
{
    static const std::shared_ptr<slhdsa::Verifier> verifier{MakeVerifier("cpu:portable", 1)};
    return *verifier;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_VERIFIER_H
