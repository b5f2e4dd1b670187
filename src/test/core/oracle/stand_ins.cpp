// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The parts of Core that its signature cache needs: a salt that needs no secret here, a log that nobody reads, and the node's verifier,
// replaced by the function that it promises to agree with.

#include <random.h>
#include <slhdsa/pubkey.h>
#include <slhdsa/verifier.h>
#include <uint256.h>
#include <util/log.h>
#include <util/threadnames.h>
#include <util/time.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>

void GetRandBytes(std::span<unsigned char> bytes) noexcept
{
    std::ranges::fill(bytes, 0x5a);
}

std::string util::ThreadGetInternalName()
{
    return {};
}

std::chrono::seconds GetMockTime()
{
    return {};
}

void util::log::Log(util::log::Entry) {}

bool SLHDSAVerifier::Verify(const SLHDSAPubKey& pubkey, const uint256& sighash, std::span<const unsigned char> sig) const
{
    return pubkey.VerifySLHDSA(sighash, sig);
}
