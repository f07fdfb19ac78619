// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_BENCH_ALGEBRA_LAYOUTS_HPP
#define AXE_BENCH_ALGEBRA_LAYOUTS_HPP

#include "harness.hpp"

/// The layouts that the operations are measured on: 3 to 6 iters, at most 2^12 elements, so that 2^50 times as many fit 64 bits.
/// The factors go to two extents, and the strides follow as if a larger tensor had been laid out the same way.
namespace bench {

using axe::Layout;
using axe::Region;
using axe::Shape;

/// A layout on a shape that groups it.
struct Shaped {
    Layout layout;
    Shape shape;
};

/// A tensor-core accumulator over lanes and registers of two warps, repeated four warps further on.      [Axe 2.3]
inline Shaped fragment(Factors f)
{
    return {{{{8 * f.a, 4, "lane"}, {2, 1, "warp"}, {4, 1, "lane"}, {2 * f.b, 1, "reg"}}, {{2, 4, "warp"}}, {{"warp", 5}}},
            {8 * f.a, 16 * f.b}};
}

/// Rows and columns sharded over a 2×2 mesh of devices, the shards row-major in each, and the whole on a second mesh as well.
inline Shaped mesh(Factors f)
{
    return {{{{2, 2, "gpuid"}, {16 * f.a, 8 * f.b, "m"}, {2, 1, "gpuid"}, {8 * f.b, 1, "m"}}, {{2, 4, "gpuid"}}},
            {32 * f.a, 16 * f.b}};
}

/// Rows over the partitions of a scratchpad, the tiles of a row one after another in the free dimension.
inline Shaped scratchpad(Factors f)
{
    return {{{{2, 32 * f.b, "F"}, {16 * f.a, 1, "P"}, {32 * f.b, 1, "F"}}}, {32 * f.a, 32 * f.b}};
}

/// Six digits that alternate between two axes: none merge.
inline Shaped interleaved(Factors f)
{
    return {{{{4 * f.a, 8, "lane"}, {2, 4 * f.b, "m"}, {2, 4, "lane"}, {2, 2 * f.b, "m"}, {4, 1, "lane"}, {2 * f.b, 1, "m"}}},
            {8 * f.a, 32 * f.b}};
}

/// A matrix in memory, tile after tile, each row-major.
inline Shaped tiled(Factors f)
{
    return {{{{4, 512 * f.a * f.b, "m"}, {16 * f.a, 8 * f.b, "m"}, {4, 128 * f.a * f.b, "m"}, {8 * f.b, 1, "m"}}},
            {64 * f.a, 32 * f.b}};
}

/// Two replica iters, one of them backwards, and an offset on three axes.
inline Shaped replicated(Factors f)
{
    return {{{{4 * f.a, 8, "lane"}, {8, 1, "lane"}, {16 * f.b, 1, "m"}},
             {{2, 4, "warp"}, {4, -16, "warp"}},
             {{"lane", 3}, {"m", 64}, {"warp", 5}}},
            {32 * f.a, 16 * f.b}};
}

/// The same layouts as a front end writes them: digits of extent 1, digits that could be merged, turned replicas.
inline Layout fragment_split(Factors f)
{
    return {{{8 * f.a, 4, "lane"}, {2, 1, "warp"}, {2, 2, "lane"}, {2, 1, "lane"}, {2 * f.b, 1, "reg"}},
            {{2, -4, "warp"}},
            {{"warp", 9}}};
}
inline Layout mesh_split(Factors f)
{
    return {{{2, 2, "gpuid"}, {4 * f.a, 32 * f.b, "m"}, {4, 8 * f.b, "m"}, {2, 1, "gpuid"}, {1, 5, "m"}, {8 * f.b, 1, "m"}},
            {{2, -4, "gpuid"}},
            {{"gpuid", 4}}};
}
inline Layout scratchpad_split(Factors f)
{
    return {{{2, 32 * f.b, "F"}, {4 * f.a, 4, "P"}, {4, 1, "P"}, {2 * f.b, 16, "F"}, {16, 1, "F"}}};
}
inline Layout interleaved_same(Factors f) { return interleaved(f).layout; }
inline Layout replicated_split(Factors f)
{
    return {{{4 * f.a, 8, "lane"}, {2, 4, "lane"}, {4, 1, "lane"}, {16 * f.b, 1, "m"}},
            {{4, 16, "warp"}, {2, -4, "warp"}},
            {{"lane", 3}, {"m", 64}, {"warp", -39}}};
}

} // namespace bench

#endif
