// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_HANDLES_HPP
#define AXE_PROGRAM_HANDLES_HPP

#include <axe/program/program.hpp>

#include <optional>

/// What a kernel's text is made of: intervals and tiles of index space, tensors and their views.
namespace axe {
inline namespace v0 {

class Kernel;

/// `extent` indices from `begin` on. One index alone picks it: the view loses the dimension.
struct Interval {
    Affine begin{};
    std::int64_t extent = 1;
    bool picks = false;

    Interval() = default;
    Interval(Affine first, std::int64_t count) : begin(std::move(first)), extent(count) {}
    Interval(Affine index) : begin(std::move(index)), picks(true) {} // NOLINT(google-explicit-constructor)
    Interval(Var index) : Interval(Affine(index)) {}                 // NOLINT(google-explicit-constructor)
    Interval(std::int64_t index) : Interval(Affine(index)) {}        // NOLINT(google-explicit-constructor)
    Interval(int index) : Interval(Affine(index)) {}                 // NOLINT(google-explicit-constructor)
};

/// A whole dimension, whatever its extent.
inline const Interval all{Affine(0), -1};

/// A box of index space: an interval a dimension. Of matrices, `rows` and `cols` are the first two.
struct Tile {
    std::vector<Interval> intervals{};
    Interval rows{}, cols{};
    /// The number of the tile in each dimension.
    std::vector<Affine> index{};
    /// Of the block of a grid with clusters: its rank in the cluster, row-major, and the place there in each dimension.
    Affine rank{};
    std::vector<Affine> in_cluster{};
};

/// A shape cut into tiles of one size; where it does not divide, the last tiles cross the edge, and views of them are guarded.
struct Tiles {
    Shape shape{}, tile{};
    /// ⌈shape / tile⌉ in each dimension, 0 where the tile has none; overfull where the shape is.
    [[nodiscard]] Shape counts() const
    {
        Shape out;
        for (int d = 0; d < shape.held(); ++d)
            out.push_back(d >= tile.held() || tile[d] < 1 ? 0 : (shape[d] + tile[d] - 1) / tile[d]);
        out.count = shape.count;
        return out;
    }
};

inline Tiles tiles(const Shape& shape, const Shape& tile) { return {shape, tile}; }
inline Tiles tiles(std::int64_t extent, std::int64_t tile) { return {Shape{extent}, Shape{tile}}; }

/// How many neighboring blocks of a grid are a cluster, in each dimension.
struct Clusters {
    Shape shape{};
    bool large = false; ///< up to twice as many blocks as every product of the machine takes
};

/// How a tensor is stored: a layout, with or without a swizzle, or a hint to the target. `{}` is row-major.
struct Placement {
    Swizzled<Layout> layout{};
    bool given = false;
    LayoutHint hint = LayoutHint::none;

    Placement() = default;
    Placement(const Layout& l) : given(true) { layout.layout = l; }  // NOLINT(google-explicit-constructor)
    Placement(const Swizzled<Layout>& l) : layout(l), given(true) {} // NOLINT(google-explicit-constructor)
    Placement(const Result<Layout>& l) : Placement(l.value_or(Layout{}))
    {
        given = l.has_value();
    } // NOLINT(google-explicit-constructor)
    Placement(LayoutHint h) : hint(h) {} // NOLINT(google-explicit-constructor)
};

inline constexpr LayoutHint conflict_free = LayoutHint::conflict_free;
inline constexpr LayoutHint accumulator = LayoutHint::accumulator;

/// A view while the kernel is being written.
class ViewRef {
  public:
    ViewRef(Kernel& kernel, View view) : kernel_(&kernel), view_(std::move(view)) { view_.owner.kernel = &kernel; }

    [[nodiscard]] const View& view() const noexcept { return view_; }
    /// The kernel whose tensor it is a view of; other kernels reject it.
    [[nodiscard]] const Kernel* kernel() const noexcept { return kernel_; }
    [[nodiscard]] const Shape& shape() const noexcept { return view_.extents; }
    [[nodiscard]] DType dtype() const;
    /// Outside the tensor there is nothing: read as 0, not written. Views of tiles that may cross the edge are so from the start.
    [[nodiscard]] ViewRef guarded(bool yes = true) const;
    /// Dimensions in another order: dimension k of the result is dimension order[k].
    [[nodiscard]] ViewRef permuted(const InlineVector<int, max_rank>& order) const;
    /// A new dimension in place `dim`, along which the elements repeat.
    [[nodiscard]] ViewRef repeated(int dim, std::int64_t extent) const;
    /// The same view of the tensor that the block of that rank in the cluster has.      [PTX, mapa]
    [[nodiscard]] ViewRef of_block(Affine rank) const;
    /// The same view, whose elements a block accesses where they are: in the memory of any device.
    [[nodiscard]] ViewRef remote() const;
    /// The same view of what that device holds of the tensor.
    [[nodiscard]] ViewRef remote(Affine device) const;
    /// Every strides_d-th element from an offset on, sizes_d of them in dimension d; without strides, neighbors. Never guarded by itself:
    /// what may be outside is so only of a whole tensor, where validate and the run find it.
    [[nodiscard]] ViewRef subview(const std::vector<Affine>& offsets, const Shape& sizes, const Shape& strides = {}) const;
    /// A box of the view.
    [[nodiscard]] ViewRef operator()(const std::vector<Interval>& box) const;
    template <class... I>
    [[nodiscard]] ViewRef operator()(const Interval& first, const I&... rest) const
    {
        return (*this)(std::vector<Interval>{first, Interval(rest)...});
    }
    [[nodiscard]] ViewRef operator()(const Tile& tile) const { return (*this)(tile.intervals); }

  private:
    Kernel* kernel_;
    View view_;
};

/// A tensor while the kernel is being written; as an operand, all of it.
class TensorRef : public ViewRef {
  public:
    TensorRef(Kernel& kernel, View whole) : ViewRef(kernel, std::move(whole)) {}
    [[nodiscard]] int id() const noexcept { return view().tensor; }
};

/// For which indices a gather or scatter is: those at which `where` is not 0, all without it; what a gather puts in place of the others.
struct Masked {
    std::optional<ViewRef> where{};
    double otherwise = 0;
};

/// A scalar while the kernel is being written; in an expression, its value.
struct ScalarRef {
    int id = -1;
    KernelTag owner{};
    operator Expression() const // NOLINT(google-explicit-constructor)
    {
        Expression e;
        e.kind = Expression::Kind::scalar;
        e.scalar = id;
        e.owner = owner;
        return e;
    }
};

/// The element that a view of one element shows.
inline Expression load(const ViewRef& element)
{
    Expression e;
    e.kind = Expression::Kind::load;
    e.element = element.view();
    return e;
}

/// The tiles of a tensor's or view's shape.
inline Tiles tiles(const ViewRef& view, const Shape& tile) { return {view.shape(), tile}; }

/// What a signal does to its flag, and what a wait for one asks of it.
enum class Signal : std::uint8_t { set, add };
enum class Until : std::uint8_t { at_least, equal };

} // namespace v0
} // namespace axe

#endif
