/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

#ifndef SLHDSA_H
#define SLHDSA_H

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
 * @mainpage slhdsa
 *
 * SLH-DSA (FIPS 205): keys, signatures, and many verifications together, on processors and devices. slhconsensus.h, which includes this
 * header, has Bitcoin's transactions and blocks on top.
 *
 * Typical use: create one slhc_context; slhc_slhdsa_verify_many() verifies what is there, and a slhc_batch collects checks until
 * slhc_batch_verify() verifies all of them together.
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
 * destroying NULL does nothing. Objects may be destroyed in any order: a batch keeps alive the parts of its context that it needs.
 * No function keeps a pointer to its arguments after it returns, except for the log callback and its user pointer, which must stay valid
 * until the context and every batch made from it are destroyed. Strings that a function returns are static.
 *
 * @section threads Threads
 *
 * Any number of threads may use a context at once. Any number of threads may add to a batch at once; slhc_batch_verify() says what
 * happens while it verifies. Destroying an object while another thread still uses it is an error that cannot be detected.
 *
 * A context owns one thread pool, which starts with the first call that has work for it. The calling thread works too:
 * with 4 threads, 3 are started. The library holds no lock while signatures are made or verified.
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
 * Sizes are in bytes unless stated otherwise.
 */

/* ------------------------------------------------------------------------------------------------------------- */
/** @name Types and codes */
/**@{*/

/** Backends, threads and settings. Thread-safe. */
typedef struct slhc_context slhc_context;

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
 *  be undone. Checks that run only in the calling thread are not affected. May be
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
/** @name SLH-DSA (FIPS 205)
 *
 *  Messages and signatures here are those of FIPS 205. Each function takes the number of a parameter set, all of which have n = 16 and
 *  SHA-256. A number that is no set's is SLHC_ERR_ARGUMENT. */
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

/** Add one check: a pure SLH-DSA signature with an empty context. A batch may mix sets.
 *  @param[in] set         SLHC_SET_*
 *  @param[in] public_key  32 bytes
 *  @param[in] message     32 bytes
 *  @param[in] signature   invalid if its size is not that of the set's signatures
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

#endif /* SLHDSA_H */
