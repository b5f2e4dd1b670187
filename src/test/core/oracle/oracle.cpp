// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The C face of Bitcoin Core's own script verification. Compiled against Core's headers: every <...> below is Core's, except for standard
// headers. This project's headers come by absolute path, since many share their names; its lists
// (.def) share none with Core, whose folders are searched first. CORE_HAS_RULES: these are Core's sources with the rules of
// contrib/bitcoin-core in them.

#include <consensus/amount.h>
#include <crypto/sha256.h>
#include <primitives/transaction.h>
#include <pubkey.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/script_error.h>
#include <serialize.h>
#include <uint256.h>
#if CORE_HAS_RULES
#include <script/sigcache.h>
#include <slhdsa/check.h>
#include <slhdsa/pubkey.h>
#endif

#include SLHC_CORE_ORACLE_H
#include SLHC_SCRIPT_ERROR_H
#include SLHC_VERIFY_FLAGS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <ios>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Core's numbers by name, and the proof that this project's are the same. The module's own come after them, where Core has
// the rules.
#if CORE_HAS_RULES
#define SLHC_OWN_SCRIPT_ERROR(name, text) SLHC_SCRIPT_ERROR(name, text)
#define SLHC_OWN_VERIFY_FLAG(name, use) SLHC_VERIFY_FLAG(name, use)
#endif
static constexpr const char* ERROR_NAMES[]{
#define SLHC_SCRIPT_ERROR(name, text) #name,
#include <script/script_errors.def>
};
static constexpr const char* FLAG_NAMES[]{
#define SLHC_VERIFY_FLAG(name, use) "SCRIPT_VERIFY_" #name,
#include <script/verify_flags.def>
};
#if CORE_HAS_RULES // each list ends with its macros undefined
#define SLHC_OWN_SCRIPT_ERROR(name, text) SLHC_SCRIPT_ERROR(name, text)
#define SLHC_OWN_VERIFY_FLAG(name, use) SLHC_VERIFY_FLAG(name, use)
#endif
#define SLHC_SCRIPT_ERROR(name, text) static_assert(int{::name} == int{slhc::name});
#include <script/script_errors.def>
#define SLHC_VERIFY_FLAG(name, use) static_assert(static_cast<int>(::SCRIPT_VERIFY_##name) == static_cast<int>(slhc::SCRIPT_VERIFY_##name));
#include <script/verify_flags.def>
// With more errors or flags than these, it is not the Core that this project follows.
static_assert(std::size(ERROR_NAMES) == SCRIPT_ERR_ERROR_COUNT);
static_assert(std::size(FLAG_NAMES) == MAX_SCRIPT_VERIFY_FLAGS_BITS);

struct core_oracle_tx {
    CTransaction tx;
    PrecomputedTransactionData data;
};

#if CORE_HAS_RULES
namespace {
/** The implementation of slhc_slhdsa_verify on this thread, during a call of the table's functions. */
thread_local core_oracle_slhdsa_verify g_slhdsa_verify{nullptr};
} // namespace

int slhc_slhdsa_verify(int set, const unsigned char public_key[32], slhc_bytes message, slhc_bytes ctx, slhc_bytes signature)
{
    if (!g_slhdsa_verify) std::abort();
    return g_slhdsa_verify(set, public_key, message, ctx, signature);
}
#endif

namespace {

/** Reads serialized objects from memory; running out of bytes is the failure that Core's own streams report. */
class ByteReader
{
    std::span<const unsigned char> m_left;

public:
    explicit ByteReader(std::span<const unsigned char> bytes) : m_left{bytes} {}

    void read(std::span<std::byte> out)
    {
        if (out.size() > m_left.size()) throw std::ios_base::failure("end of data");
        if (!out.empty()) std::memcpy(out.data(), m_left.data(), out.size());
        m_left = m_left.subspan(out.size());
    }
    void ignore(size_t n)
    {
        if (n > m_left.size()) throw std::ios_base::failure("end of data");
        m_left = m_left.subspan(n);
    }
    bool AtEnd() const { return m_left.empty(); }

    template <typename T>
    ByteReader& operator>>(T&& object)
    {
        ::Unserialize(*this, object);
        return *this;
    }
};

class ByteWriter
{
public:
    std::vector<unsigned char> m_bytes;

