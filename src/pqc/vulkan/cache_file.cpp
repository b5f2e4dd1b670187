// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/cache_file.h>

#include <crypto/sha256.h>
#include <util/descriptor.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slhc::slhdsa {

namespace {

// A file is magic || SHA-256(key) || SHA-256(content) || content.
constexpr std::array<uint8_t, 8> MAGIC{'s', 'l', 'h', 'c', 'c', 'h', '0', '1'};
constexpr size_t DIGEST_SIZE{CSHA256::OUTPUT_SIZE};
constexpr size_t HEADER_SIZE{MAGIC.size() + 2 * DIGEST_SIZE};

std::array<uint8_t, HEADER_SIZE> MakeHeader(std::string_view key, std::span<const uint8_t> content)
{
    std::array<uint8_t, HEADER_SIZE> header;
    std::copy(MAGIC.begin(), MAGIC.end(), header.begin());
    CSHA256{}.Write(reinterpret_cast<const uint8_t*>(key.data()), key.size()).Finalize(header.data() + MAGIC.size());
    CSHA256{}.Write(content).Finalize(header.data() + MAGIC.size() + DIGEST_SIZE);
    return header;
}

// If opening a file fails, so does every use of its descriptor. A signal that interrupts one of these is a failure like any other, which
// costs the work that the file would have saved.

bool ReadAll(int fd, std::span<uint8_t> out)
{
    while (!out.empty()) {
        const ssize_t n{read(fd, out.data(), out.size())};
        if (n <= 0) return false;
        out = out.subspan(static_cast<size_t>(n));
    }
    return true;
}

bool WriteAll(int fd, std::span<const uint8_t> in)
{
    while (!in.empty()) {
        const ssize_t n{write(fd, in.data(), in.size())};
        if (n <= 0) return false;
        in = in.subspan(static_cast<size_t>(n));
    }
    return true;
}

/** Write a new file, whose path is `path` with something else for the six X at its end. */
bool WriteNewFile(std::string& path, std::string_view key, std::span<const uint8_t> content)
{
    const Descriptor fd{mkostemp(path.data(), O_CLOEXEC)}; // with mode 0600
    return WriteAll(fd.Get(), MakeHeader(key, content)) && WriteAll(fd.Get(), content);
}

} // namespace

std::optional<std::vector<uint8_t>> ReadCacheFile(const std::string& path, std::string_view key)
{
    // Not through a symbolic link, and not blocked by a pipe. A driver will parse the content, so it must be ours.
    const Descriptor fd{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    struct stat info;
    if (fstat(fd.Get(), &info) != 0) return std::nullopt;
    if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
    const size_t size{static_cast<size_t>(info.st_size)};
    if (size < HEADER_SIZE || size > MAX_CACHE_FILE_SIZE) return std::nullopt;
    std::array<uint8_t, HEADER_SIZE> header;
    std::vector<uint8_t> content(size - HEADER_SIZE);
    if (!ReadAll(fd.Get(), header) || !ReadAll(fd.Get(), content)) return std::nullopt;
    if (header != MakeHeader(key, content)) return std::nullopt;
    return content;
}

bool WriteCacheFile(const std::string& path, std::string_view key, std::span<const uint8_t> content)
{
    if (content.size() > MAX_CACHE_FILE_SIZE - HEADER_SIZE) return false;
    if (const size_t slash{path.rfind('/')}; slash != std::string::npos) {
        // It may exist already; if it cannot be made, opening the file fails.
        (void)mkdir(path.substr(0, slash).c_str(), S_IRWXU);
    }
    std::string temporary{path + ".XXXXXX"};
    if (WriteNewFile(temporary, key, content) && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
    (void)unlink(temporary.c_str());
    return false;
}

} // namespace slhc::slhdsa
