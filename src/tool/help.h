// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_HELP_H
#define SLHCONSENSUS_TOOL_HELP_H

#include <string>
#include <string_view>
#include <vector>

/** What the command line takes, as the parser describes it (CommandParser::Program): --help and the manual page
 *  are both made from this, so that neither can contradict the parser. */
namespace slhc::tool {

/** An option, or an argument without a name of its own. */
struct OptionText {
    std::vector<std::string> names;   //!< "-h", "--help"; empty for an argument
    std::string value;                //!< what it takes: "FILE", or "a|b" for one of these words; empty for a flag
    std::string description;
    std::string default_value;        //!< empty: none to speak of
    bool required{false}, repeated{false};

    bool IsArgument() const { return names.empty(); }
    /** "(required; may be repeated; default: x)" or nothing. */
    std::string Notes() const;
};

/** Options under a heading. */
struct OptionGroup {
    std::string title;
    std::vector<OptionText> options;
};

/** Text under a heading, its lines as they are. */
struct TextSection {
    std::string title; //!< empty at the beginning, perhaps
    std::vector<std::string> lines;
};

struct CommandText {
    std::string path; //!< "slhtool decode tx"
    std::string name; //!< "tx"
    std::string summary; //!< one line
    std::string description;
    std::vector<OptionText> arguments;
    std::vector<OptionGroup> groups;
    std::vector<TextSection> footer;
    std::vector<CommandText> commands;
    std::string version; //!< of the program, "slhtool 0.1.0"; empty below it

    /** "slhtool decode tx [OPTIONS] DATA" */
    std::string Usage() const;
    std::vector<OptionText> Options() const; //!< of all groups
};

/** The sections of a text: a line that begins one is not indented and ends with a colon. */
std::vector<TextSection> Sections(const std::string& text);

/** What --help prints of a command. */
std::string HelpText(const CommandText& command);

/** What --help-all prints: HelpText of the command and of all below it. */
std::string HelpTextOfAll(const CommandText& command);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_HELP_H
