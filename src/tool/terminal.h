// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_TERMINAL_H
#define SLHCONSENSUS_TOOL_TERMINAL_H

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>

namespace slhc::tool {

/** Linux keeps so many bytes of a line that is typed, and drops the others without a word: a line as long as this may have gone on. */
constexpr size_t MAX_TERMINAL_LINE{4095};

/** The terminal of the person who runs this, whatever standard input and output are. */
class Terminal
{
public:
    /** @throws InputError if there is none */
    Terminal();

    /** For what the person must have seen before a question. */
    [[nodiscard]] std::FILE* Stream() const noexcept { return m_file.get(); }
    /** Whether what is printed to a stream stands on this terminal. */
    [[nodiscard]] static bool Shows(std::FILE* stream);
    /** @return whether the answer, typed after the question was shown, is a line that says yes */
    [[nodiscard]] bool Confirm(std::string_view question) const;

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { (void)std::fclose(file); }
    };

    const std::unique_ptr<std::FILE, CloseFile> m_file;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_TERMINAL_H
