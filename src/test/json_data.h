// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_JSON_DATA_H
#define SLHCONSENSUS_TEST_JSON_DATA_H

#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/** Reading the files of src/test/data and of doc/bip/vectors. Throws std::runtime_error for a file that cannot be opened. */
namespace slhc::test {

std::ifstream OpenTestData(const std::string& name);
std::ifstream OpenBIPVectors(const std::string& name);

/** Of src/test/data. */
inline nlohmann::json ReadJson(const std::string& name)
{
    std::ifstream file{OpenTestData(name)};
    return nlohmann::json::parse(file);
}

/** The bytes of a string of hexadecimal digits. */
inline std::vector<uint8_t> HexField(const nlohmann::json& object, const char* name)
{
    const std::optional<std::vector<uint8_t>> bytes{TryParseHex(object.at(name).get_ref<const std::string&>())};
    if (!bytes) throw std::runtime_error{std::string{"test data: field "} + name + " is not hexadecimal"};
    return *bytes;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_JSON_DATA_H
