// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_CLEANSE_H
#define SLHCONSENSUS_UTIL_CLEANSE_H

#include <cstddef>
#include <type_traits>

namespace slhc {

/** Overwrite size bytes at data with zeros, in a way that the optimizer does not remove although nobody
 *  reads them again. For secrets that go out of scope. */
void memory_cleanse(void* data, size_t size) noexcept;

/** Overwrite any secrets that the calling thread's last calls left on the stack below the caller, as deep as hashing goes. */
void CleanseAfterCalls() noexcept;

/** A value that must not stay in memory: wiped when it goes out of scope, in any way. */
template <typename T>
    requires std::is_trivially_copyable_v<T>
class Wiped
{
public:
    Wiped() noexcept = default;
    explicit Wiped(const T& value) noexcept : m_value{value} {}
    ~Wiped() { memory_cleanse(&m_value, sizeof(m_value)); }
    Wiped(const Wiped&) = delete;
    Wiped& operator=(const Wiped&) = delete;

    [[nodiscard]] T& operator*() noexcept { return m_value; }
    [[nodiscard]] const T& operator*() const noexcept { return m_value; }
    [[nodiscard]] T* operator->() noexcept { return &m_value; }
    [[nodiscard]] const T* operator->() const noexcept { return &m_value; }

private:
    T m_value{};
};

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_CLEANSE_H
