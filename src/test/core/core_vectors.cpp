// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/core_vectors.h>

#include <test/script_util.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

namespace slhc::test {

namespace {

using nlohmann::json;

json ReadFile(const std::string& path)
{
    std::ifstream file{path};
    if (!file) throw std::runtime_error{"cannot open " + path};
    return json::parse(file);
}

std::vector<uint8_t> HexOf(const json& value) { return Hex(value.get_ref<const std::string&>()); }

/** Each input of a transaction whose spent outputs are all known. */
void AddInputs(std::vector<Spend>& spends, const CTransaction& tx, const std::vector<CTxOut>& spent)
{
    for (uint32_t i{0}; i < tx.vin.size(); ++i) {
        spends.push_back({.tx = CMutableTransaction{tx}, .spent = spent, .n_in = i});
    }
}

void ReadScriptTests(std::vector<Spend>& spends, const json& tests)
{
    for (const json& test : tests) {
        if (test.size() < 4 || test.dump().find('#') != std::string::npos) continue; // a comment, or a template
        size_t field{0};
        CScriptWitness witness;
        CAmount amount{0};
        if (test[0].is_array()) {
            for (size_t i{0}; i + 1 < test[0].size(); ++i) witness.stack.push_back(HexOf(test[0][i]));
            amount = std::llround(test[0].back().get<double>() * static_cast<double>(COIN));
            ++field;
        }
        const CTransaction credit{CreditingTransaction(ParseTestScript(test[field + 1].get<std::string>()), amount)};
        spends.push_back(
            {.tx = SpendingTransaction(ParseTestScript(test[field].get<std::string>()), witness, credit), .spent = credit.vout, .n_in = 0});
    }
}

void ReadTransactionTests(std::vector<Spend>& spends, const json& tests)
{
    for (const json& test : tests) {
        if (!test[0].is_array()) continue; // a comment
        std::map<COutPoint, CTxOut> outputs;
        for (const json& input : test[0]) {
            const auto hash{uint256::FromHex(input[0].get<std::string>())};
            if (!hash) throw std::runtime_error{"test vector: no transaction id: " + input[0].dump()};
            outputs[{*hash, static_cast<uint32_t>(input[1].get<int64_t>())}] =
                CTxOut{input.size() > 3 ? input[3].get<int64_t>() : 0, ParseTestScript(input[2].get<std::string>())};
        }
        CTransactionRef tx;
        try {
            tx.reset(new CTransaction{ParseTransaction(HexOf(test[1]))});
        } catch (const ParseError&) {
            continue; // some of the invalid ones are no transactions at all
        }
        std::vector<CTxOut> spent;
        for (const CTxIn& input : tx->vin) {
            const auto output{outputs.find(input.prevout)};
            if (output != outputs.end()) spent.push_back(output->second);
        }
        if (!spent.empty() && spent.size() == tx->vin.size()) AddInputs(spends, *tx, spent);
    }
}

} // namespace

std::vector<Spend> ReadCoreSpends(const std::string& test_data_dir)
{
    std::vector<Spend> spends;
    ReadScriptTests(spends, ReadFile(test_data_dir + "/script_tests.json"));
    ReadTransactionTests(spends, ReadFile(test_data_dir + "/tx_valid.json"));
    ReadTransactionTests(spends, ReadFile(test_data_dir + "/tx_invalid.json"));
    const json wallet_vectors = ReadFile(test_data_dir + "/bip341_wallet_vectors.json"); // braces would make an array of one
    for (const json& test : wallet_vectors.at("keyPathSpending")) {
        std::vector<CTxOut> spent;
        for (const json& output : test.at("given").at("utxosSpent")) {
            spent.emplace_back(output.at("amountSats").get<int64_t>(), CScript{HexOf(output.at("scriptPubKey"))});
        }
        AddInputs(spends, ParseTransaction(HexOf(test.at("auxiliary").at("fullySignedTx"))), spent);
    }
    return spends;
}

std::vector<Spend> ReadSpendFile(const std::string& path)
{
    std::vector<Spend> spends;
    const json content = ReadFile(path);
    const json vectors = content.is_array() ? content : json::array({content});
    for (const json& vector : vectors) {
        std::vector<CTxOut> spent;
        for (const json& output : vector.at("spent_outputs")) {
            spent.emplace_back(output.at("amount").get<int64_t>(), CScript{HexOf(output.at("script_pubkey"))});
        }
        const CMutableTransaction tx{ParseTransaction(HexOf(vector.at("tx")))};
        if (spent.size() != tx.vin.size()) throw std::runtime_error(path + ": not as many spent outputs as inputs");
        for (uint32_t n_in{0}; n_in < tx.vin.size(); ++n_in) {
            if (vector.value("input", n_in) == n_in) spends.push_back({.tx = tx, .spent = spent, .n_in = n_in});
        }
    }
    return spends;
}

std::vector<Spend> ReadBIPSpends(const std::string& vectors_dir)
{
    auto spends{ReadSpendFile(vectors_dir + "/spends.json")};
    std::ranges::copy(ReadSpendFile(vectors_dir + "/parameter-sets.json"), std::back_inserter(spends));
    return spends;
}

} // namespace slhc::test
