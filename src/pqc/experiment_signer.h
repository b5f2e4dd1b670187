// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_EXPERIMENT_SIGNER_H
#define SLHCONSENSUS_PQC_EXPERIMENT_SIGNER_H

#include <pqc/slhdsa/hash_functions.h>
#include <pqc/slhdsa/message.h>
#include <pqc/slhdsa/params.h>

#include <cstdint>
#include <span>
#include <vector>

namespace slhc::slhdsa {

/** Valid signatures for experiments and tests, at the price of a verification or so. They protect nothing: a one-time key signs many times,
 *  and who has seen a few of its signatures can make others.
 *
 *  A verifier sees one path through the trees and asks only that it end in PK.root. So the maker of a key needs no trees but a part of the
 *  top one. Below it every value of a signature is free, FORS and WOTS+ values and siblings alike: each layer signs what follows from those
 *  under it. In the top tree the leftmost 2^t leaves are real, as FIPS 205 makes them; R is tried until the digest leads to one of these.
 *  The siblings above them are free again, and the uppermost one numbers the keys. Free values are pseudorandom, as all of a signature is.
 *
 *  Functions may be called by several threads at once. */
class ExperimentSigner
{
public:
    /** Takes 2^t one-time keys: milliseconds, or 0.2 s with 128-24.
     *  @param[in] seed  SK.seed || SK.prf || PK.seed, as for slh_keygen_internal */
    ExperimentSigner(ParameterSet set, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed);

    [[nodiscard]] ParameterSet Set() const noexcept { return m_set; }

    /** One of many keys, which share PK.seed and one-time keys and differ in PK.root. */
    [[nodiscard]] PublicKey Key(uint64_t number) const;

    /** A signature that is valid under Key(number). The same arguments give the same one.
     *  @param[out] sig      as many bytes as the set's signatures have
     *  @param[in] tries     messages for each layer, of which it signs the one that costs a verifier most; above 0
     *  @param[in] variant   another one gives another signature */
    void Sign(uint64_t number, const MessagePieces& message, std::span<uint8_t> sig, uint32_t tries = 1, uint64_t variant = 0) const;

private:
    ParameterSet m_set;
    Node m_sk_seed, m_sk_prf, m_pk_seed;
    HashContext m_hash;
    std::vector<Node> m_real; //!< node i has the children 2i and 2i + 1; node 1 is t levels above the leaves
    std::vector<Node> m_free; //!< siblings from node 1 upwards; the number of a key is added to the last
    Node m_below_root;        //!< what has the last one as its sibling

    template <Params P>
    void MakeTopTree();
    template <Params P>
    void SignSized(uint64_t number, const MessagePieces& message, std::span<uint8_t, P.SignatureSize()> sig, uint32_t tries,
                   uint64_t variant) const;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_EXPERIMENT_SIGNER_H
