/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

#ifndef SLHCONSENSUS_H
#define SLHCONSENSUS_H

#include <stddef.h>
#include <stdint.h>

/* Version of this header; slhc_version() returns the library's. */
#define SLHC_VERSION_MAJOR 0
#define SLHC_VERSION_MINOR 1
#define SLHC_VERSION_PATCH 0

#if defined(_WIN32)
    #if defined(SLHC_BUILD_SHARED)
        #define SLHC_API __declspec(dllexport)
    #elif defined(SLHC_STATIC)
        #define SLHC_API
    #else
        #define SLHC_API __declspec(dllimport)
    #endif
#elif defined(__GNUC__)
    #define SLHC_API __attribute__((__visibility__("default")))
#else
    #define SLHC_API
#endif

/* A result that must not be ignored: a verdict, an error, or an object that the caller must destroy. */
#if defined(__GNUC__)
    #define SLHC_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#else
    #define SLHC_WARN_UNUSED_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @mainpage slhconsensus
 *
 * Validates Bitcoin transactions and blocks whose coins are locked with SLH-DSA-SHA2-128s (FIPS 205) through P2MR
 * outputs (BIP 360; called P2TSH before version 0.11) and the tapscript opcodes OP_CHECKSIGSLHDSA and
 * OP_CHECKSIGADDSLHDSA, and gives Bitcoin Core's verdict on everything else.
 *
 * Typical use: create one slhc_context, create an slhc_tx for each transaction, and call slhc_verify_input() for each
 * input. With a batch, slhc_verify_input() only collects the input's SLH-DSA signatures (SLHC_DEFERRED), and
 * slhc_batch_verify() verifies all of them together, which is much faster.
 *
 * @section results Results
 *
 * Functions that give a verdict return SLHC_VALID, SLHC_INVALID, SLHC_DEFERRED or SLHC_ERROR. SLHC_ERROR is not a
 * verdict: the call was wrong, it ran out of memory, or the backend failed. Never treat it as SLHC_INVALID, or a node
 * that is short of memory splits from its network. Functions that create something return the object or NULL. All other
 * functions return SLHC_OK or SLHC_ERROR, unless their comment says otherwise.
 *
 * A NULL pointer where NULL is not allowed and a struct_size that is not the structure's are usage errors: they are
 * reported like any other error, and the call has no other effect. NULL is allowed where a comment says "nullable".
 *
 * @section errors Errors
 *
 * After SLHC_ERROR or NULL, slhc_last_error() says why, for the calling thread. Messages are one line of English for people, in printable
 * ASCII: any other byte of a caller's text is shown as "?". Programs should use the code. No function throws a C++ exception or aborts
 * because of its input.
 *
 * @section ownership Ownership and lifetimes
 *
 * The caller owns the object that a *_create() function returns, and passes it once to the *_destroy() function of its type;
 * destroying NULL does nothing. Objects may be destroyed in any order: a batch keeps alive the parts of its context that it needs, and
 * nothing keeps a pointer into an slhc_tx. No function keeps a pointer to its arguments after it returns,
 * except for the log callback and its user pointer, which must stay valid until the context and every batch made from it
 * are destroyed. Strings that the library returns are static, but for those in descriptors and PSBTs, which live as long
 * as these.
 *
 * @section threads Threads
 *
 * Any number of threads may use a context at once, and also an slhc_tx, which never changes. Any number of threads may
 * add to a batch at once; slhc_batch_verify() says what happens while it verifies. Destroying an object while another
 * thread still uses it is an error that cannot be detected.
 *
 * A context owns one thread pool, which starts with the first call that has work for it. The calling thread works too:
 * with 4 threads, 3 are started. Without a batch, slhc_verify_input() runs only in the calling thread. The library
 * holds no lock while scripts run or signatures are verified.
 *
 * @section fork fork()
 *
 * Threads and devices do not survive a fork. In a child, a context or batch that the parent made can only be
 * destroyed, which does not free its memory there; other functions fail with SLHC_ERR_STATE. The child creates a
 * context of its own. Fork while no thread is inside the library: a lock that is held then is never released in the
 * child. Drivers run in processes of their own; a child neither uses nor ends those of its parent.
 *
 * @section structs Structures
 *
 * All structures but slhc_bytes begin with struct_size. The caller sets it to sizeof the structure before passing it, for
 * input and output alike, in every element of an array (the _INIT macros do). Any other value is an error: the program
 * was built with the header of another version. A field set to zero means its default.
 *
 * @section data Data
 *
 * Sizes are in bytes unless stated otherwise. Serialized transactions, outputs and blocks are in Bitcoin's network
 * format. Transaction ids are in the byte order of the hash, the reverse of the order in which they are displayed.
 */

/* ------------------------------------------------------------------------------------------------------------- */
/** @name Types and codes */
/**@{*/

/** Backends, threads and settings. Thread-safe. */
typedef struct slhc_context slhc_context;

/** A transaction with the outputs that it spends and the hashes that its inputs share. Immutable, thread-safe. */
typedef struct slhc_tx slhc_tx;

/** Deferred signature checks, to be verified together. */
typedef struct slhc_batch slhc_batch;

/** A view of bytes. data may be NULL if size is 0. */
typedef struct {
    const unsigned char* data;
    size_t size;
} slhc_bytes;

/* Results. */
#define SLHC_ERROR (-1)  /**< no verdict: wrong usage, malformed data, lack of memory, interruption */
#define SLHC_INVALID 0   /**< judged and found invalid */
#define SLHC_VALID 1     /**< judged and found valid */
#define SLHC_DEFERRED 2  /**< valid if the batch verifies; conclude nothing before it does */
#define SLHC_OK 1        /**< done; from a function that gives no verdict */

/* Sizes of SLH-DSA-SHA2-128s. */
#define SLHC_SEED_SIZE 48         /**< SK.seed || SK.prf || PK.seed, from which a key is made */
#define SLHC_SECRET_KEY_SIZE 64   /**< SK.seed || SK.prf || PK.seed || PK.root */
#define SLHC_PUBLIC_KEY_SIZE 32   /**< PK.seed || PK.root */
#define SLHC_SIGNATURE_SIZE 7856
#define SLHC_ADDRND_SIZE 16       /**< additional randomness of a hedged signature */
#define SLHC_MAX_CONTEXT_SIZE 255 /**< longest context string */

/* Why a call ended in SLHC_ERROR or NULL. */
#define SLHC_ERR_NONE 0
#define SLHC_ERR_ARGUMENT 1    /**< NULL, a wrong size, an index out of range, unknown flags: the caller's mistake */
#define SLHC_ERR_DATA 2        /**< serialized data that does not parse; the message says where */
#define SLHC_ERR_STATE 3       /**< the object cannot do this now, e.g. a verified batch takes no more checks */
#define SLHC_ERR_BACKEND 4     /**< the backend asked for is unknown, or not available on this machine */
#define SLHC_ERR_MEMORY 5      /**< out of memory */
#define SLHC_ERR_INTERRUPTED 6 /**< slhc_context_interrupt() was called */
#define SLHC_ERR_INTERNAL 7    /**< a bug in the library, or a failure of a system service or of the hardware */

