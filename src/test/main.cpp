// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#define BOOST_TEST_MODULE slhconsensus
#include <test/boost_test_main.h>
