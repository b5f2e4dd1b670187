// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/json_data.h>

#include <fstream>
#include <stdexcept>
#include <string>

// Paths of this clone stand in this file alone, so that a compiler cache serves the others to any clone.

namespace slhc::test {
namespace {
std::ifstream Open(const std::string& folder, const std::string& name)
{
    std::ifstream file{folder + "/" + name};
    if (!file) throw std::runtime_error{"cannot open " + folder + "/" + name};
    return file;
}
} // namespace

std::ifstream OpenTestData(const std::string& name) { return Open(SLHC_TEST_DATA_DIR, name); }
std::ifstream OpenBIPVectors(const std::string& name) { return Open(SLHC_BIP_VECTORS_DIR, name); }
} // namespace slhc::test
