// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose template argument is a layout: what it evaluates to is known to the compiler of the device.
//
// A kernel gets its layout as a type that names it. nvcc writes the template arguments of a kernel out in the host's code, where the
// arrays inside a layout have no spelling; device functions take the value itself.
#include <axe/layout/static_layout.hpp>

struct ColumnMajor {
    static constexpr axe::Layout layout = *axe::make_layout({{32, 1}, {8, 32}});
    static constexpr int elements = static_cast<int>(*axe::size(layout));
    static constexpr int columns = static_cast<int>(layout.shard[1].extent);
};

struct Fragment {
    static constexpr axe::Layout layout = *axe::make_layout({{8, 4, "lane"}, {4, 1, "lane"}, {2, 1, "reg"}}, {}, {{"lane", 32}});
};

/// The value as a template argument of a device function.
template <axe::Layout L>
__device__ int address(int row, int column)
{
    constexpr axe::Iter rows = L.shard[0], columns = L.shard[1];
    return static_cast<int>(row * rows.stride + column * columns.stride);
}

template <class Tile>
__global__ void scatter(const float* from, float* to)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < Tile::elements) to[address<Tile::layout>(i / Tile::columns, i % Tile::columns)] = from[i];
}

/// The same by evaluation.
template <class Tile>
__global__ void scatter_evaluated(const float* from, float* to)
{
    constexpr axe::static_layout<Tile::layout> to_address{};
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < Tile::elements) to[to_address(i)] = from[i];
}

/// Several axes.
template <class Tile>
__global__ void owners(long* lanes, long* registers)
{
    using tile = axe::static_layout<Tile::layout, 8, 8>;
    const int row = static_cast<int>(threadIdx.y), column = static_cast<int>(threadIdx.x);
    lanes[row * 8 + column] = tile::template on<"lane">(row, column);
    registers[row * 8 + column] = tile::template on<"reg">(row, column);
}

/// The layout itself as the kernel's template argument, deduced from a value whose type is spelled in integers.
template <class Layout>
__global__ void scatter_to(Layout layout, const float* from, float* to)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < Layout::size()) to[layout(i)] = from[i];
}

void launch(const float* from, float* to, long* lanes, long* registers)
{
    scatter<ColumnMajor><<<1, 256>>>(from, to);
    scatter_evaluated<ColumnMajor><<<1, 256>>>(from, to);
    scatter_to<<<1, 256>>>(axe::static_layout<ColumnMajor::layout>::self(), from, to);
    owners<Fragment><<<1, dim3(8, 8)>>>(lanes, registers);
}
