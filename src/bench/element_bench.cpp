// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Times the scripts that elements make expensive, on EvalScript, for contrib/bench/bench.py elements. It is built twice: with the rules
 *  as they are (bench_elements), and with a limit of 6,000 bytes for every element (bench_elements_6000): one number of script/stack.h.
 *
 *      bench_elements SIZE ROUNDS      SIZE: bytes of the elements
 *
 *  Prints JSON: of each script the CPU time of a full block's worth, from a hundredth of it, its varops, and the memory that it adds.
 *  BIP 340 takes turns. Times are the least of all rounds. */

#include <bench/block_bench_util.h>
#include <bench/clocks.h>
#include <bench/peers.h>

#include <script/checker.h>
#include <script/interpreter.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

using namespace slhc;

namespace {

struct Attack {
    const char* name;
    size_t elements; //!< that it begins with
    std::vector<opcodetype> before, body;
    size_t varops; //!< for each byte of an element, by one body: BIP 440's 50 if it is hashed, 3 if it is copied, 2 if it is compared
};

const std::vector<Attack>& Attacks()
{
    static const std::vector<Attack> s_attacks{
        {"OP_SWAP", 2, {}, {OP_SWAP}, 0},
        {"OP_DUP OP_DROP", 1, {}, {OP_DUP, OP_DROP}, 3},
        {"OP_3DUP OP_2DROP OP_DROP", 3, {}, {OP_3DUP, OP_2DROP, OP_DROP}, 9},
        {"the same on a full stack", 3, std::vector<opcodetype>(332, OP_3DUP), {OP_2DROP, OP_DROP, OP_3DUP}, 9},
        {"OP_2DUP OP_EQUALVERIFY", 2, {}, {OP_2DUP, OP_EQUALVERIFY}, 8},
        {"OP_DUP OP_SHA256 OP_DROP", 1, {}, {OP_DUP, OP_SHA256, OP_DROP}, 53},
        {"OP_DUP OP_HASH160 OP_DROP", 1, {}, {OP_DUP, OP_HASH160, OP_DROP}, 53},
        {"OP_DUP OP_RIPEMD160 OP_DROP", 1, {}, {OP_DUP, OP_RIPEMD160, OP_DROP}, 53},
        {"OP_DUP OP_SHA1 OP_DROP", 1, {}, {OP_DUP, OP_SHA1, OP_DROP}, 53},
    };
    return s_attacks;
}

constexpr size_t BLOCK{4'000'000}, PART{100}, CHECKS{80'000};

struct Outcome {
    bool refused{false};
    double seconds{std::numeric_limits<double>::max()};
    size_t memory{0};
    double bodies{0}; //!< of a whole block
};

void Run(const Attack& attack, size_t size, Outcome& outcome)
{
    const std::vector<std::vector<uint8_t>> elements(attack.elements, std::vector<uint8_t>(size, 1));
    const size_t bodies{(BLOCK - attack.elements * size - attack.before.size()) / attack.body.size()};
    CScript script;
    for (const opcodetype op : attack.before) script << op;
    for (size_t i{0}; i < bodies / PART; ++i) {
        for (const opcodetype op : attack.body) script << op;
    }
    const size_t memory{bench::ResetPeakMemory()};
    ScriptStack stack{elements};
    const BaseSignatureChecker checker;
    ScriptRun run{.flags = MANDATORY_SCRIPT_VERIFY_FLAGS, .checker = checker};
    run.execdata.m_validation_weight_left = 0;
    const double begin{bench::ThreadCpuTime()};
    outcome.refused = !EvalScript(stack, script, SigVersion::TAPSCRIPT, run);
    outcome.seconds = std::min(outcome.seconds, PART * (bench::ThreadCpuTime() - begin));
    outcome.memory = std::max(outcome.memory, bench::PeakMemory() - memory);
    outcome.bodies = static_cast<double>(bodies);
}

} // namespace

int main(int argc, char** argv)
{
    const int size{argc == 3 ? std::atoi(argv[1]) : 0}, rounds{argc == 3 ? std::atoi(argv[2]) : 0};
    if (size < 1 || size > 100'000 || rounds < 1) {
        std::fprintf(stderr, "bench_elements SIZE ROUNDS: two numbers above 0, SIZE at most 100,000\n");
        return 2;
    }
    const auto bip340{bench::MakeBip340Peer()};
    double check{std::numeric_limits<double>::max()};
    std::vector<Outcome> outcomes(Attacks().size());
    for (int round{0}; round < rounds; ++round) {
        for (size_t i{0}; i < outcomes.size(); ++i) {
            constexpr int SOME{50};
            const double begin{bench::ThreadCpuTime()};
            for (int n{0}; n < SOME; ++n) bip340->Run();
            check = std::min(check, (bench::ThreadCpuTime() - begin) / SOME);
            Run(Attacks()[i], static_cast<size_t>(size), outcomes[i]);
        }
    }
    std::printf("{\"size\": %d, \"bip340_block_ms\": %.4g, \"scripts\": [", size, 1e3 * CHECKS * check);
    for (size_t i{0}; i < outcomes.size(); ++i) {
        const Attack& attack{Attacks()[i]};
        std::printf("%s\n {\"name\": \"%s\", \"refused\": %s, \"ms\": %.4g, ", i > 0 ? "," : "", attack.name,
                    outcomes[i].refused ? "true" : "false", 1e3 * outcomes[i].seconds);
        std::printf("\"varops\": %.6g, \"mib\": %.3g}", outcomes[i].bodies * size * static_cast<double>(attack.varops),
                    static_cast<double>(outcomes[i].memory) / 1048576);
    }
    std::printf("]}\n");
    return 0;
}
