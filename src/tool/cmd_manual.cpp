// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/command_line.h>
#include <tool/commands.h>
#include <tool/manual.h>
#include <tool/output.h>

namespace slhc::tool {

Action DeclareManual(CommandParser& parser)
{
    parser.Describe("The page slhtool(1) in roff: the same text as slhtool --help-all.");
    parser.AddExamples({{"read it", "slhtool manual | man -l -"}});
    return [parser] {
        Print(ManualPage(parser.Program()));
        return EXIT_VALID;
    };
}

} // namespace slhc::tool
