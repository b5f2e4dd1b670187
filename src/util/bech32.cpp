// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/bech32.h>

#include <util/check.h>

#include <array>

namespace slhc::bech32 {
namespace {

constexpr std::string_view CHARSET{"qpzry9x8gf2tvdw0s3jn54khce6mua7l"};
constexpr char SEPARATOR{'1'};

constexpr uint32_t ChecksumConstant(Encoding encoding)
{
    return encoding == Encoding::BECH32 ? 1 : 0x2bc830a3;
}

/** The BCH code's remainder, computed a value at a time (BIP 173, "Checksum"). */
class Checksum
{
public:
    void Add(uint8_t value)
    {
        static constexpr std::array<uint32_t, 5> GENERATOR{0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3};
        const uint32_t top{m_remainder >> 25};
        m_remainder = (m_remainder & 0x1ffffff) << 5 ^ value;
        for (size_t bit = 0; bit < GENERATOR.size(); ++bit) {
            if (top >> bit & 1) m_remainder ^= GENERATOR[bit];
        }
    }
    void AddHrp(std::string_view hrp)
    {
        for (const char c : hrp) Add(static_cast<uint8_t>(c) >> 5);
        Add(0);
        for (const char c : hrp) Add(static_cast<uint8_t>(c) & 31);
    }
    uint32_t Remainder() const { return m_remainder; }

private:
    uint32_t m_remainder{1};
};

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
char ToLower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::optional<Decoded> Fail(std::string& error, std::string why)
{
    error = std::move(why);
    return std::nullopt;
}

} // namespace

std::string Encode(Encoding encoding, std::string_view hrp, std::span<const uint8_t> values)
{
    assert(!hrp.empty());
    Checksum checksum;
    checksum.AddHrp(hrp);
    std::string str{hrp};
    str.push_back(SEPARATOR);
    for (const uint8_t value : values) {
        assert(value < 32);
        checksum.Add(value);
        str.push_back(CHARSET[value]);
    }
    for (size_t i = 0; i < CHECKSUM_SIZE; ++i) checksum.Add(0);
    const uint32_t remainder{checksum.Remainder() ^ ChecksumConstant(encoding)};
    for (size_t i = 0; i < CHECKSUM_SIZE; ++i) {
        str.push_back(CHARSET[remainder >> 5 * (CHECKSUM_SIZE - 1 - i) & 31]);
    }
    return str;
}

std::optional<Decoded> Decode(std::string_view str, std::string& error)
{
    if (str.size() > MAX_LENGTH) return Fail(error, "longer than " + std::to_string(MAX_LENGTH) + " characters");
    bool upper{false}, lower{false};
    for (size_t i = 0; i < str.size(); ++i) {
        if (str[i] < 33 || str[i] > 126) return Fail(error, "unprintable character at position " + std::to_string(i));
        upper |= IsUpper(str[i]);
        lower |= IsLower(str[i]);
    }
    if (upper && lower) return Fail(error, "upper and lower case mixed");

    const size_t separator{str.rfind(SEPARATOR)};
    if (separator == str.npos) return Fail(error, "no separator '1'");
    if (separator == 0) return Fail(error, "nothing before the separator '1'");
    if (str.size() - separator - 1 < CHECKSUM_SIZE) return Fail(error, "too short for a checksum");

    Decoded decoded{};
    for (const char c : str.substr(0, separator)) decoded.hrp.push_back(ToLower(c));
    Checksum checksum;
    checksum.AddHrp(decoded.hrp);
    for (size_t i = separator + 1; i < str.size(); ++i) {
        const size_t value{CHARSET.find(ToLower(str[i]))};
        if (value == CHARSET.npos) {
            return Fail(error, std::string{"'"} + str[i] + "' at position " + std::to_string(i) + " is not a Bech32 character");
        }
        checksum.Add(static_cast<uint8_t>(value));
        decoded.values.push_back(static_cast<uint8_t>(value));
    }
    decoded.values.resize(decoded.values.size() - CHECKSUM_SIZE);

    for (const Encoding encoding : {Encoding::BECH32, Encoding::BECH32M}) {
        if (checksum.Remainder() != ChecksumConstant(encoding)) continue;
        decoded.encoding = encoding;
        return decoded;
    }
    return Fail(error, "checksum does not match");
}

std::vector<uint8_t> ToFiveBit(std::span<const uint8_t> bytes)
{
    std::vector<uint8_t> values;
    values.reserve((bytes.size() * 8 + 4) / 5);
    uint32_t pending{0};
    int pending_bits{0};
    for (const uint8_t byte : bytes) {
        pending = (pending << 8 | byte) & 0xfff;
        pending_bits += 8;
        while (pending_bits >= 5) {
            pending_bits -= 5;
            values.push_back(pending >> pending_bits & 31);
        }
    }
    if (pending_bits > 0) values.push_back(pending << (5 - pending_bits) & 31);
    return values;
}

std::optional<std::vector<uint8_t>> FromFiveBit(std::span<const uint8_t> values)
{
    std::vector<uint8_t> bytes;
    bytes.reserve(values.size() * 5 / 8);
    uint32_t pending{0};
    int pending_bits{0};
    for (const uint8_t value : values) {
        assert(value < 32);
        pending = (pending << 5 | value) & 0xfff;
        pending_bits += 5;
        if (pending_bits >= 8) {
            pending_bits -= 8;
            bytes.push_back(pending >> pending_bits & 0xff);
        }
    }
    if (pending_bits > 4) return std::nullopt;
    if ((pending & ((1u << pending_bits) - 1)) != 0) return std::nullopt;
    return bytes;
}

} // namespace slhc::bech32
