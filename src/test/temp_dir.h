// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_TEMP_DIR_H
#define SLHCONSENSUS_TEST_TEMP_DIR_H

#include <filesystem>
#include <stdexcept>
#include <string>

#include <stdlib.h>

namespace slhc::test {

/** A new directory, removed with all that is in it. */
class TempDir
{
public:
    TempDir() : m_path{(std::filesystem::temp_directory_path() / "slhc_test_XXXXXX").string()}
    {
        if (!mkdtemp(m_path.data())) throw std::runtime_error{"mkdtemp"};
    }
    ~TempDir()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] const std::string& Path() const { return m_path; }

private:
    std::string m_path;
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_TEMP_DIR_H
