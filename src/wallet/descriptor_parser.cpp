// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/transaction.h>
#include <script/pubkey.h>
#include <script/script.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/descriptor_checksum.h>
#include <wallet/lock_time.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace slhc::wallet {
namespace {

using Fragment = LeafExpression::Fragment;

constexpr uint32_t MAX_MINISCRIPT_NUMBER{0x7fffffff}; //!< of older and after
constexpr size_t FINGERPRINT_DIGITS{8};
constexpr size_t KEY_DIGITS{64};
constexpr size_t LONG_KEY_DIGITS{66}; //!< of a compressed key, or with the number of a parameter set
constexpr size_t HASH_DIGITS{64};
//! Elements of the stack that no spend of a leaf is too heavy with, so that its script need not be read: each takes less than 8,000 weight
//! units, with its key.
constexpr size_t MAX_LIGHT_ELEMENTS{MAX_STANDARD_TX_WEIGHT / 8'000 / 2};

bool IsNameCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<Fragment> FindFragment(std::string_view name)
{
    for (const Fragment fragment : {Fragment::PK, Fragment::PK_SLHDSA, Fragment::MULTI_A, Fragment::SORTEDMULTI_A, Fragment::MULTI_SLHDSA,
                                    Fragment::OLDER, Fragment::AFTER, Fragment::SHA256, Fragment::AND_V}) {
        if (FragmentName(fragment) == name) return fragment;
    }
    return std::nullopt;
}

/** The units of a leaf's lock times, bits of a mask: nSequence and nLockTime can each hold one kind. */
enum LockTimeKind : unsigned { OLDER_BLOCKS = 1, OLDER_TIME = 2, AFTER_HEIGHT = 4, AFTER_TIME = 8 };

unsigned LockTimeKinds(const LeafExpression& leaf)
{
    unsigned kinds{0};
    leaf.ForEach([&](const LeafExpression& sub) {
        if (sub.fragment == Fragment::OLDER) {
            kinds |= (sub.number & CTxIn::SEQUENCE_LOCKTIME_TYPE_FLAG) != 0 ? OLDER_TIME : OLDER_BLOCKS;
        } else if (sub.fragment == Fragment::AFTER) {
            kinds |= sub.number < LOCKTIME_THRESHOLD ? AFTER_HEIGHT : AFTER_TIME;
        }
    });
    return kinds;
}

} // namespace

/** Reads a descriptor from left to right. Columns are those of the whole text. */
class DescriptorParser
{
public:
    explicit DescriptorParser(std::string_view text) : m_text{text} {}

    Descriptor Parse()
    {
        const std::string_view name{Name()};
        if (!Accept('(')) Fail(name.empty() ? "a descriptor begins with mr(, tr(, raw( or addr(" : "expected '('");
        Descriptor descriptor{ReadArguments(name)};
        Expect(')', "at the end of the descriptor");
        if (!AtEnd()) Fail("unexpected text after the descriptor");
        return descriptor;
    }

private:
    [[noreturn]] void FailAt(size_t position, const std::string& problem) const { throw DescriptorError{position, problem}; }
    [[noreturn]] void Fail(const std::string& problem) const { FailAt(m_position, problem); }

    bool AtEnd() const { return m_position == m_text.size(); }
    char Peek() const { return AtEnd() ? '\0' : m_text[m_position]; }
    bool Accept(char c)
    {
        if (Peek() != c || AtEnd()) return false;
        ++m_position;
        return true;
    }
    void Expect(char c, const std::string& where)
    {
        if (!Accept(c)) Fail(std::string{"expected '"} + c + "' " + where);
    }
    template <typename Predicate>
    std::string_view TakeWhile(Predicate&& holds)
    {
        const size_t begin{m_position};
        while (!AtEnd() && holds(Peek())) ++m_position;
        return m_text.substr(begin, m_position - begin);
    }
    std::string_view Name() { return TakeWhile(IsNameCharacter); }

    Descriptor ReadArguments(std::string_view name)
    {
        if (name == "mr") {
            Descriptor descriptor{Descriptor::Type::MR};
            const size_t begin{m_position};
            descriptor.m_tree = Tree(0);
            if (descriptor.m_tree->leaf) FailAt(begin, std::string{SINGLE_LEAF_PROBLEM});
            return descriptor;
        }
        if (name == "tr") {
            Descriptor descriptor{Descriptor::Type::TR};
            descriptor.m_internal_key = Key(KeyType::SCHNORR);
            if (Accept(',')) descriptor.m_tree = Tree(0);
            return descriptor;
        }
        if (name == "raw") {
            Descriptor descriptor{Descriptor::Type::RAW};
            descriptor.m_script = CScript{Hex()};
            if (descriptor.m_script.empty()) Fail("expected a script in hex");
            return descriptor;
        }
        if (name == "addr") return Address();
        if (FindFragment(name)) FailAt(0, std::string{name} + "() can only be a leaf of mr() or tr()");
        FailAt(0, std::string{name.substr(0, 20)} + "() is not a descriptor known here (mr, tr, raw, addr)");
    }

