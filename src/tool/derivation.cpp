// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/derivation.h>

#include <crypto/endian.h>
#include <crypto/hash.h>
#include <crypto/sha256.h>
#include <tool/error.h>
#include <tool/file_kind.h>
#include <tool/input.h>
#include <util/check.h>
#include <util/cleanse.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/descriptor_error.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <utility>

#include <secp256k1.h>
#include <sodium.h>

namespace slhc::tool {
namespace {

constexpr size_t NODE_SIZE{32}; //!< of a secret, and of a chain code
constexpr size_t HMAC_SIZE{crypto_auth_hmacsha512_BYTES};
constexpr size_t MIN_SEED_SIZE{16}, MAX_SEED_SIZE{64};
constexpr size_t WORDLIST_SIZE{2048};
constexpr std::string_view MASTER_TAG{"Bitcoin seed"};

/** HMAC-SHA512 of several parts in a row. */
SecretBytes HmacSha512(std::span<const uint8_t> key, std::initializer_list<std::span<const uint8_t>> parts)
{
    crypto_auth_hmacsha512_state state;
    crypto_auth_hmacsha512_init(&state, key.data(), key.size());
    for (const auto& part : parts) crypto_auth_hmacsha512_update(&state, part.data(), part.size());
    SecretBytes out(HMAC_SIZE);
    crypto_auth_hmacsha512_final(&state, out.data());
    sodium_memzero(&state, sizeof(state));
    return out;
}

SecretBytes Part(std::span<const uint8_t> bytes, size_t offset, size_t size)
{
    const auto part{bytes.subspan(offset, size)};
    return {part.begin(), part.end()};
}

// Base58Check, of the one size that an extended key has.

constexpr std::string_view BASE58{"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"};
constexpr size_t EXTENDED_SIZE{78};
constexpr size_t CHECKSUM_SIZE{4};
constexpr size_t EXTENDED_DIGITS{111};
constexpr std::array<uint8_t, 4> XPRV{0x04, 0x88, 0xad, 0xe4}, TPRV{0x04, 0x35, 0x83, 0x94};

SecretBytes DecodeExtendedKey(std::string_view text)
{
    constexpr unsigned BASE{58};
    SecretBytes bytes(EXTENDED_SIZE + CHECKSUM_SIZE);
    for (size_t i = 0; i < text.size(); ++i) {
        const size_t digit{BASE58.find(text[i])};
        if (digit == BASE58.npos) throw InputError{"position " + std::to_string(i) + " of the extended key is not a Base58 digit"};
        auto carry{static_cast<unsigned>(digit)};
        for (size_t j = bytes.size(); j-- > 0;) {
            carry += BASE * bytes[j];
            bytes[j] = static_cast<uint8_t>(carry);
            carry >>= 8;
        }
        if (carry != 0) throw InputError{"the extended key is too long"};
    }
    std::array<uint8_t, CHash256::OUTPUT_SIZE> checksum;
    CHash256 hash;
    hash.Write(std::span{bytes}.first(EXTENDED_SIZE)).Finalize(checksum);
    memory_cleanse(&hash, sizeof(hash));
    if (!std::ranges::equal(std::span{checksum}.first(CHECKSUM_SIZE), std::span{bytes}.subspan(EXTENDED_SIZE))) {
        throw InputError{"the extended key's checksum does not match: it has a typing error"};
    }
    bytes.resize(EXTENDED_SIZE);
    return bytes;
}

} // namespace

ExtendedKey::ExtendedKey(SecretBytes secret, SecretBytes chain_code, size_t depth)
    : m_secret{std::move(secret)}, m_chain_code{std::move(chain_code)}, m_depth{depth}
{
    if (!secp256k1_ec_seckey_verify(secp256k1_context_static, m_secret.data())) {
        throw InputError{"the secret is zero, or not below the order of secp256k1's group"};
    }
}

ExtendedKey ExtendedKey::FromSeed(std::span<const uint8_t> seed)
{
    if (seed.size() < MIN_SEED_SIZE || seed.size() > MAX_SEED_SIZE) {
        throw InputError{"a BIP 32 seed has 16 to 64 bytes, not " + std::to_string(seed.size())};
    }
    const SecretBytes node{HmacSha512(AsBytes(MASTER_TAG), {seed})};
    return {Part(node, 0, NODE_SIZE), Part(node, NODE_SIZE, NODE_SIZE), 0};
}

ExtendedKey ExtendedKey::Parse(std::string_view text)
{
    constexpr size_t VERSION_SIZE{4}, DEPTH_AT{4}, PARENT_AT{5}, CHAIN_CODE_AT{13}, KEY_AT{45};
    if (text.starts_with("xpub") || text.starts_with("tpub")) {
        throw InputError{"an extended public key: SLH-DSA keys derive from the private one alone"};
    }
    if (text.size() != EXTENDED_DIGITS) {
        throw InputError{"an extended key has 111 characters, not " + std::to_string(text.size())};
    }
    const SecretBytes bytes{DecodeExtendedKey(text)};
    const auto version{std::span{bytes}.first(VERSION_SIZE)};
    if (!std::ranges::equal(version, XPRV) && !std::ranges::equal(version, TPRV)) {
        throw InputError{"not an extended private key (xprv, tprv)"};
    }
    const auto parent{std::span{bytes}.subspan(PARENT_AT, CHAIN_CODE_AT - PARENT_AT)};
    if (bytes[DEPTH_AT] == 0 && std::ranges::any_of(parent, [](uint8_t byte) { return byte != 0; })) {
        throw InputError{"the extended key says that it is a root, and also that it has a parent"};
    }
    if (bytes[KEY_AT] != 0) throw InputError{"the extended key does not hold a private key"};
    return {Part(bytes, KEY_AT + 1, NODE_SIZE), Part(bytes, CHAIN_CODE_AT, NODE_SIZE), bytes[DEPTH_AT]};
}

ExtendedKey ExtendedKey::HardenedChild(uint32_t index) const
{
    assert(index < wallet::HARDENED);
    // An extended key has one byte for its depth, and no descriptor takes a longer path.
    if (m_depth >= wallet::MAX_PATH) {
        throw InputError{"a key of more than " + std::to_string(wallet::MAX_PATH) + " steps from the root, its index among them"};
    }
    constexpr std::array<uint8_t, 1> PRIVATE{0};
    std::array<uint8_t, 4> number;
    WriteBE32(number.data(), index | wallet::HARDENED);
    const SecretBytes node{HmacSha512(m_chain_code, {PRIVATE, m_secret, number})};
    SecretBytes secret{m_secret};
    if (!secp256k1_ec_seckey_tweak_add(secp256k1_context_static, secret.data(), node.data())) {
        throw InputError{"BIP 32 gives no key at index " + std::to_string(index) + ": use another"};
    }
    return {std::move(secret), Part(node, NODE_SIZE, NODE_SIZE), m_depth + 1};
}

ExtendedKey ExtendedKey::Derive(std::span<const uint32_t> path) const
{
    ExtendedKey key{*this};
    for (const uint32_t step : path) {
        assert((step & wallet::HARDENED) != 0);
        key = key.HardenedChild(step & ~wallet::HARDENED);
    }
    return key;
}

std::array<uint8_t, 4> ExtendedKey::Fingerprint() const
{
    const auto hash{Hash160(CompressedPublicKey(m_secret))};
    std::array<uint8_t, 4> fingerprint;
    std::copy_n(hash.begin(), fingerprint.size(), fingerprint.begin());
    return fingerprint;
}

KeyPair ExtendedKey::Key(KeyType type) const
{
    if (type == KeyType::SCHNORR) return MakeKeyPair(type, m_secret);
    const SecretBytes seed{HmacSha512(AsBytes(DERIVATION_TAG), {m_secret, m_chain_code})};
    return MakeKeyPair(type, std::span{seed}.first(SeedSize(type)));
}

namespace {

/** The words of a phrase, as views into it. */
std::vector<std::string_view> Words(std::string_view phrase)
{
    std::vector<std::string_view> words;
    for (size_t i = 0; i < phrase.size();) {
        const size_t begin{i};
        while (i < phrase.size() && !IsSpace(phrase[i])) ++i;
        if (i > begin) words.push_back(phrase.substr(begin, i - begin));
        while (i < phrase.size() && IsSpace(phrase[i])) ++i;
    }
    return words;
}

void CheckPhrase(std::span<const std::string_view> words, std::span<const std::string> wordlist)
{
    constexpr int WORD_BITS{11};
    assert(wordlist.size() == WORDLIST_SIZE);
    std::map<std::string_view, unsigned> numbers;
    for (unsigned i = 0; i < WORDLIST_SIZE; ++i) numbers.emplace(wordlist[i], i);
    SecretBytes bits; // one a byte
    for (size_t i = 0; i < words.size(); ++i) {
        const auto found{numbers.find(words[i])};
        if (found == numbers.end()) throw InputError{"word " + std::to_string(i + 1) + " of the phrase is not in the word list"};
        for (int bit{WORD_BITS}; bit-- > 0;) bits.push_back(found->second >> bit & 1);
    }
    // One bit of checksum for 32 of entropy
    const size_t entropy_bits{bits.size() * 32 / 33};
    SecretBytes entropy(entropy_bits / 8);
    for (size_t i = 0; i < entropy_bits; ++i) entropy[i / 8] = static_cast<uint8_t>(entropy[i / 8] << 1 | bits[i]);
    std::array<uint8_t, CSHA256::OUTPUT_SIZE> digest;
    CSHA256 sha;
    sha.Write(entropy.data(), entropy.size()).Finalize(digest.data());
    memory_cleanse(&sha, sizeof(sha));
    for (size_t i = entropy_bits; i < bits.size(); ++i) {
        const size_t at{i - entropy_bits};
        if ((digest[at / 8] >> (7 - at % 8) & 1) != bits[i]) {
            throw InputError{"the phrase's checksum does not match: a word is wrong, or two are swapped"};
        }
    }
}

/** @throws InputError that begins with the file */
std::vector<std::string> ReadWordlist(const std::string& path)
{
    constexpr size_t MAX_WORDLIST_SIZE{64u << 10};
    const std::string text{ReadFile(path, MAX_WORDLIST_SIZE)};
    const auto words{Words(text)};
    if (words.size() != WORDLIST_SIZE) {
        throw InputError{FileName(path), "has " + Counted(words.size(), "word") + ", but a word list has " + std::to_string(WORDLIST_SIZE)};
    }
    return {words.begin(), words.end()};
}

} // namespace

SecretBytes SeedFromPhrase(std::string_view phrase, std::string_view passphrase, std::span<const std::string> wordlist)
{
    constexpr int ITERATIONS{2048};
    constexpr std::array<uint8_t, 4> FIRST_BLOCK{0, 0, 0, 1};
    constexpr std::string_view SALT{"mnemonic"};
    const auto words{Words(phrase)};
    if (words.size() < 12 || words.size() > 24 || words.size() % 3 != 0) {
        throw InputError{"a phrase has 12, 15, 18, 21 or 24 words, not " + std::to_string(words.size())};
    }
    const auto is_ascii{[](std::string_view text) { return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; }); }};
    for (size_t i = 0; i < words.size(); ++i) {
        if (!std::ranges::all_of(words[i], [](char c) { return c >= 'a' && c <= 'z'; })) {
            throw InputError{"word " + std::to_string(i + 1) + " of the phrase has a character other than a to z"};
        }
    }
    if (!is_ascii(passphrase)) throw InputError{"the passphrase has a character beyond ASCII, which BIP 39 would have normalized first"};
    if (!wordlist.empty()) CheckPhrase(words, wordlist);

    SecretBytes sentence;
    for (const auto& word : words) {
        if (!sentence.empty()) sentence.push_back(' ');
        sentence.insert(sentence.end(), word.begin(), word.end());
    }
    // PBKDF2 with HMAC-SHA512; its output is one block.
    SecretBytes block{HmacSha512(sentence, {AsBytes(SALT), AsBytes(passphrase), FIRST_BLOCK})};
    SecretBytes seed{block};
    for (int i{1}; i < ITERATIONS; ++i) {
        block = HmacSha512(sentence, {block});
        for (size_t j = 0; j < seed.size(); ++j) seed[j] ^= block[j];
    }
    return seed;
}