    void write(std::span<const std::byte> in)
    {
        const auto* data{reinterpret_cast<const unsigned char*>(in.data())};
        m_bytes.insert(m_bytes.end(), data, data + in.size());
    }
    template <typename T>
    ByteWriter& operator<<(const T& object)
    {
        ::Serialize(*this, object);
        return *this;
    }
};

std::optional<CMutableTransaction> ReadTransaction(std::span<const unsigned char> raw)
{
    ByteReader reader{raw};
    CMutableTransaction tx;
    reader >> TX_WITH_WITNESS(tx);
    if (!reader.AtEnd()) return std::nullopt;
    return tx;
}

core_oracle_tx* TxCreate(const unsigned char* raw, size_t raw_size, const unsigned char* spent, size_t spent_size)
{
    try {
        auto tx{ReadTransaction({raw, raw_size})};
        if (!tx || tx->vin.empty()) return nullptr;
        ByteReader reader{{spent, spent_size}};
        std::vector<CTxOut> outputs(tx->vin.size());
        for (CTxOut& output : outputs) reader >> output;
        if (!reader.AtEnd()) return nullptr;
        auto result{std::make_unique<core_oracle_tx>(CTransaction{std::move(*tx)}, PrecomputedTransactionData{})};
        result->data.Init(result->tx, std::move(outputs));
        return result.release();
    } catch (const std::exception&) {
        return nullptr;
    }
}

void TxDestroy(core_oracle_tx* tx)
{
    delete tx;
}

int TxParse(const unsigned char* raw, size_t raw_size, unsigned char txid[32], unsigned char wtxid[32], size_t* stripped_size)
{
    try {
        const auto parsed{ReadTransaction({raw, raw_size})};
        if (!parsed) return 0;
        const CTransaction tx{*parsed};
        ByteWriter whole, stripped;
        whole << TX_WITH_WITNESS(tx);
        stripped << TX_NO_WITNESS(tx);
        if (!std::equal(whole.m_bytes.begin(), whole.m_bytes.end(), raw, raw + raw_size)) return 0;
        std::memcpy(txid, tx.GetHash().ToUint256().data(), 32);
        std::memcpy(wtxid, tx.GetWitnessHash().ToUint256().data(), 32);
        *stripped_size = stripped.m_bytes.size();
        return 1;
    } catch (const std::exception&) {
        return 0;
    }
}

/** The combinations that VerifyScript does not assert against. */
bool FlagsAccepted(uint64_t value)
{
    if (value > MAX_SCRIPT_VERIFY_FLAGS) return false;
    const auto flags{script_verify_flags::from_int(value)};
    if ((flags & SCRIPT_VERIFY_WITNESS) && !(flags & SCRIPT_VERIFY_P2SH)) return false;
    if ((flags & SCRIPT_VERIFY_CLEANSTACK) && !(flags & SCRIPT_VERIFY_WITNESS)) return false;
    return true;
}

/** Asks a caller about every signature, once its hash is known. */
class AskingChecker final : public TransactionSignatureChecker
{
    core_oracle_check m_check;
    void* m_user;

protected:
    bool VerifyECDSASignature(const std::vector<unsigned char>& signature, const CPubKey& pubkey, const uint256& hash) const override
    {
        return m_check(m_user, CORE_ORACLE_ECDSA, signature.data(), signature.size(), pubkey.data(), pubkey.size(), hash.data()) == 1;
    }
    bool VerifySchnorrSignature(std::span<const unsigned char> signature, const XOnlyPubKey& pubkey, const uint256& hash) const override
    {
        return m_check(m_user, CORE_ORACLE_SCHNORR, signature.data(), signature.size(), pubkey.data(), pubkey.size(), hash.data()) == 1;
    }
#if CORE_HAS_RULES
    bool VerifySLHDSASignature(std::vector<unsigned char>&& signature, const SLHDSAPubKey& pubkey, const uint256& hash,
                               uint32_t) const override
    {
        std::vector<unsigned char> element{pubkey.begin(), pubkey.end()};
        if (pubkey.Set() != 0) element.insert(element.begin(), pubkey.Set());
        return m_check(m_user, CORE_ORACLE_SLHDSA, signature.data(), signature.size(), element.data(), element.size(), hash.data()) == 1;
    }
#endif

public:
    AskingChecker(const CTransaction& tx, const PrecomputedTransactionData& data, uint32_t n_in, core_oracle_check check, void* user)
        : TransactionSignatureChecker{&tx, n_in, data.m_spent_outputs[n_in].nValue, data, MissingDataBehavior::ASSERT_FAIL},
          m_check{check}, m_user{user} {}
};

bool Answerable(const core_oracle_tx& tx, uint32_t n_in, uint64_t flags)
{
    return n_in < tx.tx.vin.size() && tx.data.m_spent_outputs[n_in].nValue >= 0 && FlagsAccepted(flags);
}

/** Null if the input is valid. */
std::optional<ScriptError> VerifyInput(const core_oracle_tx& tx, uint32_t n_in, uint64_t flags, const BaseSignatureChecker& checker)
{
    const CTxIn& input{tx.tx.vin[n_in]};
    ScriptError error{SCRIPT_ERR_UNKNOWN_ERROR};
    if (VerifyScript(input.scriptSig, tx.data.m_spent_outputs[n_in].scriptPubKey, &input.scriptWitness,
                     script_verify_flags::from_int(flags), checker, &error)) {
        // A success has no error.
        return error == SCRIPT_ERR_OK ? std::nullopt : std::optional{SCRIPT_ERR_UNKNOWN_ERROR};
    }
    return error;
}

std::optional<ScriptError> VerifyNow(const core_oracle_tx& tx, uint32_t n_in, uint64_t flags)
{
    return VerifyInput(tx, n_in, flags, TransactionSignatureChecker{&tx.tx, n_in, tx.data.m_spent_outputs[n_in].nValue, tx.data,
                                                                    MissingDataBehavior::ASSERT_FAIL});
}

#if CORE_HAS_RULES
/** The work of CScriptCheck and a block's batch together. */
std::optional<ScriptError> VerifyDeferring(const core_oracle_tx& tx, uint32_t n_in, uint64_t flags, SignatureCache& cache, size_t& n_staged)
{
    PrecomputedTransactionData data{tx.data}; // it wants to be able to change it
    std::vector<SLHDSACheck> staged;
    auto error{VerifyInput(tx, n_in, flags, CachingTransactionSignatureChecker{&tx.tx, n_in, data.m_spent_outputs[n_in].nValue,
                                                                               /*storeIn=*/false, cache, data,
                                                                               /*slhdsa_verifier=*/nullptr, &staged})};
    n_staged = staged.size();
    if (!std::ranges::all_of(staged, [](const SLHDSACheck& check) { return check.Verify(); })) error = SCRIPT_ERR_SLHDSA_SIG;
    return error;
}

std::optional<ScriptError> VerifyTimed(const core_oracle_tx& tx, uint32_t n_in, uint64_t flags, int timing, size_t& n_staged)
{
    if (timing == CORE_ORACLE_EAGER) return VerifyNow(tx, n_in, flags);
    SignatureCache cache{size_t{1} << 12};
    if (timing == CORE_ORACLE_CACHED) {
        PrecomputedTransactionData data{tx.data};
        (void)VerifyInput(tx, n_in, flags, CachingTransactionSignatureChecker{&tx.tx, n_in, data.m_spent_outputs[n_in].nValue,
                                                                              /*storeIn=*/true, cache, data});
    }
    return VerifyDeferring(tx, n_in, flags, cache, n_staged);
}
#endif

int Verify(const core_oracle_tx* tx, uint32_t n_in, uint64_t flags, [[maybe_unused]] int timing,
           [[maybe_unused]] core_oracle_slhdsa_verify slhdsa_verify, core_oracle_answer* answer)
{
    if (!Answerable(*tx, n_in, flags)) return -1;
    answer->n_staged = 0;
#if CORE_HAS_RULES
    g_slhdsa_verify = slhdsa_verify;
    const auto error{VerifyTimed(*tx, n_in, flags, timing, answer->n_staged)};
    g_slhdsa_verify = nullptr;
#else
    const auto error{VerifyNow(*tx, n_in, flags)};
#endif
    answer->script_error = error.value_or(SCRIPT_ERR_OK);
    return !error;
}

int VerifyTx(const core_oracle_tx* tx, uint64_t flags, core_oracle_check check, void* user)
{
    PrecomputedTransactionData data;
    data.Init(tx->tx, std::vector<CTxOut>{tx->data.m_spent_outputs});
    for (uint32_t n_in{0}; n_in < tx->tx.vin.size(); ++n_in) {
        if (!Answerable(*tx, n_in, flags)) return -1;
        const TransactionSignatureChecker verifying{&tx->tx, n_in, data.m_spent_outputs[n_in].nValue, data,
                                                    MissingDataBehavior::ASSERT_FAIL};
        const AskingChecker asking{tx->tx, data, n_in, check, user};
        if (VerifyInput(*tx, n_in, flags, check ? static_cast<const BaseSignatureChecker&>(asking) : verifying)) return 0;
    }
    return 1;
}

uint32_t ScriptSigops(const unsigned char* script, size_t size, int accurate)
{
    return CScript{script, script + size}.GetSigOpCount(accurate != 0);
}

uint32_t P2SHSigops(const core_oracle_tx* tx, uint32_t n_in)
{
    const CScript& script{tx->data.m_spent_outputs[n_in].scriptPubKey};
    return script.IsPayToScriptHash() ? script.GetSigOpCount(tx->tx.vin[n_in].scriptSig) : 0;
}

uint32_t WitnessSigops(const core_oracle_tx* tx, uint32_t n_in, uint64_t flags)
{
    if (!FlagsAccepted(flags)) return 0;
    const CTxIn& input{tx->tx.vin[n_in]};
    return CountWitnessSigOps(input.scriptSig, tx->data.m_spent_outputs[n_in].scriptPubKey, input.scriptWitness,
                              script_verify_flags::from_int(flags));
}

uint32_t ScriptProperties(const unsigned char* bytes, size_t size)
{
    const CScript script{bytes, bytes + size};
    int version;
    std::vector<unsigned char> program;
    uint32_t bits{0};
    bits |= uint32_t{script.IsPushOnly()} << 0;
    bits |= uint32_t{script.IsUnspendable()} << 1;
    bits |= uint32_t{script.IsPayToScriptHash()} << 2;
    bits |= uint32_t{script.IsPayToAnchor()} << 3;
    bits |= uint32_t{script.IsPayToTaproot()} << 4;
    bits |= uint32_t{script.IsPayToWitnessScriptHash()} << 5;
    bits |= uint32_t{script.IsWitnessProgram(version, program)} << 6;
    return bits;
}

const char* ScriptErrorName(int error)
{
    return error >= 0 && error < SCRIPT_ERR_ERROR_COUNT ? ERROR_NAMES[error] : nullptr;
}

const char* FlagName(int bit)
{
    return bit >= 0 && bit < MAX_SCRIPT_VERIFY_FLAGS_BITS ? FLAG_NAMES[bit] : nullptr;
}

/** Core's programs choose when they start; it cannot be done while others hash. */
std::string ChooseSha256()
{
    const char* const wish{std::getenv("SLHC_CORE_SHA256")};
    return SHA256AutoDetect(wish && std::strcmp(wish, "standard") == 0 ? sha256_implementation::STANDARD : sha256_implementation::USE_ALL);
}

const std::string SHA256_IMPLEMENTATION{ChooseSha256()};

const char* Sha256Implementation() { return SHA256_IMPLEMENTATION.c_str(); }

const char* Compiler()
{
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

constexpr core_oracle TABLE{
    .abi = CORE_ORACLE_ABI,
    .has_rules = CORE_HAS_RULES,
    .tx_create = TxCreate,
    .tx_destroy = TxDestroy,
    .tx_parse = TxParse,
    .verify = Verify,
    .verify_tx = VerifyTx,
    .script_sigops = ScriptSigops,
    .p2sh_sigops = P2SHSigops,
    .witness_sigops = WitnessSigops,
    .script_properties = ScriptProperties,
    .script_error_name = ScriptErrorName,
    .flag_name = FlagName,
    .sha256_implementation = Sha256Implementation,
    .compiler = Compiler,
};

} // namespace

extern "C" __attribute__((visibility("default"))) const core_oracle* core_oracle_get()
{
    return &TABLE;
}
