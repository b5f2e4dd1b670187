// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhconsensus.h>
#include <test/allocations.h>
#include <test/batch_fixture.h>
#include <test/child_process.h>
#include <test/fake_verification.h>
#include <test/preconditions.h>

#include <pqc/capi/error.h>
#include <util/threadpool.h>

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>


using namespace slhc;
using namespace slhc::slhdsa::test;

namespace {

constexpr int SET{SLHC_SET_128S};

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;

/** A context with two threads on the scalar code. */
ContextPtr MakeContext()
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu:portable";
    options.threads = 2;
    return {slhc_context_create(&options), slhc_context_destroy};
}

BatchPtr MakeBatch(const ContextPtr& context, unsigned flags = 0)
{
    return {slhc_batch_create(context.get(), flags), slhc_batch_destroy};
}

slhc_error LastError()
{
    slhc_error error SLHC_ERROR_INIT;
    BOOST_REQUIRE_EQUAL(slhc_last_error(&error), SLHC_OK);
    return error;
}

/** Check the last error's code, and that its message names these things. */
void CheckError(int code, std::initializer_list<const char*> names)
{
    const slhc_error error{LastError()};
    BOOST_CHECK_EQUAL(error.code, code);
    for (const char* name : names) {
        BOOST_CHECK_MESSAGE(std::strstr(error.message, name) != nullptr, "'" << error.message << "' does not name " << name);
    }
    BOOST_CHECK(std::strchr(error.message, '\n') == nullptr);
}

template <typename T>
slhc_bytes View(const T& bytes)
{
    return {bytes.data(), bytes.size()};
}

using Tag = std::array<uint64_t, 3>;

int AddReal(slhc_batch* batch, size_t which, const Tag& tag, bool valid = true)
{
    const Signed& s{RealSignatures().at(which)};
    auto signature{s.signature};
    if (!valid) signature[1000] ^= 4;
    return slhc_batch_add(batch, SET, s.public_key.data(), s.message.data(), View(signature), tag.data());
}

/** Sets an environment variable for the life of this object. */
class ScopedEnv
{
public:
    ScopedEnv(const char* name, const char* value) : m_name{name}
    {
        if (const char* old{std::getenv(name)}) m_old = old;
        setenv(name, value, 1);
    }
    ~ScopedEnv()
    {
        if (m_old.empty()) {
            unsetenv(m_name);
        } else {
            setenv(m_name, m_old.c_str(), 1);
        }
    }
    ScopedEnv(const ScopedEnv&) = delete;
    ScopedEnv& operator=(const ScopedEnv&) = delete;

private:
    const char* m_name;
    std::string m_old;
};

} // namespace

BOOST_AUTO_TEST_SUITE(capi_tests)

BOOST_AUTO_TEST_CASE(version)
{
    BOOST_CHECK_EQUAL(slhc_version(), SLHC_TEST_PROJECT_VERSION);
}

BOOST_AUTO_TEST_CASE(context_options)
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    const auto create{[&] { return ContextPtr{slhc_context_create(&options), slhc_context_destroy}; }};

    BOOST_CHECK(ContextPtr(slhc_context_create(nullptr), slhc_context_destroy));
    BOOST_CHECK(create());

    options.backend = "gpu:17";
    BOOST_CHECK(!create());
    CheckError(SLHC_ERR_BACKEND, {"slhc_context_create", "'gpu:17'", "cpu:portable"});

    options.backend = "cpu:portable";
    options.threads = ThreadPool::MAX_THREADS + 1;
    BOOST_CHECK(!create());
    CheckError(SLHC_ERR_ARGUMENT, {"threads", "257"});
    options.threads = 3;
    const auto context{create()};
    BOOST_REQUIRE(context);
    slhc_statistics statistics SLHC_STATISTICS_INIT;
    BOOST_CHECK_EQUAL(slhc_context_statistics(context.get(), &statistics), SLHC_OK);
    BOOST_CHECK_EQUAL(statistics.threads, 3U);
    BOOST_CHECK_EQUAL(statistics.n_backends, 1U);

    options.struct_size = 4;
    BOOST_CHECK(!create());
    CheckError(SLHC_ERR_ARGUMENT, {"options", "struct_size"});
}

BOOST_AUTO_TEST_CASE(environment)
{
    const auto create{[&](const char* backend = nullptr, unsigned threads = 0) {
        slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
        options.backend = backend;
        options.threads = threads;
        return ContextPtr{slhc_context_create(&options), slhc_context_destroy};
    }};
    {
        const ScopedEnv env{"SLHC_BACKEND", "cpu:portable"};
        const auto context{create()};
        BOOST_REQUIRE(context);
        slhc_backend_statistics backend SLHC_BACKEND_STATISTICS_INIT;
        BOOST_CHECK_EQUAL(slhc_context_backend_statistics(context.get(), 0, &backend), SLHC_OK);
        BOOST_CHECK_EQUAL(backend.name, "cpu:portable");
    }
    {
        const ScopedEnv env{"SLHC_BACKEND", "nonsense"};
        BOOST_CHECK(!create());
        CheckError(SLHC_ERR_BACKEND, {"'nonsense'"});
        BOOST_CHECK(create("cpu")); // an option goes before its variable
    }
    for (const char* bad : {"0", "257", "-1", "2x", " 2", "four", "99999999999999999999"}) {
        const ScopedEnv env{"SLHC_THREADS", bad};
        BOOST_CHECK(!create());
        CheckError(SLHC_ERR_ARGUMENT, {"SLHC_THREADS", bad});
        BOOST_CHECK(create("cpu", 1));
    }
    {
        const ScopedEnv env{"SLHC_THREADS", "5"};
        const auto context{create()};
        slhc_statistics statistics SLHC_STATISTICS_INIT;
        BOOST_REQUIRE(context);
        BOOST_CHECK_EQUAL(slhc_context_statistics(context.get(), &statistics), SLHC_OK);
        BOOST_CHECK_EQUAL(statistics.threads, 5U);
    }
    {
        const ScopedEnv env{"SLHC_LOG", "loud"};
        BOOST_CHECK(!create());
        CheckError(SLHC_ERR_ARGUMENT, {"SLHC_LOG", "loud"});
    }
}

