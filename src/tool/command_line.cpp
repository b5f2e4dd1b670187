// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/command_line.h>

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

OptionText Describe(const CLI::Option& option)
{
    OptionText text;
    for (const auto& name : option.get_snames()) text.names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) text.names.push_back("--" + name);
    const bool flag{option.get_type_size() == 0};
    if (!flag) text.value = option.get_type_name();
    if (text.value.empty() && text.IsArgument()) text.value = option.get_name(/*positional=*/true);
    text.description = option.get_description();
    if (!flag) text.default_value = option.get_default_str();
    text.required = option.get_required();
    text.repeated = option.get_expected_max() == CLI::detail::expected_max_vector_size;
    return text;
}

/** Lines that begin a section are not indented and end with a colon. */
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

void AddOptions(const CLI::App& app, const std::string& title, CommandText& command)
{
    OptionGroup group{title, {}};
    for (const CLI::Option* option : app.get_options({})) {
        if (app.get_name().empty() && option == app.get_help_ptr()) continue; // a group has one of its own
        OptionText text{Describe(*option)};
        (text.IsArgument() ? command.arguments : group.options).push_back(std::move(text));
    }
    if (!group.options.empty()) command.groups.push_back(std::move(group));
}

CommandText Describe(const CLI::App& app, const std::string& parent)
{
    CommandText command;
    command.name = app.get_name();
    command.path = parent.empty() ? command.name : parent + " " + command.name;
    const std::string description{app.get_description()};
    const size_t first_line{std::min(description.find('\n'), description.size())};
    command.summary = description.substr(0, first_line);
    command.description = description.substr(first_line);
    command.description.erase(0, std::min(command.description.find_first_not_of('\n'), command.description.size()));
    while (command.description.ends_with('\n')) command.description.pop_back();
    command.footer = Sections(app.get_footer());
    AddOptions(app, "Options", command);
    for (const CLI::App* sub : app.get_subcommands({})) {
        if (sub->get_name().empty()) {
            AddOptions(*sub, sub->get_group(), command);
        } else {
            command.commands.push_back(Describe(*sub, command.path));
        }
    }
    return command;
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
    const std::string name{option.IsArgument() ? option.value : Join(option.names, ", ") + (option.value.empty() ? "" : " " + option.value)};
    const std::string notes{option.Notes()};
    return Row(name, option.description + (notes.empty() ? "" : " " + notes));
}

} // namespace

std::vector<std::string> OptionText::Choices() const
{
    return value.find('|') == value.npos ? std::vector<std::string>{} : Split(value, '|');
}

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
    if (!commands.empty()) usage += " COMMAND";
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

CommandText DescribeCommandLine(const CLI::App& app)
{
    return Describe(app, app.get_parent() ? DescribeCommandLine(*app.get_parent()).path : "");
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

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const
{
    const CommandText command{DescribeCommandLine(*app)};
    std::string out{HelpText(command)};
    if (mode != CLI::AppFormatMode::All) return out;
    for (const auto& sub : command.commands) {
        out += "\n" + std::string(LINE_WIDTH, '-') + "\n" + sub.path + ": " + HelpText(sub);
        for (const auto& kind : sub.commands) out += "\n" + kind.path + ": " + HelpText(kind);
    }
    return out;
}

} // namespace slhc::tool
