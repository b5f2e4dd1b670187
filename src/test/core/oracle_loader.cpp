// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/oracle_loader.h>

#include <cstdlib>
#include <dlfcn.h>

namespace slhc::test {

namespace {

std::string OraclePath(CoreVariant variant)
{
    const bool rules{variant == CoreVariant::WITH_RULES};
    if (const char* path{std::getenv(rules ? "SLHC_CORE_RULES_ORACLE" : "SLHC_CORE_ORACLE")}) return path;
    return rules ? SLHC_CORE_RULES_ORACLE_PATH : SLHC_CORE_ORACLE_PATH;
}

} // namespace

const core_oracle* LoadCoreOracle(CoreVariant variant, OracleError& error)
{
    const std::string path{OraclePath(variant)};
    if (path.empty()) {
        // Without Core's sources there is neither.
        if (OraclePath(CoreVariant::TODAY).empty()) {
            error.what = "Bitcoin Core's sources were not found when this was built (contrib/core-differential/fetch_core.sh fetches them)";
        } else {
            error.what = "Python 3.11 or later, which puts the rules into Bitcoin Core's sources, was not found when this was built";
        }
        error.is_broken = false;
        return nullptr;
    }
    const auto broken{[&](const std::string& what) {
        error = {.what = what, .is_broken = true};
        return nullptr;
    }};
    void* const handle{dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)};
    if (!handle) return broken(dlerror());
    const auto get{reinterpret_cast<const core_oracle* (*)()>(dlsym(handle, "core_oracle_get"))};
    if (!get) return broken(path + " has no core_oracle_get");
    const core_oracle* const oracle{get()};
    if (oracle->abi != CORE_ORACLE_ABI) return broken(path + " was built from another version of core_oracle.h");
    if (variant == CoreVariant::WITH_RULES && !oracle->has_rules) return broken(path + " is Bitcoin Core without the rules");
    return oracle;
}

} // namespace slhc::test