    Descriptor Address()
    {
        Descriptor descriptor{Descriptor::Type::ADDR};
        const size_t begin{m_position};
        const std::string_view text{TakeWhile([](char c) { return c != ')'; })};
        std::string error;
        const auto decoded{DecodeAddress(text, error)};
        if (!decoded) FailAt(begin, "not a segwit address: " + error);
        descriptor.m_script = CScript{decoded->program.ScriptPubKey()};
        descriptor.m_hrp = decoded->hrp;
        descriptor.m_address = text;
        // Bech32 may be written in upper case.
        for (char& c : descriptor.m_address) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        return descriptor;
    }

    std::string_view HexDigits()
    {
        return TakeWhile([](char c) { return HexDigit(c) >= 0; });
    }

    std::vector<uint8_t> Hex()
    {
        const size_t begin{m_position};
        const auto bytes{TryParseHex(HexDigits())};
        if (!bytes) FailAt(begin, "an odd number of hex digits");
        return *bytes;
    }

    TreeExpression Tree(size_t depth)
    {
        TreeExpression tree;
        if (!Accept('{')) {
            if (++m_leaves > MAX_DESCRIPTOR_LEAVES) Fail("the tree has more than " + std::to_string(MAX_DESCRIPTOR_LEAVES) + " leaves");
            tree.leaf = Leaf();
            return tree;
        }
        if (depth == TAPROOT_CONTROL_MAX_NODE_COUNT) {
            FailAt(m_position - 1, "the tree is deeper than " + std::to_string(TAPROOT_CONTROL_MAX_NODE_COUNT) + " levels");
        }
        tree.sides.push_back(Tree(depth + 1));
        Expect(',', "between the two sides of a branch");
        tree.sides.push_back(Tree(depth + 1));
        Expect('}', "after the two sides of a branch");
        return tree;
    }

    /** A leaf as a whole, which must meet a few demands: Bitcoin Core makes the same of a miniscript. */
    LeafExpression Leaf()
    {
        const size_t begin{m_position};
        m_key_positions.clear();
        LeafExpression leaf{Expression(0)};
        if (leaf.LeavesNothing()) FailAt(begin, "the leaf leaves nothing on the stack: its last part must not have 'v:'");
        if (!leaf.NeedsSignature()) FailAt(begin, "anyone could spend this leaf: it needs no signature");
        if (const auto repeated{leaf.RepeatedKey()}) {
            std::vector<std::string> types;
            leaf.ForEachKey([&](const KeyExpression& key) { types.push_back(KeyTypeName(key.type, key.Element())); });
            const bool same_type{types[repeated->first] == types[repeated->second]};
            FailAt(m_key_positions[repeated->second],
                   "the same key as in column " + std::to_string(m_key_positions[repeated->first] + 1) +
                       (same_type ? ", so its signature would count twice"
                                  : ", where it is a key of another type: one of the two is wrong"));
        }
        if (const size_t peak{leaf.PeakStack()}; peak > MAX_STACK_SIZE) {
            FailAt(begin, "nobody could spend this leaf: it needs " + std::to_string(peak) + " elements on the stack, and there can be " +
                              std::to_string(MAX_STACK_SIZE));
        }
        if (const size_t weight{leaf.Elements() > MAX_LIGHT_ELEMENTS ? leaf.LeastSpendWeight() : 0}; weight > MAX_STANDARD_TX_WEIGHT) {
            FailAt(begin, "to spend this leaf takes a transaction of at least " + std::to_string(weight) +
                              " weight units, and nodes do not relay more than " + std::to_string(MAX_STANDARD_TX_WEIGHT));
        }
        const unsigned kinds{LockTimeKinds(leaf)};
        if ((kinds & (OLDER_BLOCKS | OLDER_TIME)) == (OLDER_BLOCKS | OLDER_TIME)) {
            FailAt(begin, "the leaf demands an age in blocks and one in time, and no nSequence can express both");
        }
        if ((kinds & (AFTER_HEIGHT | AFTER_TIME)) == (AFTER_HEIGHT | AFTER_TIME)) {
            FailAt(begin, "the leaf demands a block height and a time, and no nLockTime can express both");
        }
        return leaf;
    }

