// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_LEAF_EXPRESSION_H
#define SLHCONSENSUS_WALLET_LEAF_EXPRESSION_H

#include <primitives/script.h>
#include <wallet/key_expression.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slhc::wallet {

inline constexpr size_t MAX_PUBKEYS_PER_MULTI_A{999};    //!< BIP 387: the initial stack holds 1000 elements at most
inline constexpr size_t MAX_STANDARD_TX_WEIGHT{400'000}; //!< of a transaction that nodes relay

/** A leaf of a tree: a script as descriptors write it.
 *
 *    pk(KEY)                    <KEY> OP_CHECKSIG
 *    pk_slhdsa(KEY)             <KEY> OP_CHECKSIGSLHDSA
 *    multi_a(k,KEY,...)         <KEY> OP_CHECKSIG <KEY> OP_CHECKSIGADD ... k OP_NUMEQUAL (BIP 387)
 *    sortedmulti_a(k,KEY,...)   the same with the keys in the order of their bytes; only as a whole leaf
 *    multi_slhdsa(k,KEY,...)    <KEY> OP_CHECKSIGSLHDSA <KEY> OP_CHECKSIGADDSLHDSA ... k OP_NUMEQUAL
 *    older(n), after(n)         n OP_CHECKSEQUENCEVERIFY, n OP_CHECKLOCKTIMEVERIFY
 *    sha256(H)                  OP_SIZE <32> OP_EQUALVERIFY OP_SHA256 <H> OP_EQUAL
 *    and_v(X,Y)                 X Y: both; X leaves nothing, so it is and_v or has v:
 *    v:X                        X with its result dropped: ...VERIFY
 *
 *  A KEY of SLH-DSA has 64 hex digits, or 66 that begin with the number of another parameter set than 128s.
 *
 *  Names and scripts of all but the two with slhdsa are those of BIP 379 (miniscript) in tapscript and of BIP 387. */
class LeafExpression
{
public:
    enum class Fragment { PK, PK_SLHDSA, MULTI_A, SORTEDMULTI_A, MULTI_SLHDSA, OLDER, AFTER, SHA256, AND_V, VERIFY };

    Fragment fragment;
    uint32_t number{0};                 //!< k of multi, n of older and after
    std::vector<KeyExpression> keys{};
    std::vector<uint8_t> hash{};
    std::vector<LeafExpression> subs{};

    [[nodiscard]] CScript Script() const;
    [[nodiscard]] std::string ToString() const;

    /** Miniscript's types: whether it leaves nothing on the stack (V) and not its result (B). */
    [[nodiscard]] bool LeavesNothing() const;
    /** True if nobody can satisfy it without a signature. */
    [[nodiscard]] bool NeedsSignature() const;

    /** How many elements of the initial stack it takes. */
    [[nodiscard]] size_t Elements() const;
    /** The most elements on the stack while it runs.
     *  @param[in] below  those that what comes after it takes */
    [[nodiscard]] size_t PeakStack(size_t below = 0) const;
    /** The least weight of a transaction that spends it, as of its script. */
    [[nodiscard]] size_t LeastSpendWeight() const;

    /** Two keys that are the same, as positions in the order of ForEachKey; one signature would count for both. */
    [[nodiscard]] std::optional<std::pair<size_t, size_t>> RepeatedKey() const;

    /** Call f for each key, those of sub-expressions included, in the order in which they are written. */
    template <typename F>
    void ForEachKey(F&& f) const
    {
        for (const auto& key : keys) f(key);
        for (const auto& sub : subs) sub.ForEachKey(f);
    }
    /** The same for each sub-expression and this one. */
    template <typename F>
    void ForEach(F&& f) const
    {
        f(*this);
        for (const auto& sub : subs) sub.ForEach(f);
    }
};

/** "pk_slhdsa", "and_v"; VERIFY is a wrapper and has no such name. */
std::string_view FragmentName(LeafExpression::Fragment fragment);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_LEAF_EXPRESSION_H
