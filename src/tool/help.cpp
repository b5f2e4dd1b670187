// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/help.h>

#include <algorithm>
#include <utility>

namespace slhc::tool {
namespace {

constexpr size_t TEXT_COLUMN{26}; //!< where descriptions begin
constexpr size_t LINE_WIDTH{110};

std::vector<std::string> Split(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    size_t begin{0};
    for (size_t end{text.find(separator)}; end != text.npos; end = text.find(separator, begin)) {
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    parts.push_back(text.substr(begin));
    return parts;
}

/** A row of a list: the text beside what it explains, or below it, broken at spaces. */
std::string Row(const std::string& left, const std::string& text)
{
    std::string out{"  " + left};
    size_t column{out.size()};
    if (column + 2 > TEXT_COLUMN) {
        out += "\n";
        column = 0;
    }
    for (const auto& word : Split(text, ' ')) {
        const bool first{column < TEXT_COLUMN};
        if (!first && column + 1 + word.size() > LINE_WIDTH) {
            out += "\n";
            column = 0;
        }
        if (column < TEXT_COLUMN) {
            out += std::string(TEXT_COLUMN - column, ' ');
            column = TEXT_COLUMN;
        } else {
            out += " ";
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out + "\n";
}

std::string Join(const std::vector<std::string>& parts, const std::string& separator)
{
    std::string out;
    for (const auto& part : parts) out += (out.empty() ? "" : separator) + part;
    return out;
}

std::string Row(const OptionText& option)
{
    const std::string name{option.IsArgument() ? option.value
                                               : Join(option.names, ", ") + (option.value.empty() ? "" : " " + option.value)};
    const std::string notes{option.Notes()};
    return Row(name, option.description + (notes.empty() ? "" : " " + notes));
}

} // namespace

std::string OptionText::Notes() const
{
    std::vector<std::string> notes;
    if (required) notes.emplace_back("required");
    if (repeated) notes.emplace_back("may be repeated");
    if (!default_value.empty()) notes.push_back("default: " + default_value);
    return notes.empty() ? "" : "(" + Join(notes, "; ") + ")";
}

std::string CommandText::Usage() const
{
    std::string usage{path + " [OPTIONS]"};
    if (!commands.empty()) usage += arguments.empty() ? " COMMAND" : " [COMMAND]";
    for (const auto& argument : arguments) {
        const std::string text{argument.value + (argument.repeated ? "..." : "")};
        usage += argument.required ? " " + text : " [" + text + "]";
    }
    return usage;
}

std::vector<OptionText> CommandText::Options() const
{
    std::vector<OptionText> options;
    for (const auto& group : groups) options.insert(options.end(), group.options.begin(), group.options.end());
    return options;
}

std::vector<TextSection> Sections(const std::string& text)
{
    std::vector<TextSection> sections;
    for (const auto& line : Split(text, '\n')) {
        const bool heading{!line.empty() && line.front() != ' ' && line.back() == ':'};
        if (heading || sections.empty()) sections.emplace_back();
        if (heading) {
            sections.back().title = line.substr(0, line.size() - 1);
        } else {
            sections.back().lines.push_back(line);
        }
    }
    for (auto& section : sections) {
        while (!section.lines.empty() && section.lines.back().empty()) section.lines.pop_back();
    }
    std::erase_if(sections, [](const TextSection& section) { return section.title.empty() && section.lines.empty(); });
    return sections;
}

std::string HelpText(const CommandText& command)
{
    std::string out{command.summary + "\n\n"};
    if (!command.description.empty()) out += command.description + "\n\n";
    out += "Usage: " + command.Usage() + "\n";
    if (!command.arguments.empty()) out += "\nArguments:\n";
    for (const auto& argument : command.arguments) out += Row(argument);
    for (const auto& group : command.groups) {
        out += "\n" + group.title + ":\n";
        for (const auto& option : group.options) out += Row(option);
    }
    if (!command.commands.empty()) out += "\nCommands:\n";
    for (const auto& sub : command.commands) out += Row(sub.name, sub.summary);
    for (const auto& section : command.footer) {
        out += section.title.empty() ? "\n" : "\n" + section.title + ":\n";
        for (const auto& line : section.lines) out += line + "\n";
    }
    return out;
}

std::string HelpTextOfAll(const CommandText& command)
{
    std::string out{HelpText(command)};
    for (const auto& sub : command.commands) {
        out += "\n" + std::string(LINE_WIDTH, '-') + "\n" + sub.path + ": " + HelpText(sub);
        for (const auto& kind : sub.commands) out += "\n" + kind.path + ": " + HelpText(kind);
    }
    return out;
}

} // namespace slhc::tool
