// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/oracle_loader.h>

#include <cstdlib>
#include <dlfcn.h>

namespace slhc::test {

std::string CoreOraclePath()
{
    if (const char* path{std::getenv("SLHC_CORE_ORACLE")}) return path;
    return SLHC_CORE_ORACLE_PATH;
}

const core_oracle* LoadCoreOracle(const std::string& path, std::string& error)
{
    if (path.empty()) {
        error = "Bitcoin Core's sources were not found when this was built (contrib/core-differential/fetch_core.sh fetches them)";
        return nullptr;
    }
    void* const handle{dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)};
    if (!handle) {
        error = dlerror();
        return nullptr;
    }
    const auto get{reinterpret_cast<const core_oracle* (*)()>(dlsym(handle, "core_oracle_get"))};
    if (!get) {
        error = path + " has no core_oracle_get";
        return nullptr;
    }
    const core_oracle* const oracle{get()};
    if (oracle->abi != CORE_ORACLE_ABI) {
        error = path + " was built from another version of core_oracle.h";
        return nullptr;
    }
    return oracle;
}

} // namespace slhc::test
