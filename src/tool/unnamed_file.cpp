// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/unnamed_file.h>

#include <tool/encryption.h>
#include <tool/input.h>
#include <util/hex.h>
#include <util/random.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

namespace fs = std::filesystem;

/** The signals that people end or stop programs with. */
constexpr std::array ENDING_SIGNALS{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};

volatile std::sig_atomic_t g_delayed[ENDING_SIGNALS.size()];

extern "C" void DelaySignal(int number)
{
    for (size_t i{0}; i < ENDING_SIGNALS.size(); ++i) {
        if (ENDING_SIGNALS[i] == number) g_delayed[i] = 1;
    }
}

/** No signal ends the program in the middle of a few steps that belong together: it does afterwards. By handlers, since a signal that this
 *  thread blocks would go to another. There is one at a time. */
class DelayedSignals
{
public:
    DelayedSignals()
    {
        struct sigaction action{};
        action.sa_handler = DelaySignal;
        action.sa_flags = SA_RESTART;
        for (size_t i{0}; i < ENDING_SIGNALS.size(); ++i) {
            g_delayed[i] = 0;
            sigaction(ENDING_SIGNALS[i], nullptr, &m_actions[i]);
            if (m_actions[i].sa_handler != SIG_IGN) sigaction(ENDING_SIGNALS[i], &action, nullptr);
        }
    }
    ~DelayedSignals()
    {
        for (size_t i{0}; i < ENDING_SIGNALS.size(); ++i) sigaction(ENDING_SIGNALS[i], &m_actions[i], nullptr);
        for (size_t i{0}; i < ENDING_SIGNALS.size(); ++i) {
            if (g_delayed[i] != 0) raise(ENDING_SIGNALS[i]);
        }
    }
    DelayedSignals(const DelayedSignals&) = delete;
    DelayedSignals& operator=(const DelayedSignals&) = delete;

private:
    std::array<struct sigaction, ENDING_SIGNALS.size()> m_actions{};
};

/** Whether something has this name. */
bool Exists(const std::string& path)
{
    struct stat there{};
    return lstat(path.c_str(), &there) == 0;
}

/** Whether errno says that a file system, kernel or sandbox cannot do with names what it was asked to. */
bool IsUnsupported() { return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP || errno == EPERM; }

[[noreturn]] void ThrowExists(const std::string& path) { throw InputError{path, "already exists (--force replaces it)"}; }

} // namespace

/** A folder that is open while a file in it gets its name; one that cannot be read does without what this does. */
class UnnamedFile::OpenFolder
{
    static constexpr std::chrono::milliseconds TURN{10};
    static constexpr int TURNS{1000};

public:
    explicit OpenFolder(const std::string& folder) : m_fd{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)} {}
    ~OpenFolder()
    {
        if (m_fd >= 0) close(m_fd);
    }
    OpenFolder(const OpenFolder&) = delete;
    OpenFolder& operator=(const OpenFolder&) = delete;

    /** One program of these replaces a file of a folder at a time. Anybody who can read the folder can lock it, so this does not wait for
     *  ever. It is locked until it is closed; to lock it twice changes nothing. */
    void Lock() const
    {
        for (int i{0}; i < TURNS && flock(m_fd, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EINTR); ++i) {
            std::this_thread::sleep_for(TURN);
        }
    }
    /** So that names, too, are on the disk. */
    void Sync() const
    {
        if (m_fd >= 0) fsync(m_fd);
    }

private:
    const int m_fd;
};

void ThrowErrno(const std::string& path) { throw InputError{path, std::strerror(errno)}; }

void WriteAll(int fd, std::span<const uint8_t> content, const std::string& path)
{
    while (!content.empty()) {
        const ssize_t count{write(fd, content.data(), content.size())};
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) ThrowErrno(path);
        content = content.subspan(static_cast<size_t>(count));
    }
}

