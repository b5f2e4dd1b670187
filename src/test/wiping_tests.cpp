// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// What key generation and signing leave of their secrets in a process: nothing, in the machine code that users get.
//
// Each operation runs in a process of its own, on a stack that nothing else uses. Right after it, that process copies its vector
// registers, that stack, every block of memory that was freed on the way, and all memory that it can write: its heap, the stacks
// of worker threads, static objects. Another process computes the secrets that the operation had (SK.seed, SK.prf, what HMAC makes
// of it, every FORS value and the beginning and the last step of every WOTS+ chain that the signature does not publish) and looks
// for them, as bytes, as words of SHA-256, and as one word of each of several hashes side by side, as vectors have them. The
// process that starts these two never has a secret but in `Arguments`, so none that is found comes from the test itself.
//
// Exit status: 0 passed, 1 failed, 77 not a machine that this can look into.

#include <crypto/endian.h>
#include <crypto/sha256.h>
#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/fors.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/slhdsa/wots.h>
#include <pqc/slhdsa/xmss.h>
#include <slhconsensus.h>
#include <test/allocations.h>
#include <test/random_source.h>
#include <util/cleanse.h>
#include <util/threadpool.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

using namespace slhc;
using namespace slhc::slhdsa;

#if defined(__x86_64__) && defined(__linux__)

namespace {

constexpr size_t STACK_SIZE{size_t{1} << 20};
constexpr size_t COPY_SIZE{size_t{160} << 20};
constexpr size_t N_REGISTERS{32};

constexpr std::array<uint8_t, 32> MESSAGE{0xab, 0xcd};
constexpr std::array<uint8_t, N> ADDRND{0x17};

/** What operations take and give. The secrets that belong here are not looked for here. */
struct Arguments {
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    SecretKey sk;
    PublicKey pk, expected_pk;
    Signature sig, expected_sig;
};

/** A piece of what the child has copied. */
struct Piece {
    char where[64];
    size_t begin;
    size_t size;
};

/** What the child leaves for the parent. */
struct Copies {
    std::atomic<size_t> used;
    std::atomic<size_t> n_pieces;
    std::array<Piece, 1U << 16> pieces;
    std::array<uint8_t, COPY_SIZE> bytes;

    void Add(const char* where, const void* data, size_t size) noexcept
    {
        const size_t begin{used.fetch_add(size)}, n{n_pieces.fetch_add(1)};
        if (begin + size > bytes.size() || n >= pieces.size()) _exit(3);
        std::snprintf(pieces[n].where, sizeof(pieces[n].where), "%s", where);
        pieces[n].begin = begin;
        pieces[n].size = size;
        std::memcpy(&bytes[begin], data, size);
    }
};

struct alignas(64) Registers {
    std::array<std::array<uint8_t, 64>, N_REGISTERS> vector;
};

void* Map(size_t size, int flags)
{
    void* const memory{mmap(nullptr, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)};
    if (memory == MAP_FAILED) std::abort();
    return memory;
}

Arguments& g_arguments{*static_cast<Arguments*>(Map(sizeof(Arguments), MAP_SHARED))};
Copies& g_copies{*static_cast<Copies*>(Map(sizeof(Copies), MAP_SHARED))};
uint8_t* const g_stack{static_cast<uint8_t*>(Map(STACK_SIZE, MAP_PRIVATE))};
Registers g_registers{};
/** @return whether it succeeded */
using Function = bool (*)(const lanes::KernelSplitter* kernels, unsigned threads);

struct Operation {
    std::string name;
    Function run;
    const lanes::KernelSplitter* kernels{nullptr};
    unsigned threads{1};
    bool leaks{false}; //!< on purpose: shows that this test would notice
};

const Operation* g_operation{nullptr};
bool g_succeeded{false};
ucontext_t g_caller, g_callee;

__attribute__((target("avx512f"), noinline)) void StoreZmm(Registers& out)
{
#define STORE(n) "vmovdqu64 %%zmm" #n ", 64*" #n "(%0)\n\t"
    __asm__ __volatile__(STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
                         STORE(12) STORE(13) STORE(14) STORE(15) STORE(16) STORE(17) STORE(18) STORE(19) STORE(20) STORE(21) STORE(22)
                         STORE(23) STORE(24) STORE(25) STORE(26) STORE(27) STORE(28) STORE(29) STORE(30) STORE(31)
                         :
                         : "r"(&out)
                         : "memory");
#undef STORE
}

__attribute__((target("avx"), noinline)) void StoreYmm(Registers& out)
{
#define STORE(n) "vmovdqu %%ymm" #n ", 64*" #n "(%0)\n\t"
    __asm__ __volatile__(STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
                         STORE(12) STORE(13) STORE(14) STORE(15)
                         :
                         : "r"(&out)
                         : "memory");
#undef STORE
}

__attribute__((noinline)) void StoreXmm(Registers& out)
{
#define STORE(n) "movups %%xmm" #n ", 64*" #n "(%0)\n\t"
    __asm__ __volatile__(STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11)
                         STORE(12) STORE(13) STORE(14) STORE(15)
                         :
                         : "r"(&out)
                         : "memory");
#undef STORE
}

