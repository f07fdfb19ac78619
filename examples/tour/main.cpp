// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A first tour of the algebra, over the four worked examples of the paper: the fragment of a tensor-core instruction, a matrix
// sharded over a mesh of devices, the scratchpad and the tensor memory of two accelerators.
#include <axe/axe.hpp>

#include <cstdio>

using namespace axe::literals;

/// Prints an answer, or the reason why there is none.
template <class T>
static void show(const char* what, const axe::Result<T>& answer)
{
    if (answer)
        std::printf("  %-34s %s\n", what, axe::print(*answer).c_str());
    else
        std::printf("  %-34s none: %s\n", what, answer.error().message().c_str());
}

/// Prints where one element lives: a point of hardware for each copy of it.
static void show_points(const axe::Layout& layout, const axe::Shape& shape, const axe::Coord& coord)
{
    std::printf("  element %-26s", axe::print(coord).c_str());
    for (const auto& point : axe::points(layout, shape, coord)) std::printf(" %s", axe::print(point).c_str());
    std::printf("\n");
}

static void show_layout(const char* title, const axe::Layout& layout, const axe::Shape& shape)
{
    std::printf("\n%s\n", title);
    std::printf("  %-34s %s\n", "layout", axe::print(layout).c_str());
    std::printf("  %-34s %s\n", "shape", axe::print(shape).c_str());
    show("canonical form", axe::canonicalize(layout));
}

static void fragment()
{
    constexpr auto layout = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;
    const axe::Shape shape{8, 16};
    show_layout("An 8x16 fragment over lanes, registers and warps, held twice", layout, shape);
    show_points(layout, shape, {2, 9});
    show("rows 4 to 7", axe::slice(layout, shape, {{4, 8}, {0, 16}}));
    show("columns 8 to 15", axe::slice(layout, shape, {{0, 8}, {8, 16}}));
    show("columns 6 to 9", axe::slice(layout, shape, {{0, 8}, {6, 10}}));
    show("columns 5 to 11", axe::slice(layout, shape, {{0, 8}, {5, 12}}));
    show("a 2x3 grid of such fragments", axe::tile("(2,3):(3@cta,1@cta)"_axe, {2, 3}, layout, shape));
    // One copy, moved to the origin, is a bijection onto lanes, registers and warps, and so has an inverse.
    constexpr auto one_copy = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)"_axe;
    show("one copy, inverted", axe::inverse(one_copy, {"warp", "lane", "reg"}));
}

static void mesh()
{
    constexpr auto sharded = "(2,32,2,64):(1@gpuid,64@m,2@gpuid,1@m)"_axe;
    const axe::Shape shape{64, 128};
    show_layout("A 64x128 matrix sharded over a 2x2 mesh of devices", sharded, shape);
    show_points(sharded, shape, {40, 100});
    show("what one device holds", axe::local(sharded, {"gpuid"}));
    show("the upper left quarter", axe::slice(sharded, shape, {{0, 32}, {0, 64}}));
    show("inverse", axe::inverse(sharded, {"gpuid", "m"}));

    constexpr auto replicated = "(2,32,128):(1@gpuid,128@m,1@m) + [2:2@gpuid]"_axe;
    show_layout("The same matrix, rows sharded, columns of devices replicated", replicated, shape);
    show_points(replicated, shape, {40, 100});
    const axe::Decision decision = axe::equal(sharded, replicated);
    if (decision)
        std::printf("  both are one layout\n");
    else
        std::printf("  %-34s no, index %lld lies elsewhere\n", "equal to the one before",
                    static_cast<long long>(decision.witness()));
}

static void scratchpad()
{
    constexpr auto layout = "(2,128,512):(512@F,1@P,1@F)"_axe;
    const axe::Shape shape{256, 512};
    show_layout("A 256x512 matrix in a scratchpad of 128 partitions", layout, shape);
    show_points(layout, shape, {200, 7});
    show("rows 128 to 255", axe::slice(layout, shape, {{128, 256}, {0, 512}}));
    show("rows 64 to 191", axe::slice(layout, shape, {{64, 192}, {0, 512}}));
    show("inverse", axe::inverse(layout, {"P", "F"}));
}

static void tensor_memory()
{
    constexpr auto layout = "(2,128,112):(112@TCol,1@TLane,1@TCol)"_axe;
    const axe::Shape shape{256, 112};
    show_layout("A 256x112 accumulator in tensor memory", layout, shape);
    show_points(layout, shape, {130, 5});
    show("its tile: rows 0 to 127", axe::slice(layout, shape, {{0, 128}, {0, 112}}));
    show("the grid of its tiles", axe::untile(layout, shape, "(128,112):(1@TLane,1@TCol)"_axe, {128, 112}));
    show("inverse", axe::inverse(layout, {"TLane", "TCol"}));
}

int main()
{
    fragment();
    mesh();
    scratchpad();
    tensor_memory();
}