    LeafExpression Expression(size_t depth)
    {
        const size_t begin{m_position};
        if (depth > MAX_LEAF_DEPTH) Fail("more than " + std::to_string(MAX_LEAF_DEPTH) + " expressions within one another");
        const std::string_view name{Name()};
        if (Accept(':')) {
            if (name != "v") FailAt(begin, "the wrapper " + std::string{name.substr(0, 20)} + ": is not known here (v:)");
            LeafExpression wrapper{Fragment::VERIFY};
            const size_t inner{m_position};
            wrapper.subs.push_back(Expression(depth + 1));
            if (wrapper.subs[0].LeavesNothing()) FailAt(inner, "v: takes an expression that leaves a result");
            return wrapper;
        }
        if (name.empty()) Fail("expected a leaf" + std::string{depth == 0 ? " or '{'" : ""});
        if (name == "leaf" || name == "raw") FailAt(begin, std::string{name} + "() cannot be a leaf of a descriptor");
        if (Peek() != '(') FailAt(begin, "expected a leaf such as pk_slhdsa(KEY)");
        const auto fragment{FindFragment(name)};
        if (!fragment) FailAt(begin, std::string{name.substr(0, 20)} + "() is not known here (pk, pk_slhdsa, multi_a, sortedmulti_a, " +
                                                                      "multi_slhdsa, older, after, sha256, and_v)");
        if (*fragment == Fragment::SORTEDMULTI_A && depth > 0) {
            FailAt(begin, "sortedmulti_a() can only be a whole leaf, as it is no part of miniscript: sort the keys and write multi_a()");
        }
        ++m_position;
        LeafExpression expression{*fragment};
        ReadArguments(expression, depth);
        Expect(')', "after the arguments of " + std::string{name} + "()");
        return expression;
    }

    void ReadArguments(LeafExpression& expression, size_t depth)
    {
        switch (expression.fragment) {
        case Fragment::PK: expression.keys.push_back(LeafKey(KeyType::SCHNORR)); break;
        case Fragment::PK_SLHDSA: expression.keys.push_back(LeafKey(KeyType::SLHDSA)); break;
        case Fragment::MULTI_A:
        case Fragment::SORTEDMULTI_A: Multi(expression, KeyType::SCHNORR); break;
        case Fragment::MULTI_SLHDSA: Multi(expression, KeyType::SLHDSA); break;
        case Fragment::OLDER:
        case Fragment::AFTER: LockTime(expression); break;
        case Fragment::SHA256: {
            const size_t begin{m_position};
            expression.hash = Hex();
            if (2 * expression.hash.size() != HASH_DIGITS) FailAt(begin, "sha256() takes 64 hex digits");
            break;
        }
        case Fragment::AND_V: {
            const size_t first{m_position};
            expression.subs.push_back(Expression(depth + 1));
            if (!expression.subs[0].LeavesNothing()) FailAt(first, "the first part of and_v() leaves a result: write v: before it");
            Expect(',', "between the two parts of and_v()");
            expression.subs.push_back(Expression(depth + 1));
            break;
        }
        case Fragment::VERIFY: break;
        }
    }

    void Multi(LeafExpression& expression, KeyType type)
    {
        const size_t begin{m_position};
        const std::string name{FragmentName(expression.fragment)};
        expression.number = Number(MAX_PUBKEYS_PER_MULTI_A);
        if (expression.number == 0) FailAt(begin, name + "(): with 0 signatures needed, anyone could spend");
        if (Peek() != ',') Fail("expected ',' and a key");
        while (Accept(',')) {
            if (expression.keys.size() == MAX_PUBKEYS_PER_MULTI_A) {
                Fail(name + "() has more than " + std::to_string(MAX_PUBKEYS_PER_MULTI_A) + " keys");
            }
            expression.keys.push_back(LeafKey(type));
        }
        if (expression.number > expression.keys.size()) {
            FailAt(begin, name + "() needs " + std::to_string(expression.number) + " signatures, but has " +
                              Counted(expression.keys.size(), "key"));
        }
    }

    void LockTime(LeafExpression& expression)
    {
        const size_t begin{m_position};
        expression.number = Number(MAX_MINISCRIPT_NUMBER);
        const bool older{expression.fragment == Fragment::OLDER};
        const std::string problem{older ? OlderProblem(expression.number) : AfterProblem(expression.number, MAX_MINISCRIPT_NUMBER)};
        if (!problem.empty()) FailAt(begin, problem);
    }

    /** Decimal, without a sign and without leading zeros. */
    uint32_t Number(uint32_t max)
    {
        const size_t begin{m_position};
        const std::string_view digits{TakeWhile(IsDigit)};
        if (digits.empty()) Fail("expected a number");
        if (digits.size() > 1 && digits[0] == '0') FailAt(begin, "a number with a leading zero");
        uint32_t number{};
        const auto [end, code]{std::from_chars(digits.data(), digits.data() + digits.size(), number)};
        if (code != std::errc{} || number > max) FailAt(begin, "the number is greater than " + std::to_string(max));
        return number;
    }

