// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_DESCRIPTOR_H
#define SLHCONSENSUS_UTIL_DESCRIPTOR_H

#include <utility>

#include <unistd.h>

namespace slhc {

/** Owns a file descriptor. */
class Descriptor
{
public:
    Descriptor() = default;
    /** @param[in] fd  negative: none, e.g. what a failed call has returned */
    explicit Descriptor(int fd) noexcept : m_fd{fd} {}
    ~Descriptor()
    {
        if (m_fd >= 0) (void)close(m_fd);
    }
    Descriptor(Descriptor&& other) noexcept : m_fd{std::exchange(other.m_fd, -1)} {}
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        const Descriptor closed{std::exchange(m_fd, std::exchange(other.m_fd, -1))};
        return *this;
    }

    [[nodiscard]] int Get() const noexcept { return m_fd; }
    explicit operator bool() const noexcept { return m_fd >= 0; }

private:
    int m_fd{-1};
};

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_DESCRIPTOR_H
