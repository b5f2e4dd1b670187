// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_CORE_VECTORS_H
#define SLHCONSENSUS_TEST_CORE_CORE_VECTORS_H

#include <test/core/spend.h>

#include <string>
#include <vector>

namespace slhc::test {

/** Every complete spend of script_tests.json, tx_valid.json, tx_invalid.json and bip341_wallet_vectors.json in Bitcoin Core's test data,
 *  one for each input, from which a generator can start.
 *  @throws std::runtime_error if a file cannot be read or understood */
std::vector<Spend> ReadCoreSpends(const std::string& test_data_dir);

/** The spends of a file in the form that `slhtool verify-tx` reads, or of an array of them: the input that the member "input" names, or
 *  each.
 *  @throws std::runtime_error as above */
std::vector<Spend> ReadSpendFile(const std::string& path);

/** The spends of the BIP text's test vectors.
 *  @throws std::runtime_error as above */
std::vector<Spend> ReadBIPSpends(const std::string& vectors_dir);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_CORE_VECTORS_H
