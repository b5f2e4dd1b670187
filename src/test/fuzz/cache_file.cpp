// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Files that are kept between runs (drivers' compiled code): whatever their bytes, only content that was written with the same key is read
// back.

#include <pqc/vulkan/cache_file.h>
#include <test/core/choices.h>
#include <test/fuzz/fuzz.h>
#include <test/temp_dir.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

using namespace slhc;
using namespace slhc::slhdsa;
using slhc::test::Require;

namespace {

/** A folder of this process, removed at its end. */
const std::string& Folder()
{
    static const test::TempDir s_dir;
    static const std::string s_path{s_dir.Path()};
    return s_path;
}

std::vector<uint8_t> Slurp(const std::string& path)
{
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void Spill(const std::string& path, std::span<const uint8_t> bytes)
{
    {
        std::ofstream file{path, std::ios::binary | std::ios::trunc};
        file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    // As WriteCacheFile leaves it: a file that others may write to is not read, whatever the process's umask is.
    Require(chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0, "there is a file");
}

/** Any bytes in the place of a file: if something is read, writing it would have made the same bytes. */
void CheckFile(std::span<const uint8_t> bytes, const std::string& key)
{
    const std::string path{Folder() + "/file"}, other{Folder() + "/other"};
    Spill(path, bytes);
    const auto content{ReadCacheFile(path, key)};
    if (!content) return;
    Require(WriteCacheFile(other, key, *content), "what was read can be written");
    Require(std::ranges::equal(Slurp(other), bytes), "only what was written with this key is read");
}

/** A written file with some bytes changed: it is read only if none differs. */
void CheckDamage(test::Choices& choices, const std::string& key)
{
    const std::string path{Folder() + "/file"};
    const std::vector<uint8_t> content{choices.Bytes(choices.Below(200))};
    Require(WriteCacheFile(path, key, content), "a file can be written");
    const std::vector<uint8_t> good{Slurp(path)};
    std::vector<uint8_t> bytes{good};
    for (uint64_t n{choices.Below(3)}; n > 0; --n) bytes[choices.Below(bytes.size())] ^= static_cast<uint8_t>(choices.Below(256));
    if (choices.OneIn(4)) bytes.resize(choices.Below(bytes.size() + 10));
    Spill(path, bytes);
    const auto read{ReadCacheFile(path, key)};
    Require(read.has_value() == (bytes == good), "a file is read if nothing in it was changed");
    if (read) Require(*read == content, "a file is read as it was written");
    Require(!ReadCacheFile(path, key + "another"), "another key finds nothing");
}

} // namespace

// One byte chooses the action, the others are its data.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0) return 0;
    const std::span<const uint8_t> bytes{data + 1, size - 1};
    const std::string key(data[0] / 3 % 3, 'k');
    if (data[0] % 3 == 0) CheckFile(bytes, key);
    if (data[0] % 3 == 1) {
        test::FuzzedChoices choices{bytes};
        CheckDamage(choices, key);
    }
    return 0;
}