BOOST_AUTO_TEST_CASE(log_callback)
{
    std::vector<std::string> lines;
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu:portable";
    options.threads = 1;
    options.log_user = &lines;
    options.log = [](void* user, int level, const char* message, size_t size) {
        BOOST_CHECK_EQUAL(std::strlen(message), size);
        static_cast<std::vector<std::string>*>(user)->push_back(std::to_string(level) + message);
    };
    BOOST_CHECK(ContextPtr(slhc_context_create(&options), slhc_context_destroy));
    BOOST_REQUIRE_EQUAL(lines.size(), 1U);
    BOOST_CHECK(lines[0].starts_with("1") && lines[0].find("cpu:portable") != std::string::npos);

    lines.clear();
    options.log_level = SLHC_LOG_WARNING;
    BOOST_CHECK(ContextPtr(slhc_context_create(&options), slhc_context_destroy));
    BOOST_CHECK(lines.empty());
    for (const int bad : {-1, 4}) {
        options.log_level = bad;
        BOOST_CHECK(!slhc_context_create(&options));
        CheckError(SLHC_ERR_ARGUMENT, {"log_level"});
    }
}

BOOST_AUTO_TEST_CASE(null_is_refused_where_it_is_not_allowed)
{
    const auto context{MakeContext()};
    const auto batch{MakeBatch(context)};
    BOOST_REQUIRE(context && batch);
    const Signed& s{RealSignatures()[0]};
    const Tag tag{1};
    const slhc_bytes nothing{nullptr, 0};
    const slhc_bytes hole{nullptr, 5};
    unsigned char buffer[7856]{};
    slhc_verify_job job SLHC_VERIFY_JOB_INIT;
    int verdict{0};
    slhc_statistics statistics SLHC_STATISTICS_INIT;
    slhc_backend_statistics backend SLHC_BACKEND_STATISTICS_INIT;

    const auto refused{[](const char* function, int result, const char* name) {
        BOOST_CHECK_EQUAL(result, SLHC_ERROR);
        CheckError(SLHC_ERR_ARGUMENT, {function, name});
    }};
    refused("slhc_context_interrupt", slhc_context_interrupt(nullptr), "context");
    refused("slhc_context_statistics", slhc_context_statistics(nullptr, &statistics), "context");
    refused("slhc_context_statistics", slhc_context_statistics(context.get(), nullptr), "statistics");
    refused("slhc_context_backend_statistics", slhc_context_backend_statistics(nullptr, 0, &backend), "context");
    refused("slhc_context_backend_statistics", slhc_context_backend_statistics(context.get(), 0, nullptr), "statistics");
    refused("slhc_context_backend_statistics", slhc_context_backend_statistics(context.get(), 99, &backend), "index is 99");
    refused("slhc_list_backends", slhc_list_backends(nullptr, 1, nullptr), "infos");

    BOOST_CHECK(!slhc_batch_create(nullptr, 0));
    CheckError(SLHC_ERR_ARGUMENT, {"slhc_batch_create", "context"});
    BOOST_CHECK(!slhc_batch_create(context.get(), 2));
    CheckError(SLHC_ERR_ARGUMENT, {"slhc_batch_create", "flags is 2"});
    refused("slhc_batch_add", slhc_batch_add(nullptr, SET, s.public_key.data(), s.message.data(), View(s.signature), tag.data()), "batch");
    refused("slhc_batch_add", slhc_batch_add(batch.get(), SET, nullptr, s.message.data(), View(s.signature), tag.data()), "public_key");
    refused("slhc_batch_add", slhc_batch_add(batch.get(), SET, s.public_key.data(), nullptr, View(s.signature), tag.data()), "message");
    refused("slhc_batch_add", slhc_batch_add(batch.get(), SET, s.public_key.data(), s.message.data(), hole, tag.data()), "signature");
    refused("slhc_batch_add", slhc_batch_add(batch.get(), SET, s.public_key.data(), s.message.data(), View(s.signature), nullptr),
            "tag");
    refused("slhc_batch_add", slhc_batch_add(batch.get(), 2, s.public_key.data(), s.message.data(), View(s.signature), tag.data()),
            "no parameter set has the number 2");
    refused("slhc_batch_verify", slhc_batch_verify(nullptr, nullptr), "batch");
    refused("slhc_batch_verdict", slhc_batch_verdict(nullptr, 0, nullptr), "batch");
    refused("slhc_batch_verdict", slhc_batch_verdict(batch.get(), 0, nullptr), "index is 0");
    refused("slhc_batch_verdict", slhc_batch_verdict(batch.get(), 7, nullptr), "index is 7");
    BOOST_CHECK_EQUAL(slhc_batch_size(nullptr), 0U);
    BOOST_CHECK_EQUAL(slhc_batch_size(batch.get()), 0U);

    refused("slhc_slhdsa_keygen", slhc_slhdsa_keygen(context.get(), SET, nullptr, buffer, buffer, nullptr, nullptr), "seed");
    refused("slhc_slhdsa_keygen", slhc_slhdsa_keygen(context.get(), SET, buffer, nullptr, buffer, nullptr, nullptr), "secret_key");
    refused("slhc_slhdsa_keygen", slhc_slhdsa_keygen(context.get(), SET, buffer, buffer, nullptr, nullptr, nullptr), "public_key");
    const auto sign{[](const slhc_context* c, const unsigned char* sk, slhc_bytes m, slhc_bytes ctx, unsigned char* out) {
        return slhc_slhdsa_sign(c, SET, sk, m, ctx, nullptr, out, nullptr, nullptr);
    }};
    refused("slhc_slhdsa_sign", sign(nullptr, buffer, nothing, nothing, buffer), "context");
    refused("slhc_slhdsa_sign", sign(context.get(), nullptr, nothing, nothing, buffer), "secret_key");
    refused("slhc_slhdsa_sign", sign(context.get(), buffer, hole, nothing, buffer), "message");
    refused("slhc_slhdsa_sign", sign(context.get(), buffer, nothing, hole, buffer), "ctx");
    refused("slhc_slhdsa_sign", sign(context.get(), buffer, nothing, nothing, nullptr), "signature");
    refused("slhc_slhdsa_sign", sign(context.get(), buffer, nothing, {buffer, 256}, buffer), "256");
    refused("slhc_slhdsa_verify", slhc_slhdsa_verify(SET, nullptr, nothing, nothing, nothing), "public_key");
    refused("slhc_slhdsa_verify", slhc_slhdsa_verify(SET, buffer, hole, nothing, nothing), "message");
    refused("slhc_slhdsa_verify", slhc_slhdsa_verify(SET, buffer, nothing, hole, nothing), "ctx");
    refused("slhc_slhdsa_verify", slhc_slhdsa_verify(SET, buffer, nothing, nothing, hole), "signature");
    refused("slhc_slhdsa_verify_many", slhc_slhdsa_verify_many(nullptr, &job, 1, &verdict), "context");
    refused("slhc_slhdsa_verify_many", slhc_slhdsa_verify_many(context.get(), nullptr, 1, &verdict), "jobs");
    refused("slhc_slhdsa_verify_many", slhc_slhdsa_verify_many(context.get(), &job, 1, nullptr), "verdicts");
    refused("slhc_slhdsa_verify_many", slhc_slhdsa_verify_many(context.get(), &job, 1, &verdict), "public_key");
    BOOST_CHECK_EQUAL(verdict, SLHC_ERROR);

    // Destroying NULL does nothing, and an error can be dropped.
    slhc_context_destroy(nullptr);
    slhc_batch_destroy(nullptr);
    BOOST_CHECK_EQUAL(slhc_last_error(nullptr), SLHC_ERROR);
    slhc_error small{.struct_size = sizeof(slhc_error) - 1, .code = 77, .message = {}};
    BOOST_CHECK_EQUAL(slhc_last_error(&small), SLHC_ERROR);
    BOOST_CHECK_EQUAL(small.code, 77); // not written to
}

