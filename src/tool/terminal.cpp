// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/terminal.h>

#include <tool/error.h>
#include <tool/input.h>

#include <array>
#include <cstdlib>

#include <termios.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

std::string g_when{"auto"};

bool IsTerminal(int fd)
{
    const char* const term{std::getenv("TERM")};
    return isatty(fd) == 1 && (!term || std::string_view{term} != "dumb");
}

bool UseColours()
{
    if (g_when != "auto") return g_when == "always";
    const char* const no_color{std::getenv("NO_COLOR")};
    return (!no_color || !*no_color) && IsTerminal(STDOUT_FILENO);
}

} // namespace

void AddColorOption(CommandParser& parser)
{
    parser.AddChoice("--color", g_when, {"auto", "always", "never"}, "Colours in text; auto: on a terminal, unless NO_COLOR is set");
}

std::string Coloured(Colour colour, std::string_view text)
{
    if (!UseColours()) return std::string{text};
    static constexpr std::array CODES{"\033[32m", "\033[31m", "\033[2m"};
    return CODES.at(static_cast<size_t>(colour)) + std::string{text} + "\033[0m";
}

std::string ColouredVerdict(bool good, std::string_view text)
{
    return Coloured(good ? Colour::GOOD : Colour::BAD, text);
}

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

void ShowStep(bool wanted, std::string_view step)
{
    if (wanted && IsTerminal(STDERR_FILENO)) std::fprintf(stderr, "%.*s ...\n", static_cast<int>(step.size()), step.data());
}

} // namespace slhc::tool
