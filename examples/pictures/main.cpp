// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws the pictures of the documentation: axe_example_pictures FOLDER
#include <axe/axe.hpp>
#include <axe/picture/svg.hpp>

#include <cstdio>
#include <string>

using namespace axe::literals;

using Tile = axe::Swizzled<axe::Layout>;

namespace {

/// A drawing of a row of the table below, on its way into the folder.
struct Drawing {
    const char* name;
    Tile tile;
    axe::Shape shape;
    axe::PictureOptions options;
};

Tile plain(const axe::Layout& layout) { return {{}, {}, 1, layout}; }

axe::PictureOptions titled(axe::PictureView view, const char* title)
{
    axe::PictureOptions options;
    options.view = view;
    options.title = title;
    return options;
}
axe::PictureOptions logical(const char* title) { return titled(axe::PictureView::logical, title); }
axe::PictureOptions hardware(const char* title) { return titled(axe::PictureView::hardware, title); }

/// Eight lanes take eight elements each, 16 bytes of a row: what one quarter of an ldmatrix reads.
axe::PictureOptions rows(const char* title, const axe::Layout& access)
{
    auto options = titled(axe::PictureView::banks, title);
    options.access = access;
    options.vector = 8;
    return options;
}

axe::PictureOptions by_bank(const char* title)
{
    auto options = logical(title);
    options.color = axe::Axis{"bank"};
    return options;
}

// Figure 2 of the paper. The mesh and the scratchpad are drawn smaller than they are there (64x128 and 256x512).
constexpr auto fragment = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;
constexpr auto sharded = "(2,4,2,4):(1@gpuid,4@m,2@gpuid,1@m)"_axe;
constexpr auto replicated = "(2,4,8):(1@gpuid,8@m,1@m) + [2:2@gpuid]"_axe;
constexpr auto scratchpad = "(2,4,8):(8@F,1@P,1@F)"_axe;

// The operands of mma.m16n8k16 with 16-bit factors, as the PTX manual draws them.
constexpr auto mma_a = "(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg)"_axe;
constexpr auto mma_b = "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane)"_axe;
constexpr auto mma_c = "(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)"_axe;

const Drawing drawings[] = {
    {"fragment-logical", plain(fragment), {8, 16}, logical("A fragment of 8 x 16, held twice: the tensor")},
    {"fragment-hardware", plain(fragment), {8, 16}, hardware("A fragment of 8 x 16, held twice: the warps")},
    {"sharded-logical", plain(sharded), {8, 8}, logical("Sharded over a 2 x 2 mesh: the tensor")},
    {"sharded-hardware", plain(sharded), {8, 8}, hardware("Sharded over a 2 x 2 mesh: the devices")},
    {"sharded-full",
     plain("(2,32,2,64):(1@gpuid,64@m,2@gpuid,1@m)"_axe),
     {64, 128},
     logical("64 x 128, sharded over a 2 x 2 mesh")},
    {"replicated-logical", plain(replicated), {8, 8}, logical("Sharded by rows and replicated: the tensor")},
    {"replicated-hardware", plain(replicated), {8, 8}, hardware("Sharded by rows and replicated: the devices")},
    {"scratchpad-logical", plain(scratchpad), {8, 8}, logical("A scratchpad of partitions: the tensor")},
    {"scratchpad-hardware", plain(scratchpad), {8, 8}, hardware("A scratchpad of partitions: the memory")},
    {"swizzle-128-chunks",
     {{3, 4, 3}, {}, 16, "(8,8):(8,1)"_axe},
     {8, 8},
     by_bank("The 128-byte swizzle: 8 rows of 8 chunks of 16 bytes")},
    {"swizzle-128-banks",
     {{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe},
     {8, 64},
     rows("The 128-byte swizzle: a column of 8 chunks", "(8,8):(64,1)"_axe)},
    {"swizzle-64-banks",
     {{2, 4, 3}, {}, 2, "(8,32):(32,1)"_axe},
     {8, 32},
     rows("The 64-byte swizzle: a column of 8 chunks", "(8,8):(32,1)"_axe)},
    {"swizzle-32-banks",
     {{1, 4, 3}, {}, 2, "(8,16):(16,1)"_axe},
     {8, 16},
     rows("The 32-byte swizzle: a column of 8 chunks", "(8,8):(16,1)"_axe)},
    {"mma-a-logical", plain(mma_a), {16, 16}, logical("mma.m16n8k16, factor A (m x k)")},
    {"mma-a-hardware", plain(mma_a), {16, 16}, hardware("mma.m16n8k16, factor A: the lanes")},
    {"mma-b-logical", plain(mma_b), {16, 8}, logical("mma.m16n8k16, factor B (k x n)")},
    {"mma-c-logical", plain(mma_c), {16, 8}, logical("mma.m16n8k16, sum C (m x n)")},
};

bool write(const std::string& path, const std::string& text)
{
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return false;
    const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fclose(file) == 0 && whole;
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "use: axe_example_pictures FOLDER\n");
        return 2;
    }
    for (const Drawing& d : drawings) {
        const std::string path = std::string(arguments[1]) + "/" + d.name + ".svg";
        const auto svg = axe::svg(d.tile, d.shape, d.options);
        if (!svg) {
            std::fprintf(stderr, "%s: %s\n", d.name, svg.error().message().c_str());
            return 1;
        }
        if (!write(path, *svg)) {
            std::fprintf(stderr, "%s cannot be written\n", path.c_str());
            return 1;
        }
        std::printf("%s\n", path.c_str());
    }
}
