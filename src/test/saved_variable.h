// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_SAVED_VARIABLE_H
#define SLHCONSENSUS_TEST_SAVED_VARIABLE_H

#include <cstdlib>
#include <optional>
#include <string>

namespace slhc::test {

/** Sets an environment variable as long as it lives. */
class SavedVariable
{
public:
    SavedVariable(const char* name, const char* value) : m_name{name}
    {
        if (const char* const before{std::getenv(name)}) m_before = before;
        setenv(name, value, 1);
    }
    ~SavedVariable()
    {
        if (m_before) {
            setenv(m_name, m_before->c_str(), 1);
        } else {
            unsetenv(m_name);
        }
    }
    SavedVariable(const SavedVariable&) = delete;
    SavedVariable& operator=(const SavedVariable&) = delete;

private:
    const char* m_name;
    std::optional<std::string> m_before;
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_SAVED_VARIABLE_H
