// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/terminal.h>

#include <tool/output.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

using namespace std::chrono_literals;

std::string g_when{"auto"};

constexpr auto BEFORE_FIRST{300ms}; //!< what is done by then needs no progress
constexpr auto BETWEEN{100ms};
constexpr size_t BAR_WIDTH{24};

bool IsTerminal(int fd)
{
    const char* const term{std::getenv("TERM")};
    return isatty(fd) == 1 && (!term || std::string_view{term} != "dumb");
}

size_t TerminalWidth(int fd)
{
    constexpr size_t USUAL{80};
    winsize size{};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : USUAL;
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

Progress::Progress(bool wanted, std::string what, size_t total)
    : m_shown{wanted && IsTerminal(STDERR_FILENO)}, m_what{std::move(what)}, m_total{total}
{
    if (m_shown) m_painter = std::thread{[this] { Run(); }};
}

Progress::~Progress()
{
    if (!m_shown) return;
    {
        const std::lock_guard lock{m_mutex};
        m_finished = true;
    }
    m_wake.notify_one();
    m_painter.join();
    if (!m_painted) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
}

void Progress::Start(std::string what, size_t total)
{
    const std::lock_guard lock{m_mutex};
    m_what = std::move(what);
    m_total = total;
    m_done = 0;
    m_begin = Clock::now();
}

void Progress::Done(size_t steps)
{
    const std::lock_guard lock{m_mutex};
    m_done = steps;
}

std::string Progress::Line() const
{
    const double seconds{std::chrono::duration<double>{Clock::now() - m_begin}.count()};
    std::array<char, 32> text;
    if (m_total == 0) {
        std::snprintf(text.data(), text.size(), " (%.0f s)", seconds);
        return m_what + text.data();
    }
    const size_t filled{BAR_WIDTH * std::min(m_done, m_total) / m_total};
    std::string line{m_what + " [" + std::string(filled, '#') + std::string(BAR_WIDTH - filled, '.') + "] " + std::to_string(m_done) + " of " + std::to_string(m_total)};
    if (m_done > 0 && m_done < m_total) {
        std::snprintf(text.data(), text.size(), ", %.0f s left", seconds * static_cast<double>(m_total - m_done) / static_cast<double>(m_done));
        line += text.data();
    }
    return line;
}

void Progress::Run()
{
    std::unique_lock lock{m_mutex};
    m_wake.wait_until(lock, m_created + BEFORE_FIRST, [this] { return m_finished; });
    while (!m_finished) {
        // A line that is broken in two could not be written over.
        std::fprintf(stderr, "\r\033[K%s", Line().substr(0, TerminalWidth(STDERR_FILENO) - 1).c_str());
        std::fflush(stderr);
        m_painted = true;
        m_wake.wait_for(lock, BETWEEN, [this] { return m_finished; });
    }
}

} // namespace slhc::tool