/** An error. */
typedef struct {
    size_t struct_size; /**< in: sizeof(slhc_error) */
    int code;           /**< one of SLHC_ERR_* */
    char message[256];  /**< one line, terminated by a zero byte; empty if there was no error */
} slhc_error;
#define SLHC_ERROR_INIT {sizeof(slhc_error), 0, {0}}

/** This thread's last error: that of its latest call, other than this one, that returned SLHC_ERROR or
 *  NULL, or 0 where its comment says so.
 *  @param[out] error  filled; its code is SLHC_ERR_NONE if this thread has had no error yet
 *  @return SLHC_OK, or SLHC_ERROR if error is NULL or its struct_size is wrong */
SLHC_API int slhc_last_error(slhc_error* error);

/** Version of the library, "major.minor.patch". */
SLHC_API const char* slhc_version(void);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Context */
/**@{*/

/* The severity of a log message. */
#define SLHC_LOG_DEBUG 0
#define SLHC_LOG_INFO 1
#define SLHC_LOG_WARNING 2
#define SLHC_LOG_ERROR 3

/** Receives the library's log: its choices, and faults of backends; never secrets, and never a line per signature.
 *  May be called from any thread, even from several at once; must not call the library and must not throw. Destroying a
 *  context waits for a call that is under way: a caller that holds a lock which the callback takes deadlocks.
 *  @param[in] user     log_user of the options
 *  @param[in] level    one of SLHC_LOG_*
 *  @param[in] message  one line without a newline, terminated by a zero byte; valid during the call
 *  @param[in] size     length of the message without the zero byte */
typedef void (*slhc_log_callback)(void* user, int level, const char* message, size_t size);

/** Settings of a context. If a field is zero or NULL, the environment variable named in its comment decides; if
 *  that is not set either, the default applies. A program that has more rights than its user (setuid, file
 *  capabilities) ignores the variables. */
typedef struct {
    size_t struct_size;     /**< in: sizeof(slhc_context_options) */
    /** SLHC_BACKEND: "auto" (default), "cpu", "cpu:<isa>", "vulkan" (the best device), "vulkan:<index>",
     *  "vulkan:<part of the device's name>" or "vulkan:all" (all devices, each with its measured share of a batch) */
    const char* backend;
    /** SLHC_THREADS: threads that work at once, including the calling one; at most 256;
     *  default: the cores this process may use, but at most 256 */
    unsigned threads;
    /** SLHC_CACHE_DIR: directory for pipeline caches; default: nothing is kept on disk */
    const char* cache_dir;
    /** NULL: log to standard error if SLHC_LOG is set (debug, info, warning or error), otherwise don't log */
    slhc_log_callback log;
    void* log_user;         /**< passed to log */
    int log_level;          /**< lowest level that log receives, one of SLHC_LOG_*; 0 is SLHC_LOG_DEBUG: everything */
    /** SLHC_DEVICE_PROGRAM: the program that runs a device's driver; default: slhgpu in the library's folder, in
     *  ../libexec or ../../libexec beside that, or in the libexec folder that the library was built for, if only this
     *  user or root can change the program and its folder */
    const char* device_program;
} slhc_context_options;
#define SLHC_CONTEXT_OPTIONS_INIT {sizeof(slhc_context_options), NULL, 0, NULL, NULL, NULL, 0, NULL}

/** Create a context. Starts no threads, except one to open each device: now if it is named, with the first batch of 16 signatures or more
 *  if "auto". A device's driver runs in a process of its own, which ends with the context and its batches, or with the calling
 *  process, however that ends.
 *  @param[in] options  nullable: defaults
 *  @return the context, or NULL (SLHC_ERR_BACKEND for a backend that is unknown or not available here, SLHC_ERR_ARGUMENT for an
 *          environment variable with an invalid value) */
SLHC_API slhc_context* slhc_context_create(const slhc_context_options* options) SLHC_WARN_UNUSED_RESULT;

/** Destroy a context. Batches made from it stay usable. Nullable. */
SLHC_API void slhc_context_destroy(slhc_context* context);

/** Make verification and signing in this context, and in batches made from it, end soon: current and later calls return
 *  SLHC_ERROR with SLHC_ERR_INTERRUPTED instead of a verdict that would need more work. Meant for shutdown; it cannot
 *  be undone. Checks that run only in the calling thread (slhc_verify_input() without a batch) are not affected. May be
 *  called from any thread, but not from a signal handler. */
SLHC_API int slhc_context_interrupt(slhc_context* context);

/** The parts of a context. */
typedef struct {
    size_t struct_size;              /**< in: sizeof(slhc_statistics) */
    unsigned threads;                /**< as slhc_context_options.threads */
    size_t n_backends;               /**< for slhc_context_backend_statistics() */
} slhc_statistics;
#define SLHC_STATISTICS_INIT {sizeof(slhc_statistics), 0, 0}

/** @param[out] statistics  filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_context_statistics(const slhc_context* context, slhc_statistics* statistics);

/** Statistics of one backend of a context, since that was created. The CPU repeats the work of a device that failed, which is opened again,
 *  at most three times. A device that computed a wrong root, or fails once more, is retired: it gets no more work. */
typedef struct {
    size_t struct_size;    /**< in: sizeof(slhc_backend_statistics) */
    char name[32];         /**< e.g. "cpu:portable" */
    int is_device;         /**< 1: a device other than the CPU; 0: a CPU engine */
    int ready;             /**< 1: takes work now; 0: not opened yet ("auto"), opening, serving another call, or retired */
    int retired;           /**< 1: no more work after a fault or an interruption, or it could not be opened */
    uint64_t calls;        /**< calls that it served */
    uint64_t signatures;   /**< signatures in these calls */
    uint64_t failed_calls; /**< calls that failed: device lost, too slow, or out of memory */
    uint64_t wrong_roots;  /**< results that the CPU found wrong */
    char state[16];        /**< "ready", or a device's "waiting" (for a batch, "auto"), "opening", "busy" or "retired" */
    int64_t process_id;    /**< of the process that runs a device's driver; 0: none */
    char program[256];     /**< its program, once it was opened */
} slhc_backend_statistics;
#define SLHC_BACKEND_STATISTICS_INIT {sizeof(slhc_backend_statistics), {0}, 0, 0, 0, 0, 0, 0, 0, {0}, 0, {0}}

