// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/output_file.h>

#include <tool/encryption.h>
#include <tool/input.h>
#include <util/hex.h>
#include <util/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

namespace fs = std::filesystem;

constexpr mode_t OWNER_ONLY{S_IRUSR | S_IWUSR};
constexpr mode_t ANYONE{OWNER_ONLY | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH}; //!< less the umask
constexpr mode_t PERMISSIONS{07777};

[[noreturn]] void ThrowErrno(const std::string& path) { throw InputError{path, std::strerror(errno)}; }

/** The open descriptor that /dev/stdout and the like name. To open one again would write from the start of the file that it may lead to. */
std::optional<int> NamedDescriptor(const std::string& path)
{
    static constexpr std::string_view FOLDER{"/dev/fd/"};
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    if (!path.starts_with(FOLDER)) return std::nullopt;
    int fd{-1};
    const char* const end{path.data() + path.size()};
    const auto [rest, error]{std::from_chars(path.data() + FOLDER.size(), end, fd)};
    if (error != std::errc{} || rest != end || fd < 0) return std::nullopt;
    return fd;
}

/** What stands at a path before it is written. */
struct Existing {
    struct stat link{}, target{}; //!< the second: what a link leads to, else the same
    bool is_link{false}, dangling{false};

    static std::optional<Existing> At(const std::string& path)
    {
        Existing found;
        if (lstat(path.c_str(), &found.link) != 0) {
            // Any other problem is met again, and reported, when the file is made.
            return std::nullopt;
        }
        found.is_link = S_ISLNK(found.link.st_mode);
        found.dangling = stat(path.c_str(), &found.target) != 0;
        return found;
    }
    /** A terminal, a pipe, /dev/null; and /dev/stdout, whatever it leads to. */
    [[nodiscard]] bool IsStream(const std::string& path) const
    {
        if (NamedDescriptor(path)) return true;
        return !dangling && !S_ISDIR(target.st_mode) && !S_ISREG(target.st_mode);
    }
};

/** What is in a file that is there. A large one is judged by its beginning. */
struct OldFile {
    FileKind kind{FileKind::OTHER};
    SecretBytes content{};
    bool whole{true}; //!< whether content is all of it

    /** @throws InputError */
    static OldFile Read(const std::string& path)
    {
        OldFile old;
        old.content.resize(MAX_ENCRYPTED_FILE + 1);
        size_t size{0};
        InputFile file{path, SIZE_MAX};
        while (size < old.content.size()) {
            const size_t count{file.Read(&old.content[size], old.content.size() - size)};
            if (count == 0) break;
            size += count;
        }
        old.whole = size < old.content.size();
        old.content.resize(size);
        old.kind = FileKindOf(old.content);
        return old;
    }
};

using NothingIsLost = std::function<bool(const OldFile&)>;

/** The rule of this file's header.
 *  @param[in] at  where the existing file is, for the time being
 *  @return whether something is replaced */
bool MayReplace(const OutputFile& file, const std::optional<Existing>& existing, const NothingIsLost& nothing_is_lost,
                const std::string& at)
{
    if (!existing) return false;
    if (S_ISDIR(existing->target.st_mode) && !existing->dangling) throw InputError{file.path, "is a directory"};
    const auto old{[&] {
        if (existing->dangling) return OldFile{};
        try {
            return OldFile::Read(at);
        } catch (const InputError&) {
            if (!file.force) return OldFile{}; // it is not replaced anyway
            throw InputError{file.path, "cannot be read, so nobody can tell what would be lost: move it away first"};
        }
    }()};
    if (old.kind != FileKind::OTHER && !nothing_is_lost(old)) {
        throw InputError{file.path, "holds " + std::string{FileKindName(old.kind)} + ", which would be lost: move it away first"};
    }
    if (file.force) return true;
    throw InputError{file.path, old.kind == FileKind::OTHER ? "already exists (--force replaces it)"
                                                            : "already exists (--force replaces it if nothing of it is lost)"};
}

/** Whether an old file may go, when the new content is known. */
NothingIsLost NothingLostBy(std::span<const uint8_t> content, const HoldsAllOf& holds_all_of)
{
    return [&holds_all_of, content](const OldFile& old) {
        return old.whole && (std::ranges::equal(old.content, content) || (holds_all_of && holds_all_of(old.content)));
    };
}

