// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/capi/context.h>

#include <pqc/backends.h>
#include <pqc/capi/error.h>
#include <util/counted.h>
#include <util/environment.h>

#include <charconv>
#include <optional>
#include <string>

namespace slhc::capi {

namespace {

/** See GetEnvironment. */
std::optional<std::string_view> Environment(const char* name)
{
    const char* const value{GetEnvironment(name)};
    return value ? std::optional<std::string_view>{value} : std::nullopt;
}

/** Quote outside input, cut to fit on a line. */
std::string Quoted(std::string_view text) { return "'" + std::string{text.substr(0, 40)} + "'"; }

std::shared_ptr<const Logger> MakeLogger(const slhc_context_options& options)
{
    if (options.log != nullptr) {
        if (options.log_level < SLHC_LOG_DEBUG || options.log_level > SLHC_LOG_ERROR) {
            ThrowArgument("log_level " + std::to_string(options.log_level) + " is not one of SLHC_LOG_*");
        }
        return std::make_shared<Logger>(static_cast<LogLevel>(options.log_level),
                                        [log = options.log, user = options.log_user](LogLevel level, std::string_view message) {
                                            const std::string terminated{message};
                                            log(user, static_cast<int>(level), terminated.c_str(), terminated.size());
                                        });
    }
    const auto name{Environment("SLHC_LOG")};
    if (!name) return std::make_shared<Logger>();
    const auto level{ParseLogLevel(*name)};
    if (!level) ThrowArgument("SLHC_LOG=" + Quoted(*name) + " is not debug, info, warning or error");
    return std::make_shared<Logger>(*level, LogToStderr);
}

unsigned ThreadCount(const slhc_context_options& options)
{
    if (options.threads > ThreadPool::MAX_THREADS) {
        ThrowArgument("threads is " + std::to_string(options.threads) + "; the maximum is " + std::to_string(ThreadPool::MAX_THREADS));
    }
    if (options.threads != 0) return options.threads;
    const auto text{Environment("SLHC_THREADS")};
    if (!text) return 0;
    unsigned threads{0};
    const auto [end, ec]{std::from_chars(text->data(), text->data() + text->size(), threads)};
    if (ec != std::errc{} || end != text->data() + text->size() || threads < 1 || threads > ThreadPool::MAX_THREADS) {
        ThrowArgument("SLHC_THREADS=" + Quoted(*text) + " is not a number from 1 to " + std::to_string(ThreadPool::MAX_THREADS));
    }
    return threads;
}

slhc_backend_statistics ToC(const slhdsa::BackendStatistics& in)
{
    slhc_backend_statistics out SLHC_BACKEND_STATISTICS_INIT;
    CopyText(out.name, in.name);
    out.is_device = in.is_device;
    out.ready = in.ready;
    out.retired = in.retired;
    CopyText(out.state, in.state);
    out.process_id = in.process.id;
    CopyText(out.program, in.process.program);
    out.calls = in.calls;
    out.signatures = in.jobs;
    out.failed_calls = in.failed_calls;
    out.wrong_roots = in.wrong_roots;
    return out;
}

} // namespace

slhdsa::DeviceOptions DeviceOptionsOfEnvironment(std::shared_ptr<const Logger> logger)
{
    return {.logger = std::move(logger),
            .cache_dir = std::string{Environment("SLHC_CACHE_DIR").value_or("")},
            .program = std::string{Environment("SLHC_DEVICE_PROGRAM").value_or("")}};
}

std::shared_ptr<ContextState> MakeState(const slhc_context_options& options)
{
    auto state{std::make_shared<ContextState>()};
    state->logger = MakeLogger(options);
    state->pool = std::make_shared<ThreadPool>(ThreadCount(options));

    const std::string backend{options.backend ? std::string_view{options.backend} : Environment("SLHC_BACKEND").value_or("auto")};
    slhdsa::DeviceOptions device_options{DeviceOptionsOfEnvironment(state->logger)};
    if (options.cache_dir != nullptr) device_options.cache_dir = options.cache_dir;
    if (options.device_program != nullptr) device_options.program = options.device_program;
    device_options.pool = state->pool;
    std::string error;
    auto backends{slhdsa::SelectBackends(backend, device_options, error)};
    if (!backends) throw ApiError{SLHC_ERR_BACKEND, error};
    std::string names{backends->cpu->Name()};
    for (const auto& device : backends->devices) names.append(" and ").append(device->Name());
    state->logger->Log(LogLevel::INFO, "verifies with " + names + ", " + Counted(state->pool->Threads(), "thread"));
    state->verifier = std::make_shared<slhdsa::Verifier>(std::move(*backends), state->pool, state->logger);
    return state;
}

} // namespace slhc::capi

using namespace slhc;
using namespace slhc::capi;

#define SLHC_STRINGIFY_(x) #x
#define SLHC_STRINGIFY(x) SLHC_STRINGIFY_(x)

const char* slhc_version(void)
{
    return SLHC_STRINGIFY(SLHC_VERSION_MAJOR) "." SLHC_STRINGIFY(SLHC_VERSION_MINOR) "." SLHC_STRINGIFY(SLHC_VERSION_PATCH);
}

slhc_context* slhc_context_create(const slhc_context_options* options)
{
    return Guarded<slhc_context*>(__func__, nullptr, [&] {
        const slhc_context_options defaults SLHC_CONTEXT_OPTIONS_INIT;
        return new slhc_context{MakeState(options != nullptr ? ReadStruct(*options, "options") : defaults)};
    });
}

void slhc_context_destroy(slhc_context* context) { DestroyOwn(context); }

int slhc_context_interrupt(slhc_context* context)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        RequiredOwn(context, "context").state->pool->Interrupt();
        return SLHC_OK;
    });
}

int slhc_context_statistics(const slhc_context* context, slhc_statistics* statistics)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        const ContextState& state{*RequiredOwn(context, "context").state};
        slhc_statistics out SLHC_STATISTICS_INIT;
        out.threads = state.pool->Threads();
        out.n_backends = state.verifier->Statistics().size();
        WriteStruct(Required(statistics, "statistics"), out, "statistics");
        return SLHC_OK;
    });
}

int slhc_context_backend_statistics(const slhc_context* context, size_t index, slhc_backend_statistics* statistics)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        const auto all{RequiredOwn(context, "context").state->verifier->Statistics()};
        if (index >= all.size()) {
            ThrowArgument("index is " + std::to_string(index) + ", but the context has " + std::to_string(all.size()) + " backends");
        }
        WriteStruct(Required(statistics, "statistics"), ToC(all[index]), "statistics");
        return SLHC_OK;
    });
}

int slhc_list_backends(slhc_backend_info* infos, size_t capacity, size_t* n_total)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        if (capacity > 0) Element(infos, 0, "infos"); // before the list, which takes a while
        const auto all{slhdsa::ListBackends(DeviceOptionsOfEnvironment(std::make_shared<Logger>()))};
        const size_t n{std::min(capacity, all.size())};
        for (size_t i = 0; i < n; ++i) Element(infos, i, "infos"); // if one is wrong, none is written
        for (size_t i = 0; i < n; ++i) {
            slhc_backend_info out SLHC_BACKEND_INFO_INIT;
            CopyText(out.name, all[i].name);
            CopyText(out.description, all[i].description);
            out.available = all[i].available;
            infos[i] = out;
        }
        if (n_total != nullptr) *n_total = all.size();
        return SLHC_OK;
    });
}
