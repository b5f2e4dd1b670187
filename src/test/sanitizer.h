// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_SANITIZER_H
#define SLHCONSENSUS_TEST_SANITIZER_H

/** The sanitizers of this build, 1 or 0: gcc has macros for them, clang features. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLHC_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define SLHC_THREAD_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SLHC_ADDRESS_SANITIZER 1
#elif defined(__SANITIZE_THREAD__)
#define SLHC_THREAD_SANITIZER 1
#endif
#if !defined(SLHC_ADDRESS_SANITIZER)
#define SLHC_ADDRESS_SANITIZER 0
#endif
#if !defined(SLHC_THREAD_SANITIZER)
#define SLHC_THREAD_SANITIZER 0
#endif

#endif // SLHCONSENSUS_TEST_SANITIZER_H
