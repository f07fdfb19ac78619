// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_SOURCE_LINE_HPP
#define AXE_PROGRAM_SOURCE_LINE_HPP

#include <string>

namespace axe {
inline namespace v0 {

/// A line of C++ that made a statement, as the last parameter of the functions that do:
///
///   void f(int x, SourceLine at = SourceLine::here());      // the line of the caller of f
///
/// Compilers that have no std::source_location have what this is made of. It refers to the name of the file, a literal of the program.
class SourceLine {
  public:
    static constexpr SourceLine here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) noexcept
    {
        return SourceLine(Of::caller, file, line);
    }

    /// The file without its folders; empty for a statement that no line of C++ made.
    [[nodiscard]] constexpr const char* file() const noexcept
    {
        const char* name = file_;
        for (const char* c = file_; *c != '\0'; ++c)
            if (*c == '/' || *c == '\\') name = c + 1;
        return name;
    }
    [[nodiscard]] constexpr int line() const noexcept { return line_; }
    /// "ring.cpp:42"; empty where none is known.
    [[nodiscard]] std::string text() const { return line_ == 0 ? std::string() : file() + (":" + std::to_string(line_)); }

  private:
    friend struct StatementOrigin;
    enum class Of : unsigned char { caller }; // so that braces in a call are never taken for a line
    constexpr SourceLine(Of, const char* file, int line) noexcept : file_(file), line_(line) {}

    const char* file_;
    int line_;
};

/// Where a statement comes from, for messages.
struct StatementOrigin {
    SourceLine line{SourceLine::Of::caller, "", 0};
    std::string text{}; ///< of an operator that has been lowered: as it was written
};

} // namespace v0
} // namespace axe

#endif
