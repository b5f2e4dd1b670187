// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/batch_fixture.h>

#include <pqc/cpu/engines.h>
#include <pqc/cpu/kernels.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/wots.h>
#include <slhconsensus.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

/** Signing on a machine that computes something wrong: what doc/signing.md says of faults. */

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::slhdsa::lanes;
using namespace slhc::slhdsa::test;

namespace {

constexpr size_t XMSS_LEAVES{size_t{1} << H_PRIME};
constexpr size_t ALL_ITEMS{~size_t{0}};

enum class Kernel { CHAINS, PATHS, MESSAGES };

/** Kernels of which one flips a bit of one result. */
struct FaultyKernels {
    static inline const Kernels* s_honest{nullptr};
    static inline Kernel s_kernel{};
    static inline size_t s_call{0}, s_item{0}; //!< which call of that kernel, and which item of it
    static inline std::array<size_t, 3> s_calls{};

    /** Whether item i of this call is to be wrong. */
    static std::optional<size_t> Hit(Kernel kernel, size_t n)
    {
        const bool hit{s_calls[static_cast<size_t>(kernel)]++ == s_call && kernel == s_kernel && s_item < n};
        return hit ? std::optional{s_item} : std::nullopt;
    }
    static void Chains(const ChainKey* keys, const ChainItem* items, size_t n)
    {
        s_honest->chains(keys, items, n);
        if (const auto i{Hit(Kernel::CHAINS, n)}) keys[items[*i].key].out[N * items[*i].chain] ^= 1;
    }
    static void Paths(const PathItem* items, size_t n, PathShape shape)
    {
        s_honest->paths(items, n, shape);
        if (const auto i{Hit(Kernel::PATHS, n)}) items[*i].out[3] ^= 0x20;
    }
    static void Messages(const MessageItem* items, size_t n, size_t n_blocks)
    {
        s_honest->messages(items, n, n_blocks);
        if (const auto i{Hit(Kernel::MESSAGES, n)}) items[*i].out[N - 1] ^= 0x80;
    }
};

/** The secret key of RealSignatures()[0]. */
const SecretKey& RealKey()
{
    static const SecretKey key{[] {
        std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
        for (size_t j{0}; j < seed.size(); ++j) seed[j] = static_cast<uint8_t>(j); // as in batch_fixture.h
        SecretKey sk;
        PublicKey pk;
        slh_keygen_internal(seed, sk, pk);
        return sk;
    }()};
    return key;
}

/** Sign the message of RealSignatures()[0]. @return the signature, which verifies; nothing if none is given out */
std::optional<Signature> SignReal(const KernelSplitter* kernels, ThreadPool& pool, TopTreeCache* cache)
{
    const Signed& real{RealSignatures()[0]};
    const std::span<const uint8_t, SECRET_KEY_SIZE> sk{RealKey()};
    Signature sig{};
    try {
        BOOST_REQUIRE(Sign(kernels, pool, *MessagePieces::Pure(real.message, {}), sk, sk.subspan<2 * N, N>(), sig, cache));
    } catch (const FaultySignature&) {
        BOOST_CHECK(sig == Signature{});
        return std::nullopt;
    }
    BOOST_CHECK(slh_verify(real.message, sig, {}, real.public_key));
    return sig;
}

/** What the layer of a signature contains of WOTS+. */
std::span<const uint8_t, WOTS_SIG_SIZE> WotsOfLayer(const Signature& sig, size_t layer)
{
    return std::span<const uint8_t, WOTS_SIG_SIZE>{sig.data() + N + FORS_SIG_SIZE + layer * XMSS_SIG_SIZE, WOTS_SIG_SIZE};
}

/** A machine that makes one error in each signature. */
class FaultyMachine
{
public:
    FaultyMachine()
        : m_honest{BestKernels()}
        , m_table{m_honest.lanes, m_honest.cohort, FaultyKernels::Chains, FaultyKernels::Paths, FaultyKernels::Messages}
    {
    }

    const Signed& real{RealSignatures()[0]};
    const SecretKey& sk{RealKey()};

