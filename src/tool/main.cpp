// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/api.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/output.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

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

From nothing to a verified spend:
  slhtool keygen alice.key
  slhtool address --key @alice.key OP_RETURN --json > alice.tree
  slhtool spend --outpoint $TXID:0 --amount 100000 --tree @alice.tree --key alice.key \
                --to bcrt1z...=99000 --out spend.json
  slhtool verify-tx spend.json
  slhtool debug spend.json --input 0
All of it on made-up coins: slhtool demo)"};

/** The list of commands shows the first line of each description, a command's own help shows all of it. */
class HelpFormatter : public CLI::Formatter
{
public:
    std::string make_subcommand(const CLI::App* sub) const override
    {
        const std::string description{sub->get_description()};
        std::ostringstream out;
        CLI::detail::format_help(out, sub->get_name(), description.substr(0, description.find('\n')), get_column_width());
        return out.str();
    }
};

/** One line, whatever went into the message. */
int Complain(const std::string& where, std::string message)
{
    for (char& c : message) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", where.c_str(), message.c_str());
    return EXIT_BAD_INPUT;
}

/** CLI11 says of an unknown command only that one is missing. */
void RefuseUnknownCommand(int argc, char** argv)
{
    if (argc < 2 || argv[1][0] == '-') return;
    const auto commands{Commands()};
    const bool known{std::any_of(commands.begin(), commands.end(), [&](const Command& command) { return command.name == std::string_view{argv[1]}; })};
    if (!known) throw InputError{Quote(argv[1]) + " is no command (see slhtool --help)"};
}

int Run(int argc, char** argv)
{
    CLI::App app{DESCRIPTION};
    app.name("slhtool");
    const auto formatter{std::make_shared<HelpFormatter>()};
    formatter->column_width(26);
    app.formatter(formatter);
    app.require_subcommand(1);
    app.set_version_flag("--version", "slhtool " SLHC_VERSION);

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
    try {
        RefuseUnknownCommand(argc, argv);
        app.parse(argc, argv);
        const ExitStatus status{action()};
        if (!FinishOutput()) return Complain(where, "cannot write to standard output");
        return status;
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e); // --help, --version
        for (const CLI::App* sub : app.get_subcommands()) where = "slhtool " + sub->get_name();
        return Complain(where, std::string{e.what()} + " (see " + where + " --help)");
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
    const int status{Run(argc, argv)};
    DestroyContext();
    return status;
}
