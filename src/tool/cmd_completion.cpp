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

Action DeclareCompletion(CLI::App& app)
{
    auto shell{std::make_shared<std::string>()};
    app.description("Installed packages bring it along. It completes commands, options, words and files.");
    auto* argument{app.add_option("SHELL", *shell, "bash, zsh or fish")};
    argument->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))->required()->type_name("bash|zsh|fish");
    AddExamples(app, {{"in this shell, bash", "source <(slhtool completion bash)"},
                      {"in this shell, zsh, after compinit", "source <(slhtool completion zsh)"},
                      {"in every fish", "slhtool completion fish > ~/.config/fish/completions/slhtool.fish"}});
    return [shell, &app] {
        const CommandText program{DescribeCommandLine(*app.get_parent())};
        Print(*shell == "bash" ? BashCompletion(program) : *shell == "zsh" ? ZshCompletion(program) : FishCompletion(program));
        return EXIT_VALID;
    };
}

Action DeclareManual(CLI::App& app)
{
    app.description("The page slhtool(1) in roff: the same text as slhtool --help-all.");
    AddExamples(app, {{"read it", "slhtool manual | man -l -"}});
    return [&app] {
        Print(ManualPage(DescribeCommandLine(*app.get_parent()), app.get_parent()->version()));
        return EXIT_VALID;
    };
}

} // namespace slhc::tool
