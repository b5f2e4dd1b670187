// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/error.h>
#include <primitives/script.h>
#include <wallet/lock_time.h>
#include <wallet/psbt_combiner.h>
#include <wallet/psbt_finalizer.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::capi;

/** A PSBT and what was found in it last. */
struct slhc_psbt {
    struct Finding {
        int kind;
        unsigned input;
        std::string why;
        std::vector<uint8_t> field;
    };

    wallet::PartiallySignedTransaction psbt;
    std::vector<uint8_t> bytes{};     //!< that were given out
    std::vector<Finding> findings{};
    mutable std::optional<CMutableTransaction> unsigned_tx{}; //!< of psbt, once it was asked for: to build it takes a look at every input

    void Change(wallet::PartiallySignedTransaction changed, std::vector<Finding> found)
    {
        psbt = std::move(changed);
        findings = std::move(found);
        unsigned_tx.reset();
    }
    const CMutableTransaction& UnsignedTx() const
    {
        if (!unsigned_tx) unsigned_tx = psbt.UnsignedTx();
        return *unsigned_tx;
    }
};

namespace slhc::capi {
namespace {

void AddWrong(std::vector<slhc_psbt::Finding>& findings, std::vector<wallet::PSBTWrongField> wrong)
{
    for (auto& field : wrong) {
        const int kind{field.scope == wallet::PSBTScope::OUTPUT ? SLHC_PSBT_WRONG_OUTPUT : SLHC_PSBT_WRONG};
        findings.push_back({kind, static_cast<unsigned>(field.index), std::move(field.why), std::move(field.field)});
    }
}

} // namespace
} // namespace slhc::capi

slhc_psbt* slhc_psbt_parse(slhc_bytes psbt, slhc_error* error)
{
    return Guarded<slhc_psbt*>(__func__, nullptr, error,
                               [&] { return new slhc_psbt{wallet::PartiallySignedTransaction::Parse(Bytes(psbt, "psbt.data"))}; });
}

void slhc_psbt_destroy(slhc_psbt* psbt) { delete psbt; }

int slhc_psbt_serialize(slhc_psbt* psbt, slhc_bytes* bytes)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        slhc_bytes& out{Required(bytes, "bytes")};
        in.bytes = in.psbt.Serialize();
        out = {in.bytes.data(), in.bytes.size()};
        return SLHC_OK;
    });
}

int slhc_psbt_check(slhc_psbt* psbt, size_t* n_findings)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        size_t& n{Required(n_findings, "n_findings")};
        std::vector<slhc_psbt::Finding> findings;
        AddWrong(findings, wallet::WrongFields(in.psbt));
        if (auto never{wallet::NeverValid(in.psbt)}; !never.empty()) findings.push_back({SLHC_PSBT_NEVER, 0, std::move(never), {}});
        for (size_t i = 0; i < in.psbt.Outputs().size(); ++i) {
            auto why{wallet::WhyAnyoneCanSpend(in.psbt, i)};
            if (!why.empty()) findings.push_back({SLHC_PSBT_ANYONE_CAN_SPEND, static_cast<unsigned>(i), std::move(why), {}});
        }
        n = findings.size();
        in.findings = std::move(findings);
        return SLHC_OK;
    });
}

int slhc_psbt_drop_invalid(slhc_psbt* psbt, size_t* n_findings)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        size_t& n{Required(n_findings, "n_findings")};
        wallet::PartiallySignedTransaction dropped{in.psbt};
        std::vector<slhc_psbt::Finding> findings;
        AddWrong(findings, wallet::DropWrongFields(dropped));
        n = findings.size();
        in.Change(std::move(dropped), std::move(findings));
        return SLHC_OK;
    });
}

int slhc_psbt_combine(slhc_psbt* psbt, const slhc_psbt* other)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        const std::vector<wallet::PartiallySignedTransaction> both{in.psbt, Required(other, "other").psbt};
        in.Change(wallet::CombinePSBTs(both), {});
        return SLHC_OK;
    });
}

int slhc_psbt_finalize(slhc_psbt* psbt, size_t* n_findings)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        slhc_psbt& in{Required(psbt, "psbt")};
        size_t& n{Required(n_findings, "n_findings")};
        std::vector<slhc_psbt::Finding> findings;
        const wallet::PSBTVerifier verifier{in.psbt};
        wallet::PartiallySignedTransaction finalized{in.psbt};
        bool all{true};
        for (size_t i = 0; i < finalized.Inputs().size(); ++i) {
            auto result{wallet::FinalizeInput(finalized, i, verifier)};
            if (!result.missing.empty()) {
                all = false;
                findings.push_back({SLHC_PSBT_MISSING, static_cast<unsigned>(i), std::move(result.missing), {}});
            }
            AddWrong(findings, std::move(result.left_out));
        }
        if (auto why{wallet::WhyIncomplete(in.psbt)}; !why.empty()) {
            all = false;
            findings.push_back({SLHC_PSBT_NEVER, 0, std::move(why), {}});
        }
        n = findings.size();
        in.Change(std::move(finalized), std::move(findings));
        return all ? SLHC_VALID : SLHC_INVALID;
    });
}

int slhc_psbt_get_finding(const slhc_psbt* psbt, size_t index, slhc_psbt_finding* finding)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const auto& findings{Required(psbt, "psbt").findings};
        if (index >= findings.size()) {
            ThrowArgument("index " + std::to_string(index) + ": there are " + std::to_string(findings.size()) + " findings");
        }
        slhc_psbt_finding out SLHC_PSBT_FINDING_INIT;
        out.kind = findings[index].kind;
        out.input = findings[index].input;
        out.why = findings[index].why.c_str();
        out.field = {findings[index].field.data(), findings[index].field.size()};
        WriteStruct(Required(finding, "finding"), out, "finding");
        return SLHC_OK;
    });
}

int slhc_psbt_check_lock_times(const slhc_psbt* psbt, unsigned n_in, slhc_bytes leaf_script, char* why)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const CMutableTransaction& tx{Required(psbt, "psbt").UnsignedTx()};
        if (n_in >= tx.vin.size()) ThrowArgument("there is no input " + std::to_string(n_in));
        const std::string problem{wallet::LockTimeProblem(CScript{Bytes(leaf_script, "leaf_script.data")}, tx, n_in)};
        if (why != nullptr) {
            const size_t size{std::min<size_t>(problem.size(), SLHC_PSBT_REASON_SIZE - 1)};
            std::copy_n(problem.begin(), size, why);
            why[size] = 0;
        }
        return problem.empty() ? SLHC_VALID : SLHC_INVALID;
    });
}
