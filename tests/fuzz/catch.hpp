// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_FUZZ_CATCH_HPP
#define AXE_TESTS_FUZZ_CATCH_HPP

#include <tests/fuzz/stop.hpp>

#include <sstream>

/// Stands in for Catch2 where the fuzzer includes a file of tests/laws or tests/unit for the checks written there: what does not hold
/// ends the program, and the test cases themselves are functions that nobody calls.

namespace fuzz {

/// What INFO said last.
inline std::string& note()
{
    static std::string text;
    return text;
}

inline void check(bool holds, const char* expression)
{
    if (!holds) stop(std::string(expression) + " does not hold:" + note());
}

} // namespace fuzz

#define AXE_FUZZ_JOIN(a, b) a##b
#define AXE_FUZZ_CASE(line) AXE_FUZZ_JOIN(test_case_, line)
#define TEST_CASE(...) [[maybe_unused]] static void AXE_FUZZ_CASE(__LINE__)()
#define INFO(...) fuzz::note() = static_cast<std::ostringstream&&>(std::ostringstream{} << __VA_ARGS__).str()
#define CHECK(...) fuzz::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__)
#define CHECK_FALSE(...) fuzz::check(!static_cast<bool>(__VA_ARGS__), "!(" #__VA_ARGS__ ")")
#define REQUIRE(...) CHECK(__VA_ARGS__)
#define REQUIRE_FALSE(...) CHECK_FALSE(__VA_ARGS__)

#endif