/** @param[in]  index       below slhc_statistics.n_backends; 0 is the CPU engine
 *  @param[out] statistics  filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_context_backend_statistics(const slhc_context* context, size_t index, slhc_backend_statistics* statistics);

/** A backend that slhc_context_options.backend can name. */
typedef struct {
    size_t struct_size;    /**< in: sizeof(slhc_backend_info), in each element */
    char name[32];         /**< e.g. "cpu:portable", "vulkan:0" */
    char description[192]; /**< one line; if the backend is not available, says why */
    int available;         /**< 1: available on this machine */
} slhc_backend_info;
#define SLHC_BACKEND_INFO_INIT {sizeof(slhc_backend_info), {0}, {0}, 0}

/** List the backends of this build and machine. May open devices and take a while.
 *  @param[out] infos     array of capacity elements, each with its struct_size set; nullable if capacity is 0
 *  @param[out] n_total   nullable: the number of backends; infos gets the first capacity of them
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_list_backends(slhc_backend_info* infos, size_t capacity, size_t* n_total);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Transactions */
/**@{*/

/** Parse a transaction.
 *  @param[in]  raw_tx         serialized, with its witness; no bytes may follow
 *  @param[in]  spent_outputs  n_spent views of one serialized CTxOut (amount, script) each: one per input, in order
 *  @param[in]  n_spent        must be the number of inputs
 *  @return the transaction, which keeps no pointer to the arguments, or NULL (with SLHC_ERR_DATA, the message names the malformed part) */
SLHC_API slhc_tx* slhc_tx_create(slhc_bytes raw_tx, const slhc_bytes* spent_outputs, size_t n_spent) SLHC_WARN_UNUSED_RESULT;

/** Nullable. */
SLHC_API void slhc_tx_destroy(slhc_tx* tx);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Script verification */
/**@{*/

/* The rules that apply. Bits 0 to 20 are Bitcoin Core's SCRIPT_VERIFY_* flags, at the same positions. */
#define SLHC_VERIFY_NONE UINT64_C(0)
/* Begin: made from src/script/verify_flags.def by contrib/lint/check_lists.py */
#define SLHC_VERIFY_P2SH (UINT64_C(1) << 0) /**< BIP 16 */
#define SLHC_VERIFY_STRICTENC (UINT64_C(1) << 1) /**< strict DER, defined hash types and key formats (policy) */
#define SLHC_VERIFY_DERSIG (UINT64_C(1) << 2) /**< strict DER signatures, BIP 66 */
#define SLHC_VERIFY_LOW_S (UINT64_C(1) << 3) /**< S is at most half the order (policy) */
#define SLHC_VERIFY_NULLDUMMY (UINT64_C(1) << 4) /**< CHECKMULTISIG's extra element is empty, BIP 147 */
#define SLHC_VERIFY_SIGPUSHONLY (UINT64_C(1) << 5) /**< scriptSig has only pushes (policy) */
#define SLHC_VERIFY_MINIMALDATA (UINT64_C(1) << 6) /**< shortest pushes and numbers (policy) */
#define SLHC_VERIFY_DISCOURAGE_UPGRADABLE_NOPS (UINT64_C(1) << 7) /**< executed NOP1, NOP4 to NOP10 fail (policy) */
#define SLHC_VERIFY_CLEANSTACK (UINT64_C(1) << 8) /**< one element is left; needs P2SH and WITNESS (policy) */
#define SLHC_VERIFY_CHECKLOCKTIMEVERIFY (UINT64_C(1) << 9) /**< BIP 65 */
#define SLHC_VERIFY_CHECKSEQUENCEVERIFY (UINT64_C(1) << 10) /**< BIP 112 */
#define SLHC_VERIFY_WITNESS (UINT64_C(1) << 11) /**< BIP 141 and 143; needs P2SH */
#define SLHC_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM (UINT64_C(1) << 12) /**< unknown witness programs fail (policy) */
#define SLHC_VERIFY_MINIMALIF (UINT64_C(1) << 13) /**< version 0: IF's argument is empty or 0x01 (policy) */
#define SLHC_VERIFY_NULLFAIL (UINT64_C(1) << 14) /**< a failed ECDSA check needs an empty signature (policy) */
#define SLHC_VERIFY_WITNESS_PUBKEYTYPE (UINT64_C(1) << 15) /**< version 0: compressed keys (policy) */
#define SLHC_VERIFY_CONST_SCRIPTCODE (UINT64_C(1) << 16) /**< legacy: no OP_CODESEPARATOR, no signature in scriptCode (policy) */
#define SLHC_VERIFY_TAPROOT (UINT64_C(1) << 17) /**< BIP 341 and 342 */
#define SLHC_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION (UINT64_C(1) << 18) /**< unknown leaf versions fail (policy) */
#define SLHC_VERIFY_DISCOURAGE_OP_SUCCESS (UINT64_C(1) << 19) /**< OP_SUCCESSx fails (policy) */
#define SLHC_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE (UINT64_C(1) << 20) /**< tapscript: unknown key types fail (policy) */
#define SLHC_VERIFY_P2MR (UINT64_C(1) << 21) /**< BIP 360: witness version 2, 32 bytes (P2MR, formerly P2TSH) */
#define SLHC_VERIFY_SLHDSA (UINT64_C(1) << 22) /**< OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA in tapscript */
#define SLHC_VERIFY_SLHDSA_SETS (UINT64_C(1) << 23) /**< their keys of 33 bytes: other parameter sets (doc/bip/parameter-sets.md) */

/** The rules for blocks where P2MR and the opcodes are active: all consensus flags, no policy flags. */
#define SLHC_VERIFY_CONSENSUS \
    (SLHC_VERIFY_P2SH | SLHC_VERIFY_DERSIG | SLHC_VERIFY_NULLDUMMY | SLHC_VERIFY_CHECKLOCKTIMEVERIFY | \
     SLHC_VERIFY_CHECKSEQUENCEVERIFY | SLHC_VERIFY_WITNESS | SLHC_VERIFY_TAPROOT | SLHC_VERIFY_P2MR | \
     SLHC_VERIFY_SLHDSA)
/* End: src/script/verify_flags.def */

/* The scripts of an input that may fail, in the order in which they run. */
#define SLHC_SCRIPT_NONE 0    /**< none: the fault lies before a script is found, or in the input as a whole */
#define SLHC_SCRIPT_SIG 1     /**< scriptSig */
#define SLHC_SCRIPT_PUBKEY 2  /**< scriptPubKey */
#define SLHC_SCRIPT_REDEEM 3  /**< the redeem script of P2SH */
#define SLHC_SCRIPT_WITNESS 4 /**< the witness script of P2WSH, and the script that P2WPKH stands for */
#define SLHC_SCRIPT_LEAF 5    /**< the leaf script of P2TR or P2MR */

