// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/output.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace slhc::tool {

void AddJsonFlag(CLI::App& app, bool& json)
{
    app.add_flag("--json", json, "Print JSON");
}

void AddExamples(CLI::App& app, std::initializer_list<std::pair<std::string_view, std::string_view>> examples)
{
    std::string text{app.get_footer()};
    if (!text.empty()) text += "\n\n";
    text += "Examples:";
    for (const auto& [comment, command] : examples) {
        text += "\n  # ";
        text += comment;
        text += "\n  ";
        text += command;
    }
    app.footer(text);
}

void Print(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void PrintLine(std::string_view text)
{
    Print(text);
    Print("\n");
}

void PrintJson(const Json& json)
{
    PrintLine(json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void PrintTable(const std::vector<std::pair<std::string, std::string>>& rows)
{
    size_t width{0};
    for (const auto& [name, value] : rows) width = std::max(width, name.size());
    for (const auto& [name, value] : rows) PrintLine(name + ": " + std::string(width - name.size(), ' ') + value);
}

bool FinishOutput()
{
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

void WriteTextFile(const std::string& path, std::string_view content)
{
    std::ofstream file{path, std::ios::binary | std::ios::trunc};
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw InputError{path, errno != 0 ? std::strerror(errno) : "cannot be written"};
}

} // namespace slhc::tool
