// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.
#version 450

// Computes the hypertree roots that signatures lead to: slh_verify_internal (FIPS 205, algorithm 20) from line
// 14 on, but for the comparison. A workgroup takes a few signatures and shares out their hashing: the trees of
// FORS, then layer by layer all chains of all signatures, sorted by length so that no invocation waits long for
// its neighbours, then one signature an invocation for T_len and the authentication path.
//
// Every loop that hashes goes over a whole phase, so that three inlined compressions do for everything: some
// drivers take a tenth of a second to compile each. Loads are of four words, which those drivers do as one.
//
// Costly loops are tested at their end. llvmpipe exits a loop only there: a test at the top costs one more pass with all
// invocations inactive, which would be one step of a chain in nine.

#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require

#include "sha256.glsl"
#include "shared_memory.h"

// Pipeline gives all of them; a 1 here is nobody's.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint MAX_SIGNATURES = 1u; // most signatures of a group
layout(constant_id = 2) const bool ONE_SUBGROUP = false; // the group is one subgroup: no barriers are needed

// The parameter set, see pqc/slhdsa/params.h: d, h', k, a, lg_w and len. A hash value is one uvec4.
layout(constant_id = 3) const uint LAYERS = 1u;
layout(constant_id = 4) const uint LEAF_BITS = 1u;
layout(constant_id = 5) const uint FORS_TREES = 1u;
layout(constant_id = 6) const uint FORS_HEIGHT = 1u;
layout(constant_id = 7) const uint LG_W = 1u;
layout(constant_id = 8) const uint CHAINS = 1u;
const uint MESSAGE_CHAINS = 128u / LG_W, LAST_STEP = (1u << LG_W) - 1u;
const uint FORS_VALUES = FORS_TREES * (FORS_HEIGHT + 1u), LAYER_VALUES = CHAINS + LEAF_BITS;

// Message lengths in bits, the block of PK.seed and the address of 22 bytes included.
const uint BITS_F = (64u + 22u + 16u) * 8u, BITS_H = BITS_F + 128u;
const uint BITS_T_FORS = (64u + 22u + 16u * FORS_TREES) * 8u, BITS_T_WOTS = (64u + 22u + 16u * CHAINS) * 8u;

// Address types, at their place in word 2 of an address.
const uint WOTS_PK = 1u << 16, TREE = 2u << 16, FORS_TREE = 3u << 16, FORS_ROOTS = 4u << 16;

// An entry, see entry.h: every quad is XORed with that at MASK.
const uint MIDSTATE = 0u, MASK = 2u, PLACE = 3u, FORS_INDEXES = 4u, SIGNATURE = 4u + (FORS_TREES + 3u) / 4u;
const uint ENTRY = SIGNATURE + FORS_VALUES + LAYERS * LAYER_VALUES;

