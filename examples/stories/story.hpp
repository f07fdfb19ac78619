// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_STORIES_STORY_HPP
#define AXE_STORIES_STORY_HPP

#include "setting.hpp"

#include <axe/kernels.hpp>

#include <span>

namespace stories {

/// What a run of a story came to, apart from faults and wrong numbers, which every run is checked for.
struct Conclusion {
    std::vector<std::string> lines{};
    bool ok = true; ///< does it hold what the story says?
};

/// What a story may look at when all is done.
struct Ending {
    const axe::Program& program;
    const axe::Lowered& lowered;
    const axe::Bindings& inputs;
    const axe::Bindings& outputs;
    const axe::sim::Counters& total;
};

/// A kernel worth telling: what it is of, and what it takes. One folder an example, one row in stories.cpp.
struct Story {
    const char* name;
    const char* what; ///< in a line
    std::vector<Parameter> parameters;
    std::vector<const char*> machines; ///< on which it runs; the first unless another is asked for
    std::vector<int> devices{1};       ///< how many it may run on; the first unless another is asked for

    axe::Outcome<axe::Program> (*build)(const Setting&);
    axe::Outcome<axe::Bindings> (*inputs)(const Setting&, const axe::Program&);
    axe::Outcome<Conclusion> (*conclude)(const Setting&, const Ending&);
};

/// All of them, in the order to be read in.
std::span<const Story> table();

/// The story of that name; null when there is none.
const Story* find(std::string_view name);

// The rows. Each is defined in examples/<name>/story.cpp.
extern const Story copy, transpose, gemm, reduce_scatter, gemm_reduce_scatter, softmax, digits, spyre_linear;

} // namespace stories

#endif
