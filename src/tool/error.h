// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_ERROR_H
#define SLHCONSENSUS_TOOL_ERROR_H

#include <stdexcept>
#include <string>

namespace slhc::tool {

/** The status with which the process ends. */
enum ExitStatus : int {
    EXIT_VALID = 0,     //!< done; and where something was verified, it is valid
    EXIT_INVALID = 1,   //!< something was verified and is not valid
    EXIT_BAD_INPUT = 2, //!< bad usage or bad input, with one line on standard error
};

/** Bad usage or bad input. The message says where and what, in one line: "tx.json: spent_outputs[1].amount:
 *  not a number". */
class InputError : public std::runtime_error
{
public:
    explicit InputError(const std::string& what) : std::runtime_error{what} {}
    InputError(const std::string& where, const std::string& what) : std::runtime_error{where + ": " + what} {}
};

/** Run f; an InputError out of it is thrown again with the place put before it. */
template <typename F>
auto Within(const std::string& where, F&& f)
{
    try {
        return f();
    } catch (const InputError& e) {
        throw InputError{where, e.what()};
    }
}

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_ERROR_H