void WriteAll(int fd, std::span<const uint8_t> content, const std::string& path)
{
    while (!content.empty()) {
        const ssize_t count{write(fd, content.data(), content.size())};
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) ThrowErrno(path);
        content = content.subspan(static_cast<size_t>(count));
    }
}

void WriteStream(const std::string& path, std::span<const uint8_t> content)
{
    const auto named{NamedDescriptor(path)};
    std::fflush(nullptr); // what was printed comes first
    const int fd{named ? fcntl(*named, F_DUPFD_CLOEXEC, 0) : open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (fd < 0) ThrowErrno(path);
    try {
        WriteAll(fd, content, path);
    } catch (...) {
        close(fd);
        throw;
    }
    close(fd);
}

/** A file that has no name of its own yet, in the folder where it will be. It goes unless it is given its name: also if the process is
 *  interrupted, where the file system has files without any name. Elsewhere it has a temporary one. */
class UnnamedFile
{
public:
    UnnamedFile(std::string path, mode_t mode) : m_path{std::move(path)}
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
    ~UnnamedFile()
    {
        if (m_fd >= 0) close(m_fd);
        if (!m_temporary.empty()) unlink(m_temporary.c_str());
    }
    UnnamedFile(const UnnamedFile&) = delete;
    UnnamedFile& operator=(const UnnamedFile&) = delete;

    void Write(std::span<const uint8_t> content, std::optional<mode_t> mode)
    {
        WriteAll(m_fd, content, m_path);
        if (mode && fchmod(m_fd, *mode) != 0) ThrowErrno(m_path);
        if ((fsync(m_fd) != 0 && errno != EINVAL) || fstat(m_fd, &m_identity) != 0) ThrowErrno(m_path);
        if (m_temporary.empty()) return; // it would go
        const int fd{m_fd};
        m_fd = -1;
        if (close(fd) != 0) ThrowErrno(m_path);
    }
    [[nodiscard]] SecretBytes ReadAgain() const { return ReadFileAs<SecretBytes>(m_written, MAX_ENCRYPTED_FILE); }

    /** Give it its name, which nothing has. */
    void Name()
    {
        // A name given so fails if somebody was faster. Not every file system gives a second one.
        if (!Link(m_path)) {
            if (errno == EEXIST || Existing::At(m_path)) throw InputError{m_path, "already exists (--force replaces it)"};
            TakeTemporaryName();
            Rename();
        }
        SyncFolder(); // a temporary name goes with this object
    }

    /** Give it the name of another file, which goes.
     *  @param[in] judge  called with where that file is then; throws if it must not go */
    void NameInPlaceOf(const std::function<void(const std::string&)>& judge)
    {
        TakeTemporaryName(); // no link replaces a file
        // What is there may have changed since somebody looked. So nothing goes before it is out of everybody's reach, and judged.
        if (Exchange()) {
            try {
                judge(m_temporary);
            } catch (const std::exception&) {
                if (Exchange() && IsThis(m_temporary)) throw;
                // Another program has put its file in this one's place by now. What has the temporary name is not ours to remove.
                const std::string kept{std::move(m_temporary)};
                m_temporary.clear();
                throw InputError{m_path, "was replaced by another program at the same time; " + kept + " is what was there before"};
            }
        } else { // not every file system does that
            judge(m_path);
            Rename();
        }
        SyncFolder();
    }

private:
    void TakeTemporaryName()
    {
        if (!m_temporary.empty()) return;
        const std::string name{TemporaryName()};
        if (!Link(name)) ThrowErrno(m_path);
        m_temporary = name;
    }
    void Rename()
    {
        if (rename(m_temporary.c_str(), m_path.c_str()) != 0) ThrowErrno(m_path);
        m_temporary.clear();
    }
    /** Let the temporary name and the path name each other's file, in one step. */
    [[nodiscard]] bool Exchange() const
    {
#ifdef RENAME_EXCHANGE
        return renameat2(AT_FDCWD, m_temporary.c_str(), AT_FDCWD, m_path.c_str(), RENAME_EXCHANGE) == 0;
#else
        return false;
#endif
    }
    [[nodiscard]] bool IsThis(const std::string& path) const
    {
        struct stat there{};
        return lstat(path.c_str(), &there) == 0 && there.st_dev == m_identity.st_dev && there.st_ino == m_identity.st_ino;
    }
    [[nodiscard]] std::string Folder() const
    {
        const auto folder{fs::path{m_path}.parent_path()};
        return folder.empty() ? "." : folder.string();
    }
    [[nodiscard]] std::string TemporaryName() const
    {
        std::array<uint8_t, 8> random;
        GetStrongRandBytes(random);
        return (fs::path{m_path}.parent_path() / (".slhtool-" + HexStr(random))).string();
    }
    [[nodiscard]] bool Link(const std::string& name) const
    {
        return linkat(AT_FDCWD, m_written.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }
    /** So that the name, too, is on the disk. */
    void SyncFolder() const
    {
        const int fd{open(Folder().c_str(), O_RDONLY | O_CLOEXEC)};
        if (fd < 0) return;
        fsync(fd);
        close(fd);
    }

    const std::string m_path;
    std::string m_written;   //!< where it can be read and linked from
    std::string m_temporary; //!< a name that it has for a while; empty: none
    int m_fd{-1};
    struct stat m_identity{};
};

/** Give a file its name; in place of an existing one if that may go. */
void NameAs(UnnamedFile& written, const OutputFile& file, bool replace, const NothingIsLost& nothing_is_lost)
{
    if (!replace) return written.Name();
    written.NameInPlaceOf([&](const std::string& at) { (void)MayReplace(file, Existing::At(at), nothing_is_lost, at); });
}

} // namespace

void AddForceFlag(CommandParser& parser, bool& force)
{
    parser.AddFlag("--force", force,
                   "Replace an existing file; a secret, an encrypted file, a backup or a descriptor only if nothing of it is lost");
}

bool WouldReplace(const std::string& out, const std::string& in)
{
    if (in == "-") return false; // standard input, and not a file of that name
    std::error_code error;
    const fs::path path{fs::absolute(out, error)}, replaced{fs::weakly_canonical(path.parent_path(), error) / path.filename()};
    return replaced == fs::weakly_canonical(fs::absolute(in, error), error);
}

void CheckOutputFile(const OutputFile& file, FileKind kind, const std::string& made_from)
{
    if (file.empty()) return;
    if (file.path == "-") {
        throw InputError{"- does not mean standard output here; use /dev/stdout, or ./- for a file of that name"};
    }
    const auto existing{Existing::At(file.path)};
    if (existing && existing->IsStream(file.path)) return;
    const bool replaces_source{!made_from.empty() && WouldReplace(file.path, made_from)};
    MayReplace(file, existing, [&](const OldFile& old) { return old.kind == kind || replaces_source; }, file.path);
}

void WriteTextFile(const OutputFile& file, std::string_view content, const HoldsAllOf& holds_all_of)
{
    const auto existing{Existing::At(file.path)};
    if (existing && existing->IsStream(file.path)) return WriteStream(file.path, AsBytes(content));
    const auto nothing_is_lost{NothingLostBy(AsBytes(content), holds_all_of)};
    const bool replace{MayReplace(file, existing, nothing_is_lost, file.path)};
    std::optional<mode_t> mode;
    if (replace && !existing->is_link) mode = existing->link.st_mode & PERMISSIONS;
    UnnamedFile written{file.path, mode ? OWNER_ONLY : ANYONE}; // nobody else reads what replaces a private file before it has its mode
    written.Write(AsBytes(content), mode);
    NameAs(written, file, replace, nothing_is_lost);
}

void WriteSecretFile(const OutputFile& file, std::span<const uint8_t> content, const SecretFileOptions& options)
{
    const auto existing{Existing::At(file.path)};
    if (existing && existing->IsStream(file.path)) throw InputError{file.path, "is not a file, and a secret is written to nothing else"};
    const auto nothing_is_lost{NothingLostBy(content, options.holds_all_of)};
    const bool replace{MayReplace(file, existing, nothing_is_lost, file.path)};
    UnnamedFile written{file.path, OWNER_ONLY};
    written.Write(content, std::nullopt);
    if (options.verify) options.verify(written.ReadAgain());
    NameAs(written, file, replace, nothing_is_lost);
}

} // namespace slhc::tool