/** In slhc_failure.opcode_pos: the script ran to its end, or did not start. */
#define SLHC_NO_OPCODE UINT32_C(0xffffffff)

/** The place where an input fails, and why. */
typedef struct {
    size_t struct_size;      /**< in: sizeof(slhc_failure) */
    uint64_t tag;            /**< of the transaction: as passed to slhc_verify_input(), or its index in the block */
    uint32_t input;          /**< index of the input */
    uint32_t opcode_pos;     /**< position of the opcode in its script, counted in opcodes from 0, or SLHC_NO_OPCODE */
    int script_error;        /**< see slhc_script_error_string() */
    int script;              /**< one of SLHC_SCRIPT_* */
    int opcode;              /**< the opcode at opcode_pos; 0xff if there is none or it does not decode */
} slhc_failure;
#define SLHC_FAILURE_INIT {sizeof(slhc_failure), 0, 0, 0, 0, 0, 0}

/** Signatures of every scheme (SLH-DSA, BIP 340, ECDSA) that were found valid, with their messages and keys. Thread-safe. */
typedef struct slhc_signature_cache slhc_signature_cache;

/** @param[in] bytes  most memory that it takes; 0: 16 MiB
 *  @return an empty cache, or NULL */
SLHC_API slhc_signature_cache* slhc_signature_cache_create(size_t bytes) SLHC_WARN_UNUSED_RESULT;

/** Nullable. */
SLHC_API void slhc_signature_cache_destroy(slhc_signature_cache* cache);

/** Verify one input of a transaction.
 *
 *  Without a batch, everything is verified now, in the calling thread and on the CPU. With a batch, the input's SLH-DSA
 *  signatures join it if the script succeeds on the assumption that they are valid. If the script fails, they are verified now, in
 *  order, so that the error is the same as without a batch.
 *
 *  Signatures are first looked up in the cache, if there is one. Without a batch, valid signatures are stored there, so that a
 *  transaction that was verified for the mempool costs almost nothing in a block; with a batch, none are.
 *
 *  @param[in]  n_in          index of the input
 *  @param[in]  flags         SLHC_VERIFY_*; unknown bits, and combinations that Bitcoin Core asserts against (WITNESS
 *                            without P2SH, CLEANSTACK without P2SH and WITNESS), are usage errors
 *  @param[in]  cache         nullable
 *  @param[in]  batch         nullable; must not have been verified
 *  @param[in]  tag           the caller's number for this transaction. The input's checks in the batch have the tag {tag, n_in, position of
 *                            the opcode * 256 + the opcode}, so the lowest check that fails is what verification one by one would have
 *                            met first: SCRIPT_ERR_SLHDSA_SIG at this opcode of the leaf script
 *  @param[out] failure       nullable; filled for SLHC_INVALID, else untouched
 *  @return SLHC_VALID (even with a batch, if nothing was deferred), SLHC_DEFERRED, SLHC_INVALID, or SLHC_ERROR */
SLHC_API int slhc_verify_input(const slhc_context* context, const slhc_tx* tx, unsigned n_in, uint64_t flags,
                               slhc_signature_cache* cache, slhc_batch* batch, uint64_t tag, slhc_failure* failure) SLHC_WARN_UNUSED_RESULT;

/** Name of a script error, e.g. "SCRIPT_ERR_EVAL_FALSE": Bitcoin Core's name if Core has the error.
 *  "SCRIPT_ERR_UNKNOWN_ERROR" for any unknown number. Static storage. */
SLHC_API const char* slhc_script_error_string(int script_error);

/* Findings of slhc_scan_leaf(). */
#define SLHC_LEAF_SLHDSA 1u       /**< one of the two opcodes: initial stack elements may have up to 7857 bytes */
#define SLHC_LEAF_OP_SUCCESS 2u   /**< an OP_SUCCESSx other than these two: the script succeeds without running */
#define SLHC_LEAF_UNDECODABLE 4u  /**< an instruction that does not decode, with no such OP_SUCCESSx before it */

/** Scan a tapscript as the interpreter does before it runs one with SLHC_VERIFY_SLHDSA.
 *  @param[out] found  SLHC_LEAF_* bits
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_scan_leaf(slhc_bytes leaf_script, unsigned* found);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Making spends
 *
 *  Everything that a wallet or a test needs to make an output and sign for it. The two hash functions fold a script tree from its
 *  leaves. The control block that spends a leaf of a P2MR output is the leaf version with its low bit set, followed by
 *  the sibling hashes from the leaf up. */
/**@{*/

/* The opcodes that verify a signature, as BIP 342's signature message names them. */
#define SLHC_KEY_VERSION_BIP340 0 /**< OP_CHECKSIG, OP_CHECKSIGVERIFY, OP_CHECKSIGADD, and the key path */
#define SLHC_KEY_VERSION_SLHDSA 2 /**< OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA */
#define SLHC_KEY_VERSION_SLHDSA_SETS 3 /**< the same, with a key of another parameter set (SLHC_VERIFY_SLHDSA_SETS) */

/** Compute the hash that a signature in a P2TR or P2MR input signs (BIP 341, BIP 342).
 *  @param[in]  n_in           index of the input
 *  @param[in]  hash_type      0 (DEFAULT: like ALL, but no byte follows the signature), 1, 2, 3, 0x81, 0x82 or 0x83
 *  @param[in]  key_version    one of SLHC_KEY_VERSION_*; for the key path it must be SLHC_KEY_VERSION_BIP340
 *  @param[in]  leaf_hash      32 bytes, see slhc_tapleaf_hash(); NULL: the key path of a P2TR output
 *  @param[in]  annex          the whole element, 0x50 first; size 0: there is none
 *  @param[in]  codeseparator  position, counted in opcodes from 0, of the last OP_CODESEPARATOR executed;
 *                             SLHC_NO_OPCODE: none. No effect on the key path
 *  @param[out] hash           32 bytes
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_ARGUMENT also for hash type SINGLE if no output has the input's index) */
SLHC_API int slhc_tx_signature_hash(const slhc_tx* tx, unsigned n_in, unsigned hash_type, unsigned key_version,
                                    const unsigned char* leaf_hash, slhc_bytes annex, uint32_t codeseparator,
                                    unsigned char hash[32]) SLHC_WARN_UNUSED_RESULT;

