// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_PRODUCT_ROWS_HPP
#define AXE_SIM_REFERENCE_PRODUCT_ROWS_HPP

#include <axe/sim/reference/elements.hpp>

/// Of a product's D what it reads and writes.
namespace axe {
inline namespace v0 {
namespace ref {

/// A product's D, without the rows that it keeps, which may have no value.
class ProductRows {
  public:
    ProductRows(const Box& box, const std::vector<std::uint32_t>& kept) : box_(box), kept_(kept) {}

    [[nodiscard]] Result<Values, Problem> old() const
    {
        if (kept_.empty()) return read(box_);
        Values out(box_.size());
        const auto take = [&](const Box& row, std::int64_t first) -> Result<void, Problem> {
            const auto old = read(row);
            if (!old) return old.error();
            out.scatter_from(first, 1, *old, 0, old->size());
            return {};
        };
        if (auto e = for_each_row(take); !e.ok()) return e;
        return out;
    }
    [[nodiscard]] Result<void, Problem> write_all(const Values& from) const
    {
        if (kept_.empty()) return write(box_, from);
        return for_each_row([&](const Box& row, std::int64_t first) {
            Values part(row.size());
            part.gather_from(0, from, first, 1, row.size());
            return write(row, part);
        });
    }

  private:
    template <class Do>
    Result<void, Problem> for_each_row(Do act) const
    {
        const View& v = *box_.view;
        Box row = box_;
        row.extents[0] = 1;
        for (std::int64_t i = 0; i < box_.extents[0]; ++i) {
            const auto word = static_cast<std::size_t>(i / 32);
            if (word < kept_.size() && (kept_[word] >> i % 32 & 1) != 0) continue;
            if (v.dims[0] >= 0) row.origin[v.dims[0]] = box_.origin[v.dims[0]] + i * v.steps[0];
            if (auto e = act(row, i * row.size()); !e.ok()) return e;
        }
        return {};
    }

    const Box& box_;
    const std::vector<std::uint32_t>& kept_;
};

} // namespace ref
} // namespace v0
} // namespace axe

#endif
