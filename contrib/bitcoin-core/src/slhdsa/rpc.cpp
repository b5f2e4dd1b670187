// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <rpc/register.h>

#include <consensus/params.h>
#include <deploymentstatus.h>
#include <rpc/server.h>
#include <rpc/server_util.h>
#include <rpc/util.h>
#include <slhconsensus.h>
#include <slhdsa/validator.h>
#include <univalue.h>
#include <validation.h>

#include <cstdint>
#include <string>

namespace {

double Milliseconds(uint64_t us) { return static_cast<double>(us) / 1000; }

UniValue BackendsToJSON(const slhc_context* context, size_t n)
{
    UniValue backends{UniValue::VARR};
    for (size_t i{0}; i < n; ++i) {
        slhc_backend_statistics backend SLHC_BACKEND_STATISTICS_INIT;
        if (slhc_context_backend_statistics(context, i, &backend) != SLHC_OK) continue;
        UniValue entry{UniValue::VOBJ};
        entry.pushKV("name", std::string{backend.name});
        entry.pushKV("device", backend.is_device != 0);
        entry.pushKV("ready", backend.ready != 0);
        entry.pushKV("retired", backend.retired != 0);
        entry.pushKV("calls", backend.calls);
        entry.pushKV("signatures", backend.signatures);
        entry.pushKV("failed_calls", backend.failed_calls);
        entry.pushKV("wrong_roots", backend.wrong_roots);
        backends.push_back(std::move(entry));
    }
    return backends;
}

RPCMethod getslhdsainfo()
{
    using Type = RPCResult::Type;
    return RPCMethod{
        "getslhdsainfo",
        "Returns the state of SLH-DSA verification (P2MR outputs, BIP 360, and the tapscript opcodes OP_CHECKSIGSLHDSA and "
        "OP_CHECKSIGADDSLHDSA). "
        "Counts and times begin with the node's start.\n",
        {},
        RPCResult{
            Type::OBJ, "", "", {
                {Type::STR, "version", "version of the module"},
                {Type::NUM, "height", /*optional=*/true,
                 "height from which P2MR and the opcodes are active; absent on a chain where they never are"},
                {Type::STR, "backend", "backend as it was asked for"},
                {Type::BOOL, "deferred", "whether a block's signatures are verified together"},
                {Type::NUM, "threads", "threads that verify them; 0 if the module was not needed yet"},
                {Type::ARR, "backends", "the CPU engine, then the device if there is one", {
                    {Type::OBJ, "", "", {
                        {Type::STR, "name", "e.g. cpu:avx512"},
                        {Type::BOOL, "device", "a device beside the CPU"},
                        {Type::BOOL, "ready", "takes work now"},
                        {Type::BOOL, "retired", "gets no more work after a fault"},
                        {Type::NUM, "calls", "calls that it served"},
                        {Type::NUM, "signatures", "signatures in these calls"},
                        {Type::NUM, "failed_calls", "calls that failed: device lost, late, out of memory"},
                        {Type::NUM, "wrong_roots", "results that the CPU found to be wrong"},
                    }},
                }},
                {Type::OBJ, "inputs", "inputs that the module judged", {
                    {Type::NUM, "verified", "at once"},
                    {Type::NUM, "deferred", "on the condition that the block's batch verifies"},
                    {Type::NUM, "time", "milliseconds for both, over all threads"},
                }},
                {Type::OBJ, "batches", "verification of deferred signatures, one batch for a block", {
                    {Type::NUM, "count", "batches"},
                    {Type::NUM, "invalid", "of these, with an invalid signature"},
                    {Type::NUM, "signatures", "signatures in them"},
                    {Type::NUM, "time", "milliseconds"},
                    {Type::NUM, "last_signatures", "signatures of the latest batch"},
                    {Type::NUM, "last_time", "milliseconds for it"},
                }},
                {Type::OBJ, "cache", "the cache of valid SLH-DSA signatures", {
                    {Type::NUM, "hits", "signatures found"},
                    {Type::NUM, "misses", "signatures not found"},
                    {Type::NUM, "capacity", "signatures that it can hold"},
                }},
                {Type::NUM, "faults", "failed calls and wrong results of all backends; none of them changes a verdict"},
                {Type::NUM, "no_verdicts", "checks that ended without a verdict, for lack of memory"},
            }},
        RPCExamples{HelpExampleCli("getslhdsainfo", "") + HelpExampleRpc("getslhdsainfo", "")},
        [](const RPCMethod&, const JSONRPCRequest& request) -> UniValue {
            const ChainstateManager& chainman{EnsureAnyChainman(request.context)};
            const slhdsa::Validator& validator{chainman.m_validation_cache.m_slhdsa};
            const slhdsa::Statistics statistics{validator.GetStatistics()};
            slhc_statistics module SLHC_STATISTICS_INIT;
            const slhc_context* const context{validator.Context()};
            if (context && slhc_context_statistics(context, &module) != SLHC_OK) throw JSONRPCError(RPC_INTERNAL_ERROR, "no statistics");

            UniValue result{UniValue::VOBJ};
            result.pushKV("version", std::string{slhc_version()});
            if (DeploymentEnabled(chainman, Consensus::DEPLOYMENT_P2MR)) {
                result.pushKV("height", chainman.GetConsensus().DeploymentHeight(Consensus::DEPLOYMENT_P2MR));
            }
            result.pushKV("backend", validator.GetOptions().backend);
            result.pushKV("deferred", validator.GetOptions().defer);
            result.pushKV("threads", module.threads);
            UniValue backends{BackendsToJSON(context, module.n_backends)};
            uint64_t faults{0};
            for (size_t i{0}; i < backends.size(); ++i) {
                faults += backends[i]["failed_calls"].getInt<uint64_t>() + backends[i]["wrong_roots"].getInt<uint64_t>();
            }
            result.pushKV("backends", std::move(backends));

            UniValue inputs{UniValue::VOBJ};
            inputs.pushKV("verified", statistics.inputs_verified);
            inputs.pushKV("deferred", statistics.inputs_deferred);
            inputs.pushKV("time", Milliseconds(statistics.inputs_us));
            result.pushKV("inputs", std::move(inputs));

            UniValue batches{UniValue::VOBJ};
            batches.pushKV("count", statistics.batches);
            batches.pushKV("invalid", statistics.batches_invalid);
            batches.pushKV("signatures", statistics.batch_signatures);
            batches.pushKV("time", Milliseconds(statistics.batch_us));
            batches.pushKV("last_signatures", statistics.last_batch_signatures);
            batches.pushKV("last_time", Milliseconds(statistics.last_batch_us));
            result.pushKV("batches", std::move(batches));

            UniValue cache{UniValue::VOBJ};
            cache.pushKV("hits", module.signature_cache_hits);
            cache.pushKV("misses", module.signature_cache_misses);
            cache.pushKV("capacity", module.signature_cache_capacity);
            result.pushKV("cache", std::move(cache));

            result.pushKV("faults", faults);
            result.pushKV("no_verdicts", statistics.no_verdicts);
            return result;
        }};
}

} // namespace

void RegisterSLHDSARPCCommands(CRPCTable& t)
{
    static const CRPCCommand commands[]{{"blockchain", &getslhdsainfo}};
    for (const auto& command : commands) t.appendCommand(command.name, &command);
}
