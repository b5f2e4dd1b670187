// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// slhconsensus.h called with arbitrary bytes: it never throws, errors have a line, and verdicts with a batch are those without one.
// Descriptors and PSBTs have targets of their own.

#include <script/verify_flags.h>
#include <slhconsensus.h>
#include <test/fuzz/capi_error.h>
#include <test/fuzz/fuzz.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using slhc::test::Require;
using slhc::test::RequireError;

namespace {

/** Takes an input apart: single bytes, and strings with two bytes of length in front. */
class Arguments
{
    slhc_bytes m_left;

public:
    Arguments(const uint8_t* data, size_t size) : m_left{data, size} {}

    bool Empty() const { return m_left.size == 0; }
    uint8_t Byte()
    {
        if (Empty()) return 0;
        --m_left.size;
        return *m_left.data++;
    }
    slhc_bytes String()
    {
        const size_t low{Byte()};
        const size_t size{std::min(m_left.size, low + 0x100 * Byte())};
        const slhc_bytes result{m_left.data, size};
        m_left.data += size;
        m_left.size -= size;
        return result;
    }
    std::vector<slhc_bytes> Strings(size_t most)
    {
        std::vector<slhc_bytes> result;
        while (!Empty() && result.size() < most) result.push_back(String());
        return result;
    }
};

slhc_context* CreateContext(const char* backend)
{
    slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = backend;
    options.threads = 2;
    return slhc_context_create(&options);
}

slhc_context* Context()
{
    static slhc_context* const context{CreateContext("cpu")};
    return context;
}

constexpr std::array<uint64_t, 6> FLAGS{
    SLHC_VERIFY_CONSENSUS,
    SLHC_VERIFY_NONE,
    slhc::MAX_SCRIPT_VERIFY_FLAGS,
    SLHC_VERIFY_WITNESS | SLHC_VERIFY_P2MR, // without P2SH
    slhc::MAX_SCRIPT_VERIFY_FLAGS + 1,
    SLHC_VERIFY_CONSENSUS & ~SLHC_VERIFY_SLHDSA,
};

using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;

/** One verdict without a batch, and the same question with one. */
template <typename Verify>
void CompareWithBatch(unsigned batch_flags, const Verify& verify)
{
    const BatchPtr owner{slhc_batch_create(Context(), batch_flags), slhc_batch_destroy};
    slhc_batch* const batch{owner.get()};
    Require(batch != nullptr, "a batch can be made");
    slhc_failure failure_now = SLHC_FAILURE_INIT, failure_later = SLHC_FAILURE_INIT;
    const int now{verify(nullptr, &failure_now)};
    const int later{verify(batch, &failure_later)};
    if (now == SLHC_ERROR) {
        RequireError(SLHC_ERR_ARGUMENT);
        Require(later == SLHC_ERROR, "a usage error is one with a batch, too");
        return;
    }
    const int error{failure_now.script_error};
    Require((now == SLHC_VALID) == (error == 0) && std::strncmp(slhc_script_error_string(error), "SCRIPT_ERR_", 11) == 0,
            "verdict and error fit");
    Require((later == SLHC_DEFERRED) == (slhc_batch_size(batch) > 0), "what is deferred is in the batch");
    if (later == SLHC_DEFERRED) {
        std::array<uint64_t, 3> tag{};
        const int verified{slhc_batch_verify(batch, tag.data())};
        Require(verified == now, "the batch says later what was said at once");
        if (verified == SLHC_INVALID) {
            Require(tag[0] == failure_now.tag && tag[1] == failure_now.input &&
                        tag[2] == (uint64_t{failure_now.opcode_pos} << 8 | static_cast<unsigned>(failure_now.opcode)),
                    "and at the same place");
        }
        bool all_valid{true};
        for (size_t i{0}; i < slhc_batch_size(batch); ++i) {
            const int verdict{slhc_batch_verdict(batch, i, nullptr)};
            Require(verdict == SLHC_VALID || verdict == SLHC_INVALID, "each check of a verified batch has a verdict");
            all_valid &= verdict == SLHC_VALID;
        }
        Require(all_valid == (verified == SLHC_VALID), "a batch is valid if each of its checks is");
    } else {
        Require(later == now && failure_later.script_error == error, "what is not deferred is final");
    }
}

void CallTransaction(Arguments& arguments, uint64_t flags, unsigned batch_flags)
{
    const slhc_bytes raw{arguments.String()};
    const std::vector<slhc_bytes> spent{arguments.Strings(64)};
    slhc_tx* const tx{slhc_tx_create(raw, spent.data(), spent.size())};
    if (!tx) {
        slhc_error error = SLHC_ERROR_INIT;
        Require(slhc_last_error(&error) == SLHC_OK, "a thread's last error is known");
        Require(error.code == SLHC_ERR_DATA || error.code == SLHC_ERR_ARGUMENT, "a transaction is refused for its data");
        return RequireError(error.code);
    }
    for (unsigned i{0}; i <= spent.size(); ++i) { // every input has a spent output
        const slhc_bytes& annex{spent.empty() ? raw : spent[0]};
        std::array<unsigned char, 32> hash;
        if (slhc_tx_signature_hash(tx, i, raw.data[0], raw.size % 3, raw.size >= 32 ? raw.data : nullptr, annex, SLHC_NO_OPCODE,
                                   hash.data()) == SLHC_ERROR) {
            RequireError(SLHC_ERR_ARGUMENT);
        }
        CompareWithBatch(batch_flags, [&](slhc_batch* with, slhc_failure* failure) {
            return slhc_verify_input(Context(), tx, i, flags, nullptr, with, 7, failure);
        });
    }
    slhc_tx_destroy(tx);
}

void CallBlock(Arguments& arguments, uint64_t flags)
{
    const slhc_bytes raw{arguments.String()};
    const std::vector<slhc_bytes> spent{arguments.Strings(64)};
    slhc_failure first = SLHC_FAILURE_INIT, second = SLHC_FAILURE_INIT;
    const int verdict{slhc_verify_block_scripts(Context(), raw, spent.data(), spent.size(), flags, nullptr, 0, &first)};
    const auto same_place{[](const slhc_failure& a, const slhc_failure& b) {
        return a.tag == b.tag && a.input == b.input && a.opcode_pos == b.opcode_pos && a.script_error == b.script_error;
    }};
    const std::unique_ptr<slhc_signature_cache, decltype(&slhc_signature_cache_destroy)> cache{slhc_signature_cache_create(1 << 16),
                                                                                               slhc_signature_cache_destroy};
    Require(cache != nullptr, "a cache can be made");
    // The second of these finds in the cache what the first one stored there.
    for (const int mode : {SLHC_CACHE_STORE, SLHC_CACHE_ERASE_ON_HIT}) {
        Require(verdict == slhc_verify_block_scripts(Context(), raw, spent.data(), spent.size(), flags, cache.get(), mode, &second),
                "the same block has the same verdict with a cache");
        Require(same_place(first, second), "and fails at the same place");
    }
    if (verdict == SLHC_INVALID) Require(first.script_error != 0, "a script fails for a reason");
}

void CallSignature(Arguments& arguments, unsigned batch_flags)
{
    const BatchPtr owner{slhc_batch_create(Context(), batch_flags), slhc_batch_destroy};
    slhc_batch* const batch{owner.get()};
    Require(batch != nullptr, "a batch can be made");
    std::array<unsigned char, SLHC_PUBLIC_KEY_SIZE> key, message;
    for (unsigned char& byte : key) byte = arguments.Byte();
    for (unsigned char& byte : message) byte = arguments.Byte();
    const slhc_bytes ctx{arguments.String()};
    std::vector<unsigned char> signature(SLHC_SIGNATURE_SIZE - 1 + arguments.Byte() % 3u, arguments.Byte());
    const slhc_bytes part{arguments.String()};
    std::copy_n(part.data, std::min(part.size, signature.size()), signature.begin());
    const slhc_bytes whole_message{message.data(), message.size()};
    const slhc_bytes whole_signature{signature.data(), signature.size()};

    const int verdict{slhc_slhdsa_verify(SLHC_SET_128S, key.data(), whole_message, ctx, whole_signature)};
    Require(verdict == SLHC_INVALID, "nobody forges a signature here");
    const slhc_verify_job job{sizeof(slhc_verify_job), SLHC_SET_128S, key.data(), whole_message, ctx, whole_signature};
    int many{SLHC_ERROR};
    Require(slhc_slhdsa_verify_many(Context(), &job, 1, &many) == SLHC_INVALID && many == SLHC_INVALID, "one of many is as one alone");
    const std::array<uint64_t, 3> tag{message[0], 0, 0};
    Require(slhc_batch_add(batch, SLHC_SET_128S, key.data(), message.data(), whole_signature, tag.data()) == SLHC_DEFERRED,
            "an open batch takes what it is given");
    Require(slhc_batch_add(batch, SLHC_SET_128_24, key.data(), message.data(), whole_signature, tag.data()) == SLHC_DEFERRED,
            "of any set");
    std::array<uint64_t, 3> first{};
    Require(slhc_batch_verify(batch, first.data()) == SLHC_INVALID && first == tag, "a bad signature makes a bad batch");
}

/** A key pair and a signature, which verifies until one of its bits is another. */
void CallSigner(Arguments& arguments)
{
    std::array<unsigned char, SLHC_SEED_SIZE> seed;
    for (unsigned char& byte : seed) byte = arguments.Byte();
    std::array<unsigned char, SLHC_SECRET_KEY_SIZE> secret;
    std::array<unsigned char, SLHC_PUBLIC_KEY_SIZE> key;
    Require(slhc_slhdsa_keygen(Context(), SLHC_SET_128S, seed.data(), secret.data(), key.data(), nullptr, nullptr) == SLHC_OK,
            "any seed makes a key");
    std::array<unsigned char, SLHC_ADDRND_SIZE> addrnd;
    for (unsigned char& byte : addrnd) byte = arguments.Byte();
    const bool hedged{arguments.Byte() % 2 == 1};
    const size_t changed{(arguments.Byte() + 0x100u * arguments.Byte()) % SLHC_SIGNATURE_SIZE};
    const auto bit{static_cast<unsigned char>(1U << arguments.Byte() % 8)};
    const slhc_bytes ctx{arguments.String()}, message{arguments.String()};
    std::array<unsigned char, SLHC_SIGNATURE_SIZE> signature;
    if (slhc_slhdsa_sign(Context(), SLHC_SET_128S, secret.data(), message, ctx, hedged ? addrnd.data() : nullptr, signature.data(), nullptr,
                         nullptr) == SLHC_ERROR) {
        Require(ctx.size > SLHC_MAX_CONTEXT_SIZE, "only a context string that is too long cannot be signed for");
        return RequireError(SLHC_ERR_ARGUMENT);
    }
    const slhc_bytes view{signature.data(), signature.size()};
    Require(slhc_slhdsa_verify(SLHC_SET_128S, key.data(), message, ctx, view) == SLHC_VALID, "a signature verifies");
    signature[changed] ^= bit;
    Require(slhc_slhdsa_verify(SLHC_SET_128S, key.data(), message, ctx, view) == SLHC_INVALID, "another one does not");
}

/** A key pair and a signature of 128f; an experiment's signature; and sets by any number. */
void CallSets(Arguments& arguments)
{
    const int number{arguments.Byte()};
    const slhc_bytes name{arguments.String()};
    const bool known{slhc_set_signature_size(number) > 0};

    constexpr int SET{SLHC_SET_128F};
    std::array<unsigned char, SLHC_SEED_SIZE> seed;
    for (unsigned char& byte : seed) byte = arguments.Byte();
    std::array<unsigned char, SLHC_SECRET_KEY_SIZE> secret;
    std::array<unsigned char, SLHC_PUBLIC_KEY_SIZE> key;
    const auto keygen{[&](int set) {
        return slhc_slhdsa_keygen(Context(), set, seed.data(), secret.data(), key.data(), nullptr, nullptr);
    }};
    Require(keygen(SET) == SLHC_OK, "any seed makes a key");
    if (!known) {
        Require(keygen(number) == SLHC_ERROR, "no such set");
        RequireError(SLHC_ERR_ARGUMENT);
    }
    const slhc_bytes message{arguments.String()};
    std::vector<unsigned char> signature(slhc_set_signature_size(SET));
    Require(slhc_slhdsa_sign(Context(), SET, secret.data(), message, {}, nullptr, signature.data(), nullptr, nullptr) == SLHC_OK,
            "a key signs");
    const slhc_bytes view{signature.data(), signature.size()};
    Require(slhc_slhdsa_verify(SET, key.data(), message, {}, view) == SLHC_VALID, "a signature verifies");
    const slhc_verify_job job{sizeof(slhc_verify_job), number, key.data(), message, {}, view};
    int verdict{SLHC_ERROR};
    const int expected{!known ? SLHC_ERROR : number == SET ? SLHC_VALID : SLHC_INVALID};
    Require(slhc_slhdsa_verify_many(Context(), &job, 1, &verdict) == expected, "it is of its own set alone");
    const std::unique_ptr<slhc_experiment_signer, decltype(&slhc_experiment_signer_destroy)> signer{
        slhc_experiment_signer_create(SET, seed.data()), slhc_experiment_signer_destroy};
    Require(signer != nullptr, "any seed makes a signer");
    Require(slhc_experiment_public_key(signer.get(), number, key.data()) == SLHC_OK, "each number has a key");
    const bool too_long{name.size > SLHC_MAX_CONTEXT_SIZE};
    Require((slhc_experiment_sign(signer.get(), number, message, name, signature.data()) == SLHC_ERROR) == too_long,
            "an experiment signs what a key would");
    if (too_long) {
        RequireError(SLHC_ERR_ARGUMENT);
    } else {
        Require(slhc_slhdsa_verify(SET, key.data(), message, name, view) == SLHC_VALID, "an experiment's signature verifies");
    }
    if (!known) {
        Require(slhc_experiment_signer_create(number, seed.data()) == nullptr, "no such set");
        RequireError(SLHC_ERR_ARGUMENT);
    }
}

/** A context of its own, which is interrupted. */
void CallContext(Arguments& arguments)
{
    Require(std::string_view{slhc_version()}.find('.') != std::string_view::npos, "the library has a version");
    const slhc_bytes name{arguments.String()};
    const std::string backend{"cpu:" + std::string(name.data, name.data + name.size)};
    const bool named{arguments.Byte() % 2 == 1};
    const std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)> context{CreateContext(named ? backend.c_str() : "cpu"),
                                                                                 slhc_context_destroy};
    if (!context) return RequireError(SLHC_ERR_BACKEND);
    slhc_statistics statistics = SLHC_STATISTICS_INIT;
    Require(slhc_context_statistics(context.get(), &statistics) == SLHC_OK && statistics.threads == 2 && statistics.n_backends == 1,
            "a context has what it was asked for");
    const std::array<unsigned char, SLHC_PUBLIC_KEY_SIZE> key{};
    const std::array<unsigned char, SLHC_SIGNATURE_SIZE> signature{};
    const slhc_verify_job job{sizeof(slhc_verify_job), SLHC_SET_128S, key.data(), {key.data(), key.size()}, {},
                              {signature.data(), signature.size()}};
    const std::vector<slhc_verify_job> jobs(1 + arguments.Byte() % 20, job);
    std::vector<int> verdicts(jobs.size());
    Require(slhc_slhdsa_verify_many(context.get(), jobs.data(), jobs.size(), verdicts.data()) == SLHC_INVALID, "zeros are no signature");
    slhc_backend_statistics backend_statistics = SLHC_BACKEND_STATISTICS_INIT;
    Require(slhc_context_backend_statistics(context.get(), 0, &backend_statistics) == SLHC_OK &&
                backend_statistics.signatures == jobs.size(), "a backend counts its signatures");
    Require(slhc_context_backend_statistics(context.get(), 1, &backend_statistics) == SLHC_ERROR, "there is no second backend");
    RequireError(SLHC_ERR_ARGUMENT);
    Require(slhc_context_interrupt(context.get()) == SLHC_OK, "a context can be interrupted");
    Require(slhc_slhdsa_verify_many(context.get(), jobs.data(), jobs.size(), verdicts.data()) == SLHC_ERROR, "then there is no verdict");
    RequireError(SLHC_ERR_INTERRUPTED);
    Require(std::ranges::all_of(verdicts, [](int verdict) { return verdict == SLHC_ERROR; }), "of any signature");
}