layout(std430, set = 0, binding = 0) readonly buffer Entries { uvec4 entries[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Roots { uvec4 roots[]; };
layout(push_constant) uniform Params { uint count; uint per_group; } params;

#define DECLARE_QUAD(name) shared uvec4 name[MAX_SIGNATURES];
SHARED_QUADS(DECLARE_QUAD)
shared uvec4 s_values[SHARED_VALUES(CHAINS, FORS_TREES) * MAX_SIGNATURES];
shared uint s_sorted[SHARED_CHAINS(CHAINS) * MAX_SIGNATURES]; // signature << 16 | chain << 8 | digit
shared uint s_counts[SHARED_COUNTS(LAST_STEP + 1u)];

void sync()
{
    if (ONE_SUBGROUP) subgroupBarrier(); else barrier();
}

uvec4 swap_bytes(uvec4 x) { return (x << 24) | ((x & 0xff00u) << 8) | ((x >> 8) & 0xff00u) | (x >> 24); }

struct Block {
    uint w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15;
};

// high, low: the hash state; replaced.
void compress(inout uvec4 high, inout uvec4 low, Block m)
{
    uint a = high.x, b = high.y, c = high.z, d = high.w, e = low.x, f = low.y, g = low.z, h = low.w;
    uint w0 = m.w0, w1 = m.w1, w2 = m.w2, w3 = m.w3, w4 = m.w4, w5 = m.w5, w6 = m.w6, w7 = m.w7;
    uint w8 = m.w8, w9 = m.w9, w10 = m.w10, w11 = m.w11, w12 = m.w12, w13 = m.w13, w14 = m.w14, w15 = m.w15;
    ROUNDS_0_TO_15
    ROUNDS_16_TO_31
    ROUNDS_32_TO_47
    ROUNDS_48_TO_63
    high += uvec4(a, b, c, d);
    low += uvec4(e, f, g, h);
}

// Words 0 to 3 of an address: layer, tree, type and key pair. The lower half of the last, chain or height, and step or index follow.
uvec4 address(uint layer, uvec4 place, uint type, uint key_pair)
{
    return uvec4((layer << 24) | (place.x >> 8), (place.x << 24) | (place.y >> 8), (place.y << 24) | type | (key_pair >> 16), key_pair << 16);
}

// From leaves to roots: fors_pkFromSig (algorithm 17) but for T_k, where a value of a signature is an item, or
// lines 6 to 18 of xmss_pkFromSig (algorithm 11), where a signature is an item.
void climb(uint first, uint n, bool fors, uint layer)
{
    const uint items = fors ? FORS_TREES * n : n;
    const uint height = fors ? FORS_HEIGHT : LEAF_BITS;
    uint item = gl_LocalInvocationID.x;
    if (item < items) do {
        const uint sig = fors ? item / FORS_TREES : item;
        const uint entry = (first + sig) * ENTRY;
        const uvec4 mask = s_masks[sig], mid_high = s_high[sig], mid_low = s_low[sig], place = s_places[sig];
        const uvec4 adrs = address(layer, place, fors ? FORS_TREE : TREE, fors ? place.z : 0u);
        uint index, at, z;
        uvec4 node;
        if (fors) {
            const uint tree = item % FORS_TREES;
            index = (tree << FORS_HEIGHT) | (entries[entry + FORS_INDEXES + tree / 4u] ^ mask)[tree & 3u];
            at = entry + SIGNATURE + tree * (FORS_HEIGHT + 1u);
            node = swap_bytes(entries[at] ^ mask);
            z = 0u; // the leaf itself is to be made, by F
        } else {
            index = place.z;
            at = entry + SIGNATURE + FORS_VALUES + layer * LAYER_VALUES + CHAINS - 1u;
            node = s_nodes[sig];
            z = 1u;
        }
        do {
            const bool leaf = z == 0u;
            uvec4 left = node, right = uvec4(0x80000000u, 0u, 0u, 0u); // for F, the padding that follows its input
            if (!leaf) {
                const uvec4 sibling = swap_bytes(entries[++at] ^ mask);
                const bool odd = (index & 1u) != 0u;
                left = odd ? sibling : node;
                right = odd ? node : sibling;
                index >>= 1;
            }
            Block b;
            b.w0 = adrs.x;
            b.w1 = adrs.y;
            b.w2 = adrs.z;
            b.w3 = adrs.w;
            b.w4 = (z << 16) | (index >> 16);
            b.w5 = (index << 16) | (left.x >> 16);
            b.w6 = (left.x << 16) | (left.y >> 16);
            b.w7 = (left.y << 16) | (left.z >> 16);
            b.w8 = (left.z << 16) | (left.w >> 16);
            b.w9 = (left.w << 16) | (right.x >> 16);
            b.w10 = (right.x << 16) | (right.y >> 16);
            b.w11 = (right.y << 16) | (right.z >> 16);
            b.w12 = (right.z << 16) | (right.w >> 16);
            b.w13 = (right.w << 16) | (leaf ? 0u : 0x8000u);
            b.w14 = 0u;
            b.w15 = leaf ? BITS_F : BITS_H;
            uvec4 low = mid_low;
            node = mid_high;
            compress(node, low, b);
        } while (++z <= height);
        if (fors) s_values[item] = node; else s_nodes[sig] = node;
        item += gl_WorkGroupSize.x;
    } while (item < items);
}

// Digit k of a message and its checksum (wots_pkFromSig, algorithm 8, lines 1 to 7); sum: of what the digits
// before it leave to LAST_STEP
uint digit(uvec4 message, uint k, inout uint sum)
{
    if (k >= MESSAGE_CHAINS) return (sum >> (LG_W * (CHAINS - 1u - k))) & LAST_STEP;
    const uint at = LG_W * k;
    const uint word = at < 32u ? message.x : at < 64u ? message.y : at < 96u ? message.z : message.w;
    const uint d = (word >> (32u - LG_W - (at & 31u))) & LAST_STEP;
    sum += LAST_STEP - d;
    return d;
}

// Sort the chains of a layer by their digits, and prepare what the chains of each signature share.
void prepare_chains(uint n, uint layer)
{
    for (uint i = gl_LocalInvocationID.x; i <= LAST_STEP; i += gl_WorkGroupSize.x) s_counts[i] = 0u;
    sync();
    uint sig = gl_LocalInvocationID.x;
    if (sig < n) do {
        const uvec4 message = s_nodes[sig];
        uint sum = 0u;
        uint k = 0u;
        do atomicAdd(s_counts[digit(message, k, sum)], 1u); while (++k < CHAINS);
        sig += gl_WorkGroupSize.x;
    } while (sig < n);
    sync();
    if (gl_LocalInvocationID.x == 0u) {
        uint start = 0u;
        for (uint i = 0u; i <= LAST_STEP; ++i) {
            const uint count = s_counts[i];
            s_counts[i] = start;
            start += count;
        }
    }
    sync();
    sig = gl_LocalInvocationID.x;
    if (sig < n) do {
        const uvec4 message = s_nodes[sig];
        uint sum = 0u;
        uint k = 0u;
        do {
            const uint d = digit(message, k, sum);
            s_sorted[atomicAdd(s_counts[d], 1u)] = (sig << 16) | (k << 8) | d;
        } while (++k < CHAINS);
        uvec4 place = s_places[sig];
        if (layer > 0u) {
            // Lines 6 and 7 of ht_verify (algorithm 13).
            place = uvec4(place.x >> LEAF_BITS, (place.y >> LEAF_BITS) | (place.x << (32u - LEAF_BITS)), place.y & ((1u << LEAF_BITS) - 1u), 0u);
            s_places[sig] = place;
        }
        // Words 0 to 3 of the block, and so the first four rounds.
        const uvec4 high = s_high[sig], low = s_low[sig];
        const uvec4 adrs = address(layer, place, 0u, place.z);
        uint a = high.x, b = high.y, c = high.z, d = high.w, e = low.x, f = low.y, g = low.z, h = low.w;
        ROUND(a, b, c, d, e, f, g, h, K0 + adrs.x)
        ROUND(h, a, b, c, d, e, f, g, K1 + adrs.y)
        ROUND(g, h, a, b, c, d, e, f, K2 + adrs.z)
        ROUND(f, g, h, a, b, c, d, e, K3 + adrs.w)
        s_chain_high[sig] = uvec4(a, b, c, d);
        s_chain_low[sig] = uvec4(e, f, g, h);
        // The parts of schedule words 16 to 19 that no step changes.
        s_chain_terms[sig] = uvec4(sigma0(adrs.y) + adrs.x, sigma1(BITS_F) + sigma0(adrs.z) + adrs.y, sigma0(adrs.w) + adrs.z, adrs.w);
        sig += gl_WorkGroupSize.x;
    } while (sig < n);
    sync();
}

// The value of chain k that a signature has for a layer.
uvec4 chain_value(uint first, uint sig, uint layer, uint k)
{
    return swap_bytes(entries[(first + sig) * ENTRY + SIGNATURE + FORS_VALUES + layer * LAYER_VALUES + k] ^ s_masks[sig]);
}

// All chains of a layer to their ends (chain, algorithm 5).
void run_chains(uint first, uint n, uint layer)
{
    const uint chains = CHAINS * n;
    // Sorting has left in s_counts where the chains of each digit end. Those of digit LAST_STEP have no steps.
    const uint moving = s_counts[LAST_STEP - 1u];
    uint item = gl_LocalInvocationID.x;
    if (item < moving) do {
        const uint which = s_sorted[item];
        const uint sig = which >> 16, k = (which >> 8) & 0xffu;
        uint step = which & 0xffu;
        uvec4 high = s_chain_high[sig], low = s_chain_low[sig];
        const uvec4 terms = s_chain_terms[sig], mid = s_high[sig];
        uvec4 v = chain_value(first, sig, layer, k);
        // Word 4 is the last that the steps of a chain share. Words 10 to 14 are zero and 15 is the length, so
        // much of the first expansion falls away or is done here.
        const uint word4 = k << 16;
        {
            uint a = high.x, b = high.y, c = high.z, d = high.w, e = low.x, f = low.y, g = low.z, h = low.w;
            ROUND(e, f, g, h, a, b, c, d, K4 + word4)
            high = uvec4(a, b, c, d);
            low = uvec4(e, f, g, h);
        }
        const uint w19 = sigma1(terms.y) + sigma0(word4) + terms.w;
        const uint s1_w19 = sigma1(w19);
        do {
            uint a = high.x, b = high.y, c = high.z, d = high.w, e = low.x, f = low.y, g = low.z, h = low.w;
            uint w5 = (step << 16) | (v.x >> 16), w6 = (v.x << 16) | (v.y >> 16), w7 = (v.y << 16) | (v.z >> 16);
            uint w8 = (v.z << 16) | (v.w >> 16), w9 = (v.w << 16) | 0x8000u;
            ROUND(d, e, f, g, h, a, b, c, K5 + w5)
            ROUND(c, d, e, f, g, h, a, b, K6 + w6)
            ROUND(b, c, d, e, f, g, h, a, K7 + w7)
            ROUND(a, b, c, d, e, f, g, h, K8 + w8)
            ROUND(h, a, b, c, d, e, f, g, K9 + w9)
            ROUND(g, h, a, b, c, d, e, f, K10)
            ROUND(f, g, h, a, b, c, d, e, K11)
            ROUND(e, f, g, h, a, b, c, d, K12)
            ROUND(d, e, f, g, h, a, b, c, K13)
            ROUND(c, d, e, f, g, h, a, b, K14)
            ROUND(b, c, d, e, f, g, h, a, K15 + BITS_F)
            uint w0 = terms.x + w9; ROUND(a, b, c, d, e, f, g, h, K16 + w0)
            uint w1 = terms.y; ROUND(h, a, b, c, d, e, f, g, K17 + w1)
            uint w2 = sigma1(w0) + terms.z; ROUND(g, h, a, b, c, d, e, f, K18 + w2)
            uint w3 = w19; ROUND(f, g, h, a, b, c, d, e, K19 + w3)
            uint w4 = sigma1(w2) + sigma0(w5) + word4; ROUND(e, f, g, h, a, b, c, d, K20 + w4)
            w5 += s1_w19 + sigma0(w6); ROUND(d, e, f, g, h, a, b, c, K21 + w5)
            w6 += sigma1(w4) + BITS_F + sigma0(w7); ROUND(c, d, e, f, g, h, a, b, K22 + w6)
            w7 += sigma1(w5) + w0 + sigma0(w8); ROUND(b, c, d, e, f, g, h, a, K23 + w7)
            w8 += sigma1(w6) + w1 + sigma0(w9); ROUND(a, b, c, d, e, f, g, h, K24 + w8)
            w9 += sigma1(w7) + w2; ROUND(h, a, b, c, d, e, f, g, K25 + w9)
            uint w10 = sigma1(w8) + w3; ROUND(g, h, a, b, c, d, e, f, K26 + w10)
            uint w11 = sigma1(w9) + w4; ROUND(f, g, h, a, b, c, d, e, K27 + w11)
            uint w12 = sigma1(w10) + w5; ROUND(e, f, g, h, a, b, c, d, K28 + w12)
            uint w13 = sigma1(w11) + w6; ROUND(d, e, f, g, h, a, b, c, K29 + w13)
            uint w14 = sigma1(w12) + w7 + sigma0(BITS_F); ROUND(c, d, e, f, g, h, a, b, K30 + w14)
            uint w15 = sigma1(w13) + w8 + sigma0(w0) + BITS_F; ROUND(b, c, d, e, f, g, h, a, K31 + w15)
            ROUNDS_32_TO_47
            ROUNDS_48_TO_63
            v = mid + uvec4(a, b, c, d);
        } while (++step < LAST_STEP);
        s_values[CHAINS * sig + k] = v;
        item += gl_WorkGroupSize.x;
    } while (item < moving);
    item = moving + gl_LocalInvocationID.x;
    if (item < chains) do {
        const uint which = s_sorted[item];
        const uint sig = which >> 16, k = (which >> 8) & 0xffu;
        s_values[CHAINS * sig + k] = chain_value(first, sig, layer, k);
        item += gl_WorkGroupSize.x;
    } while (item < chains);
}

// One quad of what T hashes: values, then the padding.
uvec4 t_input(uint sig, uint i, uint values)
{
    return i < values ? s_values[sig * values + i] : uvec4(i == values ? 0x80000000u : 0u, 0u, 0u, 0u);
}

// T_k of the FORS roots or T_len of the ends of the chains.
void compact(uint n, bool fors, uint layer)
{
    const uint values = fors ? FORS_TREES : CHAINS;
    const uint bits = fors ? BITS_T_FORS : BITS_T_WOTS;
    const uint blocks = (bits + 64u + 511u) / 512u - 1u; // the padding is one bit and the length; PK.seed is done
    uint sig = gl_LocalInvocationID.x;
    if (sig < n) do {
        uvec4 high = s_high[sig], low = s_low[sig];
        const uvec4 place = s_places[sig];
        const uvec4 adrs = address(layer, place, fors ? FORS_ROOTS : WOTS_PK, place.z);
        // Block i begins in the middle of the third word of quad 4 i - 2.
        uvec4 q0 = uvec4(0u);
        uint i = 0u;
        do {
            const uvec4 q1 = i == 0u ? uvec4(0u) : t_input(sig, 4u * i - 1u, values);
            const uvec4 q2 = t_input(sig, 4u * i, values), q3 = t_input(sig, 4u * i + 1u, values), q4 = t_input(sig, 4u * i + 2u, values);
            Block b;
            b.w0 = (q0.z << 16) | (q0.w >> 16);
            b.w1 = (q0.w << 16) | (q1.x >> 16);
            b.w2 = (q1.x << 16) | (q1.y >> 16);
            b.w3 = (q1.y << 16) | (q1.z >> 16);
            b.w4 = (q1.z << 16) | (q1.w >> 16);
            b.w5 = (q1.w << 16) | (q2.x >> 16);
            b.w6 = (q2.x << 16) | (q2.y >> 16);
            b.w7 = (q2.y << 16) | (q2.z >> 16);
            b.w8 = (q2.z << 16) | (q2.w >> 16);
            b.w9 = (q2.w << 16) | (q3.x >> 16);
            b.w10 = (q3.x << 16) | (q3.y >> 16);
            b.w11 = (q3.y << 16) | (q3.z >> 16);
            b.w12 = (q3.z << 16) | (q3.w >> 16);
            b.w13 = (q3.w << 16) | (q4.x >> 16);
            b.w14 = (q4.x << 16) | (q4.y >> 16);
            b.w15 = (q4.y << 16) | (q4.z >> 16);
            if (i == 0u) {
                b.w0 = adrs.x;
                b.w1 = adrs.y;
                b.w2 = adrs.z;
                b.w3 = adrs.w;
            }
            if (i == blocks - 1u) b.w15 = bits;
            compress(high, low, b);
            q0 = q4;
        } while (++i < blocks);
        s_nodes[sig] = high;
        sig += gl_WorkGroupSize.x;
    } while (sig < n);
}

void main()
{
    const uint first = gl_WorkGroupID.x * params.per_group;
    const uint n = min(params.per_group, params.count - first);
    for (uint sig = gl_LocalInvocationID.x; sig < n; sig += gl_WorkGroupSize.x) {
        const uint entry = (first + sig) * ENTRY;
        const uvec4 mask = entries[entry + MASK];
        s_masks[sig] = mask;
        s_high[sig] = entries[entry + MIDSTATE] ^ mask;
        s_low[sig] = entries[entry + MIDSTATE + 1u] ^ mask;
        s_places[sig] = entries[entry + PLACE] ^ mask;
    }
    sync();
    // Stage 0 is FORS, with T_k at its end. Stage i climbs the tree of layer i - 2 and hashes the chains of layer i - 1.
    for (uint stage = 0u;; ++stage) {
        const bool fors = stage == 0u;
        if (stage != 1u) climb(first, n, fors, fors ? 0u : stage - 2u);
        sync();
        if (stage > LAYERS) break;
        const uint layer = fors ? 0u : stage - 1u;
        if (!fors) {
            prepare_chains(n, layer);
            run_chains(first, n, layer);
        }
        sync();
        compact(n, fors, layer);
        sync();
    }
    for (uint sig = gl_LocalInvocationID.x; sig < n; sig += gl_WorkGroupSize.x) {
        roots[first + sig] = swap_bytes(s_nodes[sig]) ^ s_masks[sig];
    }
}
