// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/script_util.h>

#include <map>
#include <sstream>

namespace slhc::test {

namespace {

std::map<std::string, opcodetype> OpcodesByName()
{
    std::map<std::string, opcodetype> opcodes;
    const auto add{[&](opcodetype opcode) {
        const std::string name{GetOpName(opcode)};
        opcodes[name] = opcode;
        opcodes[name.substr(3)] = opcode;
    }};
    add(OP_RESERVED);
    for (int opcode{OP_NOP}; opcode <= MAX_OPCODE; ++opcode) add(static_cast<opcodetype>(opcode));
    return opcodes;
}

} // namespace

CScript ParseTestScript(std::string_view text)
{
    static const std::map<std::string, opcodetype> OPCODES{OpcodesByName()};
    CScript script;
    std::istringstream words{std::string{text}};
    for (std::string word; words >> word;) {
        const bool number{word.find_first_not_of("0123456789", word[0] == '-' ? 1 : 0) == std::string::npos};
        if (number) {
            script << int64_t{std::stoll(word)};
        } else if (word.starts_with("0x")) {
            const Bytes raw{Hex(std::string_view{word}.substr(2))};
            script.insert(script.end(), raw.begin(), raw.end());
        } else if (word.size() >= 2 && word.front() == '\'' && word.back() == '\'') {
            script << Bytes(word.begin() + 1, word.end() - 1);
        } else if (const auto opcode{OPCODES.find(word)}; opcode != OPCODES.end()) {
            script << opcode->second;
        } else {
            throw std::runtime_error{"unknown word in a script: " + word};
        }
    }
    return script;
}

CTransaction CreditingTransaction(const CScript& script_pub_key, CAmount amount)
{
    CMutableTransaction tx;
    tx.version = 1;
    tx.vin.emplace_back(COutPoint{}, CScript{} << 0 << 0);
    tx.vout.emplace_back(amount, script_pub_key);
    return CTransaction{std::move(tx)};
}

CMutableTransaction SpendingTransaction(const CScript& script_sig, const CScriptWitness& witness, const CTransaction& credit)
{
    CMutableTransaction tx;
    tx.version = 1;
    tx.vin.emplace_back(COutPoint{credit.GetHash(), 0}, script_sig);
    tx.vin[0].scriptWitness = witness;
    tx.vout.emplace_back(credit.vout[0].nValue, CScript{});
    return tx;
}

} // namespace slhc::test
