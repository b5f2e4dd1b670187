// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/output_file.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace slhc::tool {
namespace {

constexpr mode_t OWNER_ONLY{0600}, ANYONE{0666}; //!< less the umask

/** Of what is there, if anything is. */
std::optional<mode_t> ModeOf(const std::string& path)
{
    struct stat info{};
    return stat(path.c_str(), &info) == 0 ? std::optional{info.st_mode} : std::nullopt;
}

bool WriteAll(int fd, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t count{write(fd, content.data(), content.size())};
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) content.remove_prefix(static_cast<size_t>(count));
    }
    return true;
}

/** @return 0, or what errno says */
int WriteStream(const std::string& path, std::string_view content)
{
    std::fflush(stdout); // what was printed comes first
    const int fd{open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (fd < 0) return errno;
    const int error{WriteAll(fd, content) ? 0 : errno};
    close(fd);
    return error;
}

/** @return 0, or what errno says */
int WriteFile(const std::string& path, std::string_view content, mode_t mode)
{
    const std::string temporary{path + "." + std::to_string(getpid()) + ".tmp"};
    const int fd{open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)};
    if (fd < 0) return errno;
    int error{WriteAll(fd, content) && fsync(fd) == 0 ? 0 : errno};
    if (close(fd) != 0 && error == 0) error = errno;
    if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
    if (error != 0) unlink(temporary.c_str());
    return error;
}

void Write(const OutputFile& file, std::string_view content, mode_t mode)
{
    CheckOutputFile(file);
    const auto mode_there{ModeOf(file.path)};
    const std::unique_ptr<char, decltype(&std::free)> target{realpath(file.path.c_str(), nullptr), std::free}; // a link is followed
    const std::string path{target ? target.get() : file.path};
    const int error{mode_there && !S_ISREG(*mode_there) ? WriteStream(path, content) : WriteFile(path, content, mode)};
    if (error != 0) throw InputError{file.path, std::strerror(error)};
}

} // namespace

void AddForceFlag(CommandParser& parser, bool& force)
{
    parser.AddFlag("--force", force, "Replace an existing file");
}

void CheckOutputFile(const OutputFile& file)
{
    if (file.empty()) return;
    if (file.path == "-") throw InputError{"- does not mean standard output here; use /dev/stdout, or ./- for a file of that name"};
    const auto mode{ModeOf(file.path)};
    if (mode && S_ISDIR(*mode)) throw InputError{file.path, "is a directory"};
    if (mode && S_ISREG(*mode) && !file.force) throw InputError{file.path, "already exists (--force replaces it)"};
}

void WriteTextFile(const OutputFile& file, std::string_view content)
{
    Write(file, content, ANYONE);
}

void WriteSecretFile(const OutputFile& file, std::string_view content)
{
    Write(file, content, OWNER_ONLY);
}

} // namespace slhc::tool
