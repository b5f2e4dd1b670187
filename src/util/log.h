// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_LOG_H
#define SLHCONSENSUS_UTIL_LOG_H

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace slhc {

/** The importance of a message; each level includes those after it. */
enum class LogLevel { DEBUG, INFO, WARNING, ERROR };

/** "debug", "info", "warning", "error". */
[[nodiscard]] std::string_view LogLevelName(LogLevel level) noexcept;

/** The level that a name spells (lower case), nothing for any other string. */
[[nodiscard]] std::optional<LogLevel> ParseLogLevel(std::string_view name) noexcept;

/** The destination of everything that an operator may want to read. The library logs faults, choices
 *  and timings, never secrets and never once per signature. Immutable, so safe to use from any thread; the
 *  sink is called on whichever thread logs and must be safe for that. */
class Logger
{
public:
    using Sink = std::function<void(LogLevel level, std::string_view message)>;

    /** A logger that drops everything. */
    Logger() = default;
    Logger(LogLevel least, Sink sink) : m_least{least}, m_sink{std::move(sink)} {}

    /** True if a message of this level reaches anybody: lets a caller skip composing it. */
    [[nodiscard]] bool WillLog(LogLevel level) const noexcept { return m_sink && level >= m_least; }

    /** Hand a message (one line, without its end) to the sink. A sink's exceptions are dropped: logging never changes an
     *  outcome. */
    void Log(LogLevel level, std::string_view message) const noexcept;

    /** As above, for a message that must be composed, which happens only if somebody receives it. Without memory for it, it is
     *  dropped. */
    template <std::invocable Compose>
    void Log(LogLevel level, Compose&& compose) const noexcept
    {
        if (!WillLog(level)) return;
        try {
            m_sink(level, compose());
        } catch (...) {
            // A message that cannot be made is lost, nothing else.
        }
    }

private:
    LogLevel m_least{LogLevel::ERROR};
    Sink m_sink;
};

/** Writes "slhconsensus: <level>: <message>" to standard error, each line in one call. */
void LogToStderr(LogLevel level, std::string_view message);

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_LOG_H
