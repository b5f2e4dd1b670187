// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_OUTPUT_H
#define SLHCONSENSUS_TOOL_OUTPUT_H

#include <tool/command_line.h>
#include <tool/json.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slhc::tool {

/** --json, the same in every subcommand that prints data. */
void AddJsonFlag(CommandParser& parser, bool& json);

/** text for a terminal: control characters, which could write over what stands there, and whatever is no UTF-8 become '?'. */
std::string Printable(std::string_view text);

/** Print to standard output, indented by two spaces. */
void PrintJson(const Json& json);

/** JSON as indented text for people; long hex is abbreviated. */
std::string RenderText(const Json& json);

/** Print to standard output. */
void Print(std::string_view text);
void PrintLine(std::string_view text);

/** "name: value" with the values below each other. */
void PrintTable(const std::vector<std::pair<std::string, std::string>>& rows, std::FILE* out = stdout);

/** Flush standard output. @return false if anything printed did not arrive (a full disk, a closed pipe) */
bool FinishOutput();

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_OUTPUT_H
