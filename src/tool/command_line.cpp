// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/command_line.h>

#include <tool/input.h>

#include <CLI/CLI.hpp>

#include <utility>

namespace slhc::tool {
namespace {

/** The command that follows this one on the command line; null if there is none. */
const CLI::App* NextCommand(const CLI::App& app)
{
    const auto given{app.get_subcommands()};
    return given.empty() ? nullptr : given.front();
}

/** The fault of a command line. CLI11 looks for what is missing first, and what was given instead says more. */
std::string Problem(const CLI::App& program, const CLI::ParseError& error)
{
    const auto extra{program.remaining(/*recurse=*/true)};
    if (extra.empty()) return error.what();
    const CLI::App* last{&program};
    while (const CLI::App* next{NextCommand(*last)}) last = next;
    const bool is_command{last->get_require_subcommand_min() > 0 && !extra.front().starts_with('-')};
    return Quote(extra.front()) + (is_command ? " is not a command" : " is not expected here");
}

/** "--out FILE": the option's name, and what its value is called. An argument has its name alone. */
std::pair<std::string, std::string> NameAndValue(const std::string& usage)
{
    const size_t space{usage.find(' ')};
    return {usage.substr(0, space), space == usage.npos ? "" : usage.substr(space + 1)};
}

} // namespace

void AddedOption::Required()
{
    m_option->required();
}

void CommandParser::Explain(const std::string& text)
{
    const std::string before{m_app->get_footer()};
    m_app->footer(before.empty() ? text : before + "\n\n" + text);
}

void CommandParser::AddExamples(std::initializer_list<std::pair<std::string_view, std::string_view>> examples)
{
    std::string text{"Examples:"};
    for (const auto& [comment, command] : examples) {
        text += "\n  # ";
        text += comment;
        text += "\n  ";
        text += command;
    }
    Explain(text);
}

AddedOption CommandParser::Add(const std::string& usage, std::string& variable, const std::string& description)
{
    const auto [name, value]{NameAndValue(usage)};
    return AddedOption{m_app->add_option(name, variable, description)->capture_default_str()->type_name(value)};
}

AddedOption CommandParser::Add(const std::string& usage, std::optional<std::string>& variable, const std::string& description)
{
    // CLI11 would take an empty value for none.
    const auto [name, value]{NameAndValue(usage)};
    return AddedOption{m_app->add_option_function<std::string>(
                                name, [&variable](const std::string& text) { variable = text; }, description)
                           ->type_name(value)};
}

AddedOption CommandParser::Add(const std::string& usage, std::vector<std::string>& variable, const std::string& description)
{
    const auto [name, value]{NameAndValue(usage)};
    return AddedOption{m_app->add_option(name, variable, description)->allow_extra_args(!name.starts_with('-'))->type_name(value)};
}

AddedOption CommandParser::AddChoice(const std::string& name, std::string& variable, const std::vector<std::string>& words,
                                     const std::string& description)
{
    return AddedOption{m_app->add_option(name, variable, description)->check(CLI::IsMember(words))->capture_default_str()};
}

void CommandParser::AddFlag(const std::string& name, bool& variable, const std::string& description)
{
    m_app->add_flag(name, variable, description);
}

CommandParser CommandParser::AddGroup(const std::string& title)
{
    return CommandParser{*m_app->add_option_group(title)};
}

void CommandParser::RequireOneOption()
{
    m_app->require_option(1);
}

std::vector<std::string> CommandParser::Given() const
{
    std::vector<std::string> names;
    for (const CLI::Option* option : m_app->get_options({})) {
        if (option->count() > 0) names.push_back(option->get_name());
    }
    return names;
}

CommandParser CommandParser::AddCommand(const std::string& name, const std::string& summary)
{
    return CommandParser{*m_app->add_subcommand(name, summary)};
}

void CommandParser::RequireCommand()
{
    m_app->require_subcommand(1);
}

void CommandParser::OnSelected(std::function<void()> f)
{
    m_app->callback(std::move(f));
}

ProgramParser::ProgramParser(const std::string& name, const std::string& version, const std::string& description)
    : ProgramParser{std::make_unique<CLI::App>(description, name)}
{
    m_app->set_help_flag("-h,--help", "Print this help");
    m_app->set_version_flag("--version", version, "Print the version");
}

ProgramParser::ProgramParser(std::unique_ptr<CLI::App> app) : CommandParser{*app}, m_owned{std::move(app)} {}

ProgramParser::~ProgramParser() = default;

bool ProgramParser::Parse(int argc, const char* const* argv)
{
    try {
        m_app->parse(argc, argv);
        return true;
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() != 0) throw InputError{Problem(*m_app, e) + " (see " + Selected() + " --help)"};
        m_app->exit(e); // prints what --help and --version ask for
        return false;
    }
}

std::string ProgramParser::Selected() const
{
    std::string path{m_app->get_name()};
    for (const CLI::App* app{NextCommand(*m_app)}; app; app = NextCommand(*app)) path += " " + app->get_name();
    return path;
}

} // namespace slhc::tool
