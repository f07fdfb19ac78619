// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SIM_BOXES_HPP
#define AXE_TESTS_UNIT_SIM_BOXES_HPP

#include "arrays.hpp"

#include <axe/kernels.hpp>

/// Instructions that walk whole views: random tensors and views, and what is to come out by loops.
namespace boxes {

using namespace axe;
using laws::Int;
using laws::Random;

/// sm80, `n` of it.
inline Machine many(int n) { return n == 1 ? machines::sm80 : mesh(machines::sm80, Shape{n}).value(); }

/// Tensors spread over devices: digits of the dimensions on `gpuid` or on m, in any order, with copies, gaps, an offset, a swizzle.
inline Swizzled<Layout> random_layout(Random& r, const Shape& shape, int devices, DType type, bool copies = true)
{
    struct Digit {
        Int extent, stride;
        bool on_device;
    };
    std::vector<Digit> digits;
    Int left = devices, used = 1;
    for (int d = 0; d < shape.size(); ++d) {
        Int rest = shape[d];
        while (rest > 1) {
            Int f = 2;
            while (rest % f != 0 || (f < rest && r.one_in(2))) ++f;
            const bool on_device = f <= left && left % f == 0 && r.one_in(2);
            if (on_device) left /= f;
            digits.push_back({f, 0, on_device});
            rest /= f;
        }
    }
    std::vector<std::size_t> order(digits.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
    if (!r.one_in(2))
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[static_cast<std::size_t>(r.in(0, static_cast<Int>(i) - 1))]);
    Int next = 1;
    for (const std::size_t i : order) {
        Int& at = digits[i].on_device ? used : next;
        digits[i].stride = at;
        at *= digits[i].extent;
        if (!digits[i].on_device && r.one_in(5)) at += r.in(1, 3); // a gap
    }
    Swizzled<Layout> out;
    for (const Digit& d : digits) out.layout.shard.push_back({d.extent, d.stride, d.on_device ? Axis("gpuid") : Axis("m")});
    if (out.layout.shard.size() == 0) out.layout.shard.push_back({1, 1, "m"});
    if (copies && left > 1 && r.one_in(2))
        out.layout.replica.push_back({left, used, "gpuid"});
    else if (left > 1 && r.one_in(2))
        *out.layout.offset.entry("gpuid") = (left - 1) * used;
    if (copies && r.one_in(4)) out.layout.replica.push_back({2, next + r.in(0, 2), "m"});
    if (r.one_in(3)) *out.layout.offset.entry("m") = r.in(1, 5);
    if (r.one_in(3)) {
        out.swizzle = {2, 3, 2};
        out.axis = "m";
        out.width = storage_bytes(type);
    }
    return out;
}

/// The number in the tensor's array of element `index` of a view at its constant origin; −1 outside.
inline Int at(const View& view, const Shape& shape, Int index)
{
    const Coord x = coordinate(view.extents, index);
    Int number = 0;
    for (int d = 0; d < shape.size(); ++d) {
        Int c = view.origin[static_cast<std::size_t>(d)].constant();
        for (int k = 0; k < view.rank(); ++k)
            if (view.dims[k] == d) c += x[k] * view.steps[k];
        if (c < 0 || c >= shape[d]) return -1;
        number = number * shape[d] + c;
    }
    return number;
}

/// Numbers from −8 to 8, which every type has that the tests use.
inline Array numbers(const Shape& shape, DType type, Random& r)
{
    Array out = Array::make(shape, type).value();
    for (Int i = 0; i < out.size(); ++i) out.set(i, static_cast<double>(r.in(-8, 8)));
    return out;
}

inline Instruction instruction(const char* opcode, const std::vector<View>& views, std::vector<Int> parameters = {})
{
    Instruction out;
    out.opcode = opcode;
    for (const View& v : views) out.operands.push_back({v, nullptr});
    out.parameters = std::move(parameters);
    return out;
}

inline sim::Report run(const Program& program, const Bindings& inputs, sim::Level level = sim::Level::full, int threads = 1)
{
    sim::RunOptions options;
    options.level = level;
    options.threads = threads;
    options.counters = level == sim::Level::full; // so that agents go together where they may
    auto report = sim::run(program, inputs, options);
    INFO((report ? report->fault.text : report.error().text));
    REQUIRE(report.has_value());
    return std::move(*report);
}

inline bool same(const Array& a, const Array& b)
{
    return a.size_bytes() == b.size_bytes() && std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

} // namespace boxes

#endif