const int g_widest{__builtin_cpu_supports("avx512f") ? 3 : __builtin_cpu_supports("avx") ? 2 : 1};

/** On the stack of our own. */
void RunOperation()
{
    g_succeeded = g_operation->run(g_operation->kernels, g_operation->threads);
    if (g_widest == 3) {
        StoreZmm(g_registers);
    } else if (g_widest == 2) {
        StoreYmm(g_registers);
    } else {
        StoreXmm(g_registers);
    }
}

/** From the first page of a range that can be read to the next that cannot: since glibc 2.42, the guard pages of a thread's stack are
 *  listed as a part of it. @return an empty range if there is none */
std::pair<uintptr_t, uintptr_t> FindReadable(int memory, uintptr_t begin, uintptr_t end)
{
    const auto page_size{static_cast<uintptr_t>(sysconf(_SC_PAGESIZE))};
    const auto is_readable{[memory](uintptr_t page) {
        char byte;
        return pread(memory, &byte, 1, static_cast<off_t>(page)) == 1;
    }};
    while (begin < end && !is_readable(begin)) begin += page_size;
    uintptr_t readable{begin};
    while (readable < end && is_readable(readable)) readable += page_size;
    return {begin, readable};
}

/** All memory that this process can write, but for the arguments and the copies. */
void CopyMemory()
{
    FILE* const maps{std::fopen("/proc/self/maps", "re")};
    const int memory{open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
    if (maps == nullptr || memory < 0) _exit(3);
    char line[512];
    // Read in whole before anything is copied: what follows changes nothing of it.
    std::vector<std::pair<uintptr_t, uintptr_t>> ranges;
    std::vector<std::string> names;
    while (std::fgets(line, sizeof(line), maps) != nullptr) {
        uintptr_t begin, end;
        char access[5];
        int name_at{0};
        if (std::sscanf(line, "%lx-%lx %4s %*x %*s %*u %n", &begin, &end, access, &name_at) < 3) continue;
        if (access[0] != 'r' || access[1] != 'w') continue;
        const auto holds{[&](const void* p) { return begin <= reinterpret_cast<uintptr_t>(p) && reinterpret_cast<uintptr_t>(p) < end; }};
        // Shared mappings are the arguments and the copies; both may be one.
        if (holds(&g_arguments) || holds(&g_copies) || access[3] == 's') continue;
        const std::string name{&line[name_at]};
        for (auto part{FindReadable(memory, begin, end)}; part.first < part.second; part = FindReadable(memory, part.second, end)) {
            ranges.push_back(part);
            names.push_back(holds(g_stack) ? "the stack" : name.size() > 1 ? name.substr(0, name.size() - 1) : "memory without a name");
        }
    }
    std::fclose(maps);
    close(memory);
    for (size_t i{0}; i < ranges.size(); ++i) {
        g_copies.Add(names[i].c_str(), reinterpret_cast<const void*>(ranges[i].first), ranges[i].second - ranges[i].first);
    }
}

/** Call a function in a child. @return whether it returned true */
template <typename F>
bool InChild(F&& function)
{
    std::fflush(stdout);
    const pid_t child{fork()};
    if (child == 0) {
        const bool ok{function()};
        std::fflush(stdout);
        _exit(ok ? 0 : 1);
    }
    int status{0};
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/** Run an operation and leave its traces in g_copies. @return whether it succeeded */
bool Trace(const Operation& operation)
{
    g_copies.used = 0;
    g_copies.n_pieces = 0;
    return InChild([&] {
        g_operation = &operation;
        getcontext(&g_callee);
        g_callee.uc_stack.ss_sp = g_stack;
        g_callee.uc_stack.ss_size = STACK_SIZE;
        g_callee.uc_link = &g_caller;
        makecontext(&g_callee, RunOperation, 0);
        test::SetOnFree([](const void* block, size_t size) { g_copies.Add("freed memory", block, size); });
        swapcontext(&g_caller, &g_callee);
        test::SetOnFree(nullptr);
        g_copies.Add("vector registers", &g_registers, sizeof(g_registers));
        CopyMemory();
        return g_succeeded && g_arguments.pk == g_arguments.expected_pk && g_arguments.sig == g_arguments.expected_sig;
    });
}

// ------------------------------------------------------------------------------------------------- the secrets

/** Eight bytes each: more than memory has by chance. */
class Needles
{
public:
    /** @param[in] value  16 secret bytes
     *  @param[in] next   those that the next lane of a vector has */
    void Add(const Node& value, const Node& next)
    {
        for (size_t at{0}; at + 8 <= N; at += 8) AddBytes(&value[at]);
        // Words of SHA-256: as they are in a message, and as they are in a block whose words begin two bytes before it.
        for (const size_t first : {size_t{0}, size_t{2}}) {
            for (size_t at{first}; at + 4 <= N; at += 4) {
                if (at + 8 <= N) AddWords(ReadBE32(&value[at]), ReadBE32(&value[at + 4]));
                AddWords(ReadBE32(&value[at]), ReadBE32(&next[at]));
                AddWords(ReadLE32(&value[at]), ReadLE32(&next[at]));
            }
        }
    }
    void Add(const Node& value) { Add(value, value); }
    /** For few values: any word of one beside any word of another, in whatever order lanes have them. */
    void AddToAny(const Node& value)
    {
        Add(value);
        for (size_t at{0}; at + 4 <= N; at += 2) m_words.insert(ReadBE32(&value[at]));
        for (size_t at{0}; at + 4 <= N; at += 4) m_words.insert(ReadLE32(&value[at]));
    }
    void Add(const sha256::State& state)
    {
        for (size_t i{0}; i + 1 < state.size(); ++i) AddWords(state[i], state[i + 1]);
    }

    void Sort() { std::ranges::sort(m_needles); }

    [[nodiscard]] bool Contains(uint64_t value) const
    {
        const auto first{static_cast<uint32_t>(value)}, second{static_cast<uint32_t>(value >> 32)};
        return std::ranges::binary_search(m_needles, value) || (first != second && m_words.contains(first) && m_words.contains(second));
    }

    [[nodiscard]] std::span<const uint64_t> All() const { return m_needles; }
    [[nodiscard]] const std::unordered_set<uint32_t>& Words() const { return m_words; }

private:
    void AddBytes(const uint8_t* bytes)
    {
        uint64_t value;
        std::memcpy(&value, bytes, sizeof(value));
        if (value != 0) m_needles.push_back(value);
    }
    void AddWords(uint32_t first, uint32_t second)
    {
        if (first != 0 && second != 0) m_needles.push_back(uint64_t{second} << 32 | first);
    }

    std::vector<uint64_t> m_needles;
    std::unordered_set<uint32_t> m_words;
};

/** The secrets of an operation, by kind. What is of several kinds is called by the first. */
class Secrets
{
public:
    void Add(const char* kind, Needles&& needles)
    {
        for (const uint64_t needle : needles.All()) m_maybe.set(Hash(needle));
        for (const uint32_t word : needles.Words()) m_maybe_word.set(Hash(word) % m_maybe_word.size());
        needles.Sort();
        m_kinds.emplace_back(kind, std::move(needles));
    }

    /** @return the kind of what these eight bytes are; null: nothing secret */
    [[nodiscard]] const char* KindOf(uint64_t value) const
    {
        // Nearly all that is asked for is nothing, and must cost next to nothing.
        if (value == 0) return nullptr;
        if (!m_maybe[Hash(value)] && !m_maybe_word[Hash(static_cast<uint32_t>(value)) % m_maybe_word.size()]) return nullptr;
        const auto found{std::ranges::find_if(m_kinds, [&](const auto& kind) { return kind.second.Contains(value); })};
        return found == m_kinds.end() ? nullptr : found->first;
    }

private:
    static constexpr int FILTER_BITS{27};
    static size_t Hash(uint64_t value) { return value * 0x9e3779b97f4a7c15 >> (64 - FILTER_BITS); }

    std::vector<std::pair<const char*, Needles>> m_kinds;
    std::bitset<size_t{1} << FILTER_BITS> m_maybe;
    std::bitset<size_t{1} << 20> m_maybe_word;
};

Node NodeOf(std::span<const uint8_t, N> bytes)
{
    Node node;
    std::ranges::copy(bytes, node.begin());
    return node;
}

void AddKey(Secrets& secrets, std::span<const uint8_t, SECRET_KEY_SIZE> sk)
{
    const Node seed{NodeOf(sk.first<N>())}, prf{NodeOf(sk.subspan<N, N>())};
    Needles sk_seed, sk_prf, hmac;
    sk_seed.Add(seed);
    sk_prf.Add(prf);
    for (const uint8_t pad : {uint8_t{0x36}, uint8_t{0x5c}}) { // of HMAC
        std::array<uint8_t, CSHA256::BLOCK_SIZE> block;
        block.fill(pad);
        Node padded{prf};
        for (uint8_t& byte : padded) byte ^= pad;
        std::ranges::copy(padded, block.begin());
        hmac.Add(padded);
        sha256::State state{sha256::INITIAL};
        sha256::TransformPortable(state, block.data(), 1);
        hmac.Add(state);
    }
    secrets.Add("SK.seed", std::move(sk_seed));
    secrets.Add("SK.prf", std::move(sk_prf));
    secrets.Add("what HMAC makes of SK.prf", std::move(hmac));
}

struct ChainSecrets {
    Needles starts, last_steps, signing_steps;

    /** The chains of all WOTS+ keys of an XMSS tree.
     *  @param[in] signing  the leaf that signs; beyond the last: none
     *  @param[in] digits   where its chains stop */
    void AddTree(const HashContext& hash, NodeView sk_seed, uint32_t layer, uint64_t tree, uint32_t signing,
                 const std::array<uint32_t, LEN>& digits)
    {
        for (uint32_t leaf{0}; leaf < 1U << H_PRIME; ++leaf) {
            ADRS prf, steps;
            for (ADRS* adrs : {&prf, &steps}) {
                adrs->setLayerAddress(layer);
                adrs->setTreeAddress(tree);
                adrs->setTypeAndClear(adrs == &prf ? ADRSType::WOTS_PRF : ADRSType::WOTS_HASH);
                adrs->setKeyPairAddress(leaf);
            }
            std::array<Node, LEN> begin{}, last{};
            for (uint32_t i{0}; i < LEN; ++i) {
                // What the signature has of a chain, and what follows from it, is public.
                const uint32_t published{leaf == signing ? digits[i] : uint32_t{W - 1}};
                if (published == 0) continue;
                prf.setChainAddress(i);
                steps.setChainAddress(i);
                begin[i] = hash.PRF(sk_seed, prf);
                last[i] = chain(hash, begin[i], 0, published - 1, steps);
                if (leaf != signing) continue;
                for (uint32_t s{0}; s < published; ++s) signing_steps.AddToAny(chain(hash, begin[i], 0, s, steps));
            }
            for (uint32_t i{0}; i < LEN; ++i) {
                starts.Add(begin[i], begin[(i + 1) % LEN]);
                last_steps.Add(last[i], last[(i + 1) % LEN]);
            }
        }
    }

    void MoveTo(Secrets& secrets)
    {
        secrets.Add("a secret step of a chain that signs", std::move(signing_steps));
        secrets.Add("the beginning of a WOTS+ chain", std::move(starts));
        secrets.Add("the last secret step of a WOTS+ chain", std::move(last_steps));
    }
};

std::unique_ptr<const Secrets> SecretsOfKeyGeneration()
{
    auto made{std::make_unique<Secrets>()};
    Secrets& secrets{*made};
    const std::span<const uint8_t, SECRET_KEY_SIZE> sk{g_arguments.sk};
    AddKey(secrets, sk);
    ChainSecrets chains;
    chains.AddTree(HashContext{sk.subspan<2 * N, N>()}, sk.first<N>(), D - 1, 0, ~0U, {});
    chains.MoveTo(secrets);
    return made;
}

std::unique_ptr<const Secrets> SecretsOfSigning()
{
    auto made{std::make_unique<Secrets>()};
    Secrets& secrets{*made};
    const std::span<const uint8_t, SECRET_KEY_SIZE> sk{g_arguments.sk};
    const std::span<const uint8_t, SIGNATURE_SIZE> sig{g_arguments.expected_sig};
    const NodeView sk_seed{sk.first<N>()};
    AddKey(secrets, sk);
    const HashContext hash{sk.subspan<2 * N, N>()};
    const MessageDigest digest{DigestMessage(sig.first<N>(), sk.subspan<2 * N>(), *MessagePieces::Pure(MESSAGE, {}))};

    ADRS adrs;
    adrs.setTreeAddress(digest.idx_tree);
    adrs.setTypeAndClear(ADRSType::FORS_TREE);
    adrs.setKeyPairAddress(digest.idx_leaf);
    const auto indices{base_2b<A, K>(digest.md)};
    Needles fors;
    for (uint32_t tree{0}; tree < K; ++tree) {
        std::vector<Node> values;
        for (uint32_t leaf{0}; leaf < 1U << A; ++leaf) {
            values.push_back(leaf == indices[tree] ? Node{} : fors_skGen(hash, sk_seed, adrs, (tree << A) + leaf));
        }
        for (size_t i{0}; i < values.size(); ++i) fors.Add(values[i], values[(i + 1) % values.size()]);
    }
    secrets.Add("a secret value of FORS", std::move(fors));

    ChainSecrets chains;
    Node signed_node{fors_pkFromSig(hash, sig.subspan<N, FORS_SIG_SIZE>(), digest.md, adrs)};
    uint64_t tree{digest.idx_tree};
    uint32_t leaf{digest.idx_leaf};
    for (uint32_t layer{0}; layer < D; ++layer) {
        chains.AddTree(hash, sk_seed, layer, tree, leaf, wots_digits(signed_node));
        ADRS place;
        place.setLayerAddress(layer);
        place.setTreeAddress(tree);
        const std::span<const uint8_t, XMSS_SIG_SIZE> layer_sig{sig.data() + N + FORS_SIG_SIZE + layer * XMSS_SIG_SIZE, XMSS_SIG_SIZE};
        signed_node = xmss_pkFromSig(hash, leaf, layer_sig, signed_node, place);
        leaf = static_cast<uint32_t>(tree % (1U << H_PRIME));
        tree >>= H_PRIME;
    }
    chains.MoveTo(secrets);
    return made;
}

/** Print which secrets are in g_copies. @return how many */
size_t Search(const Secrets& secrets)
{
    std::map<std::string, size_t> found;
    for (size_t i{0}; i < g_copies.n_pieces; ++i) {
        const Piece& piece{g_copies.pieces[i]};
        const uint8_t* const begin{&g_copies.bytes[piece.begin]};
        for (size_t at{0}; at + 8 <= piece.size; ++at) {
            uint64_t value;
            std::memcpy(&value, begin + at, sizeof(value));
            if (const char* const kind{secrets.KindOf(value)}) ++found[std::string{piece.where} + ": " + kind];
        }
    }
    size_t total{0};
    for (const auto& [what, count] : found) {
        std::printf("    in %s, %zu times\n", what.c_str(), count);
        total += count;
    }
    return total;
}

/** The process that knows the secrets. It is there before anything is traced, and answers how many it finds. */
class Searcher
{
public:
    explicit Searcher(std::unique_ptr<const Secrets> (*secrets)())
    {
        int ask[2], answer[2];
        if (pipe(ask) != 0 || pipe(answer) != 0) std::abort();
        m_ask = ask[1];
        m_answer = answer[0];
        std::fflush(stdout);
        if (fork() == 0) {
            close(ask[1]); // so that it ends with the program
            Serve(secrets, ask[0], answer[1]);
            _exit(0);
        }
        close(ask[0]);
        close(answer[1]);
    }
    ~Searcher()
    {
        close(m_ask);
        close(m_answer);
    }
    Searcher(const Searcher&) = delete;
    Searcher& operator=(const Searcher&) = delete;

    size_t Found()
    {
        size_t found{0};
        if (write(m_ask, "?", 1) != 1 || read(m_answer, &found, sizeof(found)) != sizeof(found)) std::abort();
        return found;
    }

private:
    int m_ask, m_answer;

    static void Serve(std::unique_ptr<const Secrets> (*compute)(), int ask, int answer)
    {
        std::unique_ptr<const Secrets> secrets;
        for (char byte; read(ask, &byte, 1) == 1;) {
            if (!secrets) secrets = compute();
            const size_t found{Search(*secrets)};
            std::fflush(stdout);
            if (write(answer, &found, sizeof(found)) != sizeof(found)) return;
        }
    }
};

// ----------------------------------------------------------------------------------------------- the operations

bool ScalarKeyGeneration(const lanes::KernelSplitter*, unsigned)
{
    slh_keygen_internal(g_arguments.seed, g_arguments.sk, g_arguments.pk);
    return true;
}

bool ScalarKeyGenerationAtRandom(const lanes::KernelSplitter*, unsigned)
{
    test::SetRandomSource([](void* buffer, size_t size) {
        if (size != g_arguments.seed.size()) std::abort();
        std::memcpy(buffer, g_arguments.seed.data(), size);
        return static_cast<ssize_t>(size);
    });
    slh_keygen(g_arguments.sk, g_arguments.pk);
    return true;
}

bool ScalarSigning(const lanes::KernelSplitter*, unsigned)
{
    return slh_sign(MESSAGE, {}, g_arguments.sk, ADDRND.data(), g_arguments.sig);
}

bool KeyGeneration(const lanes::KernelSplitter* kernels, unsigned)
{
    lanes::GenerateKey(*kernels, g_arguments.seed, g_arguments.sk, g_arguments.pk);
    return true;
}

bool Signing(const lanes::KernelSplitter* kernels, unsigned threads)
{
    ThreadPool* const pool{new ThreadPool{threads}}; // stays: what its end would overwrite is looked at
    return Sign(kernels, *pool, *MessagePieces::Pure(MESSAGE, {}), g_arguments.sk, ADDRND, g_arguments.sig, nullptr);
}

ThreadPool* g_interrupted{nullptr};

/** A signature that ends before or with the first piece of its work: what was left so far is not overwritten by others.
 *  @param[in] hook       what interrupts it, by the size of what has become public
 *  @param[in] top_trees  hashes the secret key to find its top tree; null: it is not remembered */
bool InterruptedSigning(const lanes::KernelSplitter* kernels, void (*hook)(const void*, size_t), TopTreeCache* top_trees = nullptr)
{
    g_interrupted = new ThreadPool{1};
    g_declassify_hook = hook;
    Signature sig;
    const bool is_signed{Sign(kernels, *g_interrupted, *MessagePieces::Pure(MESSAGE, {}), g_arguments.sk, ADDRND, sig, top_trees)};
    return !is_signed;
}

bool SigningUpToR(const lanes::KernelSplitter* kernels, unsigned)
{
    return InterruptedSigning(kernels, [](const void*, size_t) { g_interrupted->Interrupt(); });
}

/** R becomes public first, then the hash of the secret key by which its top tree is found. */
bool SigningUpToTopTree(const lanes::KernelSplitter* kernels, unsigned)
{
    return InterruptedSigning(kernels, [](const void*, size_t size) {
        if (size == CSHA256::OUTPUT_SIZE) g_interrupted->Interrupt();
    }, new TopTreeCache{1});
}

bool SigningUpToWotsKeys(const lanes::KernelSplitter* kernels, unsigned)
{
    static size_t s_keys{0};
    return InterruptedSigning(kernels, [](const void*, size_t) {
        if (++s_keys == 1 + 1) g_interrupted->Interrupt(); // R comes before them
    });
}

bool SigningUpToForsTree(const lanes::KernelSplitter* kernels, unsigned)
{
    return InterruptedSigning(kernels, [](const void*, size_t size) {
        if (size == (1 + A) * N) g_interrupted->Interrupt();
    });
}

bool ApiKeyGeneration(const lanes::KernelSplitter*, unsigned)
{
    return slhc_slhdsa_keygen(g_arguments.seed.data(), g_arguments.sk.data(), g_arguments.pk.data()) == SLHC_OK;
}

/** Twice: the second signature takes the top tree from the context's cache. */
bool ApiSigning(const lanes::KernelSplitter*, unsigned threads)
{
    slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = "cpu";
    options.threads = threads;
    options.signature_cache_bytes = SLHC_NO_SIGNATURE_CACHE;
    slhc_context* const context{slhc_context_create(&options, nullptr)};
    const auto sign{[&] {
        return slhc_slhdsa_sign(context, g_arguments.sk.data(), {MESSAGE.data(), MESSAGE.size()}, {nullptr, 0}, ADDRND.data(),
                                g_arguments.sig.data()) == SLHC_OK;
    }};
    return context != nullptr && sign() && sign();
}

using Seed = std::array<uint8_t, N>;
Seed g_left_behind;

/** Key generation that forgets SK.seed in one place. */
template <void (*LEAVE)(const Seed&)>
bool LeakyKeyGeneration(const lanes::KernelSplitter*, unsigned)
{
    Seed seed;
    std::copy_n(g_arguments.seed.begin(), N, seed.begin());
    LEAVE(seed);
    memory_cleanse(seed.data(), seed.size());
    return ScalarKeyGeneration(nullptr, 1);
}

/** The compiler has to believe that somebody reads it. */
void Keep(const Seed& left) { __asm__ __volatile__("" : : "r"(&left) : "memory"); }

void LeaveInStaticObject(const Seed& seed)
{
    g_left_behind = seed;
    Keep(g_left_behind);
}

/** Below what key generation's own calls overwrite */
__attribute__((noinline)) void LeaveOnStack(const Seed& seed)
{
    std::array<Seed, 4096> deep;
    deep[0] = seed;
    Keep(deep[0]);
}

void LeaveInFreedMemory(const Seed& seed)
{
    const auto copy{std::make_unique<Seed>(seed)};
    Keep(*copy);
}

void LeaveOnStackOfThread(const Seed& seed)
{
    // It never ends, since another thread's start could overwrite its stack.
    static std::atomic<bool> s_done{false};
    std::thread{[from = &seed] {
        const Seed copy{*from};
        Keep(copy);
        s_done = true;
        while (true) pause();
    }}.detach();
    while (!s_done) std::this_thread::yield();
}

/** In the last vector register that every processor has, which key generation does not use. */
bool KeyGenerationLeakyInRegister(const lanes::KernelSplitter*, unsigned)
{
    const bool made{ScalarKeyGeneration(nullptr, 1)};
    __asm__ __volatile__("movups (%0), %%xmm15" : : "r"(g_arguments.seed.data()) : "xmm15");
    return made;
}

bool g_failed{false};

void Check(const Operation& operation, Searcher& searcher)
{
    const bool worked{Trace(operation)};
    const size_t found{worked ? searcher.Found() : 0};
    const bool ok{worked && (found > 0) == operation.leaks};
    if (!ok) g_failed = true;
    std::printf("%s: %s%s (%zu KiB)\n", ok ? "ok" : "FAILED", operation.name.c_str(),
                !worked ? " did not work" : found > 0 ? " leaves secrets" : " leaves no secret", g_copies.used / 1024);
}

int Run()
{
    Arguments& a{g_arguments};
    for (size_t i{0}; i < a.seed.size(); ++i) a.seed[i] = static_cast<uint8_t>(0xa3 + 89 * i + i * i * 7);
    const bool made{InChild([&] {
        slh_keygen_internal(a.seed, a.sk, a.pk);
        a.expected_pk = a.pk;
        const bool is_signed{slh_sign(MESSAGE, {}, a.sk, ADDRND.data(), a.sig)};
        a.expected_sig = a.sig;
        return is_signed;
    })};
    if (!made) return 1;

    Searcher of_key_generation{SecretsOfKeyGeneration}, of_signing{SecretsOfSigning};
    std::vector<Operation> keygens{{.name = "scalar key generation", .run = ScalarKeyGeneration},
                                   {.name = "scalar key generation, the seed being random", .run = ScalarKeyGenerationAtRandom},
                                   {.name = "slhc_slhdsa_keygen()", .run = ApiKeyGeneration},
                                   {.name = "leaky: static object", .run = LeakyKeyGeneration<LeaveInStaticObject>, .leaks = true},
                                   {.name = "leaky: stack", .run = LeakyKeyGeneration<LeaveOnStack>, .leaks = true},
                                   {.name = "leaky: freed memory", .run = LeakyKeyGeneration<LeaveInFreedMemory>, .leaks = true},
                                   {.name = "leaky: a thread's stack", .run = LeakyKeyGeneration<LeaveOnStackOfThread>, .leaks = true},
                                   {.name = "leaky: vector register", .run = KeyGenerationLeakyInRegister, .leaks = true}};
    std::vector<Operation> signings{{.name = "scalar signing", .run = ScalarSigning},
                                    {.name = "signing without an engine", .run = Signing},
                                    {.name = "slhc_slhdsa_sign()", .run = ApiSigning, .threads = 2}};
    for (const CpuEngine& engine : CpuEngines().All()) {
        if (!engine.IsOffered() || !engine.Kernels()) continue;
        const std::string name{engine.Name()};
        keygens.push_back({.name = name + " key generation", .run = KeyGeneration, .kernels = &*engine.Kernels()});
        for (const unsigned threads : {1U, 2U}) {
            signings.push_back({.name = name + " signing with " + std::to_string(threads) + " threads",
                                .run = Signing,
                                .kernels = &*engine.Kernels(),
                                .threads = threads});
        }
        for (const auto& [where, run] :
             {std::pair{"the search for its top tree", &SigningUpToTopTree}, std::pair{"R", &SigningUpToR},
              std::pair{"WOTS+ keys", &SigningUpToWotsKeys}, std::pair{"a FORS tree", &SigningUpToForsTree}}) {
            signings.push_back({.name = name + " signing, interrupted after " + where, .run = run, .kernels = &*engine.Kernels()});
        }
    }
    for (const Operation& operation : keygens) Check(operation, of_key_generation);
    for (const Operation& operation : signings) Check(operation, of_signing);
    return g_failed ? 1 : 0;
}

} // namespace

int main() { return Run(); }

#else

int main()
{
    std::puts("SKIPPED: looks into processes of Linux on x86-64 alone");
    return 77;
}

#endif