    /** Sign with one result wrong. @return the signature; nothing if none is given out */
    std::optional<Signature> SignWith(Kernel kernel, size_t call, size_t item, TopTreeCache* cache = nullptr)
    {
        FaultyKernels::s_honest = &m_honest;
        FaultyKernels::s_kernel = kernel;
        FaultyKernels::s_call = call;
        FaultyKernels::s_item = item;
        FaultyKernels::s_calls = {};
        const KernelSplitter kernels{m_table};
        return SignReal(&kernels, m_pool, cache);
    }
    std::optional<Signature> SignWithoutFault(TopTreeCache* cache = nullptr) { return SignWith(Kernel::CHAINS, 0, ALL_ITEMS, cache); }

    /** How often the last signature called a kernel. */
    [[nodiscard]] static size_t Calls(Kernel kernel) { return FaultyKernels::s_calls[static_cast<size_t>(kernel)]; }

    /** The leaf of each layer that signs. */
    [[nodiscard]] std::array<size_t, D> SigningLeaves() const
    {
        const std::span<const uint8_t, SECRET_KEY_SIZE> key{sk};
        const MessagePieces message{*MessagePieces::Pure(real.message, {})};
        const MessageDigest digest{DigestMessage(std::span{real.signature}.first<N>(), key.subspan<2 * N>(), message)};
        std::array<size_t, D> leaves;
        leaves[0] = digest.idx_leaf;
        for (size_t layer{1}; layer < D; ++layer) leaves[layer] = digest.idx_tree >> (layer - 1) * H_PRIME & (XMSS_LEAVES - 1);
        return leaves;
    }

private:
    static const Kernels& BestKernels()
    {
#ifdef SLHC_ENABLE_AVX512
        if (const auto* const engine{CpuEngines().Find("avx512")}; engine && engine->IsOffered()) return g_avx512_kernels;
#endif
#ifdef SLHC_ENABLE_SHANI
        if (const auto* const engine{CpuEngines().Find("shani")}; engine && engine->IsOffered()) return g_shani_kernels;
#endif
#ifdef SLHC_ENABLE_AVX2
        if (const auto* const engine{CpuEngines().Find("avx2")}; engine && engine->IsOffered()) return g_avx2_kernels;
#endif
#ifdef SLHC_ENABLE_ARMV8
        if (const auto* const engine{CpuEngines().Find("armv8")}; engine && engine->IsOffered()) return g_armv8_kernels;
#endif
        BOOST_FAIL("no engine");
        std::abort();
    }

    const Kernels& m_honest;
    const Kernels m_table;
    ThreadPool m_pool{1}; // so that calls come in a known order
};

/** Flips a bit of some part of what the scalar code signs, as soon as that part is computed: what follows takes it from there. */
class ScalarFault
{
public:
    /** @param[in] size       of the part: N is R, FORS_SIG_SIZE the FORS signature, XMSS_SIG_SIZE one layer's
     *  @param[in] which      of the parts of that size
     *  @param[in] at         the byte of it
     *  @param[in] n_times    how often: once, or when it is computed again, too
     *  @param[in] n_parts    how many parts of that size a signature has */
    ScalarFault(size_t size, size_t which, size_t at, size_t n_times = 1, size_t n_parts = 1)
    {
        s_size = size;
        s_which = which;
        s_at = at;
        s_left = n_times;
        s_parts = n_parts;
        s_seen = 0;
        g_declassify_hook = [](const void* data, size_t n) {
            if (n != s_size) return;
            const size_t part{s_seen++};
            if (s_left == 0 || part < s_which || (part - s_which) % s_parts != 0) return;
            --s_left;
            static_cast<uint8_t*>(const_cast<void*>(data))[s_at] ^= 0x10; // the caller's, and not constant there
        };
    }
    ~ScalarFault() { g_declassify_hook = nullptr; }
    ScalarFault(const ScalarFault&) = delete;
    ScalarFault& operator=(const ScalarFault&) = delete;

    /** How many parts of that size were computed. */
    [[nodiscard]] static size_t Seen() { return s_seen; }

private:
    static inline size_t s_size, s_which, s_at, s_left, s_parts, s_seen;
};

boost::test_tools::assertion_result HasKernels(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{CpuEngines().Best().Kernels().has_value()};
    result.message() << "this machine has no engine that signs";
    return result;
}

} // namespace

