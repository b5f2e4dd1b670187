// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/allocations.h>
#include <test/preconditions.h>

#include <tool/spender.h>
#include <tool/trace.h>
#include <tool/tree.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using namespace slhc::tool;

namespace {

/** A spend of a leaf of this many instructions. All but the first find one element, of which every byte is shown. */
SpendFile MakeSpend(size_t instructions)
{
    std::string leaf{"0x24" + std::string(72, '1')};
    for (size_t i{1}; i < instructions; ++i) leaf += "61";
    SpendSpec spec;
    spec.inputs.push_back(
        {.outpoint = {uint256{}, 7}, .amount = 10'000'000, .tree = ParseTree("{" + leaf + ",OP_RETURN}"), .leaf = 0, .witness = {{}}});
    spec.rest = 0;
    spec.outputs.emplace_back(0, CScript{} << OP_1);
    return SignSpend(spec, PlanSpend(spec));
}

TracedScript Run(const SpendFile& spend)
{
    const Trace trace{Tracer{spend}.TraceInput(0)};
    BOOST_CHECK(trace.valid);
    BOOST_REQUIRE(!trace.scripts.empty());
    return trace.scripts.back();
}

} // namespace

BOOST_AUTO_TEST_SUITE(tool_trace_tests)

BOOST_AUTO_TEST_CASE(the_first_steps_and_the_last_are_kept)
{
    for (const size_t instructions : {size_t{1}, MAX_STEPS - 1, MAX_STEPS, MAX_STEPS + 1, 3 * MAX_STEPS}) {
        const TracedScript script{Run(MakeSpend(instructions))};
        const size_t kept{std::min(instructions, MAX_STEPS)};
        BOOST_REQUIRE_EQUAL(script.steps.size(), kept);
        BOOST_CHECK_EQUAL(script.skipped, instructions - kept);
        for (size_t i{0}; i < kept; ++i) {
            BOOST_CHECK_EQUAL(script.steps[i].position, i + 1 < kept ? i : instructions - 1);
            BOOST_CHECK_EQUAL(script.steps[i].stack.size(), i > 0);
        }
        BOOST_CHECK_EQUAL(script.result.size(), 1U);
    }
}

/** A step that is left out is not written down first. */
BOOST_AUTO_TEST_CASE(a_step_left_out_costs_nothing, *boost::unit_test::precondition(CanForbidAllocations))
{
    const size_t lengths[]{2 * MAX_STEPS, 100 * MAX_STEPS};
    std::vector<size_t> bytes;
    for (const size_t length : lengths) {
        const SpendFile spend{MakeSpend(length)};
        const size_t before{AllocatedBytes()};
        (void)Run(spend);
        bytes.push_back(AllocatedBytes() - before);
    }
    // The transaction and the script are copied a few times: each instruction is one byte of them.
    BOOST_CHECK_LT(bytes[1] - bytes[0], 50 * (lengths[1] - lengths[0]));
}

BOOST_AUTO_TEST_SUITE_END()
