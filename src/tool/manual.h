// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_MANUAL_H
#define SLHCONSENSUS_TOOL_MANUAL_H

#include <tool/help.h>

#include <string>

namespace slhc::tool {

/** The manual page slhtool(1) in roff: what --help-all says, with the version at the page's foot. */
std::string ManualPage(const CommandText& program);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_MANUAL_H
