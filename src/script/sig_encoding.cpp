// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/sig_encoding.h>

#include <script/pubkey.h>

namespace slhc {

namespace {

/** True if bytes are a positive integer in its shortest DER form. */
bool IsMinimalPositive(std::span<const uint8_t> integer) noexcept
{
    if (integer.empty() || (integer[0] & 0x80)) return false;
    return integer[0] != 0 || integer.size() == 1 || (integer[1] & 0x80);
}

bool IsDefinedHashType(uint8_t hash_type) noexcept
{
    const int base{hash_type & ~SIGHASH_ANYONECANPAY};
    return base >= SIGHASH_ALL && base <= SIGHASH_SINGLE;
}

bool IsCompressedPubKey(std::span<const uint8_t> pubkey) noexcept
{
    return pubkey.size() == CPubKey::COMPRESSED_SIZE && (pubkey[0] == 0x02 || pubkey[0] == 0x03);
}

bool IsUncompressedPubKey(std::span<const uint8_t> pubkey) noexcept { return pubkey.size() == CPubKey::SIZE && pubkey[0] == 0x04; }

} // namespace

bool IsValidSignatureEncoding(std::span<const uint8_t> sig) noexcept
{
    // 0x30 size 0x02 r_size r 0x02 s_size s hash_type: 7 bytes and two integers of 1 to 33 bytes each
    constexpr size_t MIN_SIZE{9};
    constexpr size_t MAX_SIZE{73};
    if (sig.size() < MIN_SIZE || sig.size() > MAX_SIZE) return false;
    if (sig[0] != 0x30 || sig[1] != sig.size() - 3) return false;

    const size_t r_size{sig[3]};
    if (sig[2] != 0x02 || 5 + r_size >= sig.size()) return false;
    const size_t s_size{sig[5 + r_size]};
    if (sig[4 + r_size] != 0x02 || r_size + s_size + 7 != sig.size()) return false;
    return IsMinimalPositive(sig.subspan(4, r_size)) && IsMinimalPositive(sig.subspan(6 + r_size, s_size));
}

ScriptError CheckSignatureEncoding(std::span<const uint8_t> sig, script_verify_flags flags)
{
    if (sig.empty()) return SCRIPT_ERR_OK;
    const script_verify_flags wants_der{SCRIPT_VERIFY_DERSIG | SCRIPT_VERIFY_LOW_S | SCRIPT_VERIFY_STRICTENC};
    if ((flags & wants_der) && !IsValidSignatureEncoding(sig)) return SCRIPT_ERR_SIG_DER;
    if ((flags & SCRIPT_VERIFY_LOW_S) && !CPubKey::CheckLowS(sig.first(sig.size() - 1))) return SCRIPT_ERR_SIG_HIGH_S;
    if ((flags & SCRIPT_VERIFY_STRICTENC) && !IsDefinedHashType(sig.back())) return SCRIPT_ERR_SIG_HASHTYPE;
    return SCRIPT_ERR_OK;
}

ScriptError CheckPubKeyEncoding(std::span<const uint8_t> pubkey, script_verify_flags flags, SigVersion sigversion) noexcept
{
    const bool compressed{IsCompressedPubKey(pubkey)};
    if ((flags & SCRIPT_VERIFY_STRICTENC) && !compressed && !IsUncompressedPubKey(pubkey)) return SCRIPT_ERR_PUBKEYTYPE;
    if ((flags & SCRIPT_VERIFY_WITNESS_PUBKEYTYPE) && sigversion == SigVersion::WITNESS_V0 && !compressed) {
        return SCRIPT_ERR_WITNESS_PUBKEYTYPE;
    }
    return SCRIPT_ERR_OK;
}

} // namespace slhc
