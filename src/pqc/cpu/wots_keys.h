// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_WOTS_KEYS_H
#define SLHCONSENSUS_PQC_CPU_WOTS_KEYS_H

#include <pqc/cpu/kernels.h>
#include <pqc/cpu/vector_kernels.h>

#include <cstddef>
#include <cstdint>

/** WOTS+ public keys with a whole key in each lane (algorithm 6, wots_pkGen): its chains come one after the other, each from PRF to its
 *  end, and their ends go into T_len as they are, the same word of all keys in a vector. Addresses are loaded once for all
 *  chains of a key, and nothing but the result is stored.
 *
 *  A template in the anonymous namespace of the one file that may use its instructions; vector_kernels.h says why. */
namespace slhc::slhdsa::lanes {

template <VectorIsa Isa>
struct WotsKeys {
    using V = VectorKernels<Isa>;
    using Vec = typename Isa::Vec;
    static constexpr size_t LANES{Isa::LANES};

    /** Chains of the same number, one of each key, and then those of the next number. */
    struct Chains : V::ChainLanes {
        Vec after_round_3[8];

        [[gnu::always_inline]] inline void Load(const uint8_t* const* prefix)
        {
            V::LoadKeys(*this, prefix);
            V::LoadState(prefix, after_round_3);
        }

        /** Take `steps` steps from `start` on the chains with that address. */
        void Run(Vec chain_address, const Vec (&start)[4], uint32_t steps)
        {
            V::ChooseChains(*this, chain_address);
            for (int i{0}; i < 8; ++i) this->state[i] = after_round_3[i];
            V::FirstRounds(*this);
            for (int i{0}; i < 4; ++i) this->value[i] = start[i];
            this->step = Isa::Set1(0);
            this->end = Isa::Set1(steps << V::STEP_SHIFT);
            for (uint32_t i{0}; i < steps; ++i) V::Step(*this);
        }
    };

    /** T_l under way: address and values are hashed as soon as they fill a block. The first value begins in the middle of word 5. */
    struct Compression {
        Vec state[8];
        Vec block[16];
        Vec last; //!< the upper half is what comes before the next value
        uint32_t n_words{0};

        void Push(Vec word)
        {
            block[n_words++ % 16] = word;
            if (n_words % 16 == 0) V::Compress(state, block);
        }

        void PushValue(const Vec (&value)[4])
        {
            for (const Vec& word : value) {
                const Vec halves_swapped{Isa::template Rotr<16>(word)};
                Push(Isa::JoinHalves(last, halves_swapped));
                last = halves_swapped;
            }
        }

        void PushPadding(uint32_t n_values)
        {
            Push(Isa::JoinHalves(last, Isa::Set1(PADDING)));
            while (n_words % 16 != 15) Push(Isa::Set1(0)); // the upper half of the length among them
            Push(Isa::Set1(8 * (64 + 22 + 16 * n_values)));
        }
    };

    /** Up to LANES keys; the last one fills the lanes behind it. */
    static void Group(const KeyItem* items, size_t n, KeyShape shape)
    {
        const uint8_t *prf_prefix[LANES], *hash_prefix[LANES], *address[LANES], *sk_seed[LANES], *midstate[LANES];
        uint8_t* out[LANES];
        for (size_t i{0}; i < LANES; ++i) {
            const KeyItem& item{items[i < n ? i : n - 1]};
            prf_prefix[i] = reinterpret_cast<const uint8_t*>(item.prf_prefix);
            hash_prefix[i] = reinterpret_cast<const uint8_t*>(item.hash_prefix);
            address[i] = item.address;
            sk_seed[i] = item.sk_seed;
            midstate[i] = reinterpret_cast<const uint8_t*>(item.midstate);
            out[i] = item.out;
        }
        Vec seed[4];
        Isa::Gather4(sk_seed, 0, seed);
        for (Vec& word : seed) word = Isa::SwapBytes(word);
        Compression compression;
        Isa::Gather4(midstate, 0, compression.state);
        Isa::Gather4(midstate, 16, compression.state + 4);
        Vec words[4];
        Isa::Gather4(address, 0, words);
        for (const Vec& word : words) compression.Push(Isa::SwapBytes(word));
        compression.Push(Isa::Set1(0)); // the rest of an address of this type is zero
        compression.last = Isa::Set1(0);

        Chains prf, chains;
        prf.Load(prf_prefix);
        chains.Load(hash_prefix);
        for (uint32_t chain{0}; chain < shape.chains; ++chain) {
            const Vec chain_address{Isa::Set1(chain << 16)};
            prf.Run(chain_address, seed, 1);
            chains.Run(chain_address, prf.value, shape.steps);
            compression.PushValue(chains.value);
        }
        compression.PushPadding(shape.chains);
        const Vec hash[4]{compression.state[0], compression.state[1], compression.state[2], compression.state[3]};
        V::StoreHashes(hash, out);
    }
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_WOTS_KEYS_H
