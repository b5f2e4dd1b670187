// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/api.h>
#include <tool/command_line.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/output.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace {

using namespace slhc::tool;

constexpr const char* DESCRIPTION{
    R"(slhtool: coins locked with SLH-DSA-SHA2-128s (FIPS 205), from the key to the verdict.

Coins are locked by P2MR outputs (Pay-to-Merkle-Root, BIP 360, witness version 2,
addresses bc1z...; called P2TSH, Pay-to-Tapscript-Hash, in earlier drafts). An output
commits to a tree of tapscript leaves; a leaf checks SLH-DSA signatures with
OP_CHECKSIGSLHDSA (0x7f) and OP_CHECKSIGADDSLHDSA (0x80), next to BIP 340's.
)"};

constexpr const char* FOOTER{
    R"(slhtool COMMAND --help explains a command, with examples; slhtool --help-all explains all.

Conventions:
  Bytes are hexadecimal. Where a value is expected, @FILE stands for a file's content
  and - for standard input. Amounts are satoshis. Transaction ids are written as
  everywhere in Bitcoin, last byte first. Secret keys are read from files or standard
  input, never from the command line. Input files may have up to 32 MiB.

  With --json, standard output is one JSON value; after bad input it is empty, and the error
  is the same line on standard error.

Exit status:
  0  done; what was verified is valid
  1  what was verified is not valid
  2  bad usage or bad input; one line on standard error says what and where

Environment:
  SLHC_BACKEND    cpu (default here: no device starts), auto, cpu:<instruction set>,
                  vulkan or vulkan:<index>
  SLHC_THREADS    number of threads that verify; default: all processors
  SLHC_CACHE_DIR  where pipeline caches and calibration are kept
  SLHC_LOG        what is logged to standard error
  NO_COLOR        if it is set, text has no colours

From nothing to a verified spend:
  slhtool keygen alice.key
  slhtool address --key @alice.key OP_RETURN --json > alice.tree
  slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key alice.key \
                --to bcrt1z...=99000 --out spend.json
  slhtool verify-tx spend.json
  slhtool debug spend.json --input 0
All of it on made-up coins: slhtool demo)"};

constexpr const char* CANNOT_PRINT{"cannot write to standard output"};

//! What values are called that may be empty.
constexpr std::string_view MAY_BE_EMPTY[]{"HEX", "TEXT", "LEAF", "DATA", "ELEMENT"};

/** One line, whatever went into the message. */
int Complain(const std::string& where, std::string message)
{
    constexpr size_t HEAD{600}, TAIL{200};
    if (message.size() > HEAD + TAIL) message = message.substr(0, HEAD) + "..." + message.substr(message.size() - TAIL);
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", where.c_str(), Printable(message).c_str());
    return EXIT_BAD_INPUT;
}

/** CLI11 says of an unknown command only that one is missing, and cuts arguments in brackets into pieces. */
void CheckArguments(int argc, char** argv)
{
    for (int i{2}; i < argc; ++i) {
        const std::string_view argument{argv[i]};
        if (argument.starts_with('[') && argument.ends_with(']') && argv[i - 1][0] != '-') throw InputError{Quote(argument), "brackets have a meaning of their own here; a file's name can be written as ./[...]"};
    }
    if (argc < 2 || argv[1][0] == '-') return;
    const auto commands{Commands()};
    const bool known{std::any_of(commands.begin(), commands.end(), [&](const Command& command) { return command.name == std::string_view{argv[1]}; })};
    if (!known) throw InputError{Quote(argv[1]) + " is no command (see slhtool --help)"};
}

/** Standard streams that the caller closed would be taken by the next files to be opened, and a message would end up in
 *  a key file. What stands in for them cannot be read, or cannot be written. */
void OpenStandardStreams()
{
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) std::abort();
    }
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

int Run(int argc, char** argv)
{
    CLI::App app{DESCRIPTION};
    app.name("slhtool");
    app.formatter(std::make_shared<HelpFormatter>());
    app.require_subcommand(1);
    app.set_help_flag("-h,--help", "Print this help");
    app.set_version_flag("--version", "slhtool " SLHC_VERSION, "Print the version");

    std::string where{"slhtool"};
    Action action;
    for (const Command& command : Commands()) {
        CLI::App* sub{app.add_subcommand(command.name)};
        const Action declared{command.declare(*sub)};
        sub->description(command.summary + ("\n\n" + sub->get_description() + "\n"));
        sub->callback([declared, &action, &where, name = command.name] {
            where += std::string{" "} + name;
            action = declared;
        });
    }
    // After the commands, which would inherit them.
    app.footer(FOOTER);
    app.set_help_all_flag("--help-all", "Print the help of all commands");
    RefuseEmptyValues(app);
    try {
        CheckArguments(argc, argv);
        app.parse(argc, argv);
        const ExitStatus status{action()};
        if (!FinishOutput()) return Complain(where, CANNOT_PRINT);
        return status;
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) { // --help, --version
            const int status{app.exit(e)};
            return std::cout.flush() ? status : Complain(where, CANNOT_PRINT);
        }
        for (const CLI::App* sub : app.get_subcommands()) where = "slhtool " + sub->get_name();
        // CLI11 looks for what is missing first, and what was given instead says more.
        const auto extra{app.remaining(/*recurse=*/true)};
        const std::string what{extra.empty() ? e.what() : Quote(extra.front()) + " is not expected here"};
        return Complain(where, what + " (see " + where + " --help)");
    } catch (const InputError& e) {
        return Complain(where, e.what());
    } catch (const std::bad_alloc&) {
        return Complain(where, "out of memory");
    } catch (const std::exception& e) {
        return Complain(where, e.what());
    }
}

} // namespace

int main(int argc, char** argv)
{
    OpenStandardStreams();
    int status{EXIT_BAD_INPUT};
    try {
        status = Run(argc, argv);
    } catch (...) {
        std::fputs("slhtool: out of memory\n", stderr); // even for an error message
    }
    DestroyContext();
    return status;
}