/** Compute a TapLeaf hash (BIP 341).
 *  @param[in]  leaf_version  even, at most 0xfe; 0xc0 is tapscript
 *  @param[out] hash          32 bytes
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_tapleaf_hash(unsigned leaf_version, slhc_bytes script, unsigned char hash[32]);

/** Compute the TapBranch hash (BIP 341) of two nodes, in any order. The result may overwrite an argument.
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_tapbranch_hash(const unsigned char a[32], const unsigned char b[32], unsigned char hash[32]);

/** Compute the key of a P2TR output (BIP 341): the internal key tweaked with the root of a script tree. P2MR has no
 *  such key.
 *  @param[in]  internal_key  32 bytes: the x coordinate of a point; SLHC_ERR_ARGUMENT if there is no such point
 *  @param[in]  root          32 bytes; nullable: an output without scripts
 *  @param[out] output_key    32 bytes: the witness program
 *  @param[out] parity        nullable; 0 or 1: the low bit of the control block's first byte
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_p2tr_output_key(const unsigned char internal_key[32], const unsigned char* root,
                                  unsigned char output_key[32], int* parity);

#define SLHC_ADDRESS_SIZE 91            /**< of the longest address, including its zero byte */
#define SLHC_MAX_WITNESS_PROGRAM_SIZE 40

/** Encode the address of a witness program (BIP 173, BIP 350). P2MR (formerly P2TSH) is version 2 with a tree's
 *  root. If the tree has only one leaf, anyone can spend the output. The root does not show this, so the caller must
 *  check.
 *  @param[in]  network  "mainnet", "testnet", "signet" or "regtest"
 *  @param[in]  version  0 to 16
 *  @param[in]  program  2 to 40 bytes; 20 or 32 for version 0
 *  @param[out] address  SLHC_ADDRESS_SIZE bytes; terminated by a zero byte
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_address_encode(const char* network, unsigned version, slhc_bytes program, char* address);

/** The contents of an address. */
typedef struct {
    size_t struct_size;  /**< in: sizeof(slhc_decoded_address) */
    char prefix[8];      /**< of the network: "bc", "tb" (testnet and signet) or "bcrt" (regtest) */
    unsigned version;    /**< of the witness program */
    size_t program_size;
    unsigned char program[SLHC_MAX_WITNESS_PROGRAM_SIZE];
} slhc_decoded_address;
#define SLHC_DECODED_ADDRESS_INIT {sizeof(slhc_decoded_address), {0}, 0, 0, {0}}

/** Decode an address of any network.
 *  @param[in]  address  terminated by a zero byte
 *  @param[out] decoded  filled
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if it is not an address; the message says why) */
SLHC_API int slhc_address_decode(const char* address, slhc_decoded_address* decoded);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Descriptors
 *
 *  Output script descriptors (BIP 380, 385, 386, 387) for outputs with SLH-DSA keys:
 *
 *    mr(TREE)                  P2MR (formerly P2TSH); TREE is a leaf or {TREE,TREE}, and a single leaf is refused: anyone
 *                              could spend it
 *    tr(KEY), tr(KEY,TREE)     P2TR with this internal key
 *    raw(HEX), addr(ADDRESS)   an output script, and one as a segwit address
 *
 *  Leaves are pk(KEY), pk_slhdsa(KEY), multi_a(k,KEY,...), sortedmulti_a(k,KEY,...), multi_slhdsa(k,KEY,...), and
 *  miniscript's (BIP 379) and_v, v:, older, after and sha256. KEY is 64 hex digits (BIP 340: also 66), with or without its
 *  origin before it ([d34db33f/360h/1h]). SLH-DSA has no extended public keys, so there are no ranges. */
/**@{*/

/** A descriptor. Immutable, thread-safe. Views and strings that these functions give out point into it. */
typedef struct slhc_descriptor slhc_descriptor;

/* The types of keys. */
#define SLHC_KEY_SLHDSA 0         /**< SLH-DSA-SHA2-128s */
#define SLHC_KEY_SCHNORR 1        /**< BIP 340 */
#define SLHC_KEY_SLHDSA_SETS 0x100 /**< SLH-DSA with another parameter set: plus its number, SLHC_KEY_SLHDSA_SETS + SLHC_SET_128_24 */

#define SLHC_DESCRIPTOR_CHECKSUM_SIZE 9 /**< of a checksum, including its zero byte */

/** Parse a descriptor.
 *  @param[in]  text              terminated by a zero byte; a checksum in it must be right
 *  @param[in]  require_checksum  not 0: refuse a descriptor without one
 *  @return the descriptor, or NULL (with SLHC_ERR_DATA, the message gives the column, counted from 1, and the reason) */
SLHC_API slhc_descriptor* slhc_descriptor_parse(const char* text, int require_checksum) SLHC_WARN_UNUSED_RESULT;

/** Nullable. */
SLHC_API void slhc_descriptor_destroy(slhc_descriptor* descriptor);

/** Compute the checksum of a descriptor (BIP 380), which need not be one of those known here.
 *  @param[in]  text      terminated by a zero byte; without "#"
 *  @param[out] checksum  SLHC_DESCRIPTOR_CHECKSUM_SIZE bytes; terminated by a zero byte
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA for "#", and for a character that no descriptor has) */
SLHC_API int slhc_descriptor_checksum(const char* text, char* checksum);

/** The contents of a descriptor. */
typedef struct {
    size_t struct_size;             /**< in: sizeof(slhc_descriptor_info) */
    const char* text;               /**< in its normal form, with the checksum */
    char type[8];                   /**< "mr", "tr", "raw" or "addr" */
    size_t n_keys;                  /**< for slhc_descriptor_get_key() */
    size_t n_leaves;                /**< for slhc_descriptor_get_leaf() */
    slhc_bytes script_pubkey;
    int has_tree;                   /**< 1: merkle_root is set */
    unsigned char merkle_root[32];
    int has_internal_key;           /**< 1: internal_key is set */
    unsigned char internal_key[32]; /**< of P2TR */
} slhc_descriptor_info;
#define SLHC_DESCRIPTOR_INFO_INIT {sizeof(slhc_descriptor_info), NULL, {0}, 0, 0, {NULL, 0}, 0, {0}, 0, {0}}

/** @param[out] info  filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_descriptor_get_info(const slhc_descriptor* descriptor, slhc_descriptor_info* info);

/** A key of a descriptor. */
typedef struct {
    size_t struct_size;           /**< in: sizeof(slhc_descriptor_key) */
    int type;                     /**< one of SLHC_KEY_* */
    unsigned char public_key[32]; /**< without the number of a set before it */
    const char* origin;           /**< "d34db33f/360h/1h": fingerprint of the master key, and path; NULL if none is given */
} slhc_descriptor_key;
#define SLHC_DESCRIPTOR_KEY_INIT {sizeof(slhc_descriptor_key), 0, {0}, NULL}

/** @param[in]  index  below slhc_descriptor_info.n_keys, in the order in which they are written
 *  @param[out] key    filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_descriptor_get_key(const slhc_descriptor* descriptor, size_t index, slhc_descriptor_key* key);

/** A leaf of a descriptor's tree. */
typedef struct {
    size_t struct_size;          /**< in: sizeof(slhc_descriptor_leaf) */
    const char* text;            /**< as the descriptor writes it */
    unsigned leaf_version;
    slhc_bytes script;
    slhc_bytes control_block;    /**< with which the leaf is spent */
    unsigned char leaf_hash[32]; /**< TapLeaf hash */
} slhc_descriptor_leaf;
#define SLHC_DESCRIPTOR_LEAF_INIT {sizeof(slhc_descriptor_leaf), NULL, 0, {NULL, 0}, {NULL, 0}, {0}}

