// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RELAYOUT_PADDING_HPP
#define AXE_CLI_RELAYOUT_PADDING_HPP

#include <axe/tensor/dtype.hpp>
#include <axe/tensor/problem.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace axe_cli {

/// The elements that are padded.
struct PaddedElement {
    std::int64_t width = 0;           ///< bytes
    char kind = '?';                  ///< NumPy's letter, where there is no type
    std::optional<axe::DType> type{}; ///< what values they are, where they are some
    bool swapped = false;             ///< in the other byte order than this processor's
    std::string words{};              ///< its type, for a message
};

/// The bits of a value as it was typed: a number, or hexadecimal digits, which are the bits in the file.
axe::Result<std::uint64_t, axe::Problem> read_padding(const std::string& text, const PaddedElement& element);

} // namespace axe_cli

#endif
