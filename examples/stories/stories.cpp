// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all stories. Another one is a folder with a story.cpp, a name in story.hpp and a line here.
#include "story.hpp"

namespace stories {

std::span<const Story> table()
{
    static const Story rows[] = {copy, transpose, gemm, softmax, reduce_scatter, gemm_reduce_scatter, digits, spyre_linear};
    return rows;
}

const Story* find(std::string_view name)
{
    for (const Story& story : table())
        if (name == story.name) return &story;
    return nullptr;
}

} // namespace stories
