// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_H
#define SLHCONSENSUS_WALLET_PSBT_H

#include <primitives/transaction.h>
#include <wallet/psbt_fields.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/** Partially signed transactions (BIP 174), of version 0 and 2 (BIP 370). */
namespace slhc::wallet {

/** Something that cannot be done with a PSBT. what() is one line that says where and why. */
class PSBTError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/** Fields by key, in the order of the keys' bytes. Fields that nothing here knows are kept as they are. */
using PSBTMap = std::map<std::vector<uint8_t>, std::vector<uint8_t>>;

/** A PSBT whose fields have the right sizes and belong to its version, and whose previous transactions and outputs are those that its
 *  inputs name. */
class PartiallySignedTransaction
{
public:
    /** The PSBT that a Creator makes of a transaction; its scriptSigs and witnesses don't matter.
     *  @param[in] version  0 or 2 */
    PartiallySignedTransaction(const CMutableTransaction& tx, uint32_t version);

    /** @throws ParseError naming the byte and the field */
    [[nodiscard]] static PartiallySignedTransaction Parse(std::span<const uint8_t> bytes);
    [[nodiscard]] std::vector<uint8_t> Serialize() const;

    [[nodiscard]] uint32_t Version() const noexcept { return m_version; }
    [[nodiscard]] const PSBTMap& Global() const noexcept { return m_global; }
    [[nodiscard]] const std::vector<PSBTMap>& Inputs() const noexcept { return m_inputs; }
    [[nodiscard]] const std::vector<PSBTMap>& Outputs() const noexcept { return m_outputs; }

    /** Add a field, or replace its value. Not for fields that every PSBT of this version must have.
     *  @param[in] index  of the input or output, 0 for GLOBAL
     *  @throws PSBTError if there is no such map, or it cannot have that field; the PSBT is then as it was */
    void Set(PSBTScope scope, size_t index, const std::vector<uint8_t>& key, std::span<const uint8_t> value);
    /** Remove a field if it is there; likewise. */
    void Erase(PSBTScope scope, size_t index, const std::vector<uint8_t>& key);

    /** The value of a field without key data; nothing if it is absent. */
    [[nodiscard]] static std::optional<std::span<const uint8_t>> Find(const PSBTMap& map, uint64_t type);

    /** The transaction without scriptSigs and witnesses; of version 2 with the lock time that BIP 370 determines.
     *  @throws PSBTError if one input requires a height and another one a time */
    [[nodiscard]] CMutableTransaction UnsignedTx() const;
    /** The id that two PSBTs of one transaction share (BIP 370, "Unique Identification"; for version 0 the transaction id). */
    [[nodiscard]] uint256 UniqueId() const;
    [[nodiscard]] COutPoint Outpoint(size_t n_in) const;
    /** An output of UnsignedTx(), of which nothing else is made. */
    [[nodiscard]] CTxOut Output(size_t n_out) const;
    /** The output that an input spends, if the PSBT has it. */
    [[nodiscard]] std::optional<CTxOut> SpentOutput(size_t n_in) const;

    /** "input 2". */
    [[nodiscard]] static std::string Place(PSBTScope scope, size_t index);

private:
    PartiallySignedTransaction() = default;

    PSBTMap& Map(PSBTScope scope, size_t index);
    [[nodiscard]] uint32_t LockTime() const;
    /** Why what an input spends contradicts itself; empty if it doesn't. */
    [[nodiscard]] std::string SpentOutputError(size_t n_in) const;

    uint32_t m_version{0};
    CMutableTransaction m_tx; //!< version 0: the unsigned transaction
    PSBTMap m_global;
    std::vector<PSBTMap> m_inputs;
    std::vector<PSBTMap> m_outputs;
};

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_H
