// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/device_fixture.h>
#include <test/random_source.h>

#include <pqc/device/root_computer.h>
#include <pqc/sample_jobs.h>
#include <slhconsensus.h>
#include <util/random.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <numeric>
#include <string>
#include <system_error>

/** A system's random generator that returns less than requested, or nothing. */

using namespace slhc;
using namespace slhc::slhdsa;

namespace {

/** Replaces the system's random generator for as long as it lives. */
class RandomFrom
{
public:
    explicit RandomFrom(slhc::test::RandomSource source)
    {
        s_calls = 0;
        slhc::test::SetRandomSource(source);
    }
    ~RandomFrom() { slhc::test::SetRandomSource(nullptr); }
    RandomFrom(const RandomFrom&) = delete;
    RandomFrom& operator=(const RandomFrom&) = delete;

    static inline size_t s_calls{0};
};

ssize_t Fail(void*, size_t)
{
    ++RandomFrom::s_calls;
    errno = EIO;
    return -1;
}

/** A few bytes, and then nothing more. */
ssize_t FailAfterSome(void* buffer, size_t size)
{
    if (RandomFrom::s_calls++ > 0) {
        errno = ENOSYS;
        return -1;
    }
    const size_t some{std::min<size_t>(size, 5)};
    std::fill_n(static_cast<uint8_t*>(buffer), some, uint8_t{0xee});
    return static_cast<ssize_t>(some);
}

/** One byte at a time, 1, 2, 3, ..., with a signal before each. */
ssize_t Slow(void* buffer, size_t)
{
    if (++RandomFrom::s_calls % 2 == 1) {
        errno = EINTR;
        return -1;
    }
    *static_cast<uint8_t*>(buffer) = static_cast<uint8_t>(RandomFrom::s_calls / 2);
    return 1;
}

} // namespace

BOOST_AUTO_TEST_SUITE(random_tests)

BOOST_AUTO_TEST_CASE(continues_where_it_was_cut_short)
{
    std::array<uint8_t, 48> bytes{};
    const RandomFrom slow{Slow};
    GetStrongRandBytes(bytes);
    for (size_t i{0}; i < bytes.size(); ++i) BOOST_CHECK_EQUAL(bytes[i], i + 1);
    BOOST_CHECK_EQUAL(RandomFrom::s_calls, 2 * bytes.size());
}

BOOST_AUTO_TEST_CASE(fails_if_the_system_does)
{
    std::array<uint8_t, 48> bytes{};
    const auto fails_with{[](int code) { return [code](const std::system_error& e) { return e.code().value() == code; }; }};
    {
        const RandomFrom none{Fail};
        BOOST_CHECK_EXCEPTION(GetStrongRandBytes(bytes), std::system_error, fails_with(EIO));
        BOOST_CHECK_EQUAL(RandomFrom::s_calls, 1U); // there is nothing to fall back to
        GetStrongRandBytes({});
    }
    const RandomFrom some{FailAfterSome};
    BOOST_CHECK_EXCEPTION(GetStrongRandBytes(bytes), std::system_error, fails_with(ENOSYS));
}

BOOST_AUTO_TEST_CASE(all_of_a_key_is_random)
{
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    std::iota(seed.begin(), seed.end(), uint8_t{1});
    SecretKey sk, sk_of_seed;
    PublicKey pk, pk_of_seed;
    slh_keygen_internal(seed, sk_of_seed, pk_of_seed);
    const RandomFrom slow{Slow};
    slh_keygen(sk, pk);
    BOOST_CHECK(sk == sk_of_seed && pk == pk_of_seed);
}

/** A key from half a seed would be a key that others can guess. */
BOOST_AUTO_TEST_CASE(no_key)
{
    for (const auto source : {Fail, FailAfterSome}) {
        SecretKey sk;
        PublicKey pk;
        sk.fill(0x11);
        pk.fill(0x22);
        const RandomFrom none{source};
        BOOST_CHECK_THROW(slh_keygen(sk, pk), std::system_error);
        BOOST_CHECK(std::ranges::count(sk, 0x11) == static_cast<std::ptrdiff_t>(sk.size()));
        BOOST_CHECK(std::ranges::count(pk, 0x22) == static_cast<std::ptrdiff_t>(pk.size()));
    }
}

/** The C API takes randomness from its callers; its own is for the salt of the signature cache. */
BOOST_AUTO_TEST_CASE(no_cache)
{
    const RandomFrom none{Fail};
    BOOST_CHECK(slhc_signature_cache_create(0) == nullptr);
    slhc_error error = SLHC_ERROR_INIT;
    BOOST_CHECK_EQUAL(slhc_last_error(&error), SLHC_OK);
    BOOST_CHECK_EQUAL(error.code, SLHC_ERR_INTERNAL);
    BOOST_CHECK_NE(std::string{error.message}.find("getrandom"), std::string::npos);
}

/** A device gets nothing that is not masked, and no more work. */
BOOST_AUTO_TEST_CASE(no_upload)
{
    const SampleJobs sample{1};
    Root root{};
    RootComputer computer{std::make_unique<slhdsa::test::SoftwareLink>(4), slhdsa::test::NO_HURRY};
    {
        const RandomFrom none{Fail};
        BOOST_CHECK_THROW((void)computer.Compute(sample.Jobs(), {&root, 1}), std::system_error);
    }
    BOOST_CHECK(computer.Compute(sample.Jobs(), {&root, 1}) == LinkStatus::ERROR);
    BOOST_CHECK(root == Root{});
    RootComputer another{std::make_unique<slhdsa::test::SoftwareLink>(4), slhdsa::test::NO_HURRY};
    BOOST_CHECK(another.Compute(sample.Jobs(), {&root, 1}) == LinkStatus::OK);
    BOOST_CHECK(root != Root{});
}

BOOST_AUTO_TEST_SUITE_END()
