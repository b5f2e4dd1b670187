// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/secret_text.h>

#include <tool/input.h>
#include <util/hex.h>

#include <algorithm>
#include <cstddef>

namespace slhc::tool {
namespace {

constexpr size_t FEWEST_WORDS{11}, MOST_WORDS{25}; //!< 12 to 24, or one more or less

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool IsLetter(char c) { return IsAsciiLetter(c) || static_cast<unsigned char>(c) >= 0x80; }

bool IsLetterOrDigit(char c) { return IsLetter(c) || IsDigit(c); }

bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

bool IsBetweenWords(char c) { return IsSpace(c) || c == ',' || c == ';'; }

/** Whether any(part) holds for a part of a text, none of which is empty. */
template <typename Separates, typename Any>
bool AnyPart(std::string_view text, Separates separates, Any any)
{
    while (true) {
        text.remove_prefix(static_cast<size_t>(std::ranges::find_if_not(text, separates) - text.begin()));
        if (text.empty()) return false;
        const auto size{static_cast<size_t>(std::ranges::find_if(text, separates) - text.begin())};
        if (any(text.substr(0, size))) return true;
        text.remove_prefix(size);
    }
}

/** They have 111 characters; it may be cut off. */
bool IsExtendedPrivateKey(std::string_view run)
{
    constexpr std::string_view NETWORKS{"xtyzuv"}; // xprv and tprv, and what other wallets made of them
    constexpr size_t LONG_ENOUGH{50};
    return run.size() > LONG_ENOUGH && NETWORKS.find(run[0]) != NETWORKS.npos && run.substr(1).starts_with("prv");
}

/** By its shape. The checksum of one that was copied with a mistake would be wrong. */
bool IsWif(std::string_view run)
{
    constexpr std::string_view NOT_BASE58{"0OIl"};
    const bool is_uncompressed{run.size() == 51 && (run[0] == '5' || run[0] == '9')};
    const bool is_compressed{run.size() == 52 && (run[0] == 'K' || run[0] == 'L' || run[0] == 'c')};
    return (is_uncompressed || is_compressed) && std::ranges::all_of(run, [](char c) { return IsAsciiLetter(c) || IsDigit(c); }) &&
           run.find_first_of(NOT_BASE58) == run.npos;
}

/** Of nothing but words, however long. */
bool IsPlainPhrase(std::string_view text)
{
    size_t words{0};
    const bool has_others{AnyPart(text, IsSpace, [&](std::string_view word) {
        return ++words > MOST_WORDS || !std::ranges::all_of(word, IsLetter);
    })};
    return !has_others && words >= FEWEST_WORDS;
}

/** The words of a line; 0 if it has anything but words as phrases have them, numbers, bullets and labels. Few lines of English are like
 *  this: they have words of one or two letters. */
size_t PhraseWords(std::string_view line)
{
    constexpr size_t SHORTEST{3}, LONGEST{8}; // in the word lists of BIP 39 whose letters are ASCII
    size_t words{0};
    const bool has_others{AnyPart(line, IsBetweenWords, [&](std::string_view part) {
        if (part.ends_with(':') || std::ranges::none_of(part, IsLetter)) return false;
        // 1.abandon
        if (const size_t begin{static_cast<size_t>(std::ranges::find_if_not(part, IsDigit) - part.begin())}; begin > 0) {
            part.remove_prefix(begin + (part[begin] == '.' || part[begin] == ')' || part[begin] == ':'));
        }
        ++words;
        if (!std::ranges::all_of(part, IsLetter)) return true;
        return std::ranges::all_of(part, IsAsciiLetter) && (part.size() < SHORTEST || part.size() > LONGEST);
    })};
    return has_others ? 0 : words;
}

/** Lines in a row that have enough words together. */
bool HasPhrase(std::string_view text)
{
    size_t words{0};
    return AnyPart(text, IsLineBreak, [&](std::string_view line) {
        if (Trim(line).empty()) return false;
        const size_t here{PhraseWords(line)};
        words = here > 0 ? words + here : 0;
        return words >= FEWEST_WORDS;
    });
}

/** A BIP 32 seed, the seed of a key file, or a secret key itself. */
bool IsHexSecret(std::string_view text)
{
    constexpr size_t FEWEST_DIGITS{2 * 16}, MOST_DIGITS{2 * 64};
    if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
    size_t digits{0};
    const bool has_others{AnyPart(text, IsSpace, [&](std::string_view group) {
        digits += group.size();
        return digits > MOST_DIGITS || !HasOnlyHexDigits(group);
    })};
    return !has_others && digits >= FEWEST_DIGITS;
}

} // namespace

std::optional<SecretForm> FindSecret(std::string_view text)
{
    text = Trim(text);
    if (text.starts_with('@')) text.remove_prefix(1);
    const auto is_other{[](char c) { return !IsLetterOrDigit(c); }};
    if (AnyPart(text, is_other, IsExtendedPrivateKey)) return SecretForm::EXTENDED_KEY;
    if (AnyPart(text, is_other, IsWif)) return SecretForm::WIF;
    if (IsPlainPhrase(text) || HasPhrase(text)) return SecretForm::PHRASE;
    const bool has_hex{IsHexSecret(text) || AnyPart(text, IsLineBreak, [](std::string_view line) { return IsHexSecret(Trim(line)); })};
    return has_hex ? std::optional{SecretForm::HEX} : std::nullopt;
}

} // namespace slhc::tool