    KeyExpression LeafKey(KeyType type)
    {
        m_key_positions.push_back(m_position);
        return Key(type);
    }

    KeyExpression Key(KeyType type)
    {
        std::optional<KeyOrigin> origin;
        if (Accept('[')) {
            origin = Origin();
            Expect(']', "after the origin of a key");
        }
        if (Peek() == '[') Fail("a key has one origin");
        const size_t key_begin{m_position};
        const std::string_view text{TakeWhile([](char c) { return c != ',' && c != ')' && c != '}' && c != '/' && c != '{' && c != '('; })};
        const auto bytes{TryParseHex(text)};
        if (!bytes || text.empty()) FailAt(key_begin, WhyNotHex(text));
        if (Peek() == '/') {
            Fail("a key in hex has no children: SLH-DSA has no extended public keys, and those of BIP 32 are not derived here");
        }
        if (text.size() == LONG_KEY_DIGITS && (type == KeyType::SLHDSA || (*bytes)[0] == 2 || (*bytes)[0] == 3)) {
            if (type == KeyType::SLHDSA && !IsKey(type, *bytes)) FailAt(key_begin, KeySetProblem(*bytes));
            return {type, std::move(origin), CheckedKey(type, std::span{*bytes}.subspan(1), key_begin), (*bytes)[0]};
        }
        if (text.size() != KEY_DIGITS) {
            FailAt(key_begin, "a key of " + Counted(text.size(), "hex digit") + ": " +
                                  (type == KeyType::SLHDSA ? "an SLH-DSA key has 64, or 66 with the number of a parameter set in front" :
                                                             "a BIP 340 key has 64, or 66 with 02 or 03 in front"));
        }
        return {type, std::move(origin), CheckedKey(type, *bytes, key_begin)};
    }

    PublicKey CheckedKey(KeyType type, std::span<const uint8_t> bytes, size_t begin) const
    {
        PublicKey key;
        std::ranges::copy(bytes, key.begin());
        if (type == KeyType::SCHNORR && !XOnlyPubKey{key}.IsFullyValid()) {
            FailAt(begin, "the key is not the x coordinate of a point on secp256k1: nobody could sign");
        }
        return key;
    }

    static std::string WhyNotHex(std::string_view text)
    {
        constexpr std::string_view EXTENDED_SUFFIXES[]{"pub", "prv"};
        if (text.empty()) return "expected a key: hex digits, or its origin in brackets";
        if (text.size() > 4 && std::ranges::find(EXTENDED_SUFFIXES, text.substr(1, 3)) != std::end(EXTENDED_SUFFIXES)) {
            return "extended keys (BIP 32) are not derived here: write the key";
        }
        const auto is_alphanumeric{[](char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }};
        if (std::ranges::all_of(text, is_alphanumeric) && (text.size() == 51 || text.size() == 52)) {
            return "a private key: a descriptor has public keys alone";
        }
        return "not a key in hex";
    }

    /** The content of brackets: the fingerprint of a master key, and a path. */
    KeyOrigin Origin()
    {
        const size_t begin{m_position};
        KeyOrigin origin{};
        const std::string_view digits{TakeWhile([](char c) { return c != '/' && c != ']' && c != ')' && c != ','; })};
        const auto fingerprint{TryParseHex(digits)};
        if (!fingerprint || digits.size() != FINGERPRINT_DIGITS) FailAt(begin, "the fingerprint of an origin has 8 hex digits");
        std::ranges::copy(*fingerprint, origin.fingerprint.begin());
        while (Accept('/')) {
            const uint32_t step{Number(HARDENED - 1)};
            origin.path.push_back(step | (Accept('h') || Accept('\'') ? HARDENED : 0));
            if (Peek() == 'H') Fail("a hardened step is written h or '");
            if (origin.path.size() > MAX_PATH) Fail("a path of more than " + std::to_string(MAX_PATH) + " steps");
        }
        return origin;
    }

    const std::string_view m_text;
    size_t m_position{0};
    size_t m_leaves{0};
    std::vector<size_t> m_key_positions; //!< of the leaf being read
};

Descriptor Descriptor::Parse(std::string_view text, Checksum checksum)
{
    // Without the checksum: a descriptor is as long with it as without.
    if (std::min(text.size(), text.find('#')) > MAX_DESCRIPTOR_SIZE) {
        throw DescriptorError{MAX_DESCRIPTOR_SIZE, "the descriptor has more than " + std::to_string(MAX_DESCRIPTOR_SIZE) + " characters"};
    }
    const std::string_view payload{WithoutDescriptorChecksum(text)};
    if (checksum == Checksum::REQUIRED && payload.size() == text.size()) throw DescriptorError{text.size(), "expected '#' and a checksum"};
    return DescriptorParser{payload}.Parse();
}

} // namespace slhc::wallet
