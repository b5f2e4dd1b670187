// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_COMMAND_LINE_H
#define SLHCONSENSUS_TOOL_COMMAND_LINE_H

#include <tool/error.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

/** The command line, parsed by CLI11, which also makes the help. Its header takes ten seconds to compile, so command_line.cpp alone
 *  includes it. */
namespace slhc::tool {

/** The work of a subcommand, once its options are parsed. */
using Action = std::function<ExitStatus()>;

/** An option or argument that was added to a parser. */
class AddedOption
{
public:
    explicit AddedOption(CLI::Option* option) : m_option{option} {}
    void Required();

private:
    CLI::Option* m_option;
};

/** The options and arguments of one command. A copy stands for the same command; the ProgramParser must outlive it.
 *
 *  An option is declared as it is used: "--out FILE", with a name for its value, "FILE" for an argument, "--json" for a
 *  flag. What the variable holds while it is declared is the default that --help shows. */
class CommandParser
{
public:
    explicit CommandParser(CLI::App& app) : m_app{&app} {}

    /** Text below the options. */
    void Explain(const std::string& text);
    /** Examples below that: each a comment and a command line. */
    void AddExamples(std::initializer_list<std::pair<std::string_view, std::string_view>> examples);

    AddedOption Add(const std::string& usage, std::string& variable, const std::string& description);
    /** One that may also be given an empty value. */
    AddedOption Add(const std::string& usage, std::optional<std::string>& variable, const std::string& description);
    /** One that may be repeated; an argument takes several values in a row, too. */
    AddedOption Add(const std::string& usage, std::vector<std::string>& variable, const std::string& description);
    /** One that takes one of these words. */
    AddedOption AddChoice(const std::string& name, std::string& variable, const std::vector<std::string>& words,
                          const std::string& description);
    void AddFlag(const std::string& name, bool& variable, const std::string& description);

    /** Options that --help shows together. */
    CommandParser AddGroup(const std::string& title);
    /** One option of this group must be given, and no more than one. */
    void RequireOneOption();
    /** The names of those options of this group that were given. */
    std::vector<std::string> Given() const;

    CommandParser AddCommand(const std::string& name, const std::string& summary);
    void RequireCommand();
    /** Call f while parsing, if this command is the one that is given. */
    void OnSelected(std::function<void()> f);

protected:
    CLI::App* m_app;
};

/** The program's command line. */
class ProgramParser : public CommandParser
{
public:
    /** @param[in] version  what --version prints */
    ProgramParser(const std::string& name, const std::string& version, const std::string& description);
    ~ProgramParser();

    /** Parse, and answer --help and --version on standard output. Everything must be declared by now.
     *  @return false if that answer is all there is to do
     *  @throws InputError */
    bool Parse(int argc, const char* const* argv);

    /** "slhtool keygen", as far as it was parsed: what opens every error message. */
    std::string Selected() const;

private:
    explicit ProgramParser(std::unique_ptr<CLI::App> app);

    std::unique_ptr<CLI::App> m_owned;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_COMMAND_LINE_H
