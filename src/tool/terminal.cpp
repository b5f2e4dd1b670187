// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/terminal.h>

#include <tool/error.h>
#include <tool/input.h>

#include <termios.h>
#include <unistd.h>

namespace slhc::tool {
Terminal::Terminal()
    : m_file{std::fopen("/dev/tty", "r+")}
{
    if (!m_file) throw InputError{"cannot ask for confirmation without a terminal: use --yes or --json"};
}

bool Terminal::Shows(std::FILE* stream)
{
    // The session of a terminal is told only to a process that is controlled by it: /dev/tty stands for that one.
    return tcgetsid(fileno(stream)) == getsid(0);
}

bool Terminal::Confirm(std::string_view question) const
{
    // What was typed before it is no answer, such as a line that was pasted together with the command.
    if (tcflush(fileno(m_file.get()), TCIFLUSH) != 0) return false;
    std::fprintf(m_file.get(), "%.*s [y/N] ", static_cast<int>(question.size()), question.data());
    std::fflush(m_file.get());
    std::string answer; // the whole line: it may go on after something that looks like a yes
    int c;
    while ((c = std::fgetc(m_file.get())) != EOF && c != '\n') answer.push_back(static_cast<char>(c));
    if (answer.size() >= MAX_TERMINAL_LINE) return false; // nobody knows how it went on
    const std::string_view text{Trim(answer)};
    return c == '\n' && (text == "y" || text == "Y" || text == "yes");
}

} // namespace slhc::tool