BOOST_AUTO_TEST_SUITE(signing_fault_tests)

/** Faults all over a signature: what comes out, if anything does, verifies. */
BOOST_AUTO_TEST_CASE(no_invalid_signature_comes_out, *boost::unit_test::precondition(HasKernels))
{
    FaultyMachine machine;
    BOOST_CHECK(machine.SignWithoutFault() == machine.real.signature);
    size_t refused{0}, other{0}, tried{0};
    for (const Kernel kernel : {Kernel::CHAINS, Kernel::PATHS, Kernel::MESSAGES}) {
        const size_t calls{FaultyMachine::Calls(kernel)};
        BOOST_REQUIRE_GT(calls, 20U);
        for (size_t i{0}; i < 20; ++i, ++tried) {
            const auto sig{machine.SignWith(kernel, calls - 1 - i * (calls / 20), i % 4)};
            if (!sig) ++refused;
            if (sig && *sig != machine.real.signature) ++other;
        }
    }
    BOOST_TEST_MESSAGE(tried << " faults: " << refused << " signatures refused, " << other << " other ones that verify");
    BOOST_CHECK_GT(refused, 0U);
}

/** In the last chains, which are those of the signature itself. */
BOOST_AUTO_TEST_CASE(fault_in_a_chain_of_the_signature, *boost::unit_test::precondition(HasKernels))
{
    FaultyMachine machine;
    BOOST_REQUIRE(machine.SignWithoutFault());
    const size_t calls{FaultyMachine::Calls(Kernel::CHAINS)};
    for (const size_t item : {size_t{0}, LEN, D * LEN - 1}) BOOST_CHECK(!machine.SignWith(Kernel::CHAINS, calls - 1, item));
}

/** A wrong leaf of the top tree leads to another root than the public key's, whichever leaf it is; it is not remembered. */
BOOST_AUTO_TEST_CASE(fault_in_the_top_tree, *boost::unit_test::precondition(HasKernels))
{
    FaultyMachine machine;
    constexpr size_t PIECE{32}, PIECES{XMSS_LEAVES / PIECE};
    const size_t signing{machine.SigningLeaves()[D - 1]};
    for (const size_t leaf : {size_t{0}, XMSS_LEAVES - 1, signing ^ 1}) {
        TopTreeCache cache{2};
        BOOST_CHECK(!machine.SignWith(Kernel::MESSAGES, (D - 1) * PIECES + leaf / PIECE, leaf % PIECE, &cache));
        BOOST_CHECK_EQUAL(cache.Size(), 0U);
        BOOST_CHECK(machine.SignWithoutFault(&cache) == machine.real.signature);
        BOOST_CHECK_EQUAL(cache.Size(), 1U);
        BOOST_CHECK(machine.SignWithoutFault(&cache) == machine.real.signature);
    }
}

/** Memory that changes while a top tree is cached. */
BOOST_AUTO_TEST_CASE(fault_in_a_cached_top_tree, *boost::unit_test::precondition(HasKernels))
{
    FaultyMachine machine;
    TopTreeCache cache{2};
    BOOST_REQUIRE(machine.SignWithoutFault(&cache));
    std::vector<Node> leaves(XMSS_LEAVES);
    const std::span<Node, XMSS_LEAVES> all{leaves};
    BOOST_REQUIRE(cache.Get(machine.sk, all));
    leaves[machine.SigningLeaves()[D - 1] ^ 0x40][7] ^= 4;
    cache.Put(machine.sk, all);
    BOOST_CHECK(!machine.SignWithoutFault(&cache));
    BOOST_CHECK(machine.SignWithoutFault(&cache) == machine.real.signature);
}

/** What no verification sees: a wrong leaf of a tree below the top makes another tree, whose root the layer above signs. The
 *  signature is valid, and with the right one it has two signatures by one WOTS+ key. */