BOOST_AUTO_TEST_CASE(wrong_struct_sizes_are_refused)
{
    const auto context{MakeContext()};
    const auto batch{MakeBatch(context)};
    const auto wrong_size{[](auto value, auto&& call) {
        // Of an older header, of a newer one, not set, and garbage.
        for (const size_t size : {sizeof(value) - 8, sizeof(value) + 8, size_t{0}, static_cast<size_t>(0xa5a5a5a5a5a5a5a0)}) {
            value.struct_size = size;
            const auto before{value};
            BOOST_CHECK_EQUAL(call(&value), SLHC_ERROR);
            CheckError(SLHC_ERR_ARGUMENT, {"struct_size"});
            BOOST_CHECK_EQUAL(std::memcmp(&value, &before, sizeof(value)), 0);
        }
    }};
    wrong_size(slhc_statistics SLHC_STATISTICS_INIT, [&](auto* s) { return slhc_context_statistics(context.get(), s); });
    wrong_size(slhc_backend_statistics SLHC_BACKEND_STATISTICS_INIT,
               [&](auto* s) { return slhc_context_backend_statistics(context.get(), 0, s); });
    wrong_size(slhc_backend_info SLHC_BACKEND_INFO_INIT, [&](auto* s) { return slhc_list_backends(s, 1, nullptr); });
    int verdict{0};
    wrong_size(slhc_verify_job SLHC_VERIFY_JOB_INIT, [&](auto* s) { return slhc_slhdsa_verify_many(context.get(), s, 1, &verdict); });
}

BOOST_AUTO_TEST_CASE(backends)
{
    size_t n{0};
    BOOST_REQUIRE_EQUAL(slhc_list_backends(nullptr, 0, &n), SLHC_OK);
    BOOST_REQUIRE_GE(n, 1U);
    std::vector<slhc_backend_info> infos(n + 1, SLHC_BACKEND_INFO_INIT); // one element more than there are
    BOOST_REQUIRE_EQUAL(slhc_list_backends(infos.data(), infos.size(), nullptr), SLHC_OK);
    bool portable{false};
    for (size_t i = 0; i < n; ++i) {
        BOOST_CHECK_GT(std::strlen(infos[i].name), 0U);
        BOOST_CHECK_EQUAL(infos[i].struct_size, sizeof(slhc_backend_info));
        portable |= std::string{infos[i].name} == "cpu:portable" && infos[i].available == 1;
    }
    BOOST_CHECK(portable);
    BOOST_CHECK_EQUAL(std::strlen(infos[n].name), 0U);

    // Nothing is written if an element has another size: the second, unless there is one backend only.
    slhc_backend_info two[]{SLHC_BACKEND_INFO_INIT, SLHC_BACKEND_INFO_INIT};
    two[n > 1 ? 1 : 0].struct_size = 8;
    BOOST_CHECK_EQUAL(slhc_list_backends(two, 2, nullptr), SLHC_ERROR);
    CheckError(SLHC_ERR_ARGUMENT, {"slhc_list_backends", "infos"});
    BOOST_CHECK_EQUAL(std::strlen(two[0].name), 0U);
}