UnnamedFile::UnnamedFile(std::string path, mode_t mode) : m_path{std::move(path)}
{
    m_fd = open(Folder().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
    if (m_fd >= 0) {
        m_written = "/proc/self/fd/" + std::to_string(m_fd);
        if (access(m_written.c_str(), F_OK) == 0) return;
        close(m_fd); // without /proc, it could never get a name
    }
    m_written = TemporaryName();
    m_fd = open(m_written.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (m_fd < 0) ThrowErrno(m_path);
    m_temporary = m_written;
}

UnnamedFile::~UnnamedFile()
{
    if (m_fd >= 0) close(m_fd);
    DropTemporaryName();
}

void UnnamedFile::Write(std::span<const uint8_t> content, std::optional<mode_t> mode)
{
    WriteAll(m_fd, content, m_path);
    if (mode && fchmod(m_fd, *mode) != 0) ThrowErrno(m_path);
    if ((fsync(m_fd) != 0 && errno != EINVAL) || fstat(m_fd, &m_identity) != 0) ThrowErrno(m_path);
    if (m_temporary.empty()) return; // it would go
    const int fd{m_fd};
    m_fd = -1;
    if (close(fd) != 0) ThrowErrno(m_path);
}

SecretBytes UnnamedFile::ReadAgain() const { return ReadFileAs<SecretBytes>(m_written, MAX_ENCRYPTED_FILE); }

void UnnamedFile::Name()
{
    const OpenFolder folder{Folder()};
    const DelayedSignals delayed; // no reserved name is left
    LinkToPath(folder);
    folder.Sync();
}

void UnnamedFile::NameInPlaceOf(const std::function<void(const std::string&)>& judge)
{
    const OpenFolder folder{Folder()};
    folder.Lock();
    const DelayedSignals delayed; // no old secret is left under a temporary name
    TakeTemporaryName();          // no link replaces a file
    // What is there may have changed since somebody looked. So nothing goes before it is out of everybody's reach, and judged.
    switch (Exchange()) {
    case Exchanged::YES:
        try {
            judge(m_temporary);
        } catch (const std::exception&) {
            PutBack();
            throw;
        }
        DropTemporaryName();
        break;
    case Exchanged::NOTHING_THERE:
        LinkToPath(folder);
        break;
    case Exchanged::UNSUPPORTED:
        if (!Exists(m_path)) {
            LinkToPath(folder);
            break;
        }
        judge(m_path); // only the lock keeps others away
        RenameToPath();
        break;
    }
    folder.Sync(); // after the old one is gone, or a power failure could bring it back
}

void UnnamedFile::TakeTemporaryName()
{
    if (!m_temporary.empty()) return;
    const std::string name{TemporaryName()};
    if (!Link(name)) ThrowErrno(m_path);
    m_temporary = name;
}

void UnnamedFile::DropTemporaryName()
{
    if (!m_temporary.empty()) unlink(m_temporary.c_str());
    m_temporary.clear();
}

/** Fails if anything has that name. */
void UnnamedFile::LinkToPath(const OpenFolder& folder)
{
    if (Link(m_path)) return DropTemporaryName();
    if (errno == EEXIST) ThrowExists(m_path);
    // Not every file system gives a second name. To rename replaces what has come to have the new one, unless that is forbidden.
    TakeTemporaryName();
#ifdef RENAME_NOREPLACE
    if (renameat2(AT_FDCWD, m_temporary.c_str(), AT_FDCWD, m_path.c_str(), RENAME_NOREPLACE) == 0) {
        m_temporary.clear();
        return;
    }
    if (errno == EEXIST) ThrowExists(m_path);
    if (!IsUnsupported()) ThrowErrno(m_path);
#endif
    folder.Lock(); // an empty file would be replaced
    const int reserved{open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)};
    if (reserved < 0 && errno == EEXIST) ThrowExists(m_path);
    if (reserved < 0) ThrowErrno(m_path);
    close(reserved);
    try {
        RenameToPath();
    } catch (const InputError&) {
        unlink(m_path.c_str());
        throw;
    }
}

/** Whatever has that name goes. */
void UnnamedFile::RenameToPath()
{
    if (rename(m_temporary.c_str(), m_path.c_str()) != 0) ThrowErrno(m_path);
    m_temporary.clear();
}

/** Let the temporary name and the path name each other's file, in one step. */
UnnamedFile::Exchanged UnnamedFile::Exchange() const
{
#ifdef RENAME_EXCHANGE
    if (renameat2(AT_FDCWD, m_temporary.c_str(), AT_FDCWD, m_path.c_str(), RENAME_EXCHANGE) == 0) return Exchanged::YES;
    if (errno == ENOENT) return Exchanged::NOTHING_THERE;
    if (!IsUnsupported()) ThrowErrno(m_path);
#endif
    return Exchanged::UNSUPPORTED;
}

/** Undo an exchange, unless a program that does not heed the lock has put something of its own at the path. */
void UnnamedFile::PutBack()
{
    if (IsThis(m_path) && Exchange() == Exchanged::YES && IsThis(m_temporary)) return;
    // What has the temporary name is not ours to remove.
    const std::string kept{std::move(m_temporary)};
    m_temporary.clear();
    throw InputError{m_path, "was changed by another program at the same time; " + kept + " is what was there"};
}

bool UnnamedFile::IsThis(const std::string& path) const
{
    struct stat there{};
    return lstat(path.c_str(), &there) == 0 && there.st_dev == m_identity.st_dev && there.st_ino == m_identity.st_ino;
}

std::string UnnamedFile::Folder() const
{
    const auto folder{fs::path{m_path}.parent_path()};
    return folder.empty() ? "." : folder.string();
}

std::string UnnamedFile::TemporaryName() const
{
    std::array<uint8_t, 8> random;
    GetStrongRandBytes(random);
    return (fs::path{m_path}.parent_path() / (".slhtool-" + HexStr(random))).string();
}

bool UnnamedFile::Link(const std::string& name) const
{
    return linkat(AT_FDCWD, m_written.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}
} // namespace slhc::tool
