// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_CROSS_CATCH_HPP
#define AXE_TESTS_CROSS_CATCH_HPP

/// As much of Catch2 as kernels.cpp needs, and a main: for a processor that Catch2 is not compiled for. The first failure ends the run.
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace cross {

struct Case {
    const char* name;
    void (*run)();
};
inline std::vector<Case> cases;
/// What INFO says, the innermost scope last.
inline std::vector<std::string> notes;

struct Registration {
    Registration(const char* name, void (*run)()) { cases.push_back({name, run}); }
};
struct Note {
    explicit Note(std::string text) { notes.push_back(std::move(text)); }
    Note(const Note&) = delete;
    Note& operator=(const Note&) = delete;
    ~Note() { notes.pop_back(); }
};

inline long checks = 0;
inline void check(bool holds, const char* text, int line)
{
    ++checks;
    if (holds) return;
    std::printf("line %d: %s\n", line, text);
    for (const std::string& note : notes) std::printf("  %s\n", note.c_str());
    std::exit(1);
}

} // namespace cross

#define CROSS_JOIN_(a, b) a##b
#define CROSS_JOIN(a, b) CROSS_JOIN_(a, b)
#define TEST_CASE(name)                                                                                                            \
    static void CROSS_JOIN(run_, __LINE__)();                                                                                      \
    static const cross::Registration CROSS_JOIN(registration_, __LINE__)(name, CROSS_JOIN(run_, __LINE__));                        \
    static void CROSS_JOIN(run_, __LINE__)()
#define REQUIRE(...) cross::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __LINE__)
#define CHECK(...) REQUIRE(__VA_ARGS__)
#define CHECK_FALSE(...) cross::check(!(__VA_ARGS__), "not " #__VA_ARGS__, __LINE__)
#define INFO(...) const cross::Note CROSS_JOIN(note_, __LINE__)((std::ostringstream() << __VA_ARGS__).str())

int main()
{
    for (const cross::Case& c : cross::cases) {
        c.run();
        std::printf("passed: %s\n", c.name);
    }
    std::printf("%ld checks\n", cross::checks);
    return cross::cases.empty() ? 1 : 0;
}

#endif
