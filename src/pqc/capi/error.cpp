// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/capi/error.h>

#include <algorithm>
#include <new>

namespace slhc::capi {

namespace {

/** Of the calling thread. Plain memory: recording an error must work when there is none left. */
thread_local slhc_error g_last_error SLHC_ERROR_INIT;

void Record(const char* function, int code, std::string_view what) noexcept
{
    // Composed in place, since a string could fail to allocate.
    char (&message)[sizeof(slhc_error::message)]{g_last_error.message};
    CopyText(message, function);
    size_t size{std::strlen(message)};
    for (const std::string_view part : {std::string_view{": "}, what}) {
        const size_t n{std::min(part.size(), sizeof(message) - 1 - size)};
        std::memcpy(message + size, part.data(), n);
        size += n;
    }
    message[size] = 0;
    // A caller's text may have any bytes, and may be cut within a character. A log takes lines, and a program may want UTF-8.
    std::ranges::replace_if(message, message + size, [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
    g_last_error.code = code;
}

} // namespace

void ThrowArgument(const std::string& message) { throw ApiError{SLHC_ERR_ARGUMENT, message}; }

void RecordException(const char* function) noexcept
{
    try {
        throw;
    } catch (const ApiError& e) {
        Record(function, e.Code(), e.what());
    } catch (const std::bad_alloc&) {
        Record(function, SLHC_ERR_MEMORY, "out of memory");
    } catch (const std::length_error&) {
        Record(function, SLHC_ERR_MEMORY, "more elements than memory can hold");
    } catch (const std::exception& e) {
        Record(function, SLHC_ERR_INTERNAL, e.what());
    } catch (...) {
        Record(function, SLHC_ERR_INTERNAL, "an exception of unknown type");
    }
}

std::span<const uint8_t> Bytes(const slhc_bytes& bytes, const char* name)
{
    if (bytes.size == 0) return {};
    return {&Required(bytes.data, name), bytes.size};
}

int LastError(slhc_error* error)
{
    if (error == nullptr || error->struct_size != sizeof(slhc_error)) return SLHC_ERROR;
    *error = g_last_error;
    return SLHC_OK;
}

} // namespace slhc::capi

int slhc_last_error(slhc_error* error) { return slhc::capi::LastError(error); }
