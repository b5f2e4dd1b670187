// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_KERNELS_H
#define SLHCONSENSUS_PQC_CPU_KERNELS_H

#include <cstddef>
#include <cstdint>

/** The work of an instruction set for SLH-DSA with SHA-256 and n = 16, whatever the parameter set: loops over SHA-256 compressions, on many
 *  independent inputs at once: chains, paths and messages, and for some, keys and folded chains. Each engine (avx512.cpp, avx512sha.cpp,
 *  avx2.cpp, shani.cpp, armv8.cpp)
 *  provides one table of these; the order of hashes is decided elsewhere (lane_engine.h), in code that is compiled for the baseline
 *  CPU.
 *
 *  Every F and H of FIPS 205, section 11.2.1, is one compression: its block is the 22-byte compressed address,
 *  16 or 32 bytes of data, and the padding; the state before it is the one after PK.seed || 0^48.
 *
 *      word    0     1     2     3     4     5     6 .. 8  9         10 .. 14  15
 *      F       L TTT TTTT  Tyk k kcc  cc ii ii dd  data    dd 80 00  0         816 bits
 *      H       L TTT TTTT  Tyk k khh  hh ii ii dd  data .. data ..   .. 80 00  944 bits
 *
 *  (L layer, T tree, y type, k key pair, c chain, h height, i hash or node index, d data). Words 0 to 3 are the same
 *  for all chains of a WOTS+ key, and for all nodes of a tree: a BlockPrefix holds the values that follow from them alone.
 *  So chain addresses and heights have 16 bits, node indexes 32.
 *
 *  The types are plain and nothing here has a body: engine files are compiled with flags for their instruction
 *  set, and an inline function that they emitted could be the one that the linker keeps for everybody. */
namespace slhc::slhdsa::lanes {

/** The length in bits of what F and H hash, PK.seed's block, address and data: word 15 of their blocks. */
inline constexpr uint32_t F_BITS{8 * (64 + 22 + 16)};
inline constexpr uint32_t H_BITS{8 * (64 + 22 + 32)};
/** The one bit behind the data, which ends in the middle of a word: the lower half of word 9 or 13. */
inline constexpr uint32_t PADDING{0x8000};

/** The values that words 0 to 3 of a block (and the PK.seed midstate) determine. One cache line. Words in host order. */
struct alignas(64) BlockPrefix {
    uint32_t state[8];    //!< a..h after rounds 0 to 3
    uint32_t midstate[4]; //!< first half of the state after PK.seed; a hash of 16 bytes needs no more of it
    uint32_t schedule[4]; //!< W0+s0(W1), W1+s0(W2), W2+s0(W3), W3: the known part of W16 to W19
};

/** Chains of one WOTS+ key: values of 16 bytes, one for each chain, in order. */
struct ChainKey {
    const BlockPrefix* prefix;
    const uint8_t* in;
    uint8_t* out; //!< may be `in`
};

/** A piece of one chain: algorithm 5, `chain`, from step `begin` up to `end`. PRF is the piece [0, 1) with
 *  a prefix of a PRF type and SK.seed as the input. */
struct ChainItem {
    uint16_t key;  //!< index of the ChainKey
    uint8_t chain; //!< chain address, and which of the values
    uint8_t begin;
    uint8_t end;   //!< at most w - 1; nothing is hashed if it is not above begin
};

/** A walk up a Merkle tree (algorithms 11 and 17), or its leaf alone, or one inner node. */
struct PathItem {
    const BlockPrefix* prefix;
    const uint8_t* in;   //!< 16 bytes: the node that the walk starts from, or the leaf's value before F
    const uint8_t* auth; //!< 16 bytes for each level
    uint8_t* out;        //!< 16 bytes; must overlap nothing that another item reads
    uint32_t index;      //!< index of the node at the height where the walk starts
};

/** The part of the walk that the items of one call make. */
struct PathShape {
    bool leaf;      //!< begin with F at height 0
    uint32_t first; //!< height of the start node; 0 if `leaf`
    uint32_t last;  //!< height of the result; H is applied last - first times
};

/** A message of whole blocks, hashed from a given state: T_l with address and padding laid out by the caller. */
struct MessageItem {
    const uint32_t* midstate; //!< 8 words
    const uint8_t* blocks;
    uint8_t* out;             //!< the first 16 bytes of the hash
};

/** A WOTS+ public key to be made (algorithm 6, wots_pkGen). */
struct KeyItem {
    const BlockPrefix* prf_prefix;  //!< of its address of type WOTS_PRF
    const BlockPrefix* hash_prefix; //!< of type WOTS_HASH
    const uint8_t* address;         //!< of type WOTS_PK, compressed: 16 bytes, the others are zero
    const uint32_t* midstate;       //!< 8 words: the state after PK.seed
    const uint8_t* sk_seed;         //!< 16 bytes
    uint8_t* out;                   //!< 16 bytes
};

/** len and w - 1, or less in tests. */
struct KeyShape {
    uint32_t chains;
    uint32_t steps;
};

/** No table has more lanes in a group. */
inline constexpr size_t MAX_LANES{16};
/** The largest lg_w whose chains can be folded, and the steps of the longest of those: w - 1. */
inline constexpr size_t MAX_FOLDED_LG_W{4}, MAX_FOLDED_STEPS{(size_t{1} << MAX_FOLDED_LG_W) - 1};
/** How many folded chains a lane takes at most. The data of more would not fit a first-level cache. */
inline constexpr size_t FOLDED_ROWS{6};

/** Chains for lanes that, at the end of one, go on to another (folded_chains.h). Fastest when the longest come first. */
struct FoldedKernel {
    size_t lanes;
    /** @pre n is at most FOLDED_ROWS * lanes, and no chain takes more than MAX_FOLDED_STEPS */
    void (*chains)(const ChainKey* keys, const ChainItem* items, size_t n);
};

/** One engine's loops. They are correct for any n, 0 too. */
struct Kernels {
    size_t lanes; //!< items that share a step
    /** Signatures to verify together. With more of them, fewer lanes wait for a longer chain (below one per cent with 128 signatures on 16
     *  lanes); with fewer, their data stays in the caches. */
    size_t cohort;
    /** Fastest when the items are sorted by `begin` and share `end`: neighbours share a step. */
    void (*chains)(const ChainKey* keys, const ChainItem* items, size_t n);
    void (*paths)(const PathItem* items, size_t n, PathShape shape);
    void (*messages)(const MessageItem* items, size_t n, size_t n_blocks);
    // Null: there is no such kernel.
    void (*keys)(const KeyItem* items, size_t n, KeyShape shape){nullptr};
    FoldedKernel folded{};              //!< in one group of lanes
    FoldedKernel folded_side_by_side{}; //!< in two
};

// constinit: nothing in an engine file may run when the program starts, on whatever processor.
extern const Kernels g_avx512_kernels;
extern const Kernels g_avx512sha_kernels;
extern const Kernels g_avx2_kernels;
extern const Kernels g_shani_kernels;
extern const Kernels g_armv8_kernels;

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_KERNELS_H
