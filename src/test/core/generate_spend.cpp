// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// What a fuzzer's input stands for: the spend that is made of the bytes on standard input, as slhtool reads it.

#include <test/core/fuzzed_spend.h>

#include <cstdint>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

using namespace slhc::test;

int main(int argc, char** argv)
{
    const std::string scope{argc == 2 ? argv[1] : ""};
    if (scope != "core" && scope != "all") {
        std::cerr << "usage: " << argv[0] << " core|all <INPUT\n";
        return 2;
    }
    const std::vector<char> input(std::istreambuf_iterator<char>{std::cin}, {});
    FuzzedChoices choices{{reinterpret_cast<const uint8_t*>(input.data()), input.size()}};
    const FuzzedSpend made{MakeFuzzedSpend(choices, scope == "core" ? Scope::CORE : Scope::ALL, RealSLHDSA())};
    std::cout << SpendToJson(made.spend, made.flags) << '\n';
    return std::cout.flush() ? 0 : 1;
}