/** The backend auto opens a device with the first batch of 16 signatures or more. */
BOOST_AUTO_TEST_CASE(auto_looks_for_a_device)
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "auto";
    const ContextPtr context{slhc_context_create(&options), slhc_context_destroy};
    BOOST_REQUIRE(context);
    slhc_backend_statistics device SLHC_BACKEND_STATISTICS_INIT;
    const auto tried{[&] {
        BOOST_REQUIRE_EQUAL(slhc_context_backend_statistics(context.get(), 1, &device), SLHC_OK);
        return device.ready || device.retired;
    }};
    if (slhc_context_backend_statistics(context.get(), 1, &device) != SLHC_OK) {
        BOOST_TEST_MESSAGE("SKIPPED: this build or machine has no family of devices");
        return;
    }
    const Signed& s{RealSignatures()[0]};
    slhc_verify_job job SLHC_VERIFY_JOB_INIT;
    job.public_key = s.public_key.data();
    job.message = {s.message.data(), s.message.size()};
    job.signature = View(s.signature);
    const std::vector<slhc_verify_job> jobs(16, job);
    std::vector<int> verdicts(jobs.size());
    BOOST_REQUIRE_EQUAL(slhc_slhdsa_verify_many(context.get(), jobs.data(), 15, verdicts.data()), SLHC_OK);
    BOOST_CHECK(!tried());
    BOOST_REQUIRE_EQUAL(slhc_slhdsa_verify_many(context.get(), jobs.data(), 16, verdicts.data()), SLHC_OK);
    for (int i = 0; i < 3'000 && !tried(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds{20});
    BOOST_CHECK(tried());
}

BOOST_AUTO_TEST_CASE(keys_and_signatures)
{
    const auto context{MakeContext()};
    unsigned char seed[48], sk[64], pk[32], signature[7856], again[7856], hedged[7856];
    for (size_t i = 0; i < sizeof(seed); ++i) seed[i] = static_cast<unsigned char>(i * 5 + 1);
    BOOST_REQUIRE_EQUAL(slhc_slhdsa_keygen(context.get(), SET, seed, sk, pk, nullptr, nullptr), SLHC_OK);
    BOOST_CHECK_EQUAL(std::memcmp(sk, seed, 48), 0);
    BOOST_CHECK_EQUAL(std::memcmp(sk + 32, pk, 32), 0);

    const std::string message{"what is signed"}, ctx{"context"};
    const auto view{[](const std::string& text) { return slhc_bytes{reinterpret_cast<const unsigned char*>(text.data()), text.size()}; }};
    const slhc_bytes nothing{nullptr, 0};
    BOOST_REQUIRE_EQUAL(slhc_slhdsa_sign(context.get(), SET, sk, view(message), view(ctx), nullptr, signature, nullptr, nullptr), SLHC_OK);
    BOOST_REQUIRE_EQUAL(slhc_slhdsa_sign(context.get(), SET, sk, view(message), view(ctx), nullptr, again, nullptr, nullptr), SLHC_OK);
    BOOST_CHECK_EQUAL(std::memcmp(signature, again, sizeof(signature)), 0);
    const unsigned char addrnd[16]{1, 2, 3};
    BOOST_REQUIRE_EQUAL(slhc_slhdsa_sign(context.get(), SET, sk, view(message), view(ctx), addrnd, hedged, nullptr, nullptr), SLHC_OK);
    BOOST_CHECK_NE(std::memcmp(signature, hedged, sizeof(signature)), 0);

    for (const unsigned char* sig : {signature, hedged}) {
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify(SET, pk, view(message), view(ctx), {sig, 7856}), SLHC_VALID);
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify(SET, pk, view(message), nothing, {sig, 7856}), SLHC_INVALID);
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify(SET, pk, nothing, view(ctx), {sig, 7856}), SLHC_INVALID);
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify(SET, pk, view(message), view(ctx), {sig, 7855}), SLHC_INVALID);
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify(SET, pk, view(message), view(ctx), nothing), SLHC_INVALID);
    }
    const std::string long_ctx(256, 'c');
    BOOST_CHECK_EQUAL(slhc_slhdsa_verify(SET, pk, view(message), view(long_ctx), {signature, 7856}), SLHC_INVALID);
    std::memset(again, 0xaa, sizeof(again));
    const int result{slhc_slhdsa_sign(context.get(), SET, sk, view(message), view(long_ctx), nullptr, again, nullptr, nullptr)};
    BOOST_CHECK_EQUAL(result, SLHC_ERROR);
    BOOST_CHECK(std::all_of(again, again + sizeof(again), [](unsigned char byte) { return byte == 0xaa; }));
}

