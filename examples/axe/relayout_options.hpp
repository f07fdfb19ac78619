// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_RELAYOUT_OPTIONS_HPP
#define AXE_CLI_RELAYOUT_OPTIONS_HPP

#include "options.hpp"

#include <axe/tensor/dtype.hpp>

namespace axe_cli {

/// `--pitch P=64`: neighbors on the axis are so many elements apart.
struct Pitch {
    axe::Axis axis;
    std::int64_t elements;
};

/// What was typed after `axe relayout`.
struct RelayoutRequest {
    std::string in{}, out{}; ///< `out` may be empty where only the plan is asked for
    std::optional<SwizzledLayout> from{}, to{};
    std::optional<axe::Shape> shape{}, from_shape{}, to_shape{}, out_shape{};
    std::vector<Pitch> pitches{};
    std::string padding{}; ///< not read before the type of the elements is known; empty: none
    std::optional<axe::DType> as{}, of{};
    double scale = 1;
    bool accumulate = false, plan = false, quiet = false;
    int threads = 1;
};

std::span<const Option> relayout_options();

/// The request, or a message that says what would be right; under a text that cannot be read, a caret.
axe::Result<RelayoutRequest, axe::Problem> read_relayout_request(Fields arguments);

/// Usage, options, an example.
std::string relayout_page();

} // namespace axe_cli

#endif
