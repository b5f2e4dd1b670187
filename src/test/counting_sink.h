// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_COUNTING_SINK_H
#define SLHCONSENSUS_TEST_COUNTING_SINK_H

#include <script/checker.h>

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

/** Counts the signatures that are fit to be verified, after their messages were hashed, and takes every one for valid. */
struct CountingSink final : SignatureSink {
    CheckCounts counts;

    bool PutECDSA(std::span<const uint8_t>, const CPubKey&, const uint256&) override { return ++counts.ecdsa; }
    bool PutSchnorr(std::span<const uint8_t, 64>, const XOnlyPubKey&, const uint256&) override { return ++counts.schnorr; }
    SLHDSACheckResult PutSLHDSA(slhdsa::SignatureCheck&&) override
    {
        ++counts.slhdsa;
        return SLHDSACheckResult::VALID;
    }
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_COUNTING_SINK_H
