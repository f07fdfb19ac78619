// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_GEMM_REDUCE_SCATTER_SIZES_HPP
#define AXE_EXAMPLES_GEMM_REDUCE_SCATTER_SIZES_HPP

#include "../common/device_gemm.hpp"

namespace examples {

/// A matrix product whose inner dimension is distributed to devices, each of which keeps a share of the rows.
struct ReduceScatter {
    std::int64_t devices, M, N, K, launches;
    [[nodiscard]] std::int64_t share() const { return M / devices; }
    [[nodiscard]] std::int64_t per() const { return K / devices; }
    [[nodiscard]] axe::Layout columns_of(std::int64_t rows) const // columns distributed
    {
        return {{{rows, per()}, {devices, 1, "gpuid"}, {per(), 1}}, {}, {}};
    }
    [[nodiscard]] axe::Layout by_rows(std::int64_t elements) const // rows distributed, so many elements a device
    {
        return {{{devices, 1, "gpuid"}, {elements, 1}}, {}, {}};
    }
};

/// The tensors of a product that is added up tile by tile: `terms` has a copy on each device; the flags of a tile are its owner's.
struct ReduceScatterTiles {
    axe::Kernel& k;
    const ReduceScatter& s;
    axe::TensorRef A, B, C, terms, arrived,
        taken; ///< arrived: terms of a tile, all launches; taken: launches whose terms were read

    /// The device's terms of a tile of the owner, when those of the launch before have been read.
    void multiply(axe::Scope cta, const axe::Affine& owner, const axe::Affine& row, const axe::Affine& column,
                  std::int64_t launch) const
    {
        const DeviceTile tile(cta);
        const axe::Interval rows(owner * s.share() + 64 * row, 64), columns(64 * column, 64);
        tile.multiply(cta, A, B, rows, columns, k.device() * s.per(), s.per());
        if (launch > 0) cta.signal_wait(taken.remote(owner)(owner, row, column), axe::Affine(launch));
        cta.copy(terms(rows, columns), tile.acc);
    }
    /// The sums of a tile of the device's own, whose terms have arrived.
    void add_up(axe::Scope cta, const axe::Affine& row, const axe::Affine& column, std::int64_t launch, bool in_network) const
    {
        const axe::Interval rows(k.device() * s.share() + 64 * row, 64), columns(64 * column, 64);
        const auto registers = [&](axe::DType type, const char* name) {
            return cta.alloc(axe::Role::registers, {64, 64}, type, axe::LayoutHint::registers, name);
        };
        const auto has_read = [&] {
            if (launch + 1 < s.launches) cta.signal(taken(k.device(), row, column), axe::Affine(launch + 1));
        };
        if (in_network) {
            const auto sum = registers(axe::DType::f16, "sum");
            cta.load_reduce(axe::Function::add, sum, terms(rows, columns));
            has_read();
            cta.copy(C(rows, columns), sum);
            return;
        }
        const auto term = registers(axe::DType::f32, "term"), sum = registers(axe::DType::f32, "sum");
        add_terms(cta, sum, term, terms, rows, columns, s.devices);
        has_read();
        cta.copy(C(rows, columns), sum);
    }
};

} // namespace examples

#endif