/** @param[in]  index  below slhc_descriptor_info.n_leaves, from left to right
 *  @param[out] leaf   filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_descriptor_get_leaf(const slhc_descriptor* descriptor, size_t index, slhc_descriptor_leaf* leaf);

/** The address of a descriptor's output.
 *  @param[in]  network  "mainnet", "testnet", "signet" or "regtest"
 *  @param[out] address  SLHC_ADDRESS_SIZE bytes; terminated by a zero byte
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA for a script without address and for an addr() of another network) */
SLHC_API int slhc_descriptor_address(const slhc_descriptor* descriptor, const char* network, char* address);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Partially signed transactions
 *
 *  The roles of BIP 174, 370 and 371, for inputs that spend a leaf of a P2MR or P2TR output; other inputs, and fields that are not known,
 *  pass through. doc/psbt.md has the field for SLH-DSA signatures. */
/**@{*/

/** A PSBT. Not thread-safe. Views and strings that these functions give out are valid until the next call with it. */
typedef struct slhc_psbt slhc_psbt;

/** Creator.
 *  @param[in]  tx       the transaction, serialized without witnesses; its scriptSigs do not matter
 *  @param[in]  version  0 (BIP 174) or 2 (BIP 370)
 *  @return the PSBT, or NULL */
SLHC_API slhc_psbt* slhc_psbt_create(slhc_bytes tx, unsigned version) SLHC_WARN_UNUSED_RESULT;

/** @param[in] psbt  the bytes, not base64
 *  @return the PSBT, or NULL (with SLHC_ERR_DATA, the message gives the byte and the field) */
SLHC_API slhc_psbt* slhc_psbt_parse(slhc_bytes psbt) SLHC_WARN_UNUSED_RESULT;

/** Nullable. */
SLHC_API void slhc_psbt_destroy(slhc_psbt* psbt);

/** @param[out] bytes  the PSBT as it is now
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_psbt_serialize(slhc_psbt* psbt, slhc_bytes* bytes);

/* The maps of a PSBT. */
#define SLHC_PSBT_GLOBAL 0
#define SLHC_PSBT_INPUT 1
#define SLHC_PSBT_OUTPUT 2

/** Add a field, replace its value, or remove it.
 *  @param[in] map    one of SLHC_PSBT_GLOBAL, _INPUT and _OUTPUT
 *  @param[in] index  of the input or output; 0 for the global map
 *  @param[in] key    type and key data
 *  @param[in] value  nullable: remove the field
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if there is no such map, or a PSBT of this version must have the field, or cannot have it
 *          or this value) */
SLHC_API int slhc_psbt_set_field(slhc_psbt* psbt, int map, unsigned index, slhc_bytes key, const slhc_bytes* value);

/** @param[out] tx  the transaction without scriptSigs and witnesses, serialized
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if no lock time suits all inputs of version 2) */
SLHC_API int slhc_psbt_unsigned_tx(slhc_psbt* psbt, slhc_bytes* tx);

/** An input of a PSBT. */
typedef struct {
    size_t struct_size;              /**< in: sizeof(slhc_psbt_input) */
    unsigned char previous_txid[32]; /**< of the output that it spends, in the order of the bytes */
    uint32_t previous_index;
    int is_final;                    /**< 1: it has its scriptSig or witness */
    int has_spent_output;            /**< 1: the next two are set */
    int64_t amount;                  /**< in satoshis */
    slhc_bytes script_pubkey;
    size_t n_leaves;                 /**< for slhc_psbt_get_leaf(); one that is not of the output that is spent does not count */
} slhc_psbt_input;
#define SLHC_PSBT_INPUT_INIT {sizeof(slhc_psbt_input), {0}, 0, 0, 0, 0, {NULL, 0}, 0}

/** @param[out] input  filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_psbt_get_input(slhc_psbt* psbt, unsigned n_in, slhc_psbt_input* input);

/** A leaf that an input may spend. */
typedef struct {
    size_t struct_size;          /**< in: sizeof(slhc_psbt_leaf) */
    slhc_bytes script;
    slhc_bytes control_block;
    unsigned leaf_version;
    unsigned char leaf_hash[32]; /**< TapLeaf hash */
} slhc_psbt_leaf;
#define SLHC_PSBT_LEAF_INIT {sizeof(slhc_psbt_leaf), {NULL, 0}, {NULL, 0}, 0, {0}}

/** A leaf of the input that slhc_psbt_get_input() was last called for.
 *  @param[in]  index  below n_leaves
 *  @param[out] leaf   filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_psbt_get_leaf(const slhc_psbt* psbt, size_t index, slhc_psbt_leaf* leaf);

/** Updater: a leaf that an input may spend, with the merkle root and, for P2TR, the internal key.
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if the output that is spent is not known, or has no such leaf) */
SLHC_API int slhc_psbt_add_leaf(slhc_psbt* psbt, unsigned n_in, slhc_bytes control_block, unsigned leaf_version, slhc_bytes script);

/** Updater: the preimage of a SHA-256 hash for which a leaf of an input asks.
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if none does) */
SLHC_API int slhc_psbt_add_preimage(slhc_psbt* psbt, unsigned n_in, slhc_bytes preimage);

#define SLHC_PSBT_ASKED_HASH_TYPE (-1) /**< the PSBT's requested hash type, or DEFAULT */

/** Signer: find the signatures that a key has to make: for each leaf that asks for it, whose lock times the transaction meets, and that
 *  lacks one that will be used. An input that cannot be signed, since the PSBT asks for another hash type, or one that is undefined, or
 *  SINGLE without an output, or since the leaf is not of the output that is spent, is passed over if there is another one to sign.
 *  @param[in]  key_type   one of SLHC_KEY_*
 *  @param[in]  hash_type  or SLHC_PSBT_ASKED_HASH_TYPE
 *  @param[out] n          the number that slhc_psbt_get_to_sign() has now
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if a spent output is not known, or if no input that asks for the key can be signed) */
SLHC_API int slhc_psbt_find_to_sign(slhc_psbt* psbt, int key_type, const unsigned char public_key[32], int hash_type, size_t* n);

/** A signature that is to be made. */
typedef struct {
    size_t struct_size; /**< in: sizeof(slhc_psbt_to_sign) */
    unsigned input;
    unsigned hash_type; /**< that follows the signature, unless it is 0 */
    unsigned char leaf_hash[32];
    unsigned char hash[32]; /**< the message to sign */
} slhc_psbt_to_sign;
#define SLHC_PSBT_TO_SIGN_INIT {sizeof(slhc_psbt_to_sign), 0, 0, {0}, {0}}

