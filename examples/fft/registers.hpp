// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_EXAMPLES_FFT_REGISTERS_HPP
#define AXE_EXAMPLES_FFT_REGISTERS_HPP

#include <axe/kernels.hpp>

#include <functional>

/// Fourier transforms of rows that stay in the registers of a warp.
namespace examples::fourier {

using namespace axe;
using enum axe::DType;

/// Real and imaginary parts.
struct Planes {
    TensorRef re, im;
};

/// A row of 2^k numbers for each warp, over its k bits, the highest first: the upper five bits of a number's place tell its lane, the bit at the top
/// being the lowest of the lane, and the others its register. So lanes load numbers that are next to each other, in the order of reversed bits.
///
/// Stage s has the butterflies of numbers that differ in bit s. Where that is a bit of the register, a lane has both; else both
/// lanes of the pair take both numbers by exchanges, and each keeps its own result.
class RegisterTransform {
  public:
    static constexpr std::int64_t rows = 4; ///< a block, one a warp
    static constexpr int lane_bits = 5;

    RegisterTransform(Scope cta, int bits) : cta_(cta), bits_(bits), x_(planes(-1, "x")), y_(planes(-1, "y")) {}

    void run(const Planes& X, const Planes& table, const Planes& Y, const Affine& first_row)
    {
        const auto row = of(i32, -1, "row"), column = of(i32, -1, "column");
        cta_.iota(row, 0, first_row);
        place(column, -1, 0, [&](int bit) { return bits_ - 1 - bit; });
        cta_.gather_at(x_.re, X.re.guarded(), {row, column}).gather_at(x_.im, X.im.guarded(), {row, column});
        for (int s = 0; s < bits_; ++s) stage(s, table);
        place(column, -1, 0, [](int bit) { return bit; });
        cta_.scatter_at(Y.re.guarded(), {row, column}, x_.re).scatter_at(Y.im.guarded(), {row, column}, x_.im);
    }

  private:
    [[nodiscard]] bool is_in_lanes(int bit) const { return bit >= bits_ - lane_bits; }
    /// The layout over rows and bits without one of them: of a bit of the lane both lanes have a copy.
    [[nodiscard]] Layout layout(int without) const
    {
        Layout out;
        out.shard.push_back({rows, 1, "warp"});
        for (int bit = bits_ - 1; bit >= 0; --bit)
            if (is_in_lanes(bit)) {
                const Iter lane{2, std::int64_t{1} << (bits_ - 1 - bit), "lane"};
                (bit == without ? out.replica.push_back(lane) : out.shard.push_back(lane));
            } else if (bit != without) {
                out.shard.push_back({2, std::int64_t{1} << (bit - (without >= 0 && without < bit ? 1 : 0)), "reg"});
            }
        return out;
    }
    [[nodiscard]] TensorRef of(DType type, int without, const char* name)
    {
        Shape shape{rows};
        for (int bit = 0; bit < bits_; ++bit)
            if (bit != without) shape.push_back(2);
        return cta_.alloc(Role::registers, shape, type, layout(without), name);
    }
    [[nodiscard]] Planes planes(int without, const char* name) { return {of(f32, without, name), of(f32, without, name)}; }
    /// d = first + Σ 2^(to(bit)) over the bits of a number that are 1; those with a negative place count for nothing.
    void place(const TensorRef& d, int without, std::int64_t first, const std::function<int(int)>& to)
    {
        const auto one = of(i32, without, "one"), shift = of(i32, without, "shift");
        cta_.fill(d, static_cast<double>(first));
        int dim = 0;
        for (int bit = bits_ - 1; bit >= 0; --bit) {
            if (bit == without) continue;
            ++dim;
            if (to(bit) < 0) continue;
            cta_.iota(one, dim).fill(shift, to(bit)).binary(Function::shift_left, one, one, shift).binary(Function::add, d, d, one);
        }
    }
    /// The numbers of which a bit is so.
    [[nodiscard]] ViewRef half(const TensorRef& x, int bit, int value) const
    {
        std::vector<Interval> box;
        box.emplace_back(0, rows);
        for (int b = bits_ - 1; b >= 0; --b)
            if (b == bit)
                box.emplace_back(Affine(value));
            else
                box.emplace_back(0, 2);
        return x(box);
    }

    /// (a, b) = (a + w·b, a − w·b) of the numbers a and b that differ in bit s; w = exp(−2πi·j/2^(s+1)), j the bits below.
    void stage(int s, const Planes& table)
    {
        const Planes a = planes(s, "a"), b = planes(s, "b");
        const char* how = is_in_lanes(s) ? "shuffles" : "";
        const auto take = [&](const TensorRef& to, const TensorRef& from, int value) {
            Options options;
            options.schedule = how;
            cta_.copy(to, half(from, s, value), options);
        };
        take(a.re, x_.re, 0), take(a.im, x_.im, 0), take(b.re, x_.re, 1), take(b.im, x_.im, 1);
        if (s > 0) { // else w is 1
            const Planes w = planes(s, "w");
            const auto at = of(i32, s, "at");
            place(at, s, (std::int64_t{1} << s) - 1, [&](int bit) { return bit < s ? bit : -1; });
            cta_.gather(w.re, table.re, at).gather(w.im, table.im, at);
            const auto c = of(f32, s, "c"), d = of(f32, s, "d");
            cta_.binary(Function::mul, c, b.re, w.re).binary(Function::mul, d, b.im, w.im);
            cta_.binary(Function::mul, b.im, b.im, w.re).fma(b.im, b.re, w.im, b.im).binary(Function::sub, b.re, c, d);
        }
        for (const auto& [to, u, v] : {std::tuple{y_.re, a.re, b.re}, std::tuple{y_.im, a.im, b.im}})
            cta_.binary(Function::add, half(to, s, 0), u, v).binary(Function::sub, half(to, s, 1), u, v);
        std::swap(x_, y_);
    }

    Scope cta_;
    int bits_;
    Planes x_, y_;
};

} // namespace examples::fourier

#endif