BOOST_AUTO_TEST_CASE(verify_many)
{
    const auto context{MakeContext()};
    const auto& real{RealSignatures()};
    const std::vector<unsigned char> long_ctx(256);
    for (const size_t n : {0, 1, 2, 7, 20}) {
        std::vector<slhc_verify_job> jobs(n, SLHC_VERIFY_JOB_INIT);
        std::vector<int> expected(n, SLHC_VALID);
        for (size_t i = 0; i < n; ++i) {
            const Signed& s{real[i % real.size()]};
            slhc_verify_job& job{jobs[i]};
            job.public_key = s.public_key.data();
            job.message = View(s.message);
            job.signature = View(s.signature);
            switch (i) {
            case 2: job.message.size = 31; break;
            case 3: job.signature.size = 7855; break;
            case 5: job.ctx = View(long_ctx); break;
            case 6: job.public_key = real[(i + 1) % real.size()].public_key.data(); break;
            default: continue;
            }
            expected[i] = SLHC_INVALID;
        }
        std::vector<int> verdicts(n, 99);
        const bool all{std::find(expected.begin(), expected.end(), SLHC_INVALID) == expected.end()};
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify_many(context.get(), n ? jobs.data() : nullptr, n, n ? verdicts.data() : nullptr),
                          all ? SLHC_VALID : SLHC_INVALID);
        BOOST_CHECK(verdicts == expected);
        if (n > 1) {
            jobs[1].struct_size -= 8;
            BOOST_CHECK_EQUAL(slhc_slhdsa_verify_many(context.get(), jobs.data(), n, verdicts.data()), SLHC_ERROR);
            CheckError(SLHC_ERR_ARGUMENT, {"jobs[1]", "struct_size"});
            BOOST_CHECK(verdicts == std::vector<int>(n, SLHC_ERROR));
        }
    }
}

BOOST_AUTO_TEST_CASE(batches)
{
    const auto context{MakeContext()};
    const auto batch{MakeBatch(context)}, empty{MakeBatch(context)};
    Tag failure{1234};
    BOOST_CHECK_EQUAL(slhc_batch_verify(empty.get(), failure.data()), SLHC_VALID);
    BOOST_CHECK_EQUAL(failure[0], 1234U); // untouched
    BOOST_CHECK_EQUAL(AddReal(empty.get(), 0, Tag{1}), SLHC_ERROR);
    CheckError(SLHC_ERR_STATE, {"slhc_batch_add", "has been verified"});

    BOOST_CHECK_EQUAL(AddReal(batch.get(), 0, Tag{9}), SLHC_DEFERRED);
    BOOST_CHECK_EQUAL(AddReal(batch.get(), 1, Tag{8, 3, 2}, false), SLHC_DEFERRED);
    BOOST_CHECK_EQUAL(AddReal(batch.get(), 2, Tag{8, 3, 1}, false), SLHC_DEFERRED);
    BOOST_CHECK_EQUAL(AddReal(batch.get(), 2, Tag{8, 2, 7}), SLHC_DEFERRED);
    BOOST_CHECK_EQUAL(slhc_batch_size(batch.get()), 4U);
    BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), 1, nullptr), SLHC_DEFERRED);
    for (int round = 0; round < 2; ++round) {
        BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), round == 0 ? nullptr : failure.data()), SLHC_INVALID);
    }
    BOOST_CHECK_EQUAL(failure[0], 8U);
    BOOST_CHECK_EQUAL(failure[1], 3U);
    BOOST_CHECK_EQUAL(failure[2], 1U);

    const int expected[]{SLHC_VALID, SLHC_INVALID, SLHC_INVALID, SLHC_VALID};
    for (size_t i = 0; i < 4; ++i) {
        Tag tag{};
        BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), i, tag.data()), expected[i]);
        BOOST_CHECK_EQUAL(tag[0], i == 0 ? 9U : 8U);
    }
    slhc_backend_statistics statistics SLHC_BACKEND_STATISTICS_INIT;
    BOOST_CHECK_EQUAL(slhc_context_backend_statistics(context.get(), 0, &statistics), SLHC_OK);
    BOOST_CHECK_EQUAL(statistics.signatures, 4U);
    BOOST_CHECK(!statistics.is_device && statistics.ready && !statistics.retired);

    // Of a signature of a wrong size, even an enormous one, only enough is kept to show that it is invalid.
    const auto another{MakeBatch(context)};
    const std::vector<unsigned char> large(size_t{100} << 20);
    const Signed& s{RealSignatures()[0]};
    const Tag tag{1};
    const size_t before{slhc::test::AllocatedBytes()};
    BOOST_CHECK_EQUAL(slhc_batch_add(another.get(), SET, s.public_key.data(), s.message.data(), View(large), tag.data()), SLHC_DEFERRED);
    BOOST_CHECK_LT(slhc::test::AllocatedBytes() - before, large.size() / 100);
    BOOST_CHECK_EQUAL(slhc_batch_verify(another.get(), nullptr), SLHC_INVALID);
}

BOOST_AUTO_TEST_CASE(a_batch_is_verified_ahead)
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu";
    options.threads = 2;
    const ContextPtr context{slhc_context_create(&options), slhc_context_destroy};
    BOOST_REQUIRE(context);
    const auto batch{MakeBatch(context, SLHC_BATCH_AHEAD)};
    const auto verified{[&] {
        slhc_backend_statistics statistics SLHC_BACKEND_STATISTICS_INIT;
        BOOST_REQUIRE_EQUAL(slhc_context_backend_statistics(context.get(), 0, &statistics), SLHC_OK);
        return statistics.signatures;
    }};
    uint64_t n{0};
    for (; n < 1000 && verified() == 0; ++n) BOOST_REQUIRE_EQUAL(AddReal(batch.get(), n % 3, Tag{n}, n != 5), SLHC_DEFERRED);
    slhc::slhdsa::test::WaitFor([&] { return verified() > 0; });
    BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), 0, nullptr), SLHC_DEFERRED); // whatever is known
    Tag failure{};
    BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), failure.data()), SLHC_INVALID);
    BOOST_CHECK_EQUAL(failure[0], 5U);
    BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), 4, nullptr), SLHC_VALID);
    BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), 5, nullptr), SLHC_INVALID);
    BOOST_CHECK_EQUAL(verified(), n);
}

