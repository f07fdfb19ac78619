// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RELAYOUT_NPY_HPP
#define AXE_CLI_RELAYOUT_NPY_HPP

#include <axe/tensor/npy.hpp>

#include <string>
#include <string_view>

namespace axe_cli {

/// What a .npy file says of its elements, of whatever type.
struct NpyFile {
    std::string descr{}; ///< as the header has it, in quotes, or the list of a record
    axe::Shape shape{};
    bool is_fortran = false;
    std::int64_t width = 0; ///< bytes of an element
    std::int64_t elements = 0;
    std::int64_t start = 0, bytes = 0; ///< of the data
    bool swapped = false;              ///< the other byte order than this machine's
    char kind = '?';                   ///< f, i, u, b, c, V, ...
    std::optional<axe::DType> type{};  ///< what values the elements are, where they are of a type of axe

    /// Its name for a message: <f4, or "records of 12 bytes".
    [[nodiscard]] std::string type_words() const;
    /// What it has: "elements of the type <f4", or "records of 12 bytes".
    [[nodiscard]] std::string content_words() const;
};

/// Reads the head of a file that is there as a whole, and compares its length with the shape's. Objects are refused.
axe::Result<NpyFile, axe::Problem> read_npy_file(std::string_view file, const std::string& path);

/// The head of a file with such elements, row-major; its length is a multiple of 64.
std::string npy_head(const std::string& descr, const axe::Shape& shape);

/// How a type's elements are called in a file, in quotes: '<f4'; as `write_npy` calls them.
std::string npy_descr(axe::DType type);

} // namespace axe_cli

#endif
