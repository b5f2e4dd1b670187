// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_COMMANDS_H
#define SLHCONSENSUS_TOOL_COMMANDS_H

#include <tool/command_line.h>

#include <span>

namespace slhc::tool {

/** A subcommand of slhtool: one file src/tool/cmd_<name>.cpp and one line in commands.cpp. */
struct Command {
    const char* name;
    const char* summary;                       //!< one line, for the list in slhtool --help
    Action (*declare)(CommandParser& parser);  //!< adds options and examples; the action may keep references to what it owns
};

/** All subcommands, in the order of the help. */
std::span<const Command> Commands();

Action DeclareDevices(CommandParser& parser);
Action DeclareKeygen(CommandParser& parser);
Action DeclarePubkey(CommandParser& parser);
Action DeclareSign(CommandParser& parser);
Action DeclareVerify(CommandParser& parser);
Action DeclareAddress(CommandParser& parser);
Action DeclareDescriptor(CommandParser& parser);
Action DeclareSpend(CommandParser& parser);
Action DeclareSighash(CommandParser& parser);
Action DeclarePSBT(CommandParser& parser);
Action DeclareVerifyBlock(CommandParser& parser);
Action DeclareVerifyTx(CommandParser& parser);
Action DeclareDecode(CommandParser& parser);
Action DeclareDebug(CommandParser& parser);
Action DeclareDemo(CommandParser& parser);
Action DeclareBench(CommandParser& parser);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_COMMANDS_H
