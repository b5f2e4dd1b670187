// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_SHADERS_SHARED_MEMORY_H
#define SLHCONSENSUS_PQC_VULKAN_SHADERS_SHARED_MEMORY_H

// What a workgroup keeps in shared memory, for GLSL (verify.comp) and C++ (shape.cpp). A quad is 16 bytes, a word 4.

// Quads of a signature: ends of chains, or roots of FORS trees, which T takes.
#define SHARED_VALUES(chains, fors_trees) ((chains) > (fors_trees) ? (chains) : (fors_trees))

// Further quads of a signature, one of each.
#define SHARED_QUADS(DECLARE)                                                                           \
    DECLARE(s_nodes)       /* the value that its next step starts from */                               \
    DECLARE(s_places)      /* tree (high, low word) and leaf in the layer at work */                    \
    DECLARE(s_masks)       /* what the quads of its entry are XORed with */                             \
    DECLARE(s_high)        /* the hash state after the block of PK.seed */                              \
    DECLARE(s_low)                                                                                      \
    DECLARE(s_chain_high)  /* what its chains share in a layer: the state after four rounds */          \
    DECLARE(s_chain_low)                                                                                \
    DECLARE(s_chain_terms) /* and parts of schedule words 16 to 19 */

// Words of a signature: its chains, the longest first.
#define SHARED_CHAINS(chains) (chains)

// Words of the workgroup: the number of chains of each length.
#define SHARED_COUNTS(w) (w)

#endif // SLHCONSENSUS_PQC_VULKAN_SHADERS_SHARED_MEMORY_H
