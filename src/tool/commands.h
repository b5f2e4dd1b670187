// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_COMMANDS_H
#define SLHCONSENSUS_TOOL_COMMANDS_H

#include <tool/command_line.h>

namespace slhc::tool {

/** Each declares what a subcommand of slhtool takes; main.cpp lists them in the order of the help. */
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

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_COMMANDS_H
