// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/spend_generator.h>

#include <test/core/fuzzed_spend.h>

#include <algorithm>
#include <new>
#include <utility>

namespace slhc::test {

namespace {

/** Kinds of spends, by one decision: most are plans. */
enum : uint64_t { RAW = 6, WRITTEN, N_KINDS };

std::vector<uint8_t> SomeBytes(Choices& choices, size_t max) { return choices.Bytes(choices.Below(max + 1)); }

/** Bytes where scripts and elements belong, with commitments that fit in two cases of three. */
Spend RawSpend(Choices& choices)
{
    Spend spend;
    CTxIn& input{spend.tx.vin.emplace_back(COutPoint{uint256{1}, 0}, CScript{}, static_cast<uint32_t>(choices.Take(4)))};
    spend.tx.nLockTime = static_cast<uint32_t>(choices.Take(4));
    const uint64_t kind{choices.Below(3)};
    for (size_t n{choices.Below(6)}; n > 0; --n) input.scriptWitness.stack.push_back(SomeBytes(choices, 255));
    input.scriptSig = CScript{SomeBytes(choices, 255)};
    spend.spent.push_back(CTxOut{static_cast<CAmount>(choices.Take(4)), CScript{SomeBytes(choices, 255)}});
    spend.tx.vout.emplace_back(0, CScript{});
    if (kind == 1) FixCommitments(spend);
    if (kind == 2) {
        Plan plan;
        plan.kind = OutputKind::P2MR;
        plan.base = spend;
        plan.base.tx.vin[0].scriptSig.clear();
        plan.base.tx.vin[0].scriptWitness.stack.clear();
        for (const auto& element : input.scriptWitness.stack) plan.stack.push_back({.bytes = element});
        plan.script = {{.bytes = spend.spent[0].scriptPubKey}};
        plan.path.assign(choices.Below(3), uint256{7});
        return plan.Build();
    }
    return spend;
}

/** A spend as it is: an input's index, a transaction, the outputs that its inputs spend. What is none becomes a raw one. */
Spend WrittenSpend(FuzzedChoices& choices)
{
    const auto n_in{static_cast<uint32_t>(choices.Take(1))};
    try {
        SpanReader reader{choices.Left()};
        Spend spend{.tx = ReadTransaction(reader), .spent = {}, .n_in = n_in};
        for (size_t i{0}; i < spend.tx.vin.size(); ++i) spend.spent.push_back(ReadTxOut(reader));
        choices = FuzzedChoices{choices.Left().subspan(reader.Offset())};
        const bool amounts{std::ranges::all_of(spend.spent, [](const CTxOut& output) { return output.nValue >= 0; })};
        if (amounts && n_in < spend.tx.vin.size()) return spend;
    } catch (const ParseError&) {
    }
    return RawSpend(choices);
}

Spend SomeSpend(FuzzedChoices& choices, Scope scope, const SLHDSAScheme& slhdsa)
{
    switch (choices.Below(N_KINDS)) {
    case RAW: return RawSpend(choices);
    case WRITTEN: return WrittenSpend(choices);
    default: return MakePlan(choices, scope).BuildSigned(choices, slhdsa);
    }
}

/** What slhc_generate_spend hands out. */
struct Generated {
    std::vector<uint8_t> tx;
    std::vector<CTxOut> spent;
    std::vector<slhc_spent_output> outputs;
};

} // namespace

FuzzedSpend MakeFuzzedSpend(FuzzedChoices& choices, Scope scope, const SLHDSAScheme& slhdsa)
{
    // Flags first, so that a fuzzer can change them without changing the rest.
    const script_verify_flags wanted{script_verify_flags::from_int(choices.Take(3) ^ (CONSENSUS_FLAGS | OWN_FLAGS).as_int())};
    const script_verify_flags known{scope == Scope::CORE ? CORE_FLAGS : script_verify_flags::from_int(MAX_SCRIPT_VERIFY_FLAGS)};
    const script_verify_flags flag{static_cast<script_verify_flag_name>(choices.Below(MAX_SCRIPT_VERIFY_FLAGS_BITS))};
    Spend spend{SomeSpend(choices, scope, slhdsa)};
    for (size_t n{choices.Below(4)}; n > 0; --n) MutateSpend(spend, choices);
    return {wanted, WithoutUngrounded(wanted & known), flag, std::move(spend)};
}

std::vector<uint8_t> WriteFuzzedSpend(const Spend& spend, script_verify_flags flags)
{
    const uint64_t taken{flags.as_int() ^ (CONSENSUS_FLAGS | OWN_FLAGS).as_int()};
    std::vector<uint8_t> bytes{static_cast<uint8_t>(taken), static_cast<uint8_t>(taken >> 8), static_cast<uint8_t>(taken >> 16), 0, WRITTEN,
                               static_cast<uint8_t>(spend.n_in)};
    VectorWriter writer{bytes};
    Serialize(writer, spend.tx);
    for (const CTxOut& output : spend.spent) Serialize(writer, output);
    return bytes;
}

} // namespace slhc::test

int slhc_generate_spend(const unsigned char* data, size_t size, enum slhc_spend_scope scope, struct slhc_spend* spend)
{
    using namespace slhc;
    using namespace slhc::test;
    static thread_local Generated generated;
    try {
        FuzzedChoices choices{{data, size}};
        FuzzedSpend made{MakeFuzzedSpend(choices, scope == SLHC_SPEND_CORE ? Scope::CORE : Scope::ALL,
                                         scope == SLHC_SPEND_QUICK ? QuickSLHDSA() : RealSLHDSA())};
        generated = {SerializeToVector(made.spend.tx), std::move(made.spend.spent), {}};
        for (const CTxOut& output : generated.spent) {
            generated.outputs.push_back({output.nValue, output.scriptPubKey.data(), output.scriptPubKey.size()});
        }
        *spend = {.tx = generated.tx.data(),
                  .tx_size = generated.tx.size(),
                  .spent_outputs = generated.outputs.data(),
                  .n_spent_outputs = generated.outputs.size(),
                  .input = made.spend.n_in,
                  .flags = static_cast<uint32_t>(made.flags.as_int())};
        return 1;
    } catch (const std::bad_alloc&) {
        return 0;
    }
}
