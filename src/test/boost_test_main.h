// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_BOOST_TEST_MAIN_H
#define SLHCONSENSUS_TEST_BOOST_TEST_MAIN_H

/** Boost.Test for the file that has BOOST_TEST_MODULE: as headers alone where there is no library to link (CMakeLists.txt). */
#ifdef SLHC_BOOST_TEST_AS_HEADER
#include <boost/test/included/unit_test.hpp>
#else
#include <boost/test/unit_test.hpp>
#endif

#endif // SLHCONSENSUS_TEST_BOOST_TEST_MAIN_H
