// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/log.h>

#include <array>
#include <cstdio>

namespace slhc {

static constexpr std::array<std::string_view, 4> LEVEL_NAMES{"debug", "info", "warning", "error"};

std::string_view LogLevelName(LogLevel level) noexcept
{
    return LEVEL_NAMES[static_cast<size_t>(level)];
}

std::optional<LogLevel> ParseLogLevel(std::string_view name) noexcept
{
    for (size_t i = 0; i < LEVEL_NAMES.size(); ++i) {
        if (LEVEL_NAMES[i] == name) return static_cast<LogLevel>(i);
    }
    return std::nullopt;
}

void Logger::Log(LogLevel level, std::string_view message) const noexcept
{
    if (!WillLog(level)) return;
    try {
        m_sink(level, message);
    } catch (...) {
        // A sink that fails loses its message, nothing else.
    }
}

void LogToStderr(LogLevel level, std::string_view message)
{
    std::string line{"slhconsensus: "};
    line += LogLevelName(level);
    line += ": ";
    line += message;
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace slhc