BOOST_AUTO_TEST_CASE(destroy_order_is_free)
{
    // The batch outlives its context, also while it still has everything to do.
    auto context{MakeContext()};
    const auto batch{MakeBatch(context)};
    const auto other{MakeBatch(context)};
    BOOST_CHECK_EQUAL(AddReal(batch.get(), 0, Tag{1}), SLHC_DEFERRED);
    context.reset();
    BOOST_CHECK_EQUAL(AddReal(batch.get(), 1, Tag{2}, false), SLHC_DEFERRED);
    Tag failure{};
    BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), failure.data()), SLHC_INVALID);
    BOOST_CHECK_EQUAL(failure[0], 2U);
}

BOOST_AUTO_TEST_CASE(interruption)
{
    const auto context{MakeContext()};
    const auto batch{MakeBatch(context)};
    BOOST_CHECK_EQUAL(AddReal(batch.get(), 0, Tag{1}), SLHC_DEFERRED);
    BOOST_CHECK_EQUAL(slhc_context_interrupt(context.get()), SLHC_OK);
    BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), nullptr), SLHC_ERROR);
    CheckError(SLHC_ERR_INTERRUPTED, {"slhc_batch_verify"});
    unsigned char buffer[7856]{};
    const int result{slhc_slhdsa_sign(context.get(), SET, buffer, {nullptr, 0}, {nullptr, 0}, nullptr, buffer, nullptr, nullptr)};
    BOOST_CHECK_EQUAL(result, SLHC_ERROR);
    CheckError(SLHC_ERR_INTERRUPTED, {"slhc_slhdsa_sign"});
}

BOOST_AUTO_TEST_CASE(several_threads)
{
    const auto context{MakeContext()};
    const auto batch{MakeBatch(context)};
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (uint64_t t = 0; t < 3; ++t) {
        threads.emplace_back([&, t] {
            for (uint32_t i = 0; i < 4; ++i) {
                if (AddReal(batch.get(), i % 3, Tag{t, i}, t != 1 || i != 2) != SLHC_DEFERRED) ++wrong;
            }
            // Errors are of the thread that made them.
            if (slhc_batch_verify(nullptr, nullptr) != SLHC_ERROR) ++wrong;
            slhc_error error SLHC_ERROR_INIT;
            if (slhc_last_error(&error) != SLHC_OK || error.code != SLHC_ERR_ARGUMENT) ++wrong;
        });
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            Tag failure{};
            if (slhc_batch_verify(batch.get(), failure.data()) != SLHC_INVALID || failure[0] != 1 || failure[1] != 2) ++wrong;
        });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_CHECK_EQUAL(wrong.load(), 0);
}

/** In a child, the parent's objects report that a new context is needed, and can be destroyed; a context of the child's own works. */
BOOST_AUTO_TEST_CASE(forked_child, *boost::unit_test::precondition(slhc::test::CanFollowForks))
{
    auto context{MakeContext()};
    auto batch{MakeBatch(context, SLHC_BATCH_AHEAD)};
    const auto done{MakeBatch(context)};
    for (uint64_t i = 0; i < 8; ++i) {
        BOOST_CHECK_EQUAL(AddReal(batch.get(), i % 3, Tag{i}, i != 5), SLHC_DEFERRED);
        BOOST_CHECK_EQUAL(AddReal(done.get(), i % 3, Tag{i}), SLHC_DEFERRED);
    }
    BOOST_CHECK_EQUAL(slhc_batch_verify(done.get(), nullptr), SLHC_VALID); // the threads have started
    BOOST_CHECK_EQUAL(slhc::test::InChildProcess([&]() -> std::string {
        std::string used;
        const auto refused{[&](const std::string& call, int result) {
            const slhc_error error{LastError()};
            const std::string message{error.message};
            if (result == SLHC_ERROR && error.code == SLHC_ERR_STATE && message.starts_with(call + ": the ") &&
                message.ends_with("was made before a fork() of this process, which needs a context of its own")) return;
            used += call + ": " + message + "; ";
        }};
        // For functions that return something else than SLHC_ERROR
        const auto is_error{[](bool zero) { return zero ? SLHC_ERROR : SLHC_OK; }};
        unsigned char buffer[7856]{};
        int verdict{0};
        const slhc_bytes nothing{nullptr, 0};
        slhc_statistics statistics SLHC_STATISTICS_INIT;
        slhc_backend_statistics backend SLHC_BACKEND_STATISTICS_INIT;
        const Tag tag{1};
        slhc_context* const parents{context.get()};
        refused("slhc_context_interrupt", slhc_context_interrupt(parents));
        refused("slhc_context_statistics", slhc_context_statistics(parents, &statistics));
        refused("slhc_context_backend_statistics", slhc_context_backend_statistics(parents, 0, &backend));
        refused("slhc_verify_input", slhc_verify_input(parents, nullptr, 0, 0, nullptr, nullptr, 0, nullptr));
        refused("slhc_batch_create", is_error(slhc_batch_create(parents, 0) == nullptr));
        refused("slhc_verify_block_scripts", slhc_verify_block_scripts(parents, nothing, nullptr, 0, 0, nullptr, 0, nullptr));
        refused("slhc_slhdsa_sign", slhc_slhdsa_sign(parents, SET, buffer, nothing, nothing, nullptr, buffer, nullptr, nullptr));
        refused("slhc_slhdsa_verify_many", slhc_slhdsa_verify_many(parents, nullptr, 0, &verdict));
        for (slhc_batch* const inherited : {batch.get(), done.get()}) {
            refused("slhc_batch_add", slhc_batch_add(inherited, SET, buffer, buffer, nothing, tag.data()));
            refused("slhc_batch_size", is_error(slhc_batch_size(inherited) == 0));
            refused("slhc_batch_verify", slhc_batch_verify(inherited, nullptr));
            refused("slhc_batch_verdict", slhc_batch_verdict(inherited, 0, nullptr));
        }
        if (!used.empty()) return used;
        batch.reset();
        context.reset();

        const auto own{MakeContext()};
        const auto own_batch{MakeBatch(own)};
        for (uint64_t i = 0; i < 8; ++i) {
            if (AddReal(own_batch.get(), i % 3, Tag{i}, i != 5) != SLHC_DEFERRED) return "its own batch takes nothing";
        }
        Tag failure{};
        return slhc_batch_verify(own_batch.get(), failure.data()) == SLHC_INVALID && failure[0] == 5 ? "" : "another verdict";
    }), "");
    BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), nullptr), SLHC_INVALID);
}

