// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/node.h>

#include <common/args.h>
#include <consensus/params.h>
#include <deploymentstatus.h>
#include <slhdsa/validator.h>
#include <tinyformat.h>
#include <util/fs.h>
#include <util/translation.h>
#include <validation.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace slhdsa {

namespace {

/** What slhconsensus.h allows. */
constexpr int64_t MAX_THREADS{256};

} // namespace

void AddOptions(ArgsManager& args)
{
    args.AddArg("-slhdsabackend=<name>",
                "Verify SLH-DSA signatures with this backend: auto, cpu, cpu:<isa>, vulkan or vulkan:<index> (default: auto)",
                ArgsManager::ALLOW_ANY, OptionsCategory::OPTIONS);
    args.AddArg("-slhdsacachedir=<dir>",
                "Keep measurements and compiled shaders of SLH-DSA backends here (default: <datadir>/slhdsa; -noslhdsacachedir: nowhere)",
                ArgsManager::ALLOW_ANY, OptionsCategory::OPTIONS);
    args.AddArg("-slhdsadefer",
                "Verify a block's SLH-DSA signatures together, after its scripts have run, instead of one by one (default: 1)",
                ArgsManager::ALLOW_ANY, OptionsCategory::OPTIONS);
    args.AddArg("-slhdsathreads=<n>",
                strprintf("Number of threads that verify SLH-DSA signatures together, 1 to %d (default: as -par)", MAX_THREADS),
                ArgsManager::ALLOW_ANY, OptionsCategory::OPTIONS);
}

util::Result<void> StartModule(const ArgsManager& args, ChainstateManager& chainman)
{
    if (!DeploymentEnabled(chainman, Consensus::DEPLOYMENT_P2MR)) return {};

    Options options;
    options.backend = args.GetArg("-slhdsabackend", options.backend);
    options.defer = args.GetBoolArg("-slhdsadefer", options.defer);
    const fs::path cache_dir{args.GetPathArg("-slhdsacachedir", args.GetDataDirNet() / "slhdsa")};
    try {
        if (!cache_dir.empty()) fs::create_directories(cache_dir);
    } catch (const fs::filesystem_error& e) {
        return util::Error{Untranslated(strprintf("-slhdsacachedir: %s", e.what()))};
    }
    options.cache_dir = fs::PathToString(cache_dir);

    const int64_t threads{
        args.GetIntArg("-slhdsathreads", std::clamp(chainman.m_options.worker_threads_num, 0, MAX_SCRIPTCHECK_THREADS) + 1)};
    if (threads < 1 || threads > MAX_THREADS) {
        return util::Error{Untranslated(strprintf("-slhdsathreads=%d is out of range (1 to %d)", threads, MAX_THREADS))};
    }
    options.threads = static_cast<unsigned int>(threads);
    options.signature_cache_bytes = chainman.m_options.signature_cache_bytes;
    return chainman.m_validation_cache.m_slhdsa.Start(options);
}

} // namespace slhdsa
