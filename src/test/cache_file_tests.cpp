// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/child_process.h>
#include <test/forged_cache_file.h>
#include <test/temp_dir.h>

#include <pqc/vulkan/cache_file.h>

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace slhc::slhdsa;
using slhc::test::CACHE_FILE_HEADER;
using slhc::test::ForgeCacheFile;
using slhc::test::InChildProcess;
using slhc::test::TempDir;

namespace {

const std::vector<uint8_t> CONTENT{1, 2, 3, 0, 255};

std::string Slurp(const std::string& path)
{
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void Spill(const std::string& path, const std::string& bytes)
{
    std::ofstream{path, std::ios::binary | std::ios::trunc} << bytes;
}

} // namespace

BOOST_AUTO_TEST_SUITE(cache_file_tests)

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back)
{
    const TempDir dir;
    const std::string path{dir.Path() + "/made/file"};
    BOOST_CHECK(!ReadCacheFile(path, "key"));
    BOOST_REQUIRE(WriteCacheFile(path, "key", CONTENT));
    BOOST_CHECK(ReadCacheFile(path, "key") == CONTENT);
    BOOST_REQUIRE(WriteCacheFile(path, "key", {}));
    BOOST_CHECK(ReadCacheFile(path, "key") == std::vector<uint8_t>{});
    struct stat info;
    BOOST_REQUIRE_EQUAL(stat(path.c_str(), &info), 0);
    BOOST_CHECK_EQUAL(info.st_mode & 07777, 0600);
    BOOST_REQUIRE_EQUAL(stat((dir.Path() + "/made").c_str(), &info), 0);
    BOOST_CHECK_EQUAL(info.st_mode & 07777, 0700);
}

BOOST_AUTO_TEST_CASE(the_smallest_and_the_largest)
{
    const TempDir dir;
    const std::string path{dir.Path() + "/file"};
    std::vector<uint8_t> content{7};
    BOOST_REQUIRE(WriteCacheFile(path, "key", content));
    BOOST_CHECK(ReadCacheFile(path, "key") == content);
    BOOST_CHECK_EQUAL(Slurp(path).size(), CACHE_FILE_HEADER + 1);

    content.resize(MAX_CACHE_FILE_SIZE - CACHE_FILE_HEADER, 1);
    BOOST_REQUIRE(WriteCacheFile(path, "key", content));
    BOOST_CHECK(ReadCacheFile(path, "key") == content);
    // One more byte is not written, and not read either.
    content.push_back(1);
    BOOST_CHECK(!WriteCacheFile(path, "key", content));
    (void)ForgeCacheFile(path, content);
    BOOST_CHECK(!ReadCacheFile(path, "key"));
}

BOOST_AUTO_TEST_CASE(another_key_finds_nothing)
{
    const TempDir dir;
    BOOST_REQUIRE(WriteCacheFile(dir.Path() + "/file", "key", CONTENT));
    BOOST_CHECK(!ReadCacheFile(dir.Path() + "/file", "kez"));
    BOOST_CHECK(!ReadCacheFile(dir.Path() + "/file", ""));
}

/** Every byte changed, and every length that a file cut short may have. */
BOOST_AUTO_TEST_CASE(damaged_files_are_not_read)
{
    const TempDir dir;
    const std::string path{dir.Path() + "/file"};
    BOOST_REQUIRE(WriteCacheFile(path, "key", CONTENT));
    const std::string good{Slurp(path)};
    for (size_t i = 0; i < good.size(); ++i) {
        std::string bad{good};
        bad[i] = static_cast<char>(bad[i] ^ 1);
        Spill(path, bad);
        BOOST_CHECK_MESSAGE(!ReadCacheFile(path, "key"), "byte " << i);
        Spill(path, good.substr(0, i));
        BOOST_CHECK_MESSAGE(!ReadCacheFile(path, "key"), "length " << i);
    }
    Spill(path, good + "x");
    BOOST_CHECK(!ReadCacheFile(path, "key"));
    Spill(path, good);
    BOOST_CHECK(ReadCacheFile(path, "key") == CONTENT);
}

BOOST_AUTO_TEST_CASE(not_ours)
{
    const TempDir dir;
    const std::string path{dir.Path() + "/file"};
    BOOST_REQUIRE(WriteCacheFile(path, "key", CONTENT));
    BOOST_REQUIRE_EQUAL(chmod(path.c_str(), 0620), 0);
    BOOST_CHECK(!ReadCacheFile(path, "key"));
    BOOST_REQUIRE_EQUAL(chmod(path.c_str(), 0602), 0);
    BOOST_CHECK(!ReadCacheFile(path, "key"));
    BOOST_REQUIRE_EQUAL(chmod(path.c_str(), 0600), 0);
    BOOST_REQUIRE_EQUAL(symlink(path.c_str(), (dir.Path() + "/link").c_str()), 0);
    BOOST_CHECK(!ReadCacheFile(dir.Path() + "/link", "key"));
    BOOST_REQUIRE_EQUAL(mkfifo((dir.Path() + "/pipe").c_str(), 0600), 0);
    BOOST_CHECK(!ReadCacheFile(dir.Path() + "/pipe", "key")); // and does not wait for a writer
    BOOST_CHECK(!ReadCacheFile(dir.Path(), "key"));
}