BOOST_AUTO_TEST_CASE(nothing_is_thrown)
{
    const auto code_of{[](auto&& body) {
        BOOST_CHECK_EQUAL(capi::Guarded<int>("function", SLHC_ERROR, body), SLHC_ERROR);
        return LastError();
    }};
    BOOST_CHECK_EQUAL(code_of([]() -> int { throw std::bad_alloc{}; }).code, SLHC_ERR_MEMORY);
    BOOST_CHECK_EQUAL(code_of([]() -> int { return static_cast<int>(std::vector<int>(SIZE_MAX / 2).size()); }).code, SLHC_ERR_MEMORY);
    BOOST_CHECK_EQUAL(code_of([]() -> int { throw std::runtime_error{"x"}; }).code, SLHC_ERR_INTERNAL);
    BOOST_CHECK_EQUAL(code_of([]() -> int { throw 7; }).code, SLHC_ERR_INTERNAL);
    // However long a message is, it fits.
    const slhc_error error{code_of([]() -> int { throw std::runtime_error{std::string(5000, 'm')}; })};
    BOOST_CHECK_EQUAL(std::strlen(error.message), sizeof(error.message) - 1);
    BOOST_CHECK(std::string{error.message}.starts_with("function: mmm"));
}

BOOST_AUTO_TEST_CASE(parameter_sets)
{
    const std::map<int, size_t> sets{{SLHC_SET_128S, 7856}, {SLHC_SET_128F, 17088}, {SLHC_SET_128_24, 3856}, {SLHC_SET_128_Q40, 5776}};
    for (const auto& [set, size] : sets) BOOST_CHECK_EQUAL(slhc_set_signature_size(set), size);
    for (const int none : {-1, 2, 25, 0xf0, 256}) BOOST_CHECK_EQUAL(slhc_set_signature_size(none), 0U);
}

