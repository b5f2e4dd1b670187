// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/encryption.h>

#include <crypto/endian.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/terminal.h>
#include <util/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <span>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <termios.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

// magic || passes (4) || KiB of memory (4) || salt (16) || nonce (24), all of it authenticated, then content || tag (16).
// Numbers are little-endian.
constexpr std::string_view MAGIC{"slhtool encrypted 1\n"};
constexpr size_t PASSES_AT{MAGIC.size()}, MEMORY_AT{PASSES_AT + 4}, SALT_AT{MEMORY_AT + 4};
constexpr size_t NONCE_AT{SALT_AT + crypto_pwhash_argon2id_SALTBYTES};
constexpr size_t HEADER_SIZE{NONCE_AT + crypto_aead_xchacha20poly1305_ietf_NPUBBYTES};
constexpr size_t TAG_SIZE{crypto_aead_xchacha20poly1305_ietf_ABYTES};
constexpr size_t KEY_SIZE{crypto_aead_xchacha20poly1305_ietf_KEYBYTES};
static_assert(MAX_ENCRYPTED_FILE == MAX_ENCRYPTED_CONTENT + HEADER_SIZE + TAG_SIZE);
constexpr size_t BYTES_PER_KIB{1024};

// What files are written with: libsodium's "moderate".
constexpr uint32_t PASSES{crypto_pwhash_argon2id_OPSLIMIT_MODERATE};
constexpr uint32_t MEMORY_KIB{crypto_pwhash_argon2id_MEMLIMIT_MODERATE / BYTES_PER_KIB};
// The header is authenticated with a key that these two lead to: what they may cost has to be bounded before.
constexpr uint32_t MAX_PASSES{16}, MAX_MEMORY_KIB{1u << 20};

std::span<const uint8_t> Header(std::span<const uint8_t> bytes) { return bytes.first(HEADER_SIZE); }

SecretBytes Key(std::span<const uint8_t> header, std::span<const uint8_t> passphrase)
{
    SecretBytes key(KEY_SIZE);
    if (crypto_pwhash_argon2id(key.data(), key.size(), reinterpret_cast<const char*>(passphrase.data()), passphrase.size(),
                               &header[SALT_AT], ReadLE32(&header[PASSES_AT]), size_t{ReadLE32(&header[MEMORY_AT])} * BYTES_PER_KIB,
                               crypto_pwhash_argon2id_ALG_ARGON2ID13) != 0) {
        throw InputError{"Argon2id needs " + std::to_string(ReadLE32(&header[MEMORY_AT]) / BYTES_PER_KIB) +
                         " MiB of memory, which cannot be had"};
    }
    return key;
}

void InitSodium()
{
    // libsodium wants random bytes at its start, and ends the program if there are none.
    std::array<uint8_t, 1> probe;
    GetStrongRandBytes(probe);
    if (sodium_init() < 0) throw InputError{"libsodium does not start"};
}

//! The terminal, how it was and how it is while a passphrase is typed, for handlers of signals.
int g_terminal;
termios g_terminal_before, g_terminal_quiet;
volatile std::sig_atomic_t g_prompt_is_gone;

extern "C" void RestoreTerminalAndEnd(int number)
{
    // In the background, the terminal is another's, and to change it would stop this process.
    if (tcgetpgrp(g_terminal) == getpgrp()) tcsetattr(g_terminal, TCSAFLUSH, &g_terminal_before);
    signal(number, SIG_DFL);
    raise(number);
}

/** Shells turn the echo on for themselves while a job is stopped. In the background this waits until the job is in front again. */
extern "C" void QuietTerminalAgain(int)
{
    const int error{errno};
    tcsetattr(g_terminal, TCSAFLUSH, &g_terminal_quiet);
    g_prompt_is_gone = 1;
    errno = error;
}

