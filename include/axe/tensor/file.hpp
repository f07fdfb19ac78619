// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_FILE_HPP
#define AXE_TENSOR_FILE_HPP

#include <axe/tensor/problem.hpp>

#include <cstdio>
#include <initializer_list>
#include <memory>

/// Files read and written with every failure a problem, and never half a file under its name.
namespace axe {
inline namespace v0 {
namespace detail {

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

/// A file open for reading, and how many bytes it has: −1 where that is not known before (a pipe, a device).
struct InputFile {
    FileHandle handle{};
    std::int64_t bytes = -1;
};

/// `errc::bad_argument` with what the system says, and for folders.
AXE_DECL Result<InputFile, Problem> open_file(const std::string& path);

} // namespace detail

/// Writes a file whole or not at all: beside its place under another name, then renamed. What was there before stays until then,
/// and after a failure. A link is followed. Not forced to the disk: a power failure may still lose it.
///
/// What is not a plain file (a device, a pipe) is written to as it is. `errc::bad_argument` with what the system says.
AXE_DECL Result<void, Problem> write_file(const std::string& path, std::initializer_list<std::string_view> parts);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/tensor/impl/file.hpp>
#endif

#endif