/** The user of this process owns what it reads: neither root's files nor, if it is root, another user's. */
BOOST_AUTO_TEST_CASE(files_of_other_users)
{
    if (geteuid() != 0) {
        BOOST_TEST_MESSAGE("SKIPPED: files_of_other_users: only root can make them");
        return;
    }
    const TempDir dir;
    const std::string path{dir.Path() + "/file"};
    BOOST_REQUIRE(WriteCacheFile(path, "key", CONTENT));
    BOOST_REQUIRE_EQUAL(chmod(path.c_str(), 0644), 0);
    BOOST_REQUIRE_EQUAL(chmod(dir.Path().c_str(), 0755), 0);
    BOOST_CHECK(ReadCacheFile(path, "key"));
    const std::string of_root{InChildProcess([&]() -> std::string {
        // If the file cannot be reached, it would be refused for that reason.
        if (seteuid(1) != 0 || faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) return "cannot be tried";
        return ReadCacheFile(path, "key") ? "read" : "refused";
    })};
    if (of_root == "cannot be tried") {
        BOOST_TEST_MESSAGE("SKIPPED: files_of_other_users: no other user can read " << path);
        return;
    }
    BOOST_CHECK_EQUAL(of_root, "refused");
    BOOST_REQUIRE_EQUAL(chown(path.c_str(), 1, static_cast<gid_t>(-1)), 0);
    BOOST_CHECK(!ReadCacheFile(path, "key"));
}

/** Like a file that is cut short while it is read. */
BOOST_AUTO_TEST_CASE(a_file_shorter_than_its_size)
{
    const char* const path{"/sys/kernel/uevent_seqnum"}; // says that it has a page
    struct stat info;
    if (stat(path, &info) != 0 || info.st_uid != geteuid()) {
        BOOST_TEST_MESSAGE("SKIPPED: a_file_shorter_than_its_size: there is none here that would be read");
        return;
    }
    BOOST_CHECK_GT(info.st_size, 1000);
    BOOST_CHECK_LT(Slurp(path).size(), 72U);
    BOOST_CHECK(!ReadCacheFile(path, "key"));
}

BOOST_AUTO_TEST_CASE(no_room)
{
    const TempDir dir;
    const std::string path{dir.Path() + "/file"};
    BOOST_REQUIRE(WriteCacheFile(path, "key", CONTENT));
    // The second write of each file fails after 1000 bytes, the first after 20.
    for (const rlim_t room : {1000U, 20U}) {
        BOOST_CHECK_EQUAL(InChildProcess([&]() -> std::string {
            signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{.rlim_cur = room, .rlim_max = room};
            if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return "no limit";
            return WriteCacheFile(path, "key", std::vector<uint8_t>(2000)) ? "written" : "refused";
        }), "refused");
    }
    BOOST_CHECK(ReadCacheFile(path, "key") == CONTENT);
    BOOST_CHECK_EQUAL(std::distance(std::filesystem::directory_iterator{dir.Path()}, {}), 1);
}

BOOST_AUTO_TEST_CASE(a_path_without_a_directory)
{
    const TempDir dir;
    BOOST_CHECK_EQUAL(InChildProcess([&]() -> std::string {
        if (chdir(dir.Path().c_str()) != 0) return "chdir";
        return WriteCacheFile("file", "key", CONTENT) && ReadCacheFile("file", "key") == CONTENT ? "as any other" : "failed";
    }), "as any other");
}

BOOST_AUTO_TEST_CASE(a_failed_write_leaves_nothing_behind)
{
    const TempDir dir;
    BOOST_CHECK(!WriteCacheFile(dir.Path() + "/not/there/file", "key", CONTENT));
    Spill(dir.Path() + "/plain", "");
    BOOST_CHECK(!WriteCacheFile(dir.Path() + "/plain/file", "key", CONTENT));
    // A directory in the file's place stays, and no temporary file is left.
    BOOST_REQUIRE_EQUAL(mkdir((dir.Path() + "/taken").c_str(), 0700), 0);
    BOOST_REQUIRE_EQUAL(mkdir((dir.Path() + "/taken/sub").c_str(), 0700), 0);
    BOOST_CHECK(!WriteCacheFile(dir.Path() + "/taken/sub", "key", CONTENT));
    BOOST_CHECK_EQUAL(rmdir((dir.Path() + "/taken/sub").c_str()), 0);
    BOOST_CHECK_EQUAL(rmdir((dir.Path() + "/taken").c_str()), 0);
}

BOOST_AUTO_TEST_CASE(no_descriptor_is_left_open)
{
    // A new descriptor has the lowest number that is free.
    const auto next_descriptor{[] {
        const int fd{dup(STDERR_FILENO)};
        BOOST_REQUIRE_GE(fd, 0);
        close(fd);
        return fd;
    }};
    const TempDir dir;
    const int next{next_descriptor()};
    BOOST_REQUIRE(WriteCacheFile(dir.Path() + "/file", "key", CONTENT));
    BOOST_CHECK_EQUAL(next_descriptor(), next);
    BOOST_CHECK(ReadCacheFile(dir.Path() + "/file", "key"));
    BOOST_CHECK(!ReadCacheFile(dir.Path() + "/file", "another"));
    BOOST_CHECK(!ReadCacheFile(dir.Path() + "/none", "key"));
    BOOST_CHECK(!ReadCacheFile(dir.Path(), "key"));
    BOOST_CHECK(!WriteCacheFile(dir.Path() + "/not/there/file", "key", CONTENT));
    BOOST_CHECK(!WriteCacheFile(dir.Path() + "/", "key", CONTENT));
    BOOST_CHECK_EQUAL(next_descriptor(), next);
}

BOOST_AUTO_TEST_SUITE_END()