/** @param[in]  index    below n
 *  @param[out] to_sign  filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_psbt_get_to_sign(const slhc_psbt* psbt, size_t index, slhc_psbt_to_sign* to_sign);

/** Signer: add a signature, with its hash type unless that is DEFAULT, or replace one. It is not verified.
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if the input has no such leaf that asks for a signature by this key, or the size is
 *          wrong) */
SLHC_API int slhc_psbt_add_signature(slhc_psbt* psbt, unsigned n_in, const unsigned char leaf_hash[32], int key_type,
                                     const unsigned char public_key[32], slhc_bytes signature);

/** Combiner: merge another PSBT of the same transaction and version into this one. Of two signatures for one key and leaf, the first valid
 *  one is kept, rather one of the hash type that is asked for; of any other field psbt's value.
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if they do not belong together); psbt is then as it was */
SLHC_API int slhc_psbt_combine(slhc_psbt* psbt, const slhc_psbt* other);

/** Finalizer: make the smallest witness of each input that is not final, from a leaf for which the valid signatures suffice and whose lock
 *  times the transaction meets. An input that does not become final keeps all its fields.
 *  @param[out] missing  nullable; a line for each input that is not final: "input 0: needs 2 signatures, but has 1"
 *  @return SLHC_VALID: every input is final; SLHC_INVALID; or SLHC_ERROR (SLHC_ERR_DATA if a spent output is not known) */
SLHC_API int slhc_psbt_finalize(slhc_psbt* psbt, const char** missing) SLHC_WARN_UNUSED_RESULT;

/** Extractor.
 *  @param[out] tx  the signed transaction, serialized; it is valid by the consensus rules
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if an input is not final, or the transaction is not valid) */
SLHC_API int slhc_psbt_extract(slhc_psbt* psbt, slhc_bytes* tx);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Batches */
/**@{*/

/** For slhc_batch_create(): let idle threads of the context verify checks while more are being added: on the CPU, 16 at a time. Then
 *  slhc_batch_verify() has less left to do; it and the other functions return the same, but slhc_batch_destroy() waits for threads that are
 *  verifying. Nothing is verified ahead with one thread, or where devices get every signature. */
#define SLHC_BATCH_AHEAD 1u

/** Create an empty batch. It can be used with any context; the backends and threads of this one verify it.
 *  @param[in] flags  SLHC_BATCH_AHEAD or 0
 *  @return the batch, or NULL */
SLHC_API slhc_batch* slhc_batch_create(const slhc_context* context, unsigned flags) SLHC_WARN_UNUSED_RESULT;

/** Nullable. Drops the batch's checks unverified. */
SLHC_API void slhc_batch_destroy(slhc_batch* batch);

/** Add one check directly, for an interpreter other than this library's: a pure SLH-DSA signature with an
 *  empty context. A batch may mix sets.
 *  @param[in] set         SLHC_SET_*
 *  @param[in] public_key  32 bytes
 *  @param[in] message     32 bytes: the signature hash
 *  @param[in] signature   without hash type byte; invalid if its size is not that of the set's signatures
 *  @param[in] tag         the caller's mark on the check, handed back with its verdict
 *  @return SLHC_DEFERRED, or SLHC_ERROR (SLHC_ERR_STATE if the batch is being or has been verified) */
SLHC_API int slhc_batch_add(slhc_batch* batch, int set, const unsigned char public_key[32], const unsigned char message[32],
                            slhc_bytes signature, const uint64_t tag[3]) SLHC_WARN_UNUSED_RESULT;

/** The number of checks in the batch; 0 if batch is NULL, or in a forked child, where slhc_last_error() says so. */
SLHC_API size_t slhc_batch_size(const slhc_batch* batch);

/** Verify everything in the batch, on all threads of its context and on its device if it has one.
 *
 *  From then on, nothing can be added. Verifying again gives the same answer at no cost. If
 *  several threads verify the same batch, one does the work and the others wait for its result. After SLHC_ERROR, the
 *  batch is as it was before.
 *
 *  @param[out] tag  nullable; for SLHC_INVALID, the lowest tag of a check that failed, by the first word, then the second, then the third;
 *                   else untouched
 *  @return SLHC_VALID if all verified (or the batch is empty), SLHC_INVALID, or SLHC_ERROR */
SLHC_API int slhc_batch_verify(slhc_batch* batch, uint64_t tag[3]) SLHC_WARN_UNUSED_RESULT;

/** The verdict on one check of a verified batch.
 *  @param[in]  index   below slhc_batch_size(), in the order of addition
 *  @param[out] tag     nullable: that of the check
 *  @return SLHC_VALID, SLHC_INVALID, SLHC_DEFERRED if the batch was not verified, or SLHC_ERROR */
SLHC_API int slhc_batch_verdict(const slhc_batch* batch, size_t index, uint64_t tag[3]) SLHC_WARN_UNUSED_RESULT;

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Blocks */
/**@{*/

/* The uses of a cache in the verification of a block. */
#define SLHC_CACHE_STORE 1        /**< looks up, and stores what was verified: for a block that may come again */
/** Looks up, and marks what was found as erasable, so that later signatures may replace it (until then it can still
 *  be found, even if this block fails or is disconnected again); stores nothing: for a block that joins the chain. */
#define SLHC_CACHE_ERASE_ON_HIT 2

/** Verify the scripts of all inputs of a block except the coinbase's, on all threads of the context, with one batch
 *  for all SLH-DSA signatures. The failure reported is the first in block order, whatever the number of threads and the
 *  backend.
 *
 *  This says nothing about the block's header: it does not check whether the header commits to these transactions and
 *  witnesses, or whether the first transaction is a coinbase. Only if the header does does SLHC_INVALID mean that every block with this
 *  header is invalid.
 *
 *  @param[in]  raw_block      serialized, with witnesses; no bytes may follow
 *  @param[in]  spent_outputs  n_spent views of one serialized CTxOut each: the outputs that the inputs spend, in block order
 *  @param[in]  n_spent        must be the number of inputs of all transactions except the coinbase
 *  @param[in]  flags          as in slhc_verify_input()
 *  @param[in]  cache          nullable
 *  @param[in]  cache_mode     one of SLHC_CACHE_*; without a cache it does not matter
 *  @param[out] failure        nullable; filled for SLHC_INVALID: the first input that fails; the coinbase is transaction 0
 *  @return SLHC_VALID, SLHC_INVALID or SLHC_ERROR */
