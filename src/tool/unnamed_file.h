// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_UNNAMED_FILE_H
#define SLHCONSENSUS_TOOL_UNNAMED_FILE_H

#include <tool/secret.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include <sys/stat.h>

namespace slhc::tool {

/** A file that has no name of its own yet, in the folder where it will be. It goes unless it is given its name: also if the process is
 *  interrupted, where the file system has files without any name. Elsewhere it has a temporary one.
 *  All functions throw InputError, which names the path that the file was to have. */
class UnnamedFile
{
public:
    UnnamedFile(std::string path, mode_t mode);
    ~UnnamedFile();
    UnnamedFile(const UnnamedFile&) = delete;
    UnnamedFile& operator=(const UnnamedFile&) = delete;

    /** Write it to the disk. */
    void Write(std::span<const uint8_t> content, std::optional<mode_t> mode);
    [[nodiscard]] SecretBytes ReadAgain() const;

    /** Give it its name, which nothing has. */
    void Name();
    /** Give it the name of another file, which goes.
     *  @param[in] judge  called with where that file is then; throws if it must not go */
    void NameInPlaceOf(const std::function<void(const std::string&)>& judge);

private:
    class OpenFolder;
    enum class Exchanged { YES, NOTHING_THERE, UNSUPPORTED };

    void TakeTemporaryName();
    void DropTemporaryName();
    void LinkToPath(const OpenFolder& folder);
    void RenameToPath();
    [[nodiscard]] Exchanged Exchange() const;
    void PutBack();
    [[nodiscard]] bool IsThis(const std::string& path) const;
    [[nodiscard]] std::string Folder() const;
    [[nodiscard]] std::string TemporaryName() const;
    [[nodiscard]] bool Link(const std::string& name) const;

    const std::string m_path;
    std::string m_written;   //!< where it can be read and linked from
    std::string m_temporary; //!< a name that goes with this object, and what has it; empty: none
    int m_fd{-1};
    struct stat m_identity{};
};

/** Write everything to a descriptor.
 *  @param[in] path  for the error
 *  @throws InputError */
void WriteAll(int fd, std::span<const uint8_t> content, const std::string& path);

/** What errno says of a path. @throws InputError */
[[noreturn]] void ThrowErrno(const std::string& path);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_UNNAMED_FILE_H
