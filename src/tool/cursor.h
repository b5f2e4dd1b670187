// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_CURSOR_H
#define SLHCONSENSUS_TOOL_CURSOR_H

#include <tool/input.h>

#include <cstddef>
#include <string_view>

namespace slhc::tool {

/** A place in a text, and the steps that parsers take from it. The text is not copied: it may be a secret. */
class Cursor
{
public:
    explicit Cursor(std::string_view text) : m_text{text} {}

    bool AtEnd() const { return m_position == m_text.size(); }
    /** The character here; '\0' at the end. */
    char Peek() const { return AtEnd() ? '\0' : m_text[m_position]; }
    /** How many characters lie behind. */
    size_t Position() const { return m_position; }

    void SkipSpace()
    {
        while (!AtEnd() && IsSpace(Peek())) ++m_position;
    }

    /** Skip white space, and then this character if it is there. @return true if it was */
    bool Accept(char c)
    {
        SkipSpace();
        if (AtEnd() || Peek() != c) return false;
        ++m_position;
        return true;
    }

    /** Take characters for as long as a predicate holds for them. */
    template <typename Predicate>
    std::string_view TakeWhile(Predicate&& holds)
    {
        const size_t begin{m_position};
        while (!AtEnd() && holds(Peek())) ++m_position;
        return m_text.substr(begin, m_position - begin);
    }

    /** Take what lies between the character here and the next `closing`, and both of these.
     *  @throws InputError if there is none */
    std::string_view TakeEnclosed(char closing)
    {
        const size_t end{m_text.find(closing, m_position)};
        if (end == m_text.npos) throw InputError{std::string{"missing '"} + closing + "' after '" + Peek() + "'"};
        const std::string_view enclosed{m_text.substr(m_position + 1, end - m_position - 1)};
        m_position = end + 1;
        return enclosed;
    }

private:
    const std::string_view m_text;
    size_t m_position{0};
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_CURSOR_H