SLHC_API int slhc_verify_block_scripts(const slhc_context* context, slhc_bytes raw_block, const slhc_bytes* spent_outputs, size_t n_spent,
                                       uint64_t flags, slhc_signature_cache* cache, int cache_mode,
                                       slhc_failure* failure) SLHC_WARN_UNUSED_RESULT;

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name SLH-DSA (FIPS 205)
 *
 *  Messages and signatures here are those of FIPS 205; Bitcoin's signature hashes and hash type bytes are not involved. Each function takes
 *  the number of a parameter set, all of which have n = 16 and SHA-256. A number that is no set's is SLHC_ERR_ARGUMENT. Scripts know
 *  SLHC_SET_128S, and with SLHC_VERIFY_SLHDSA_SETS SLHC_SET_128_24 and SLHC_SET_128_Q40. */
/**@{*/

#define SLHC_SET_128S 0     /**< FIPS 205, SLH-DSA-SHA2-128s: 7,856 bytes */
#define SLHC_SET_128F 1     /**< FIPS 205: 17,088 bytes */
#define SLHC_SET_128_24 24  /**< SP 800-230, initial public draft: 3,856 bytes, at most 2^24 signatures a key */
#define SLHC_SET_128_Q40 40 /**< h 45, d 5, a 13, k 10, w 16: 5,776 bytes, at most 2^40 signatures a key */

/** Bytes of a set's signatures; 0 if there is no such set. */
SLHC_API size_t slhc_set_signature_size(int set);

/** Called now and then, in the thread of the call that works, with how many of how many steps are done, and with all of them at the end. */
typedef void (*slhc_progress)(void* data, size_t done, size_t total);

/** Make a key pair (algorithm 18), on the context's threads, by the fastest engine of the processor. A key of 128-24 takes seconds.
 *  @param[in]  seed        48 secret bytes from a good random source
 *  @param[out] secret_key  64 bytes; the caller must wipe them
 *  @param[out] public_key  32 bytes
 *  @param[in]  progress    nullable
 *  @param[in]  data        for progress
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_slhdsa_keygen(const slhc_context* context, int set, const unsigned char seed[48], unsigned char secret_key[64],
                                unsigned char public_key[32], slhc_progress progress, void* data) SLHC_WARN_UNUSED_RESULT;

/** Sign (algorithm 22, pure), on the context's threads. For the last 8 keys used, the context keeps the part that all their signatures
 *  share (public nodes, found by a hash of the secret key: 256 bytes, or 2 MiB with 128-24), and wipes it when it is destroyed. The
 *  fastest engine of the processor signs, whatever the context's backend is. A signature of 128-24 takes seconds, and several times as long
 *  if the context does not have the key's part.
 *  @param[in]  ctx        context string, at most 255 bytes
 *  @param[in]  addrnd16   16 random bytes; NULL for a deterministic signature
 *  @param[out] signature  slhc_set_signature_size() bytes; untouched after SLHC_ERROR
 *  @param[in]  progress   nullable
 *  @param[in]  data       for progress
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_INTERNAL if the new signature turns out to be wrong; it is then discarded) */
SLHC_API int slhc_slhdsa_sign(const slhc_context* context, int set, const unsigned char secret_key[64], slhc_bytes message, slhc_bytes ctx,
                              const unsigned char* addrnd16, unsigned char* signature, slhc_progress progress,
                              void* data) SLHC_WARN_UNUSED_RESULT;

/** Verify (algorithm 24, pure) in the calling thread, with the scalar code that follows FIPS 205 line by line and
 *  needs neither an slhc_context nor special instructions. slhc_slhdsa_verify_many() is faster, even for a single
 *  signature. A context string of more than 255 bytes or a signature of another size than the set's is invalid, not an
 *  error.
 *  @return SLHC_VALID, SLHC_INVALID or SLHC_ERROR */
SLHC_API int slhc_slhdsa_verify(int set, const unsigned char public_key[32], slhc_bytes message, slhc_bytes ctx,
                                slhc_bytes signature) SLHC_WARN_UNUSED_RESULT;

/** One signature for slhc_slhdsa_verify_many(); the fields mean the same as slhc_slhdsa_verify()'s arguments. */
typedef struct {
    size_t struct_size;              /**< in: sizeof(slhc_verify_job), in each element */
    int set;
    const unsigned char* public_key; /**< 32 bytes */
    slhc_bytes message;
    slhc_bytes ctx;
    slhc_bytes signature;
} slhc_verify_job;
#define SLHC_VERIFY_JOB_INIT {sizeof(slhc_verify_job), SLHC_SET_128S, NULL, {NULL, 0}, {NULL, 0}, {NULL, 0}}

/** Verify many signatures together, on all threads of the context and on its device if it has one.
 *  @param[in]  jobs      n jobs; nullable if n is 0
 *  @param[out] verdicts  n results, each SLHC_VALID or SLHC_INVALID; after SLHC_ERROR, each is SLHC_ERROR
 *  @return SLHC_VALID if all are valid (or n is 0), SLHC_INVALID if at least one is not, or SLHC_ERROR */
SLHC_API int slhc_slhdsa_verify_many(const slhc_context* context, const slhc_verify_job* jobs, size_t n,
                                     int* verdicts) SLHC_WARN_UNUSED_RESULT;

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Signatures for experiments and tests alone
 *
 *  Such a key protects nothing: its one-time keys sign many times, and who has seen a few signatures can make others. But its signatures
 *  are valid, cost a verifier what others do, and take less than a millisecond, with 128-24 too: a chain full of them is soon made. */
/**@{*/

/** Makes keys and signatures of one set; never changes, and any number of threads may use it at once. */
typedef struct slhc_experiment_signer slhc_experiment_signer;

/** Create a signer: in milliseconds, in tenths of a second with 128-24. The same seed gives the same keys and signatures.
 *  @param[in] seed  48 bytes
 *  @return NULL after an error */
SLHC_API slhc_experiment_signer* slhc_experiment_signer_create(int set, const unsigned char seed[48]) SLHC_WARN_UNUSED_RESULT;
SLHC_API void slhc_experiment_signer_destroy(slhc_experiment_signer* signer);

/** One of 2^64 public keys, which differ in their second half.
 *  @param[out] public_key  32 bytes
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_experiment_public_key(const slhc_experiment_signer* signer, uint64_t number,
                                        unsigned char public_key[32]) SLHC_WARN_UNUSED_RESULT;

/** Make a signature (pure) that is valid under public key `number`.
 *  @param[in]  ctx        context string, at most 255 bytes
 *  @param[out] signature  slhc_set_signature_size() bytes; untouched after SLHC_ERROR
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_experiment_sign(const slhc_experiment_signer* signer, uint64_t number, slhc_bytes message, slhc_bytes ctx,
                                  unsigned char* signature) SLHC_WARN_UNUSED_RESULT;

/**@}*/

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SLHCONSENSUS_H */
