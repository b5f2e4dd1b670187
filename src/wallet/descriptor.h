// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_DESCRIPTOR_H
#define SLHCONSENSUS_WALLET_DESCRIPTOR_H

#include <primitives/script.h>
#include <script/address.h>
#include <script/script_tree.h>
#include <wallet/key_expression.h>
#include <wallet/leaf_expression.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/** Output script descriptors (BIP 380, 385, 386, 387) with the leaves of leaf_expression.h:
 *
 *    mr(TREE)                   P2MR (BIP 360, formerly P2TSH): a tree of two leaves or more
 *    tr(KEY), tr(KEY,TREE)      P2TR; KEY is the internal key
 *    raw(HEX), addr(ADDR)       an output script, and one as a segwit address
 *
 *    TREE:  LEAF or {TREE,TREE}
 *    KEY:   64 hex digits, for BIP 340 also 66; before them, in brackets, its origin: [d34db33f/360h/1h/0h/5h]79be66...
 *
 *  A descriptor that would lock coins in a way that nobody wants is refused: for ever, for anyone, or for a key counted twice. */
namespace slhc::wallet {

//! Without the checksum. A tree of 128 leaves with multisignatures of many keys, and a bound on what a hostile text can cost.
inline constexpr size_t MAX_DESCRIPTOR_SIZE{1u << 20};
inline constexpr size_t MAX_DESCRIPTOR_LEAVES{1024};
inline constexpr size_t MAX_LEAF_DEPTH{128}; //!< of and_v in and_v

/** Why nobody should make a P2MR output whose tree has one leaf. */
extern const std::string_view SINGLE_LEAF_PROBLEM;

struct TreeExpression {
    std::optional<LeafExpression> leaf; //!< if this is a leaf
    std::vector<TreeExpression> sides;  //!< else: the two below
};

/** The parts of a descriptor's output. */
struct DescriptorOutput {
    struct Leaf {
        LeafExpression expression;          //!< the leaf as the descriptor writes it
        ScriptTree::Leaf leaf;
        std::vector<uint8_t> control_block; //!< with which this output's leaf is spent
    };
    CScript script_pubkey;
    std::optional<PublicKey> internal_key;  //!< of P2TR
    std::optional<ScriptTree> tree;
    std::vector<Leaf> leaves;               //!< from left to right
    std::optional<std::string> hrp;         //!< of the one network that addr() is for
};

class Descriptor
{
public:
    enum class Type { MR, TR, RAW, ADDR };
    enum class Checksum { OPTIONAL, REQUIRED };

    /** @param[in] text  with or without "#" and its checksum; one that is there must be right
     *  @throws DescriptorError */
    static Descriptor Parse(std::string_view text, Checksum checksum = Checksum::OPTIONAL);

    [[nodiscard]] Type GetType() const noexcept { return m_type; }
    /** "mr", "tr", "raw" or "addr". */
    [[nodiscard]] std::string_view TypeName() const;
    /** In the order in which they are written; an internal key is the first. */
    [[nodiscard]] std::vector<KeyExpression> Keys() const;

    /** The normal form: hex in lower case, "h" for hardened steps, the checksum at the end. */
    [[nodiscard]] std::string ToString() const;

    [[nodiscard]] DescriptorOutput Output() const;

private:
    friend class DescriptorParser;
    explicit Descriptor(Type type) : m_type{type} {}

    Type m_type;
    std::optional<KeyExpression> m_internal_key; //!< TR
    std::optional<TreeExpression> m_tree;        //!< MR, and TR with scripts
    CScript m_script;                            //!< RAW and ADDR
    std::string m_address;                       //!< ADDR
    std::string m_hrp;                           //!< ADDR
};

/** The address of an output on a network, "" if its script is not a witness program.
 *  @param[out] error  set if it is the address of another network */
std::string OutputAddress(const DescriptorOutput& output, Network network, std::string& error);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_DESCRIPTOR_H