ExtendedKey ParseMaster(std::string_view text, std::string_view passphrase, std::span<const std::string> wordlist)
{
    text = Trim(text);
    if (FileKindOf(AsBytes(text)) == FileKind::KEY) {
        throw InputError{"a key file, which holds one key and no secret that keys derive from (backup check takes it with --key)"};
    }
    const bool is_phrase{std::ranges::any_of(text, IsSpace)};
    if (is_phrase) return ExtendedKey::FromSeed(SeedFromPhrase(text, passphrase, wordlist));
    if (!passphrase.empty()) throw InputError{"a passphrase belongs to a phrase of words, which this is not"};
    if (HasOnlyHexDigits(text)) {
        if (text.size() % 2 != 0) throw InputError{"an odd number of hex digits"};
        return ExtendedKey::FromSeed(ParseSecretHex(text, text.size() / 2));
    }
    constexpr std::string_view EXTENDED_KEYS{"xt"}; // xprv, tprv, and the public ones
    if (EXTENDED_KEYS.find(text[0]) == EXTENDED_KEYS.npos) {
        throw InputError{"neither a phrase of words, nor a seed in hex, nor an extended private key (xprv..., tprv...)"};
    }
    return ExtendedKey::Parse(text);
}

std::vector<uint32_t> ParseHardenedPath(std::string_view text)
{
    constexpr std::string_view NO_FINGERPRINT{"00000000"};
    if (!text.starts_with('m') || (text.size() > 1 && text[1] != '/')) throw InputError{Quote(text) + " does not begin with m/"};
    try {
        auto path{wallet::KeyOrigin::Parse(std::string{NO_FINGERPRINT} + std::string{text.substr(1)}).path};
        for (size_t i = 0; i < path.size(); ++i) {
            if ((path[i] & wallet::HARDENED) == 0) {
                throw InputError{"step " + std::to_string(i + 1) + " of " + Quote(text) + " is not hardened: write " +
                                 std::to_string(path[i]) + "h; every step must be"};
            }
        }
        return path;
    } catch (const wallet::DescriptorError& e) {
        throw InputError{Quote(text) + ", column " + std::to_string(e.Column() - NO_FINGERPRINT.size() + 1) + ": " + e.Problem()};
    }
}

ExtendedKey ReadMaster(const MasterFiles& files)
{
    const SecretBytes content{ReadSecretFile(files.master)};
    SecretBytes passphrase;
    if (!files.passphrase.empty()) passphrase = ReadPassphraseFile(files.passphrase, files.master);
    std::vector<std::string> wordlist;
    if (!files.wordlist.empty()) wordlist = ReadWordlist(files.wordlist);
    return Within(FileName(files.master), [&] { return ParseMaster(AsText(content), AsText(passphrase), wordlist); });
}

void DeclareMasterOptions(CommandParser& parser, std::string& passphrase_file, std::string& wordlist)
{
    parser.Add("--passphrase-file FILE", passphrase_file, "The passphrase of a BIP 39 phrase: the first line of this file");
    parser.Add("--wordlist FILE", wordlist,
               "The 2048 words of BIP 39's list, to check the phrase's checksum; without it, the checksum is not checked");
}

} // namespace slhc::tool
