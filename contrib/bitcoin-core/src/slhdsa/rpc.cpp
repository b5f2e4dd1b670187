// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <rpc/register.h>

#include <rpc/request.h>
#include <rpc/server.h>
#include <rpc/server_util.h>
#include <rpc/util.h>
#include <slhdsa/verifier.h>
#include <univalue.h>
#include <validation.h>

#include <slhdsa.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

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
        entry.pushKV("state", std::string{backend.state});
        if (*backend.program) entry.pushKV("program", std::string{backend.program});
        if (backend.process_id != 0) entry.pushKV("process", backend.process_id);
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
        "Returns how this node verifies SLH-DSA signatures (OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA in tapscript, e.g. of P2MR outputs; "
        "see getdeploymentinfo for when they are active).\n"
        "Counts and times are since the node's start.\n",
        {},
        RPCResult{
            Type::OBJ, "", "", {
                {Type::STR, "version", "version of the library that verifies them"},
                {Type::BOOL, "enabled", "whether the opcodes can be active on this chain; if not, nothing follows"},
                {Type::STR, "backend", /*optional=*/true, "backend that was requested"},
                {Type::BOOL, "deferred", /*optional=*/true, "whether the signatures of a block are verified together"},
                {Type::NUM, "threads", /*optional=*/true, "threads that verify them"},
                {Type::ARR, "backends", /*optional=*/true, "the CPU engine, then the device if there is one", {
                    {Type::OBJ, "", "", {
                        {Type::STR, "name", "e.g. cpu:avx512"},
                        {Type::BOOL, "device", "a device beside the CPU"},
                        {Type::STR, "state", "ready, or of a device: waiting (for a batch that is worth it), opening, busy or retired"},
                        {Type::STR, "program", /*optional=*/true, "of a device that was opened: the program that runs its driver"},
                        {Type::NUM, "process", /*optional=*/true, "of a device that is open: the id of the process that runs its driver"},
                        {Type::BOOL, "ready", "takes work now"},
                        {Type::BOOL, "retired", "gets no more work, after faults or since it does not open"},
                        {Type::NUM, "calls", "calls that it served"},
                        {Type::NUM, "signatures", "signatures in these calls"},
                        {Type::NUM, "failed_calls", "calls that failed: device lost, late, out of memory"},
                        {Type::NUM, "wrong_roots", "results that the CPU found to be wrong"},
                    }},
                }},
                {Type::OBJ, "batches", /*optional=*/true, "verification of deferred signatures, one batch for a block", {
                    {Type::NUM, "count", "batches"},
                    {Type::NUM, "invalid", "of these, with an invalid signature"},
                    {Type::NUM, "signatures", "signatures in them"},
                    {Type::NUM, "time", "total milliseconds from the end of a block's scripts to the verdict"},
                    {Type::NUM, "last_signatures", "signatures of the latest batch"},
                    {Type::NUM, "last_time", "the same for the latest batch, in milliseconds"},
                }},
                {Type::NUM, "single_signatures", /*optional=*/true, "signatures verified one by one: for the mempool, in block templates, in blocks that are not deferred, and in inputs whose scripts failed"},
                {Type::NUM, "faults", /*optional=*/true, "failed calls and wrong results of all backends; none of them changes a verdict"},
                {Type::NUM, "no_verdicts", /*optional=*/true, "batches that ended without a verdict, for lack of memory"},
            }},
        RPCExamples{HelpExampleCli("getslhdsainfo", "") + HelpExampleRpc("getslhdsainfo", "")},
        [](const RPCMethod&, const JSONRPCRequest& request) -> UniValue {
            const ChainstateManager& chainman{EnsureAnyChainman(request.context)};
            const SLHDSAVerifier* const verifier{chainman.m_validation_cache.m_slhdsa_verifier.get()};

            UniValue result{UniValue::VOBJ};
            result.pushKV("version", std::string{slhc_version()});
            result.pushKV("enabled", verifier != nullptr);
            if (!verifier) return result;

            slhc_statistics module SLHC_STATISTICS_INIT;
            if (slhc_context_statistics(verifier->Context(), &module) != SLHC_OK) throw JSONRPCError(RPC_INTERNAL_ERROR, "no statistics");
            result.pushKV("backend", verifier->Options().backend);
            result.pushKV("deferred", verifier->Options().defer);
            result.pushKV("threads", module.threads);
            UniValue backends{BackendsToJSON(verifier->Context(), module.n_backends)};
            uint64_t faults{0};
            for (size_t i{0}; i < backends.size(); ++i) {
                faults += backends[i]["failed_calls"].getInt<uint64_t>() + backends[i]["wrong_roots"].getInt<uint64_t>();
            }
            result.pushKV("backends", std::move(backends));

            const SLHDSAStatistics& statistics{verifier->Statistics()};
            UniValue batches{UniValue::VOBJ};
            batches.pushKV("count", statistics.batches.load());
            batches.pushKV("invalid", statistics.batches_invalid.load());
            batches.pushKV("signatures", statistics.batch_signatures.load());
            batches.pushKV("time", Milliseconds(statistics.batch_us));
            batches.pushKV("last_signatures", statistics.last_batch_signatures.load());
            batches.pushKV("last_time", Milliseconds(statistics.last_batch_us));
            result.pushKV("batches", std::move(batches));

            result.pushKV("single_signatures", statistics.single_signatures.load());
            result.pushKV("faults", faults);
            result.pushKV("no_verdicts", statistics.no_verdicts.load());
            return result;
        }};
}

} // namespace

void RegisterSLHDSARPCCommands(CRPCTable& t)
{
    static const CRPCCommand commands[]{{"blockchain", &getslhdsainfo}};
    for (const auto& command : commands) t.appendCommand(command.name, &command);
}
