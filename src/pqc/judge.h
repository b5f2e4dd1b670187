// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_JUDGE_H
#define SLHCONSENSUS_PQC_JUDGE_H

#include <pqc/backend.h>
#include <pqc/check.h>
#include <pqc/slhdsa/params.h>

#include <cstdint>

/** The two ends of a verification, which stay on the CPU whichever backend computes the middle: PrepareRootJob hashes the message and
 *  splits its digest before, and RootMatches compares the computed root with PK.root afterwards. */
namespace slhc::slhdsa {

/** Lines 5 to 13 of slh_verify_internal (FIPS 205, algorithm 20): hash the message with H_msg, split the digest
 *  into md, idx_tree and idx_leaf. The job points into the check's key and signature. @pre the signature has
 *  its set's size */
[[nodiscard]] RootJob PrepareRootJob(const CheckView& check);

/** The last comparison of ht_verify (algorithm 13): is root the PK.root of this key (PUBLIC_KEY_SIZE bytes)? */
[[nodiscard]] bool RootMatches(const Root& root, const uint8_t* public_key);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_JUDGE_H