BOOST_AUTO_TEST_CASE(fault_that_verification_does_not_see, *boost::unit_test::precondition(HasKernels))
{
    FaultyMachine machine;
    constexpr size_t PIECE{32}, PIECES{XMSS_LEAVES / PIECE};
    for (const size_t layer : {size_t{0}, D - 2}) {
        const size_t leaf{machine.SigningLeaves()[layer] ^ 0x100};
        const auto sig{machine.SignWith(Kernel::MESSAGES, layer * PIECES + leaf / PIECE, leaf % PIECE)};
        BOOST_REQUIRE(sig);
        BOOST_CHECK(*sig != machine.real.signature);
        // The WOTS+ signature of the layer above is of another message; those further up are the same.
        for (size_t l{0}; l < D; ++l) {
            BOOST_CHECK_EQUAL(std::ranges::equal(WotsOfLayer(*sig, l), WotsOfLayer(machine.real.signature, l)), l != layer + 1);
        }
    }
}

/** Where no engine signs, the scalar code does, twice: a fault in one of the two is found wherever it is, although what the layers
 *  above make of it verifies. */
BOOST_AUTO_TEST_CASE(fault_without_an_engine)
{
    ThreadPool pool{1};
    BOOST_CHECK(SignReal(nullptr, pool, nullptr) == RealSignatures()[0].signature);
    const auto fails{[&](size_t size, size_t which, size_t at) {
        const ScalarFault fault{size, which, at};
        const bool refused{!SignReal(nullptr, pool, nullptr)};
        BOOST_CHECK_GT(ScalarFault::Seen(), which);
        return refused;
    }};
    BOOST_CHECK(fails(N, 0, 3));                                     // R
    BOOST_CHECK(fails(FORS_SIG_SIZE, 0, 5));                         // a secret value of FORS
    BOOST_CHECK(fails(FORS_SIG_SIZE, 0, FORS_SIG_SIZE - 1));         // a path of FORS
    BOOST_CHECK(fails(XMSS_SIG_SIZE, 0, 0));                         // a chain of the lowest layer
    BOOST_CHECK(fails(XMSS_SIG_SIZE, D - 2, WOTS_SIG_SIZE + 7));     // the path of the highest layer but one
    BOOST_CHECK(fails(XMSS_SIG_SIZE, D - 1, WOTS_SIG_SIZE - 1));     // what verification sees, too
    BOOST_CHECK(fails(XMSS_SIG_SIZE, D + 1, XMSS_SIG_SIZE - 1));     // in the second computation
}

/** What even that does not see: the same fault in both. It shows that what is refused above is not refused for being invalid. */
BOOST_AUTO_TEST_CASE(same_fault_twice_without_an_engine)
{
    ThreadPool pool{1};
    const Signature& right{RealSignatures()[0].signature};
    const ScalarFault fault{XMSS_SIG_SIZE, 2, WOTS_SIG_SIZE, 2, D};
    const auto sig{SignReal(nullptr, pool, nullptr)};
    BOOST_REQUIRE(sig);
    BOOST_CHECK_EQUAL(ScalarFault::Seen(), 2 * D);
    for (size_t l{0}; l < D; ++l) {
        BOOST_CHECK_EQUAL(std::ranges::equal(WotsOfLayer(*sig, l), WotsOfLayer(right, l)), l != 3);
    }
}

/** A secret key whose parts do not belong together. */
BOOST_AUTO_TEST_CASE(wrong_public_half)
{
    SecretKey sk{RealKey()};
    sk.back() ^= 1;
    slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu";
    slhc_context* const context{slhc_context_create(&options, nullptr)};
    Signature sig{};
    BOOST_CHECK_EQUAL(slhc_slhdsa_sign(context, sk.data(), {nullptr, 0}, {nullptr, 0}, nullptr, sig.data()), SLHC_ERROR);
    slhc_error error = SLHC_ERROR_INIT;
    BOOST_CHECK_EQUAL(slhc_last_error(&error), SLHC_OK);
    BOOST_CHECK_EQUAL(error.code, SLHC_ERR_INTERNAL);
    BOOST_CHECK(sig == Signature{});
    slhc_context_destroy(context);
}

BOOST_AUTO_TEST_SUITE_END()
