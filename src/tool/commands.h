// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_COMMANDS_H
#define SLHCONSENSUS_TOOL_COMMANDS_H

#include <tool/error.h>

#include <CLI/CLI.hpp>

#include <functional>
#include <span>

namespace slhc::tool {

/** What a subcommand does once its options are parsed. */
using Action = std::function<ExitStatus()>;

/** A subcommand of slhtool: one file src/tool/cmd_<name>.cpp and one line in commands.cpp. */
struct Command {
    const char* name;
    const char* summary;               //!< one line, for the list in slhtool --help
    Action (*declare)(CLI::App& app);  //!< adds options and examples; the action may keep references to what it owns
};

/** All subcommands, in the order of the help. */
std::span<const Command> Commands();

Action DeclareDevices(CLI::App& app);
Action DeclareKeygen(CLI::App& app);
Action DeclarePubkey(CLI::App& app);
Action DeclareSign(CLI::App& app);
Action DeclareVerify(CLI::App& app);
Action DeclareAddress(CLI::App& app);
Action DeclareSpend(CLI::App& app);
Action DeclareVerifyBlock(CLI::App& app);
Action DeclareVerifyTx(CLI::App& app);
Action DeclareDecode(CLI::App& app);
Action DeclareDebug(CLI::App& app);
Action DeclareDemo(CLI::App& app);
Action DeclareBench(CLI::App& app);
Action DeclareCompletion(CLI::App& app);
Action DeclareManual(CLI::App& app);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_COMMANDS_H
