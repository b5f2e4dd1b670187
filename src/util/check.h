// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_CHECK_H
#define SLHCONSENSUS_UTIL_CHECK_H

/** assert(), which is always on: a program in an impossible state must not judge validity. */

#include <cassert>

#ifdef NDEBUG
#error "slhconsensus cannot be compiled without assertions: do not define NDEBUG"
#endif

#endif // SLHCONSENSUS_UTIL_CHECK_H
