// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_COUNTING_CHECKER_H
#define SLHCONSENSUS_TEST_COUNTING_CHECKER_H

#include <script/checker.h>
#include <test/util/verifier.h>

#include <cstddef>

namespace slhc::test {

struct CheckCounts {
    size_t slhdsa{0};
    size_t schnorr{0};
    size_t ecdsa{0};

    CheckCounts& operator+=(const CheckCounts& other) noexcept
    {
        slhdsa += other.slhdsa;
        schnorr += other.schnorr;
        ecdsa += other.ecdsa;
        return *this;
    }
};

/** Counts the signatures that are fit to be verified, hashes what they sign, and finds every one of them valid. */
class CountingChecker : public TransactionSignatureChecker
{
public:
    CountingChecker(const CTransaction& tx, uint32_t n_in, CAmount amount, const PrecomputedTransactionData& txdata, CheckCounts& counts)
        : TransactionSignatureChecker{tx, n_in, amount, txdata, PortableVerifier()}, m_counts{counts} {}

protected:
    bool VerifyECDSASignature(std::span<const uint8_t>, const CPubKey&, const uint256&) const override { return ++m_counts.ecdsa; }
    bool VerifySchnorrSignature(std::span<const uint8_t, 64>, const XOnlyPubKey&, const uint256&) const override
    {
        return ++m_counts.schnorr;
    }
    SLHDSACheckResult VerifySLHDSASignature(slhdsa::SignatureCheck&&) const override
    {
        ++m_counts.slhdsa;
        return SLHDSACheckResult::VALID;
    }

private:
    CheckCounts& m_counts;
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_COUNTING_CHECKER_H
