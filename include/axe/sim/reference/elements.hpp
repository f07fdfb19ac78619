// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_REFERENCE_ELEMENTS_HPP
#define AXE_SIM_REFERENCE_ELEMENTS_HPP

#include <axe/program/messages.hpp>
#include <axe/program/program.hpp>
#include <axe/sim/bindings.hpp>
#include <axe/sim/reference/bounds_sums.hpp>
#include <axe/sim/reference/zeros.hpp>
#include <axe/sim/report/pulse.hpp>
#include <axe/tensor/convert_run.hpp>

#include <array>
#include <map>

/// The reference's tensors: logical arrays of what elements may be, read and written through views.
namespace axe {
inline namespace v0 {
namespace ref {

/// What each of many elements may be. While all are points their ends and NaN are not kept.
class Values {
  public:
    Values() = default;
    explicit Values(std::int64_t count) : value_(static_cast<std::size_t>(count)) {}

    [[nodiscard]] std::int64_t size() const noexcept { return static_cast<std::int64_t>(value_.size()); }
    [[nodiscard]] bool all_points() const noexcept { return low_.empty(); }
    [[nodiscard]] const double* value() const noexcept { return value_.data(); }
    [[nodiscard]] double* value() noexcept { return value_.data(); }

    [[nodiscard]] Bounded at(std::int64_t i) const noexcept
    {
        const auto k = static_cast<std::size_t>(i);
        if (all_points()) return {value_[k], value_[k], value_[k], false};
        return {value_[k], low_[k], high_[k], nan_[k] != 0};
    }
    void set(std::int64_t i, const Bounded& b)
    {
        const auto k = static_cast<std::size_t>(i);
        value_[k] = b.value;
        if (all_points()) {
            if (b.is_point()) return;
            spread();
        }
        low_[k] = b.low;
        high_[k] = b.high;
        nan_[k] = b.nan ? 1 : 0;
    }
    /// Elements i + step·x of this from elements first + x of `from`, or the other way round, x < count.
    void scatter_from(std::int64_t i, std::int64_t step, const Values& from, std::int64_t first, std::int64_t count)
    {
        if (all_points() && !from.all_points()) spread();
        if (all_points())
            for (std::int64_t x = 0; x < count; ++x) value_[index(i + step * x)] = from.value_[index(first + x)];
        else
            for (std::int64_t x = 0; x < count; ++x) set(i + step * x, from.at(first + x));
    }
    void gather_from(std::int64_t first, const Values& from, std::int64_t i, std::int64_t step, std::int64_t count)
    {
        if (all_points() && !from.all_points()) spread();
        if (all_points() && step == 1)
            std::copy_n(from.value_.data() + i, count, value_.data() + first);
        else if (all_points())
            for (std::int64_t x = 0; x < count; ++x) value_[index(first + x)] = from.value_[index(i + step * x)];
        else
            for (std::int64_t x = 0; x < count; ++x) set(first + x, from.at(i + step * x));
    }

    void forget() { low_.clear(), high_.clear(), nan_.clear(); }

  private:
    static std::size_t index(std::int64_t i) noexcept { return static_cast<std::size_t>(i); }
    void spread()
    {
        low_ = value_;
        high_ = value_;
        nan_.assign(value_.size(), 0);
    }
    Zeros<double> value_{}, low_{}, high_{};
    std::vector<std::uint8_t> nan_{};
};

/// What has been added to an element by atomics since it was last written: they may have come in any order.
struct Chain {
    Bounded sum{};
    double magnitude = 0;
    std::int64_t steps = 0;
};

/// A tensor as the reference keeps it.
struct Elements {
    const ProgramTensor* tensor = nullptr;
    Values values{};
    Zeros<std::uint8_t> written{};
    std::map<std::int64_t, Chain> chains{};

    explicit Elements(const ProgramTensor& of) : tensor(&of)
    {
        const std::int64_t count = volume(of.shape).value_or(0);
        values = Values(count);
        written = Zeros<std::uint8_t>(static_cast<std::size_t>(count));
    }
    void forget()
    {
        values.forget();
        std::fill(written.begin(), written.end(), std::uint8_t{0});
        chains.clear();
    }
};

/// A view with its origin in numbers.
struct Box {
    Elements* of = nullptr;
    const View* view = nullptr;
    Coord origin{};
    Shape extents{};
    Pulse* pulse = nullptr; ///< to be asked while there is work on it; null: it goes on

    [[nodiscard]] std::int64_t size() const noexcept { return volume(extents).value_or(0); }
    [[nodiscard]] const ProgramTensor& tensor() const noexcept { return *of->tensor; }
};

/// Of what there is no memory for.
inline std::string reference_text(const std::string& program, const std::string& tensor)
{
    return detail::worded("reference of {0}, tensor {1}", {program, tensor});
}
/// "A(0, 3)"
inline std::string element_text(const ProgramTensor& tensor, const Coord& coord) { return tensor.name + detail::tuple_text(coord); }

/// Does the caller want the rest of the work, of which a piece of so many nanoseconds is done? Null: there is no caller to ask.
inline bool goes_on(Pulse* pulse, std::int64_t nanoseconds)
{
    return pulse == nullptr || pulse->goes_on(static_cast<int>(std::min<std::int64_t>(nanoseconds / 10 + 1, 1 << 20)));
}
inline Problem stopped() { return {errc::too_hard, "the caller stopped the reference"}; }

/// Calls f(first, end) for pieces of the numbers below `count`, each some 0.1 ms of work at so many nanoseconds a number, and asks
/// after each whether to go on; f returns a problem or none.
template <class F>
Result<void, Problem> in_pieces(Pulse* pulse, std::int64_t count, std::int64_t nanoseconds, F f)
{
    const std::int64_t piece = std::max<std::int64_t>(1, 100'000 / nanoseconds);
    for (std::int64_t first = 0; first < count; first += piece) {
        const std::int64_t end = std::min(count, first + piece);
        if (auto e = f(first, end); !e.ok()) return e;
        if (!goes_on(pulse, (end - first) * nanoseconds)) return stopped();
    }
    return {};
}
/// f(i) for all numbers below `count`.
template <class F>
Result<void, Problem> for_each_number(Pulse* pulse, std::int64_t count, std::int64_t nanoseconds, F f)
{
    return in_pieces(pulse, count, nanoseconds, [&](std::int64_t first, std::int64_t end) -> Result<void, Problem> {
        for (std::int64_t i = first; i < end; ++i) f(i);
        return {};
    });
}
/// The first element of which a test is not true; the number of elements where it is true of all.
template <class Test>
Result<std::int64_t, Problem> first_without(Pulse* pulse, const Values& of, Test test)
{
    constexpr std::int64_t piece = 1 << 14; // some 0.03 ms
    for (std::int64_t i = 0; i < of.size(); ++i) {
        if (!test(of.at(i))) return i;
        if (i % piece == piece - 1 && !goes_on(pulse, 2 * piece)) return stopped();
    }
    return of.size();
}
/// The elements of an array, as f64.
inline Result<void, Problem> decode_all(Pulse* pulse, const Array& from, double* to)
{
    const std::int64_t width = storage_bytes(from.dtype());
    return in_pieces(pulse, from.size(), 4, [&](std::int64_t first, std::int64_t end) -> Result<void, Problem> {
        decode(from.dtype(), from.data() + first * width, to + first, static_cast<std::size_t>(end - first));
        return {};
    });
}

/// Calls row(first, element, step, begin, end) for each row of the box along its last dimension: places first + begin … of the
/// view, row-major, are elements element + step·x of the tensor, begin ≤ x < end; of a long row, for each piece of it. Elements that a guarded view has outside are left out.
///
/// `errc::out_of_domain` with the first element outside, of a view that is not guarded.
template <class Row>
Result<void, Problem> for_rows(const Box& box, Row row)
{
    const ProgramTensor& tensor = box.tensor();
    const Shape& shape = tensor.shape;
    const int rank = box.extents.size(), inner = rank - 1;
    const std::int64_t count = rank == 0 ? 1 : box.extents[inner];
    const int inner_dim = rank == 0 ? -1 : box.view->dims[inner];
    const std::int64_t inner_step = inner_dim < 0 ? 0 : box.view->steps[inner];
    Coord stride = shape, at = box.origin, x = box.extents;
    std::int64_t product = 1;
    for (int d = shape.size() - 1; d >= 0; --d) {
        stride[d] = product;
        product *= shape[d];
    }
    for (int k = 0; k < rank; ++k) x[k] = 0;
    const std::int64_t rows = count == 0 ? 0 : box.size() / count;
    for (std::int64_t r = 0; r < rows; ++r) {
        std::int64_t begin = 0, end = count;
        for (int d = 0; d < shape.size(); ++d) {
            if (d == inner_dim && inner_step != 0) continue;
            if (at[d] < 0 || at[d] >= shape[d]) end = 0;
        }
        if (inner_step != 0) {
            const auto inside = [&](std::int64_t i) {
                const std::int64_t c = at[inner_dim] + inner_step * i;
                return c >= 0 && c < shape[inner_dim];
            };
            while (begin < end && !inside(begin)) ++begin;
            while (begin < end && !inside(end - 1)) --end;
        }
        if (!box.view->guarded && (begin > 0 || end < count)) {
            Coord c = at;
            if (inner_step != 0) c[inner_dim] += inner_step * (begin > 0 ? 0 : end);
            return Problem(errc::out_of_domain, "{0} is outside {1}, whose shape is {2}; the view is not guarded",
                           {element_text(tensor, c), tensor.name, detail::tuple_text(shape)});
        }
        // From the first one inside, whose number does not overflow.
        std::int64_t element = 0, step = 0;
        for (int d = 0; d < shape.size() && begin < end; ++d)
            element += (d == inner_dim ? at[d] + inner_step * begin : at[d]) * stride[d];
        if (inner_dim >= 0 && end - begin > 1) step = inner_step * stride[inner_dim];
        const auto piece = [&](std::int64_t low, std::int64_t high) { return row(r * count + begin, element, step, low, high); };
        if (auto e = in_pieces(box.pulse, end - begin, 2, piece); !e.ok()) return e;
        if (!goes_on(box.pulse, 2)) return stopped(); // of rows that are outside
        for (int k = inner - 1; k >= 0; --k) {
            const int d = box.view->dims[k];
            if (d >= 0) at[d] += box.view->steps[k];
            if (++x[k] < box.extents[k]) break;
            if (d >= 0) at[d] -= box.view->steps[k] * box.extents[k];
            x[k] = 0;
        }
    }
    return {};
}

/// What the elements of a box may be, row-major; outside of a guarded one 0.
///
/// `errc::out_of_domain` as `for_rows`, and with the first element that was never written.
inline Result<Values, Problem> read(const Box& box)
{
    Values out(box.size());
    Result<void, Problem> e = for_rows(box, [&](std::int64_t first, std::int64_t element, std::int64_t step, std::int64_t begin,
                                                std::int64_t end) {
        for (std::int64_t x = begin; x < end; ++x) {
            const std::int64_t i = element + step * x;
            if (box.of->written[static_cast<std::size_t>(i)] == 0)
                return Problem(errc::out_of_domain, unwritten_text(element_text(box.tensor(), coordinate(box.tensor().shape, i))));
        }
        out.gather_from(first + begin, box.of->values, element + step * begin, step, end - begin);
        return Problem();
    });
    if (!e.ok()) return e;
    return out;
}

/// Writes what is of the element type already; outside of a guarded box nothing.
inline Result<void, Problem> write(const Box& box, const Values& from)
{
    return for_rows(box, [&](std::int64_t first, std::int64_t element, std::int64_t step, std::int64_t begin, std::int64_t end) {
        box.of->values.scatter_from(element + step * begin, step, from, first + begin, end - begin);
        for (std::int64_t x = begin; x < end; ++x) {
            box.of->written[static_cast<std::size_t>(element + step * x)] = 1;
            if (!box.of->chains.empty()) box.of->chains.erase(element + step * x);
        }
        return Problem();
    });
}

} // namespace ref
} // namespace v0
} // namespace axe

#endif
