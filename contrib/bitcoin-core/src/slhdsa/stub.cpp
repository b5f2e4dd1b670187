// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Stubs of the SLH-DSA verifier for a build without it (-DWITH_SLHDSA=OFF), where nothing makes a verifier or a batch.

#include <slhdsa/batch.h>
#include <slhdsa/check.h>
#include <slhdsa/verifier.h>

#include <cassert>

void SLHDSAVerifier::Deleter::operator()(slhc_context*) const { assert(false); }
SLHDSAVerifier::SLHDSAVerifier(const SLHDSAOptions&) { assert(false); }
SLHDSAVerifier::~SLHDSAVerifier() = default;
bool SLHDSAVerifier::Verify(const SLHDSAPubKey&, const uint256&, std::span<const unsigned char>) const { assert(false); }

void SLHDSABatch::Deleter::operator()(slhc_batch*) const { assert(false); }
SLHDSABatch::SLHDSABatch(const SLHDSAVerifier& verifier) : m_verifier{verifier} { assert(false); }
SLHDSABatch::~SLHDSABatch() = default;
bool SLHDSABatch::Add(std::vector<SLHDSACheck>&&, const Input&) { assert(false); }
SLHDSABatch::Result SLHDSABatch::Verify(Input&) { assert(false); }
size_t SLHDSABatch::Size() const { assert(false); }