/** Addresses and trees of the data as they are. */
void CallMakers(std::span<const uint8_t> data)
{
    std::array<unsigned char, 32> hash, branch;
    Require(slhc_tapleaf_hash(0xc0, {data.data(), data.size()}, hash.data()) == SLHC_OK, "any script has a leaf hash");
    Require(slhc_tapbranch_hash(hash.data(), hash.data(), branch.data()) == SLHC_OK && branch != hash, "any nodes have a branch");
    if (slhc_p2tr_output_key(hash.data(), branch.data(), branch.data(), nullptr) == SLHC_ERROR) RequireError(SLHC_ERR_ARGUMENT);

    slhc_decoded_address decoded = SLHC_DECODED_ADDRESS_INIT;
    char address[SLHC_ADDRESS_SIZE];
    const std::string text(data.begin(), data.end());
    if (slhc_address_decode(text.c_str(), &decoded) == SLHC_ERROR) {
        RequireError(SLHC_ERR_DATA);
    } else {
        Require(slhc_address_encode("mainnet", decoded.version, {decoded.program, decoded.program_size}, address) == SLHC_OK,
                "a decoded program has an address");
    }
    if (data.empty()) return;
    const slhc_bytes program{data.data(), std::min<size_t>(data.size(), SLHC_MAX_WITNESS_PROGRAM_SIZE + 1)};
    if (slhc_address_encode("regtest", data[0] % 18u, program, address) == SLHC_ERROR) return RequireError(SLHC_ERR_ARGUMENT);
    Require(slhc_address_decode(address, &decoded) == SLHC_OK && decoded.version == data[0] % 18u && decoded.program_size == program.size &&
                std::equal(program.data, program.data + program.size, decoded.program), "an address says what it was made of");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    Arguments arguments{data, size};
    const uint8_t call{arguments.Byte()};
    const unsigned batch_flags{call % 2 != 0 ? SLHC_BATCH_AHEAD : 0};
    unsigned found;
    Require(slhc_scan_leaf({data, size}, &found) == SLHC_OK, "any bytes can be scanned");
    CallMakers({data, size});
    const uint64_t flags{FLAGS[(call / 3) % FLAGS.size()]};
    // The last values are for slow calls.
    constexpr uint8_t SIGNER{0xff}, SETS{0xfe}, FIRST_CONTEXT{0xf8};
    if (call == SIGNER) {
        CallSigner(arguments);
    } else if (call == SETS) {
        CallSets(arguments);
    } else if (call >= FIRST_CONTEXT) {
        CallContext(arguments);
    } else if (call % 3 == 0) {
        CallTransaction(arguments, flags, batch_flags);
    } else if (call % 3 == 1) {
        CallBlock(arguments, flags);
    } else {
        CallSignature(arguments, batch_flags);
    }
    return 0;
}
