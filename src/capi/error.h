// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CAPI_ERROR_H
#define SLHCONSENSUS_CAPI_ERROR_H

#include <slhconsensus.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

/** How every function of the C API handles its arguments and exceptions. */
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

/** Store the exception being handled as this thread's last error, and in *error if that is not null. */
void RecordException(const char* function, slhc_error* error) noexcept;

/** Write a code and a message, cut to fit, to *error as far as its struct_size reaches. */
void FillError(slhc_error* error, int code, std::string_view message) noexcept;

/** Run a function's body. Anything it throws is caught and recorded, and the result is then on_error. */
template <typename R, typename F>
R Guarded(const char* function, R on_error, slhc_error* error, F&& body) noexcept
{
    try {
        return body();
    } catch (...) {
        RecordException(function, error);
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

/** Size of each public structure in the first version of the header that has it. What a caller built against that version passes will
 *  always be accepted; fields added since are then zero. */
template <typename T>
inline constexpr size_t FIRST_SIZE{sizeof(T)};
template <>
inline constexpr size_t FIRST_SIZE<slhc_reject>{offsetof(slhc_reject, result)};
#if UINTPTR_MAX == UINT64_MAX
// A structure that grows breaks its line here, until FIRST_SIZE says what its size was.
static_assert(FIRST_SIZE<slhc_error> == 272);
static_assert(FIRST_SIZE<slhc_context_options> == 64);
static_assert(FIRST_SIZE<slhc_statistics> == 48);
static_assert(FIRST_SIZE<slhc_backend_statistics> == 88);
static_assert(FIRST_SIZE<slhc_backend_info> == 240);
static_assert(FIRST_SIZE<slhc_failure> == 72);
static_assert(FIRST_SIZE<slhc_decoded_address> == 72);
static_assert(FIRST_SIZE<slhc_descriptor_info> == 136);
static_assert(FIRST_SIZE<slhc_descriptor_key> == 56);
static_assert(FIRST_SIZE<slhc_descriptor_leaf> == 88);
static_assert(FIRST_SIZE<slhc_key_table> == 48);
static_assert(FIRST_SIZE<slhc_psbt_finding> == 40);
static_assert(FIRST_SIZE<slhc_block_queue_options> == 24);
static_assert(FIRST_SIZE<slhc_reject> == 264);
static_assert(FIRST_SIZE<slhc_verify_job> == 64);
#endif

/** No version of any structure will be larger: beyond this, struct_size was never set. */
inline constexpr size_t MAX_STRUCT_SIZE{4096};

template <typename T>
void CheckStructSize(const T& in, const char* name)
{
    if (in.struct_size < FIRST_SIZE<T> || in.struct_size > MAX_STRUCT_SIZE || in.struct_size % alignof(T) != 0) {
        ThrowArgument(std::string{name} + ": struct_size is " + std::to_string(in.struct_size) +
                      ", which is not the size of any version of the structure (" + std::to_string(sizeof(T)) + " in this version)");
    }
}

/** Element i of a caller's array, whose elements have the size of the caller's version of the structure, as the first one gives it. @throws
 *  ApiError if array is null, or a struct_size is wrong or differs */
template <typename T>
T& Element(T* array, size_t i, const char* name)
{
    const size_t stride{Required(array, name).struct_size};
    CheckStructSize(*array, name);
    using Byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
    T& element{*reinterpret_cast<T*>(reinterpret_cast<Byte*>(array) + i * stride)};
    if (element.struct_size != stride) {
        ThrowArgument(std::string{name} + "[" + std::to_string(i) + "]: struct_size differs from that of " + name + "[0]");
    }
    return element;
}

/** A caller's structure in this library's version. @throws ApiError if struct_size is wrong */
template <typename T>
T ReadStruct(const T& in, const char* name)
{
    CheckStructSize(in, name);
    T out;
    std::memset(&out, 0, sizeof(out));
    std::memcpy(&out, &in, std::min(in.struct_size, sizeof(T)));
    return out;
}

/** Give a caller as much of a structure as its version has. @throws ApiError if struct_size is wrong */
template <typename T>
void WriteStruct(T& out, T value, const char* name)
{
    CheckStructSize(out, name);
    value.struct_size = out.struct_size;
    std::memcpy(&out, &value, std::min(out.struct_size, sizeof(T)));
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

#endif // SLHCONSENSUS_CAPI_ERROR_H
