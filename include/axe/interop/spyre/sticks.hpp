// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SPYRE_STICKS_HPP
#define AXE_INTEROP_SPYRE_STICKS_HPP

#include <axe/interop/spyre/view.hpp>

namespace axe {
inline namespace v0 {
namespace spyre {
namespace detail {

/// Which dimensions of a view may be the one in sticks, as its pieces on the device are seen.
class StickFinder {
  public:
    constexpr StickFinder(const View& view, std::int64_t per_stick) noexcept : view_(view), per_stick_(per_stick)
    {
        for (int i = 0; i < view.torch.shape.size(); ++i) candidates_ |= view.torch.shape[i] > 1 ? 1U << i : 0;
    }

    constexpr void see(const Piece& piece) noexcept
    {
        const std::int64_t at = piece.addresses[0] % per_stick_;
        if (is_first_) begin_ = at;
        is_first_ = false;
        is_sparse_ = is_sparse_ && at == 0;
        for (int i = 0; i < view_.torch.shape.size(); ++i)
            if (at != piece.first[i] % per_stick_) exclude(i, piece.first[i], at);
        for (int k = 0; k < piece.loops.size(); ++k) {
            const PieceLoop& l = piece.loops[k];
            const std::int64_t step = piece.address_steps[0][k] % per_stick_; // other digits move whole sticks
            if (step != 0) is_sparse_ = false;
            for (int i = 0; i < view_.torch.shape.size(); ++i)
                if (step != (i == l.dim ? l.index_step % per_stick_ : 0)) exclude(i, piece.first[l.dim] + l.index_step, at + step);
            if (step == 0) continue;
            if (!(moving_ >> l.dim & 1U) && step < step_) step_ = step;
            moving_ |= 1U << l.dim;
        }
    }

    [[nodiscard]] constexpr Result<int> answer() const noexcept
    {
        if (is_sparse_) return -1;
        int dims[max_rank]{}, moving = 0;
        for (int i = 0; i < view_.torch.shape.size(); ++i) {
            if (candidates_ >> i & 1U) return i;
            if (moving_ >> i & 1U) dims[moving++] = i;
        }
        if (moving > 1)
            return Error(errc::no_layout, dims[1],
                         "dimensions {0} and {1} of the view share sticks; only one dimension can be in sticks", dims[0], dims[1]);
        if (moving == 0)
            return Error(errc::no_layout, -1, "each stick holds one element, but the first is at position {0}, not 0", begin_);
        if (begin_ != 0)
            return Error(errc::no_layout, dims[0], "dimension {2} starts at position {0} of a stick of {1}, not at 0", begin_,
                         per_stick_, dims[0]);
        if (step_ > 1)
            return Error(errc::no_layout, dims[0], "dimension {0} uses only one in {1} elements of its sticks", dims[0], step_);
        return Error(errc::no_layout, dims[0], "dimension {0} leaves its sticks early: element {1} is at position {2} of one",
                     dims[0], index_, position_);
    }

  private:
    constexpr void exclude(int i, std::int64_t index, std::int64_t position) noexcept
    {
        if (!(candidates_ >> i & 1U)) return;
        candidates_ &= ~(1U << i);
        index_ = index;
        position_ = position;
    }

    const View& view_;
    std::int64_t per_stick_;
    std::uint32_t candidates_ = 0, moving_ = 0;
    bool is_first_ = true, is_sparse_ = true;
    std::int64_t begin_ = 0, step_ = INT64_MAX, index_ = 0, position_ = 0;
};

} // namespace detail

/// The dimension of a view that runs within sticks, element c of it at position c mod e of one; −1 when every element is the first of a
/// separate stick (sparse), or no element exists.
///
/// Decided on the device: rows of 100 elements begin sticks wherever they are on the host. Otherwise no operator takes the view as it
/// is: `errc::no_layout` says why, and `restickify` helps. Errors besides: those of `as_strided`. Cost: the pieces in which the view's
/// elements are evenly spaced on the device.
constexpr Result<int> stick_dimension(const View& view) noexcept
{
    const auto side = side_of(view);
    if (!side) return side.error();
    for (const std::int64_t n : view.torch.shape)
        if (n == 0) return -1;
    const auto per_stick = elements_per_stick(view.base.device.format);
    if (!per_stick) return per_stick.error();
    detail::StickFinder finder(view, *per_stick);
    const auto see = [&](const Piece& piece) {
        finder.see(piece);
        return true;
    };
    const auto done = Pieces(view.torch.shape, *side, detail::still(view.torch.shape), see)();
    if (const Status e = check_cut(done); !e.ok()) return e;
    return finder.answer();
}

} // namespace spyre
} // namespace v0
} // namespace axe

#endif
