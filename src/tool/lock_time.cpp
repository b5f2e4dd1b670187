// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/lock_time.h>

#include <tool/error.h>

namespace slhc::tool {

void CheckAfter(uint64_t n)
{
    if (const std::string problem{wallet::AfterProblem(n)}; !problem.empty()) throw InputError{problem};
}

void CheckOlder(uint64_t n)
{
    if (const std::string problem{wallet::OlderProblem(n)}; !problem.empty()) throw InputError{problem};
}

LockTimes RequiredLockTimes(const CScript& leaf_script)
{
    LockTimes required{wallet::ReadLockTimes(leaf_script)};
    if (!required.never.empty()) throw InputError{required.never};
    return required;
}

uint32_t LaterLockTime(uint32_t a, uint32_t b)
{
    const auto later{wallet::LaterLockTime(a, b)};
    if (!later) throw InputError{"requires a block height and a time, and no nLockTime can express both"};
    return *later;
}

} // namespace slhc::tool
