// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/command_line.h>

#include <tool/input.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace slhc::tool {
namespace {

//! What values are called that may be empty.
constexpr std::string_view MAY_BE_EMPTY[]{"HEX", "TEXT", "LEAF", "DATA", "ELEMENT"};

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

CommandText Describe(const CLI::App& app)
{
    CommandText command{Describe(app, app.get_parent() ? Describe(*app.get_parent()).path : "")};
    if (!app.get_parent()) command.version = app.version();
    return command;
}

/** Shows HelpText, and with --help-all that of all commands. */
class HelpFormatter : public CLI::Formatter
{
public:
    std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const override
    {
        return mode == CLI::AppFormatMode::All ? HelpTextOfAll(Describe(*app)) : HelpText(Describe(*app));
    }
};

//! How much of an argument is shown where none is expected. It may be anything, a password too.
constexpr size_t MAX_UNEXPECTED{12};

/** An argument where none is expected. The name of an option is shown in full, its value is not. */
std::string QuoteUnexpected(std::string_view argument)
{
    constexpr size_t LONGEST_NAME{24};
    const std::string_view name{argument.substr(0, argument.find('='))};
    const bool is_option{name.starts_with('-') && name.size() <= LONGEST_NAME};
    return is_option ? Quote(name) : Quote(argument, MAX_UNEXPECTED);
}

/** CLI11 says of an unknown command only that one is missing, and cuts arguments in brackets into pieces. */
void CheckArguments(const CLI::App& app, int argc, const char* const* argv)
{
    for (int i{2}; i < argc; ++i) {
        const std::string_view argument{argv[i]};
        if (argument.starts_with('[') && argument.ends_with(']') && argv[i - 1][0] != '-') {
            throw InputError{QuoteUnexpected(argument), "brackets have a special meaning here; write a file name as ./[...]"};
        }
    }
    if (argc < 2 || argv[1][0] == '-') return;
    const auto known{app.get_subcommands([&](const CLI::App* sub) { return sub->get_name() == argv[1]; })};
    if (known.empty()) throw InputError{QuoteUnexpected(argv[1]) + " is not a command (see " + app.get_name() + " --help)"};
}

/** An empty value comes from a shell variable that is not set. To take it for a missing option would be to do something
 *  else than was asked for. Bytes and texts may be empty, and what has words of its own for it. */
void RefuseEmptyValues(CLI::App& app)
{
    for (CLI::Option* option : app.get_options({})) {
        const std::string value{option->get_positional() ? option->get_name(/*positional=*/true) : option->get_type_name()};
        if (option->get_type_size() == 0 || std::ranges::find(MAY_BE_EMPTY, value) != std::end(MAY_BE_EMPTY)) continue;
        option->check(CLI::Validator([](std::string& text) { return text.empty() ? "has an empty value" : ""; }, ""));
    }
    for (CLI::App* sub : app.get_subcommands({})) RefuseEmptyValues(*sub);
}

/** What is wrong if an option has taken the next one for its value, which a shell variable was to give; else empty. A text may begin like
 *  an option. */
std::string SwallowedOption(const CLI::App& app)
{
    for (const CLI::Option* option : app.get_options({})) {
        if (option->get_positional() || option->get_type_size() == 0 || option->get_type_name() == "TEXT") continue;
        for (const auto& value : option->results()) {
            if (value.starts_with("--")) return option->get_name() + ": expected a value, found " + QuoteUnexpected(value);
        }
    }
    for (const CLI::App* sub : app.get_subcommands({})) {
        if (std::string problem{SwallowedOption(*sub)}; !problem.empty()) return problem;
    }
    return "";
}

/** The command that follows this one on the command line; null if there is none. */
const CLI::App* NextCommand(const CLI::App& app)
{
    const auto given{app.get_subcommands()};
    return given.empty() ? nullptr : given.front();
}

/** What is wrong with a command line. CLI11 looks for what is missing first, and what was given instead says more. */
std::string Problem(const CLI::App& program, const CLI::ParseError& error)
{
    const CLI::App* last{&program};
    while (const CLI::App* next{NextCommand(*last)}) last = next;
    const bool needs_command{last->get_require_subcommand_min() > 0 && !NextCommand(*last)};
    const auto extra{program.remaining(/*recurse=*/true)};
    constexpr std::string_view HAS_VALUE{" was given a disallowed flag override"};
    const std::string what{error.what()};
    if (what.ends_with(HAS_VALUE)) return "--" + what.substr(0, what.size() - HAS_VALUE.size()) + " takes no value";
    if (extra.empty()) return needs_command ? "COMMAND is required" : what;
    const bool is_command{needs_command && !extra.front().starts_with('-')};
    return QuoteUnexpected(extra.front()) + (is_command ? " is not a command" : " is not expected here");
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

void CommandParser::Describe(const std::string& text)
{
    m_app->description(m_app->get_description() + "\n\n" + text + "\n");
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
    std::string value;
    for (const auto& word : words) value += (value.empty() ? "" : "|") + word;
    // CLI11's own check would repeat any value in full.
    const auto problem{[words, value](const std::string& text) {
        return std::ranges::find(words, text) == words.end() ? Quote(text) + " is not one of " + value : "";
    }};
    return AddedOption{m_app->add_option(name, variable, description)
                           ->check(CLI::Validator(problem, ""))
                           ->capture_default_str()
                           ->type_name(value)};
}

void CommandParser::AddFlag(const std::string& name, bool& variable, const std::string& description)
{
    m_app->add_flag(name, variable, description)->disable_flag_override(); // or an error would repeat the value that it was given
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

CommandText CommandParser::Program() const
{
    const CLI::App* app{m_app};
    while (app->get_parent()) app = app->get_parent();
    return tool::Describe(*app);
}

ProgramParser::ProgramParser(const std::string& name, const std::string& version, const std::string& description)
    : ProgramParser{std::make_unique<CLI::App>(description, name)}
{
    m_app->formatter(std::make_shared<HelpFormatter>());
    m_app->set_help_flag("-h,--help", "Print this help");
    m_app->set_version_flag("--version", version, "Print the version");
}

ProgramParser::ProgramParser(std::unique_ptr<CLI::App> app) : CommandParser{*app}, m_owned{std::move(app)} {}

ProgramParser::~ProgramParser() = default;

bool ProgramParser::Parse(int argc, const char* const* argv)
{
    m_app->set_help_all_flag("--help-all", "Print the help of all commands"); // earlier, commands would inherit it
    RefuseEmptyValues(*m_app);
    CheckArguments(*m_app, argc, argv);
    std::string problem;
    try {
        m_app->parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) { // --help, --version
            m_app->exit(e);
            return false;
        }
        problem = Problem(*m_app, e);
    }
    // The cause of other problems.
    if (std::string swallowed{SwallowedOption(*m_app)}; !swallowed.empty()) problem = std::move(swallowed);
    if (!problem.empty()) throw InputError{problem + " (see " + Selected() + " --help)"};
    return true;
}

std::string ProgramParser::Selected() const
{
    std::string path{m_app->get_name()};
    for (const CLI::App* app{NextCommand(*m_app)}; app; app = NextCommand(*app)) path += " " + app->get_name();
    return path;
}

} // namespace slhc::tool
