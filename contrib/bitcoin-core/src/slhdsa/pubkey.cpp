// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/pubkey.h>

#include <slhdsa/config.h>
#include <uint256.h>

#ifdef ENABLE_SLHDSA
#include <slhdsa.h>
#endif

#include <cassert>
#include <span>

#ifdef ENABLE_SLHDSA
static_assert(SLHDSAPubKey::SIZE == SLHC_PUBLIC_KEY_SIZE);
static_assert(SLHDSAPubKey::SIGNATURE_SIZE == SLHC_SIGNATURE_SIZE);
static_assert(SLHC_SET_128S == 0 && SLHC_SET_128_24 == 24 && SLHC_SET_128_Q40 == 40);
#endif

bool SLHDSAPubKey::VerifySLHDSA(const uint256& sighash, std::span<const unsigned char> sig) const
{
#ifdef ENABLE_SLHDSA
    // message-verify
    const int result{slhc_slhdsa_verify(Set(), data(), {sighash.begin(), sighash.size()}, /*ctx=*/{nullptr, 0}, {sig.data(), sig.size()})};
    // An error is not a verdict: a node that took it for one could leave the consensus of the others.
    assert(result == SLHC_VALID || result == SLHC_INVALID);
    return result == SLHC_VALID;
#else
    return false;
#endif
}
