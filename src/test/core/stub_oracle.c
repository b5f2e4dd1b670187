/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* An oracle that says what it is, and nothing else: for broken_oracles.py, which looks whether it is refused. */

#include "core_oracle.h"

#ifndef STUB_ABI
#define STUB_ABI CORE_ORACLE_ABI
#endif

static const core_oracle TABLE = {STUB_ABI, 0};

__attribute__((__visibility__("default"))) const core_oracle* STUB_FUNCTION(void);
const core_oracle* STUB_FUNCTION(void) { return &TABLE; }
