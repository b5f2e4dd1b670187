// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/command_line.h>
#include <tool/commands.h>
#include <tool/completion.h>
#include <tool/manual.h>
#include <tool/output.h>

#include <memory>
#include <string>

namespace slhc::tool {

Action DeclareCompletion(CommandParser& parser)
{
    auto shell{std::make_shared<std::string>()};
    parser.Describe("Installed packages bring it along. It completes commands, options, words and files.");
    parser.AddChoice("SHELL", *shell, {"bash", "zsh", "fish"}, "bash, zsh or fish").Required();
    parser.AddExamples({{"in this shell, bash", "source <(slhtool completion bash)"},
                        {"in this shell, zsh, after compinit", "source <(slhtool completion zsh)"},
                        {"in every fish", "slhtool completion fish > ~/.config/fish/completions/slhtool.fish"}});
    return [shell, parser] {
        const CommandText program{parser.Program()};
        Print(*shell == "bash" ? BashCompletion(program) : *shell == "zsh" ? ZshCompletion(program) : FishCompletion(program));
        return EXIT_VALID;
    };
}

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
