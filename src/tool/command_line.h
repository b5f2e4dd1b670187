// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_COMMAND_LINE_H
#define SLHCONSENSUS_TOOL_COMMAND_LINE_H

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

/** What the command line takes, read off the parser itself: --help, the manual page and the shells' completions are
 *  all made of this, so that none of them can say something else than the parser does. */
namespace slhc::tool {

/** An option, or an argument without a name of its own. */
struct OptionText {
    std::vector<std::string> names;   //!< "-h", "--help"; empty for an argument
    std::string value;                //!< what it takes: "FILE", or "a|b" for one of these words; empty for a flag
    std::string description;
    std::string default_value;        //!< empty: none to speak of
    bool required{false}, repeated{false};

    bool IsArgument() const { return names.empty(); }
    /** The words that it takes; empty if it takes others. */
    std::vector<std::string> Choices() const;
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

    /** "slhtool decode tx [OPTIONS] DATA" */
    std::string Usage() const;
    std::vector<OptionText> Options() const; //!< of all groups
};

/** Read it off a parser, with all commands below it. */
CommandText DescribeCommandLine(const CLI::App& app);

/** What --help prints of a command. */
std::string HelpText(const CommandText& command);

/** Shows HelpText, and with --help-all that of all commands. */
class HelpFormatter : public CLI::Formatter
{
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_COMMAND_LINE_H
