// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CAPI_ERROR_H
#define SLHCONSENSUS_PQC_CAPI_ERROR_H

#include <slhdsa.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

/** The handling of arguments and exceptions in every function of the C API. */
namespace slhc::capi {

/** Ends a call of the C API in SLHC_ERROR or NULL. */
class ApiError : public std::runtime_error
{
public:
    /** @param[in] code  one of SLHC_ERR_* */
    ApiError(int code, const std::string& message) : std::runtime_error{message}, m_code{code} {}
    [[nodiscard]] int Code() const noexcept { return m_code; }

private:
    int m_code;
};

[[noreturn]] void ThrowArgument(const std::string& message);

/** Store the exception being handled as this thread's last error. */
void RecordException(const char* function) noexcept;

/** Run a function's body. Anything it throws is caught and recorded, and the result is then on_error. */
template <typename R, typename F>
R Guarded(const char* function, R on_error, F&& body) noexcept
{
    try {
        return body();
    } catch (...) {
        RecordException(function);
        return on_error;
    }
}

/** The object behind a pointer argument. @throws ApiError if it is null */
template <typename T>
T& Required(T* pointer, const char* name)
{
    if (pointer == nullptr) ThrowArgument(std::string{name} + " is NULL");
    return *pointer;
}

/** The bytes that an argument views. @throws ApiError if there are some and data is null */
std::span<const uint8_t> Bytes(const slhc_bytes& bytes, const char* name);

/** The n bytes behind a pointer argument. @throws ApiError if it is null */
template <size_t SIZE>
std::span<const uint8_t, SIZE> FixedBytes(const unsigned char* data, const char* name)
{
    return std::span<const uint8_t, SIZE>{&Required(data, name), SIZE};
}

/** @throws ApiError if struct_size is not that of the structure */
template <typename T>
void CheckStructSize(const T& in, const char* name)
{
    if (in.struct_size == sizeof(T)) return;
    ThrowArgument(std::string{name} + ": struct_size is " + std::to_string(in.struct_size) + ", but the structure has " +
                  std::to_string(sizeof(T)) + " bytes");
}

/** Element i of a caller's array. @throws ApiError if array is null, or its struct_size is wrong */
template <typename T>
T& Element(T* array, size_t i, const char* name)
{
    T& element{(&Required(array, name))[i]};
    if (element.struct_size != sizeof(T)) CheckStructSize(element, (std::string{name} + "[" + std::to_string(i) + "]").c_str());
    return element;
}

/** A caller's structure. @throws ApiError if struct_size is wrong */
template <typename T>
const T& ReadStruct(const T& in, const char* name)
{
    CheckStructSize(in, name);
    return in;
}

/** Fill a caller's structure. @throws ApiError if struct_size is wrong */
template <typename T>
void WriteStruct(T& out, const T& value, const char* name)
{
    CheckStructSize(out, name);
    out = value;
}

/** Copy text into a fixed buffer, cut to fit and terminated. */
template <size_t SIZE>
void CopyText(char (&buffer)[SIZE], std::string_view text) noexcept
{
    const size_t size{std::min(text.size(), SIZE - 1)};
    std::memcpy(buffer, text.data(), size);
    std::memset(buffer + size, 0, SIZE - size);
}

} // namespace slhc::capi

#endif // SLHCONSENSUS_PQC_CAPI_ERROR_H
