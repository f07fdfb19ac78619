// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_IMPL_COORDINATES_HPP
#define AXE_INTEROP_SPYRE_IMPL_COORDINATES_HPP

#include <axe/interop/spyre/coordinates.hpp>
#include <axe/map/empty.hpp>
#include <axe/map/simplify.hpp>
#include <axe/support/errors.hpp>

#include <algorithm>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

/// Takes an index apart by steps, the largest first:  ⌊rest/step⌋, and the rest goes on.
class CoordinateReader {
  public:
    /// @param index  a map of one result, a host offset
    explicit CoordinateReader(const IndexingMap& index) : map_(index), rest_(index.results[0]) { map_.results.clear(); }

    /// ⌊rest/step⌋ in [0, size) everywhere? `words` say which coordinate leaves it.
    Result<IndexExpr> take(std::int64_t step, std::int64_t size, int number, const char* words)
    {
        const IndexExpr value = map_.pool.floor_div(rest_, step);
        rest_ = map_.pool.mod(rest_, step);
        if (!map_.pool.error().ok()) return map_.pool.error();
        const auto inside = is_always(map_, {value, {0, size - 1}});
        if (inside.undecided()) return inside.error();
        if (inside.no()) return Error(errc::out_of_domain, number, words, number, size);
        return value;
    }
    /// Is nothing left?
    Status finish()
    {
        const auto done = is_always(map_, {rest_, {0, 0}});
        if (done.undecided()) return done.error();
        if (done) return {};
        return Error(errc::no_layout, -1, "the index selects host elements between those that the device dimensions step to");
    }
    void start(IndexExpr rest) { rest_ = rest; }
    IndexingMap& map() { return map_; }

  private:
    IndexingMap map_;
    IndexExpr rest_;
};

/// The numbers of the entries that move, by falling steps; of equal ones the first.
template <class Steps>
std::vector<int> by_falling_steps(const Steps& steps, const Shape& sizes)
{
    std::vector<int> order;
    for (int i = 0; i < steps.size(); ++i)
        if (steps[i] > 0 && sizes[i] > 1) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return steps[a] != steps[b] ? steps[a] > steps[b] : a < b; });
    return order;
}

/// One result, of a map that something is known of?
inline Status check_index(const IndexingMap& index)
{
    if (index.is_undefined) return axe::detail::undefined_map();
    if (!index.pool.error().ok()) return index.pool.error();
    if (index.results.size() == 1) return {};
    return Error(errc::rank_mismatch, -1, "a host offset is one number; the map has {0} results",
                 static_cast<std::int64_t>(index.results.size()));
}

} // namespace detail

AXE_DECL Result<IndexingMap> device_coordinates(const SpyreLayout& layout, const IndexingMap& index)
{
    if (const Status e = check(layout); !e.ok()) return e;
    if (const Status e = detail::check_index(index); !e.ok()) return e;
    detail::CoordinateReader read(index);
    IndexingMap& out = read.map();
    out.results.assign(static_cast<std::size_t>(layout.device_size.size()), out.pool.constant(0));
    for (const int j : detail::by_falling_steps(layout.stride_map, layout.device_size)) {
        const auto value = read.take(layout.stride_map[j], layout.device_size[j], j,
                                     "the coordinate of device dimension {0} leaves [0, {1}) somewhere");
        if (!value) return value.error();
        out.results[static_cast<std::size_t>(j)] = *value;
    }
    if (const Status e = read.finish(); !e.ok()) return e;
    return simplify(out);
}

AXE_DECL Result<IndexingMap> device_coordinates(const Tensor& tensor, const IndexingMap& index)
{
    if (const Status e = check(tensor.device); !e.ok()) return e;
    if (const Status e = detail::check_index(index); !e.ok()) return e;
    detail::CoordinateReader read(index);
    IndexingMap& out = read.map();
    read.start(out.pool.add(index.results[0], -tensor.torch.offset));
    std::vector<IndexExpr> x(static_cast<std::size_t>(tensor.host.shape.size()), out.pool.constant(0));
    for (const int d : detail::by_falling_steps(tensor.host.strides, tensor.host.shape)) {
        const auto value =
            read.take(tensor.host.strides[d], tensor.host.shape[d], d, "the index of host dimension {0} leaves [0, {1}) somewhere");
        if (!value) return value.error();
        x[static_cast<std::size_t>(d)] = *value;
    }
    if (const Status e = read.finish(); !e.ok()) return e;
    for (int j = 0; j < tensor.digits.size(); ++j) {
        const Digit& digit = tensor.digits[j];
        IndexExpr value = out.pool.constant(0);
        if (digit.dim >= 0) {
            value = x[static_cast<std::size_t>(digit.dim)];
            InlineVector<std::int64_t, max_rank> weights; // of the digits outside, the nearest first
            for (int k = digit.outer; k >= 0; k = tensor.digits[k].outer) weights.push_back(tensor.digits[k].weight);
            for (int k = weights.size() - 1; k >= 0; --k) value = out.pool.mod(value, weights[k]);
            value = out.pool.floor_div(value, digit.weight);
        }
        out.results.push_back(value);
    }
    if (!out.pool.error().ok()) return out.pool.error();
    return simplify(out);
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