BOOST_AUTO_TEST_CASE(signatures_of_other_sets)
{
    const ContextPtr context{MakeContext()};
    const std::array<unsigned char, SLHC_SEED_SIZE> seed{4, 5, 6};
    const std::array<unsigned char, 32> text{1, 2, 3};
    const slhc_bytes message{text.data(), text.size()};
    const auto error_code{[] {
        slhc_error error = SLHC_ERROR_INIT;
        BOOST_REQUIRE_EQUAL(slhc_last_error(&error), SLHC_OK);
        return error.code;
    }};
    struct Made {
        std::array<unsigned char, 64> sk;
        std::array<unsigned char, 32> pk;
        std::vector<unsigned char> signature;
        int set;
    };
    std::vector<Made> all;
    for (const int set : {SLHC_SET_128S, SLHC_SET_128F, SLHC_SET_128_Q40}) {
        Made& made{all.emplace_back()};
        made.set = set;
        made.signature.resize(slhc_set_signature_size(set));
        size_t last{0};
        const auto progress{[](void* data, size_t done, size_t total) { *static_cast<size_t*>(data) = done == total ? total : 0; }};
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_keygen(context.get(), set, seed.data(), made.sk.data(), made.pk.data(), progress, &last),
                            SLHC_OK);
        BOOST_CHECK_GT(last, 0U);
        last = 0;
        BOOST_REQUIRE_EQUAL(slhc_slhdsa_sign(context.get(), set, made.sk.data(), message, {nullptr, 0}, nullptr, made.signature.data(),
                                                 progress, &last),
                            SLHC_OK);
        BOOST_CHECK_GT(last, 0U);
        const slhc_bytes signature{made.signature.data(), made.signature.size()};
        for (const int by : {SLHC_SET_128S, SLHC_SET_128F, SLHC_SET_128_24, SLHC_SET_128_Q40}) {
            const int verdict{slhc_slhdsa_verify(by, made.pk.data(), message, {nullptr, 0}, signature)};
            BOOST_CHECK_EQUAL(verdict, by == set ? SLHC_VALID : SLHC_INVALID);
        }
    }
    // In one call, the last one under another set's number
    std::vector<slhc_verify_job> jobs;
    for (const Made& made : all) {
        const slhc_bytes signature{made.signature.data(), made.signature.size()};
        jobs.push_back({sizeof(slhc_verify_job), made.set, made.pk.data(), message, {nullptr, 0}, signature});
    }
    jobs.push_back(jobs.back());
    jobs.back().set = SLHC_SET_128S;
    std::vector<int> verdicts(jobs.size());
    const auto verify{[&] { return slhc_slhdsa_verify_many(context.get(), jobs.data(), jobs.size(), verdicts.data()); }};
    BOOST_CHECK_EQUAL(verify(), SLHC_INVALID);
    BOOST_CHECK((verdicts == std::vector<int>{SLHC_VALID, SLHC_VALID, SLHC_VALID, SLHC_INVALID}));
    const BatchPtr batch{MakeBatch(context)};
    const Tag tag{};
    for (size_t i{0}; i < jobs.size(); ++i) {
        BOOST_CHECK_EQUAL(slhc_batch_add(batch.get(), jobs[i].set, jobs[i].public_key, text.data(), jobs[i].signature, tag.data()),
                          SLHC_DEFERRED);
    }
    BOOST_CHECK_EQUAL(slhc_batch_verify(batch.get(), nullptr), SLHC_INVALID);
    for (size_t i{0}; i < jobs.size(); ++i) BOOST_CHECK_EQUAL(slhc_batch_verdict(batch.get(), i, nullptr), verdicts[i]);
    // A set for tests is none for users.
    jobs.back().set = 0xf0;
    BOOST_CHECK_EQUAL(verify(), SLHC_ERROR);
    BOOST_CHECK_EQUAL(error_code(), SLHC_ERR_ARGUMENT);
    BOOST_CHECK_EQUAL(slhc_slhdsa_keygen(context.get(), 0xf0, seed.data(), all[0].sk.data(), all[0].pk.data(), nullptr, nullptr),
                      SLHC_ERROR);
    BOOST_CHECK_EQUAL(error_code(), SLHC_ERR_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(signatures_for_experiments)
{
    using SignerPtr = std::unique_ptr<slhc_experiment_signer, decltype(&slhc_experiment_signer_destroy)>;
    const std::array<unsigned char, SLHC_SEED_SIZE> seed{4, 5, 6};
    const std::array<unsigned char, 3> text{1, 2, 3};
    const slhc_bytes message{text.data(), text.size()}, ctx{text.data(), 2}, nothing{nullptr, 0};
    std::array<unsigned char, SLHC_PUBLIC_KEY_SIZE> key, other;
    for (const int set : {SLHC_SET_128S, SLHC_SET_128F, SLHC_SET_128_24, SLHC_SET_128_Q40}) {
        const SignerPtr signer{slhc_experiment_signer_create(set, seed.data()), slhc_experiment_signer_destroy};
        BOOST_REQUIRE(signer);
        BOOST_REQUIRE_EQUAL(slhc_experiment_public_key(signer.get(), 1, key.data()), SLHC_OK);
        BOOST_REQUIRE_EQUAL(slhc_experiment_public_key(signer.get(), uint64_t{1} << 63, other.data()), SLHC_OK);
        BOOST_CHECK(key != other);
        std::vector<unsigned char> bytes(slhc_set_signature_size(set));
        const slhc_bytes signature{bytes.data(), bytes.size()};
        BOOST_REQUIRE_EQUAL(slhc_experiment_sign(signer.get(), 1, message, ctx, bytes.data()), SLHC_OK);
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify(set, key.data(), message, ctx, signature), SLHC_VALID);
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify(set, key.data(), message, nothing, signature), SLHC_INVALID);
        BOOST_CHECK_EQUAL(slhc_slhdsa_verify(set, other.data(), message, ctx, signature), SLHC_INVALID);
        std::vector<unsigned char> again(bytes.size());
        const SignerPtr same{slhc_experiment_signer_create(set, seed.data()), slhc_experiment_signer_destroy};
        BOOST_REQUIRE_EQUAL(slhc_experiment_sign(same.get(), 1, message, ctx, again.data()), SLHC_OK);
        BOOST_CHECK(again == bytes);
    }
    const SignerPtr signer{slhc_experiment_signer_create(SLHC_SET_128F, seed.data()), slhc_experiment_signer_destroy};
    std::vector<unsigned char> bytes(slhc_set_signature_size(SLHC_SET_128F), 7);
    const std::vector<unsigned char> before{bytes};
    const auto refused{[](bool failed, const std::string& part) {
        slhc_error error = SLHC_ERROR_INIT;
        BOOST_REQUIRE_EQUAL(slhc_last_error(&error), SLHC_OK);
        BOOST_CHECK(failed && error.code == SLHC_ERR_ARGUMENT);
        BOOST_CHECK_MESSAGE(std::string{error.message}.find(part) != std::string::npos, error.message);
    }};
    const slhc_bytes hole{nullptr, 1}, too_long{before.data(), SLHC_MAX_CONTEXT_SIZE + 1};
    refused(!slhc_experiment_signer_create(0xf0, seed.data()), "no parameter set has the number 240");
    refused(!slhc_experiment_signer_create(SLHC_SET_128F, nullptr), "seed is NULL");
    refused(slhc_experiment_public_key(nullptr, 1, key.data()) == SLHC_ERROR, "signer is NULL");
    refused(slhc_experiment_public_key(signer.get(), 1, nullptr) == SLHC_ERROR, "public_key is NULL");
    refused(slhc_experiment_sign(nullptr, 1, message, ctx, bytes.data()) == SLHC_ERROR, "signer is NULL");
    refused(slhc_experiment_sign(signer.get(), 1, hole, ctx, bytes.data()) == SLHC_ERROR, "message.data is NULL");
    refused(slhc_experiment_sign(signer.get(), 1, message, hole, bytes.data()) == SLHC_ERROR, "ctx.data is NULL");
    refused(slhc_experiment_sign(signer.get(), 1, message, too_long, bytes.data()) == SLHC_ERROR, "ctx has 256 bytes");
    refused(slhc_experiment_sign(signer.get(), 1, message, ctx, nullptr) == SLHC_ERROR, "signature is NULL");
    BOOST_CHECK(bytes == before);
    slhc_experiment_signer_destroy(nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