/** Not every shell turns the echo on for itself, and a stopped job may never be continued. */
extern "C" void RestoreTerminalAndStop(int number)
{
    const int error{errno};
    if (tcgetpgrp(g_terminal) == getpgrp()) tcsetattr(g_terminal, TCSAFLUSH, &g_terminal_before);
    struct sigaction by_default{}, this_one{};
    by_default.sa_handler = SIG_DFL;
    sigaction(number, &by_default, &this_one);
    raise(number); // stops here
    sigaction(number, &this_one, nullptr);
    sigset_t pending;
    if (sigpending(&pending) != 0 || sigismember(&pending, SIGCONT) != 1) QuietTerminalAgain(SIGCONT); // nobody stops an orphan
    errno = error;
}

/** The terminal, with its echo off. There is one at a time. */
class QuietTerminal
{
public:
    QuietTerminal() : m_fd{open("/dev/tty", O_RDWR | O_CLOEXEC | O_NONBLOCK)}
    {
        g_terminal = m_fd;
        // In the background, this stops until the job is in front: how the terminal is until then is the shell's affair.
        while (m_fd >= 0 && tcdrain(m_fd) != 0 && errno == EINTR) {}
        if (m_fd < 0 || tcgetattr(m_fd, &g_terminal_before) != 0) Refuse("there is no terminal to ask for a passphrase");
        struct sigaction action{};
        action.sa_handler = RestoreTerminalAndEnd;
        sigaddset(&action.sa_mask, SIGCONT); // which comes with them, if a stopped job is ended, and would stop it again
        for (size_t i{0}; i < SIGNALS.size(); ++i) {
            sigaction(SIGNALS[i], nullptr, &m_actions[i]);
            if (m_actions[i].sa_handler != SIG_IGN) sigaction(SIGNALS[i], &action, nullptr);
        }
        g_terminal_quiet = g_terminal_before;
        g_terminal_quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        // These two are blocked except while Ask() waits, so that it misses none.
        sigset_t missable;
        sigemptyset(&missable);
        sigaddset(&missable, SIGCONT);
        sigaddset(&missable, SIGTSTP);
        pthread_sigmask(SIG_BLOCK, &missable, &m_mask);
        action.sa_handler = QuietTerminalAgain;
        sigaction(SIGCONT, &action, &m_continue);
        action.sa_handler = RestoreTerminalAndStop;
        action.sa_flags = SA_NODEFER;
        sigaction(SIGTSTP, nullptr, &m_stop);
        if (m_stop.sa_handler != SIG_IGN) sigaction(SIGTSTP, &action, nullptr);
        if (tcsetattr(m_fd, TCSAFLUSH, &g_terminal_quiet) != 0) {
            RestoreActions();
            Refuse("the terminal would show the passphrase");
        }
    }
    ~QuietTerminal()
    {
        tcsetattr(m_fd, TCSAFLUSH, &g_terminal_before);
        RestoreActions();
        close(m_fd);
    }
    QuietTerminal(const QuietTerminal&) = delete;
    QuietTerminal& operator=(const QuietTerminal&) = delete;

    SecretBytes Ask(std::string_view prompt)
    {
        SecretBytes line;
        uint8_t c;
        g_prompt_is_gone = 1;
        while (true) {
            if (g_prompt_is_gone) { // and with it what was typed
                static constexpr timespec NOW{};
                do g_prompt_is_gone = 0;
                while (ppoll(nullptr, 0, &NOW, &m_mask) < 0); // it may go again before it is shown
                line.clear();
                Show(prompt);
            }
            pollfd typed{.fd = m_fd, .events = POLLIN, .revents = 0};
            if (ppoll(&typed, 1, nullptr, &m_mask) < 0 && errno == EINTR) continue;
            const ssize_t count{read(m_fd, &c, 1)};
            if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue; // EAGAIN: it went while this job was stopped
            if (count <= 0 || c == '\n') break;
            line.push_back(c);
        }
        Show("\n");
        if (line.size() >= MAX_TERMINAL_LINE) throw InputError{"the passphrase is too long for a terminal: give --passphrase-file"};
        return line;
    }

private:
    void Show(std::string_view text)
    {
        while (write(m_fd, text.data(), text.size()) < 0) {
            pollfd room{.fd = m_fd, .events = POLLOUT, .revents = 0};
            if (errno == EAGAIN) {
                poll(&room, 1, -1);
            } else if (errno != EINTR) {
                throw InputError{"the terminal cannot be written to"};
            }
        }
    }

