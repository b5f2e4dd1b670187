// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/output_file.h>

#include <tool/input.h>
#include <tool/unnamed_file.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

namespace fs = std::filesystem;

constexpr mode_t OWNER_ONLY{S_IRUSR | S_IWUSR};
constexpr mode_t ANYONE{OWNER_ONLY | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH}; //!< less the umask
constexpr mode_t PERMISSIONS{07777};

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

std::vector<std::string> g_written; //!< names of files that are complete

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

/** What is in a file that is there. One that is larger than any command reads is judged by its beginning. */
struct OldFile {
    FileKind kind{FileKind::OTHER};
    SecretBytes content{};
    bool whole{true}; //!< whether content is all of it

    /** @throws InputError */
    static OldFile Read(const std::string& path)
    {
        OldFile old;
        constexpr size_t CHUNK{1u << 20}; // most files are small
        InputFile file{path, SIZE_MAX};
        size_t size{0};
        while (size <= MAX_INPUT_SIZE) {
            if (size == old.content.size()) old.content.resize(std::min(size + CHUNK, MAX_INPUT_SIZE + 1));
            const size_t count{file.Read(&old.content[size], old.content.size() - size)};
            if (count == 0) break;
            size += count;
        }
        old.whole = size <= MAX_INPUT_SIZE;
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
    if (!existing) {
        RefuseSecretAsName(file.path);
        return false;
    }
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

/** Whether an old file may go, when the new content is known. Asked twice of the same one (NameInPlaceOf), it answers at once: to decrypt
 *  takes long. */
NothingIsLost NothingLostBy(std::span<const uint8_t> content, const HoldsAllOf& holds_all_of)
{
    return [&holds_all_of, content, may_go = std::optional<SecretBytes>{}](const OldFile& old) mutable {
        if (!old.whole) return false;
        if (std::ranges::equal(old.content, content) || old.content == may_go) return true;
        if (!holds_all_of || !holds_all_of(old.content)) return false;
        may_go = old.content;
        return true;
    };
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

/** Give a file its name; in place of an existing one if that may go. */
void NameAs(UnnamedFile& written, const OutputFile& file, bool replace, const NothingIsLost& nothing_is_lost)
{
    g_written.reserve(g_written.size() + 1); // so that nothing fails once the file is there
    std::string name{file.path};
    if (replace) {
        written.NameInPlaceOf([&](const std::string& at) { (void)MayReplace(file, Existing::At(at), nothing_is_lost, at); });
    } else {
        written.Name();
    }
    g_written.push_back(std::move(name));
}

} // namespace

void AddForceFlag(CommandParser& parser, bool& force)
{
    parser.AddFlag("--force", force,
                   "Replace an existing file; a secret, encrypted file, backup, table or descriptor only if nothing of it is lost");
}

std::string WrittenSoFar()
{
    constexpr size_t NAMED{5};
    std::string text;
    for (const auto& file : std::span{g_written}.first(std::min(g_written.size(), NAMED))) text += (text.empty() ? "" : ", ") + file;
    if (g_written.size() > NAMED) text += " and " + std::to_string(g_written.size() - NAMED) + " more";
    return text + (g_written.empty() ? "" : g_written.size() == 1 ? " is written; " : " are written; ");
}

bool WouldReplace(const std::string& out, const std::string& in)
{
    if (in == "-") return false; // standard input, and not a file of that name
    std::error_code error;
    const fs::path path{fs::absolute(out, error)}, replaced{fs::weakly_canonical(path.parent_path(), error) / path.filename()};
    return replaced == fs::weakly_canonical(fs::absolute(in, error), error);
}

void RefuseSameFile(const NamedFile& out, const NamedFile& other)
{
    if (out.path.empty() || other.path.empty() || !WouldReplace(out.path, other.path)) return;
    throw InputError{out.option, "names the file of " + other.option};
}

void RefuseSecretAsName(const std::string& path)
{
    if (MayBeSecret(path)) throw InputError{"expected the name of a file; what may be a secret is no name, which everybody could read"};
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
