// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_ERRORS_H
#define BITCOIN_SLHDSA_ERRORS_H

#include <script/script_error.h>

namespace slhdsa {

/** The node's number for one of the module's script errors. They are matched by name, since either side may
 *  insert one. SCRIPT_ERR_UNKNOWN_ERROR for an error that the node does not have. */
[[nodiscard]] ScriptError ScriptErrorFromModule(int module_error);

} // namespace slhdsa

#endif // BITCOIN_SLHDSA_ERRORS_H
