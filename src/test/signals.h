// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_SIGNALS_H
#define SLHCONSENSUS_TEST_SIGNALS_H

#include <initializer_list>

#include <pthread.h>
#include <signal.h>

namespace slhc::test {

/** True if the calling thread blocks all signals that are sent to a program, but not those that its own faults raise. */
inline bool BlocksSentSignals()
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGPROF, SIGWINCH}) {
        if (sigismember(&mask, signal) != 1) return false;
    }
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
        if (sigismember(&mask, fault) != 0) return false;
    }
    return true;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_SIGNALS_H
