/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* What the clauses of a contract are to CBMC. prove.py puts this in front of the file; a compiler sees no contract. */
#define __contract__(...) __VA_ARGS__
#define __loop__(...) __VA_ARGS__
#define requires(...) __CPROVER_requires(__VA_ARGS__)
#define ensures(...) __CPROVER_ensures(__VA_ARGS__)
#define assigns(...) __CPROVER_assigns(__VA_ARGS__)
#define invariant(...) __CPROVER_loop_invariant(__VA_ARGS__)
#define decreases(...) __CPROVER_decreases(__VA_ARGS__)
#define memory_no_alias(...) __CPROVER_is_fresh(__VA_ARGS__)
#define memory_slice(...) __CPROVER_object_upto(__VA_ARGS__)
#define return_value __CPROVER_return_value
#define old(...) __CPROVER_old(__VA_ARGS__)
#define loop_entry(...) __CPROVER_loop_entry(__VA_ARGS__)
#define forall(i, from, to, ...) __CPROVER_forall { size_t i; (from <= i && i < to) ==> (__VA_ARGS__) }
