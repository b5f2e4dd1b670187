// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_SCRIPT_MACHINE_H
#define SLHCONSENSUS_TEST_SCRIPT_MACHINE_H

#include <script/interpreter.h>
#include <script/observer.h>
#include <script/stack.h>
#include <test/script_util.h>
#include <test/tap_fixture.h>

#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace slhc::test {

/** Runs opcodes of tapscript on a stack, without the limits of a spend, and keeps the resulting stack. */
struct Machine {
    ScriptStack stack;
    ScriptError error{SCRIPT_ERR_OK};

    Machine(const std::vector<Bytes>& elements, const CScript& script, script_verify_flags flags = CONSENSUS,
            const BaseSignatureChecker& checker = BaseSignatureChecker{})
        : stack{std::span{elements}}
    {
        ScriptExecutionData execdata;
        execdata.m_annex_init = true;
        execdata.m_tapleaf_hash = uint256{};
        execdata.m_validation_weight_left = 1000;
        const bool ok{EvalScript(stack, script, flags, checker, SigVersion::TAPSCRIPT, execdata, error)};
        BOOST_CHECK_EQUAL(ok, error == SCRIPT_ERR_OK);
    }

    /** The deepest first. */
    [[nodiscard]] std::vector<Bytes> Elements() const
    {
        std::vector<Bytes> elements;
        for (size_t position{stack.size()}; position > 0; --position) {
            const auto bytes{PeekForDisplay(stack, position)};
            elements.emplace_back(bytes.begin(), bytes.end());
        }
        return elements;
    }
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_SCRIPT_MACHINE_H
