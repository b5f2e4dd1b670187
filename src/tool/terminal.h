// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_TERMINAL_H
#define SLHCONSENSUS_TOOL_TERMINAL_H

#include <tool/command_line.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

/** What only a person at a terminal gets to see: colours on standard output, progress on standard error. */
namespace slhc::tool {

enum class Colour {
    GOOD, //!< green
    BAD,  //!< red
    DIM,
};

/** --color, in subcommands that use colours in what they print as text. */
void AddColorOption(CommandParser& parser);

/** The text in a colour, or as it is: unless --color says otherwise, colours are for a standard output that is a terminal,
 *  not with NO_COLOR set or TERM=dumb. */
std::string Coloured(Colour colour, std::string_view text);
/** GOOD or BAD. */
std::string ColouredVerdict(bool good, std::string_view text);

/** A line on standard error that says how far long work has come, written over and over and wiped at the end. It appears
 *  only if the work takes longer than a moment, standard error is a terminal, and it is wanted. */
class Progress
{
public:
    /** @param[in] wanted  false: show nothing, ever (with --json)
     *  @param[in] what    "signing"
     *  @param[in] total   how many steps there are; 0: not known */
    Progress(bool wanted, std::string what, size_t total = 0);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /** From here on, this many steps of something else. */
    void Start(std::string what, size_t total = 0);
    /** So many are done. */
    void Done(size_t steps);

private:
    using Clock = std::chrono::steady_clock;

    void Run();
    std::string Line() const;

    const bool m_shown;
    const Clock::time_point m_created{Clock::now()};
    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::string m_what;
    size_t m_done{0}, m_total;
    Clock::time_point m_begin{m_created};
    bool m_finished{false}, m_painted{false};
    std::thread m_painter;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_TERMINAL_H