    void RestoreActions()
    {
        for (size_t i{0}; i < SIGNALS.size(); ++i) sigaction(SIGNALS[i], &m_actions[i], nullptr);
        sigaction(SIGCONT, &m_continue, nullptr);
        sigaction(SIGTSTP, &m_stop, nullptr);
        pthread_sigmask(SIG_SETMASK, &m_mask, nullptr);
    }

    [[noreturn]] void Refuse(const std::string& why)
    {
        if (m_fd >= 0) close(m_fd);
        throw InputError{why + ": give --passphrase-file"};
    }

    static constexpr std::array SIGNALS{SIGHUP, SIGINT, SIGQUIT, SIGTERM}; //!< that people end programs with
    int m_fd;
    std::array<struct sigaction, SIGNALS.size()> m_actions{}; //!< as they were
    struct sigaction m_continue{}, m_stop{};
    sigset_t m_mask{};
};

} // namespace

bool IsEncrypted(std::span<const uint8_t> bytes)
{
    return bytes.size() >= MAGIC.size() && std::ranges::equal(bytes.first(MAGIC.size()), MAGIC, {}, {}, [](char c) { return uint8_t(c); });
}

void RefuseEncrypted(const std::string& path, std::span<const uint8_t> bytes)
{
    if (IsEncrypted(bytes)) throw InputError{FileName(path), "is encrypted: slhtool decrypt restores its content"};
}

SecretBytes EncryptFile(std::span<const uint8_t> content, std::span<const uint8_t> passphrase)
{
    InitSodium();
    SecretBytes bytes(HEADER_SIZE + content.size() + TAG_SIZE);
    std::ranges::copy(MAGIC, bytes.begin());
    WriteLE32(&bytes[PASSES_AT], PASSES);
    WriteLE32(&bytes[MEMORY_AT], MEMORY_KIB);
    GetStrongRandBytes(std::span{bytes}.subspan(SALT_AT, HEADER_SIZE - SALT_AT));
    const auto header{Header(bytes)};
    const SecretBytes key{Key(header, passphrase)};
    crypto_aead_xchacha20poly1305_ietf_encrypt(&bytes[HEADER_SIZE], nullptr, content.data(), content.size(), header.data(), header.size(),
                                               nullptr, &header[NONCE_AT], key.data());
    return bytes;
}

SecretBytes DecryptFile(std::span<const uint8_t> bytes, std::span<const uint8_t> passphrase)
{
    InitSodium();
    if (!IsEncrypted(bytes)) throw InputError{"not a file that slhtool encrypt wrote"};
    if (bytes.size() < HEADER_SIZE + TAG_SIZE) throw InputError{"the encrypted file is cut off"};
    const auto header{Header(bytes)};
    const uint32_t passes{ReadLE32(&header[PASSES_AT])}, memory{ReadLE32(&header[MEMORY_AT])};
    if (passes < 1 || passes > MAX_PASSES || memory < 8 || memory > MAX_MEMORY_KIB) {
        throw InputError{"the encrypted file's header was changed: it asks for more work than slhtool ever does"};
    }
    const SecretBytes key{Key(header, passphrase)};
    SecretBytes content(bytes.size() - HEADER_SIZE - TAG_SIZE);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(content.data(), nullptr, nullptr, &bytes[HEADER_SIZE], bytes.size() - HEADER_SIZE,
                                                   header.data(), header.size(), &header[NONCE_AT], key.data()) != 0) {
        throw InputError{"wrong passphrase, or the file was changed"};
    }
    return content;
}

SecretBytes AskPassphrase(bool twice)
{
    QuietTerminal terminal;
    SecretBytes passphrase{terminal.Ask("Passphrase: ")};
    if (passphrase.empty()) throw InputError{"the passphrase is empty"};
    if (twice && terminal.Ask("Again: ") != passphrase) throw InputError{"the two passphrases differ"};
    return passphrase;
}

} // namespace slhc::tool
