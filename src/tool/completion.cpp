// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/completion.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace slhc::tool {
namespace {

using Kind = ValueCompletion::Kind;

/** Calls f with a command and every one below it. */
void ForEachCommand(const CommandText& command, const std::function<void(const CommandText&)>& f)
{
    f(command);
    for (const auto& sub : command.commands) ForEachCommand(sub, f);
}

/** "decode tx" of "slhtool decode tx". */
std::string PathBelow(const CommandText& program, const CommandText& command)
{
    return command.path.size() > program.path.size() ? command.path.substr(program.path.size() + 1) : "";
}

std::string Join(const std::vector<std::string>& words)
{
    std::string out;
    for (const auto& word : words) out += (out.empty() ? "" : " ") + word;
    return out;
}

std::string Replaced(std::string text, std::string_view from, std::string_view to)
{
    for (size_t at{text.find(from)}; at != text.npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
    return text;
}

/** One line in single quotes, as all three shells read them. */
std::string InQuotes(const std::string& text, std::string_view quote)
{
    return "'" + Replaced(text, "'", quote) + "'";
}

/** The end of a function's name. */
std::string Identifier(const std::string& path)
{
    std::string out;
    for (const char c : path) out += c == ' ' || c == '-' ? '_' : c;
    return out;
}

std::vector<std::string> CommandNames(const CommandText& command)
{
    std::vector<std::string> names;
    for (const auto& sub : command.commands) names.push_back(sub.name);
    return names;
}

std::vector<std::string> OptionNames(const CommandText& command)
{
    std::vector<std::string> names;
    for (const auto& option : command.Options()) names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

// bash

std::string BashCall(const ValueCompletion& value)
{
    switch (value.kind) {
    case Kind::NONE: return ":";
    case Kind::FILE: return "_slhtool_files -f \"$part\"";
    case Kind::FOLDER: return "_slhtool_files -d \"$part\"";
    case Kind::AT_FILE: return "[[ $part != @* ]] || _slhtool_files -f \"${part#@}\" @";
    case Kind::WORDS: return "_slhtool_words '" + Join(value.words) + "'";
    }
    return "";
}

constexpr std::string_view BASH_BEGIN{R"(# Completes the command line of slhtool in bash. Made by: slhtool completion bash

# Words that begin with what is typed.
_slhtool_words()
{
    local word
    for word in $1; do
        [[ $word != "$part"* ]] || COMPREPLY+=("$before$word")
    done
}

# Files or folders that begin with $2; $3 stands before each.
_slhtool_files()
{
    local file
    while IFS= read -r file; do
        # Of a name with something before it bash knows neither that it is a file's nor how to quote it.
        if [[ -n $3 ]]; then
            [[ ! -d $file ]] || compopt -o nospace 2>/dev/null
            [[ ! -d $file ]] || file+=/
            printf -v file %q "$file"
        fi
        COMPREPLY+=("$before$3$file")
    done < <(compgen "$1" -- "$2")
    [[ -n $3 ]] || compopt -o filenames 2>/dev/null
}

_slhtool()
{
    COMPREPLY=()
    # Bash cuts words at '=' and '@' too; here they end at spaces.
    local line=${COMP_LINE:0:COMP_POINT} command='' word i
    local -a words
    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=('')
    local count=${#words[@]}
    local part=${words[count - 1]} previous='' before=''
    [[ $count -lt 2 ]] || previous=${words[count - 2]}
    if [[ $part == --*=* ]]; then
        previous=${part%%=*}
        before=$previous=
        part=${part#*=}
    fi
    for ((i = 1; i < count - 1; ++i)); do
        case "$command/${words[i]}" in
)"};

constexpr std::string_view BASH_END{R"(
    # Bash wants what stands in place of $2, and that may begin behind '='.
    local typed=${words[count - 1]} cut
    cut=${typed%"$2"}
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$cut"}
    done
}
complete -F _slhtool slhtool
)"};

// zsh

std::string ZshQuoted(const std::string& text) { return InQuotes(text, "'\\''"); }

/** A text within [ ] or before a colon in an argument of _arguments. */
std::string ZshText(const std::string& text)
{
    std::string out{text};
    for (const char* special : {"\\", "[", "]", ":"}) out = Replaced(out, special, std::string{"\\"} + special);
    return out;
}

/** What completes a value: a function, or words in parentheses. */
std::string ZshCompleter(const OptionText& option)
{
    const auto value{CompletionOf(option)};
    switch (value.kind) {
    case Kind::NONE: return "";
    case Kind::FILE: return "_files";
    case Kind::FOLDER: return "_files -/";
    case Kind::AT_FILE: return "_slhtool_at_file";
    case Kind::WORDS: return "(" + Join(value.words) + ")";
    }
    return "";
}

std::string ZshAction(const OptionText& option)
{
    return ":" + ZshText(option.value) + ":" + ZshCompleter(option);
}

std::string ZshFunction(const CommandText& program, const CommandText& command)
{
    const std::string name{"_slhtool" + (&command == &program ? "" : "_" + Identifier(PathBelow(program, command)))};
    std::string out{"\n" + name + "() {\n"};
    if (!command.commands.empty()) {
        out += "  local state\n  local -a commands=(\n";
        for (const auto& sub : command.commands) out += "    " + ZshQuoted(Replaced(sub.name + ":" + sub.summary, "'", "")) + "\n";
        out += "  )\n";
    }
    out += "  _arguments -S";
    for (const auto& option : command.Options()) {
        for (const auto& text : option.names) {
            out += " \\\n    " + ZshQuoted((option.repeated ? "*" : "") + text + (option.value.empty() || !text.starts_with("--") ? "" : "=") + "[" + ZshText(option.description) + "]" + (option.value.empty() ? "" : ZshAction(option)));
        }
    }
    if (command.commands.empty()) {
        for (const auto& argument : command.arguments) out += " \\\n    " + ZshQuoted((argument.repeated ? "*" : "") + ZshAction(argument));
        return out + "\n}\n";
    }
    // In the place of a command there may be an argument.
    std::string completers{"_describe command commands"};
    for (const auto& argument : command.arguments) completers += "; " + ZshCompleter(argument);
    out += " \\\n    ':command:->command' '*::arguments:->arguments'\n"
           "  case $state in\n"
           "    command) " + completers + " ;;\n"
           "    arguments)\n"
           "      case ${words[1]} in\n";
    for (const auto& sub : command.commands) out += "        " + sub.name + ") _slhtool_" + Identifier(PathBelow(program, sub)) + " ;;\n";
    return out + "      esac ;;\n"
                 "  esac\n"
                 "}\n";
}

// fish

std::string FishQuoted(const std::string& text) { return InQuotes(Replaced(text, "\\", "\\\\"), "\\'"); }

std::string FishValue(const OptionText& option)
{
    const auto value{CompletionOf(option)};
    switch (value.kind) {
    case Kind::NONE: return "";
    case Kind::FILE: return " -F";
    case Kind::FOLDER: return " -a '(__fish_complete_directories (commandline -ct))'";
    case Kind::AT_FILE: return " -a '(__slhtool_at_files)'";
    case Kind::WORDS: return " -a " + FishQuoted(Join(value.words));
    }
    return "";
}

std::string FishCommand(const CommandText& program, const CommandText& command)
{
    const std::string path{PathBelow(program, command)};
    const std::string here{"complete -c slhtool -n '__slhtool_at" + (path.empty() ? "" : " " + path) + "'"};
    std::string out{"\n"};
    for (const auto& sub : command.commands) out += here + " -a " + sub.name + " -d " + FishQuoted(sub.summary) + "\n";
    for (const auto& option : command.Options()) {
        out += here;
        for (const auto& name : option.names) out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        if (!option.value.empty()) out += (CompletionOf(option).kind == Kind::FILE ? " -r" : " -x") + FishValue(option);
        out += " -d " + FishQuoted(option.description) + "\n";
    }
    for (const auto& argument : command.arguments) {
        const std::string value{FishValue(argument)};
        if (!value.empty()) out += here + value + "\n";
    }
    return out;
}

constexpr std::string_view FISH_BEGIN{R"(# Completes the command line of slhtool in fish. Made by: slhtool completion fish

# Whether these words are the command so far, options and arguments left out.
function __slhtool_at
    set -l words
    for word in (commandline -opc)[2..]
        set -l longer $words $word
        contains -- "$longer" $__slhtool_commands; and set words $longer
    end
    test "$words" = "$argv"
end

# Files, with the @ before their names that was typed.
function __slhtool_at_files
    string match -q '@*' -- (commandline -ct); or return
    for file in (__fish_complete_path (string sub -s 2 -- (commandline -ct)))
        echo -- @$file
    end
end

complete -c slhtool -f
)"};

} // namespace

ValueCompletion CompletionOf(const OptionText& option)
{
    if (const auto choices{option.Choices()}; !choices.empty()) return {Kind::WORDS, choices};
    const std::string& value{option.value};
    if (value == "FILE" || value == "SPEC") return {Kind::FILE, {}};
    if (value == "FOLDER") return {Kind::FOLDER, {}};
    if (value == "FLAGS") return {Kind::WORDS, {"consensus", "standard"}};
    if (value == "TYPE") return {Kind::WORDS, {"DEFAULT", "ALL", "NONE", "SINGLE"}};
    for (const std::string_view at : {"KEY", "TREE", "HEX", "DATA", "SCRIPT"}) {
        if (value == at) return {Kind::AT_FILE, {}};
    }
    return {Kind::NONE, {}};
}

std::string BashCompletion(const CommandText& program)
{
    std::string out{BASH_BEGIN};
    ForEachCommand(program, [&](const CommandText& command) {
        for (const auto& sub : command.commands) {
            out += "            " + InQuotes(PathBelow(program, command) + "/" + sub.name, "") + ") command=" + InQuotes(PathBelow(program, sub), "") + " ;;\n";
        }
    });
    out += "        esac\n    done\n    case \"$command/$previous\" in\n";
    ForEachCommand(program, [&](const CommandText& command) {
        for (const auto& option : command.Options()) {
            if (option.value.empty()) continue;
            for (const auto& name : option.names) out += "        " + InQuotes(PathBelow(program, command) + "/" + name, "") + ") " + BashCall(CompletionOf(option)) + " ;;\n";
        }
    });
    // Then a word of the command's own, or an argument.
    out += "        *)\n            case \"$command\" in\n";
    ForEachCommand(program, [&](const CommandText& command) {
        out += "                " + InQuotes(PathBelow(program, command), "") + ")\n";
        // Options only where one begins: they would hide the files.
        out += "                    [[ $part != -* ]] || _slhtool_words '" + Join(OptionNames(command)) + "'\n";
        if (!command.commands.empty()) out += "                    _slhtool_words '" + Join(CommandNames(command)) + "'\n";
        for (const auto& argument : command.arguments) {
            if (CompletionOf(argument).kind != Kind::NONE) out += "                    [[ $part == -* ]] || " + BashCall(CompletionOf(argument)) + "\n";
        }
        out += "                    ;;\n";
    });
    return out + "            esac ;;\n    esac\n" + std::string{BASH_END};
}

std::string ZshCompletion(const CommandText& program)
{
    std::string out{"#compdef slhtool\n# Completes the command line of slhtool in zsh. Made by: slhtool completion zsh\n\n"
                    "_slhtool_at_file() {\n  compset -P '@' && _files\n}\n"};
    ForEachCommand(program, [&](const CommandText& command) { out += ZshFunction(program, command); });
    // Sourced, it makes itself known; from a folder of $fpath it is called.
    return out + "\nif [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then\n  _slhtool \"$@\"\nelse\n  compdef _slhtool slhtool\nfi\n";
}

std::string FishCompletion(const CommandText& program)
{
    std::string commands;
    ForEachCommand(program, [&](const CommandText& command) {
        if (&command != &program) commands += " '" + PathBelow(program, command) + "'";
    });
    std::string out{FISH_BEGIN};
    out += "set -g __slhtool_commands" + commands + "\n";
    ForEachCommand(program, [&](const CommandText& command) { out += FishCommand(program, command); });
    return out;
}

} // namespace slhc::tool
