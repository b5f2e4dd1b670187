// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_ENVIRONMENT_H
#define SLHCONSENSUS_UTIL_ENVIRONMENT_H

#include <cstdlib>

namespace slhc {

/** An environment variable's value; nullptr if it is unset or empty, which means the same everywhere. A program that has more rights than
 *  its user (setuid, file capabilities) has none: the user would choose where it writes files and which drivers it loads. */
inline const char* GetEnvironment(const char* name)
{
#ifdef __linux__
    const char* const value{secure_getenv(name)};
#else
    const char* const value{std::getenv(name)};
#endif
    return value && *value ? value : nullptr;
}

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_ENVIRONMENT_H
