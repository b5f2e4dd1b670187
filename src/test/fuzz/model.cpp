// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// This project's library against the reference model of the BIP text (doc/bip/reference), which model.py runs in Python, on the spends
// of verify_script.cpp: the same verdict and the same script error, for every input that the model covers.

#include <primitives/amount.h>
#include <test/core/fuzzed_spend.h>
#include <test/core/module_side.h>
#include <test/fuzz/fuzz.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <sstream>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

using namespace slhc;
using namespace slhc::test;

namespace {

/** The model, in a process that ends with this one. */
class Model
{
public:
    Model()
    {
        std::array<int, 2> ends{};
        Require(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0, "socketpair");
        const pid_t child{fork()};
        Require(child >= 0, "fork");
        if (child == 0) {
            dup2(ends[1], STDIN_FILENO);
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            execl(SLHC_PYTHON, SLHC_PYTHON, "-B", SLHC_MODEL, static_cast<char*>(nullptr));
            _exit(127);
        }
        close(ends[1]);
        m_stream = fdopen(ends[0], "r+");
        Require(m_stream, "fdopen");
    }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /** Its answer to a line. */
    std::string Ask(const std::string& line)
    {
        std::fputs((line + "\n").c_str(), m_stream);
        std::fflush(m_stream);
        std::string answer;
        for (;;) {
            const int c{std::getc(m_stream)};
            if (c == '\n') return answer;
            if (c != EOF) {
                answer.push_back(static_cast<char>(c));
            } else {
                // libFuzzer's timer interrupts a waiting call.
                Require(std::ferror(m_stream) && errno == EINTR, "the model goes on");
                std::clearerr(m_stream);
            }
        }
    }

private:
    std::FILE* m_stream{nullptr};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static Model& model{*new Model};
    FuzzedChoices choices{{data, size}};
    const auto [wanted, flags, flag, spend]{MakeFuzzedSpend(choices)};
    // Amounts outside of this range are not JSON that the model reads; no verdict depends on what they are.
    if (!std::ranges::all_of(spend.spent, [](const CTxOut& output) { return MoneyRange(output.nValue); })) return 0;

    const ModuleTx tx{spend};
    const std::string answer{model.Ask(SpendToJson(spend, flags))};
    std::istringstream verdicts{answer};
    for (uint32_t n_in{0}; n_in < tx.m_tx.vin.size(); ++n_in) {
        std::string theirs;
        Require(static_cast<bool>(verdicts >> theirs), answer);
        if (theirs == "NOT_MODELLED") continue;
        const Verdict ours{tx.Verify(n_in, flags)};
        const std::string name{ours.valid ? "VALID" : ScriptErrorName(static_cast<ScriptError>(ours.error))};
        if (theirs == name) continue;
        Require(false, "the model says " + theirs + ", the library " + name + " of input " + std::to_string(n_in) + "\n" +
                           SpendToJson(spend, flags));
    }
    return 0;
}
