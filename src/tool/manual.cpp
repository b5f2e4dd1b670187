// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/manual.h>

#include <algorithm>
#include <cctype>

namespace slhc::tool {
namespace {

/** Text as roff shows it unchanged: characters that it would take for commands, or turn into typographic ones. */
std::string Escape(const std::string& text)
{
    std::string out;
    if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
    for (const char c : text) {
        switch (c) {
        case '\\': out += "\\e"; break;
        case '-': out += "\\-"; break;
        case '\'': out += "\\(aq"; break;
        case '`': out += "\\(ga"; break;
        case '^': out += "\\(ha"; break;
        case '~': out += "\\(ti"; break;
        default: out += c;
        }
    }
    return out;
}

/** As the argument of a macro. */
std::string Argument(const std::string& text)
{
    std::string out;
    for (const char c : Escape(text)) out += c == '"' ? "\\(dq" : std::string{c};
    return "\"" + out + "\"";
}

std::string Bold(const std::string& text) { return "\\fB" + Escape(text) + "\\fR"; }
std::string Italic(const std::string& text) { return "\\fI" + Escape(text) + "\\fR"; }

std::string Upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/** Paragraphs, their lines to be filled; an empty line is between two. */
std::string Paragraphs(const std::string& text)
{
    std::string out, line;
    const auto end_line{[&] {
        out += line.empty() ? ".PP\n" : Escape(line) + "\n";
        line.clear();
    }};
    for (const char c : text) {
        if (c == '\n') {
            end_line();
        } else {
            line += c;
        }
    }
    end_line();
    return out;
}

/** Lines as they are; what they are indented by beyond `margin` stays. */
std::string Verbatim(const TextSection& section, size_t margin)
{
    std::string out{".RS 4\n.nf\n"};
    for (const auto& line : section.lines) {
        const size_t indent{std::min({line.find_first_not_of(' '), margin, line.size()})};
        out += Escape(line.substr(indent)) + "\n";
    }
    return out + ".fi\n.RE\n";
}

std::string Entry(const OptionText& option)
{
    std::string out{".TP\n"};
    if (option.IsArgument()) {
        out += Italic(option.value);
    } else {
        for (const auto& name : option.names) out += (&name == &option.names.front() ? "" : ", ") + Bold(name);
        if (!option.value.empty()) out += " " + Italic(option.value);
    }
    const std::string notes{option.Notes()};
    return out + "\n" + Escape(option.description + (notes.empty() ? "" : " " + notes)) + "\n";
}

/** A command and what is below it, each under a heading of its own. */
std::string Command(const CommandText& command)
{
    std::string out{".SS " + Argument(command.path.substr(command.path.find(' ') + 1)) + "\n"};
    out += Escape(command.summary) + ".\n.PP\n" + Bold(command.path) + Escape(command.Usage().substr(command.path.size())) + "\n";
    if (!command.description.empty()) out += ".PP\n" + Paragraphs(command.description);
    for (const auto& argument : command.arguments) out += Entry(argument);
    for (const auto& group : command.groups) {
        if (&group != &command.groups.front()) out += ".PP\n" + Escape(group.title) + ":\n";
        for (const auto& option : group.options) out += Entry(option);
    }
    for (const auto& section : command.footer) {
        out += ".PP\n";
        if (!section.title.empty()) out += Escape(section.title) + ":\n";
        out += Verbatim(section, 2);
    }
    for (const auto& sub : command.commands) out += Command(sub);
    return out;
}

} // namespace

std::string ManualPage(const CommandText& program)
{
    const size_t colon{program.summary.find(": ")};
    std::string out{".\\\" Made by: slhtool manual\n"};
    out += ".TH " + Upper(program.name) + " 1 \"\" " + Argument(program.version) + " \"User Commands\"\n.nh\n.ad l\n";
    out += ".SH NAME\n" + program.name + " \\- " +
           Escape(colon == program.summary.npos ? program.summary : program.summary.substr(colon + 2)) + "\n";
    out += ".SH SYNOPSIS\n" + Bold(program.name) + " " + Italic("COMMAND") + " [" + Italic("OPTIONS") + "] ...\n";
    out += ".SH DESCRIPTION\n" + Paragraphs(program.description);
    out += ".SH OPTIONS\n";
    for (const auto& option : program.Options()) out += Entry(option);
    out += ".SH COMMANDS\n";
    for (const auto& command : program.commands) out += Command(command);
    for (const auto& section : program.footer) {
        if (section.title.empty()) continue; // how to get more help
        out += ".SH " + Argument(Upper(section.title)) + "\n" + Verbatim(section, 2);
    }
    return out;
}

} // namespace slhc::tool
