// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_LAYOUTS_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_LAYOUTS_HPP

#include <axe/program/handles.hpp>
#include <axe/program/levels.hpp>
#include <tests/random.hpp>

/// Layouts that hardware people use, and those between: row-major, column-major, blocked, padded, shifted, swizzled; over lanes and
/// warps, with replicas; over devices.
namespace programs {

using laws::Int;
using laws::Random;

/// A digit of a shape: `extent` values, in some dimension. Digits stand outermost first, dimension after dimension.
inline std::vector<Int> random_digits(Random& r, const axe::Shape& shape)
{
    std::vector<Int> out;
    for (int d = 0; d < shape.size(); ++d) {
        Int rest = shape[d];
        while (rest > 1 && out.size() < 8 && !r.one_in(2)) {
            Int factor = 2;
            while (rest % factor != 0) ++factor;
            if (factor == rest) break;
            out.push_back(factor);
            rest /= factor;
        }
        out.push_back(rest);
    }
    return out;
}

/// The numbers 0 … n − 1 in some order.
inline std::vector<int> random_order(Random& r, int n)
{
    std::vector<int> out;
    for (int i = 0; i < n; ++i) out.insert(out.begin() + static_cast<std::ptrdiff_t>(r.in(0, i)), i);
    return out;
}

/// Digits on one axis, each with the stride that makes all of them a number, in some order of significance and with padding: of
/// `digits` those with `on`; returns what the axis needs.
inline Int random_strides(Random& r, axe::Layout& layout, const std::vector<char>& on, const axe::Axis& axis, bool pads)
{
    Int next = 1;
    const int n = static_cast<int>(on.size());
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = n - 1 - i;
    if (r.one_in(2)) order = random_order(r, n);
    for (const int i : order) {
        if (on[static_cast<std::size_t>(i)] == 0) continue;
        if (pads && next > 1 && r.one_in(8)) next += r.in(1, 8);
        layout.shard[i].stride = next;
        layout.shard[i].axis = axis;
        next *= layout.shard[i].extent;
    }
    return next;
}

/// A layout in a memory that one owner has: digits on its last axis, or, where it has partitions, some of the first dimension's on
/// those.
inline axe::Placement random_placement(Random& r, const axe::Shape& shape, axe::DType type, const axe::Memory& memory)
{
    axe::Swizzled<axe::Layout> out;
    const std::vector<Int> digits = random_digits(r, shape);
    for (const Int n : digits) out.layout.shard.push_back({n, 0});
    std::vector<char> rest(digits.size(), 1);
    if (memory.axes.size() > 1) {
        std::vector<char> partitions(digits.size(), 0);
        Int taken = 1;
        for (std::size_t i = 0; i < digits.size() && taken * digits[i] <= memory.extents[0]; ++i) {
            if (i > 0 && r.one_in(2)) break;
            taken *= digits[i];
            partitions[i] = 1;
            rest[i] = 0;
        }
        random_strides(r, out.layout, partitions, memory.axes[0], false);
    }
    const axe::Axis last = memory.axes[memory.axes.size() - 1];
    random_strides(r, out.layout, rest, last, true);
    if (r.one_in(6)) *out.layout.offset.entry(last) = r.in(1, 9);
    if (memory.banks > 0 && memory.axes.size() == 1 && r.one_in(3)) {
        out.swizzle = {static_cast<int>(r.in(1, 3)), 4, 3};
        out.axis = last;
        out.width = axe::storage_bytes(type);
    }
    return out;
}

/// A layout over warps, lanes and registers of a block: each digit goes where it fits; what is left of the lanes and warps may hold
/// copies.
inline axe::Placement random_registers(Random& r, const axe::Shape& shape, const axe::Machine& machine, int agents)
{
    axe::Layout out;
    const std::vector<Int> digits = random_digits(r, shape);
    for (const Int n : digits) out.shard.push_back({n, 0});
    std::vector<char> lane(digits.size(), 0), warp(digits.size(), 0), reg(digits.size(), 0);
    Int lanes = 1, warps = 1;
    for (std::size_t i = digits.size(); i-- > 0;) {
        const Int to = r.in(0, 2);
        if (to <= 1 && lanes * digits[i] <= 32)
            lane[i] = 1, lanes *= digits[i];
        else if (to == 2 && warps * digits[i] <= agents)
            warp[i] = 1, warps *= digits[i];
        else
            reg[i] = 1;
    }
    const axe::Memory* memory = memory_for(machine, axe::Role::registers);
    random_strides(r, out, lane, "lane", false);
    random_strides(r, out, warp, "warp", false);
    random_strides(r, out, reg, memory->axes[memory->axes.size() - 1], false);
    if (lanes > 1 && 2 * lanes <= 32 && r.one_in(3)) out.replica.push_back({r.one_in(2) ? 32 / lanes : 2, lanes, "lane"});
    if (2 * warps <= agents && r.one_in(3))
        out.replica.push_back({agents / warps, warps, "warp"});
    else if (warps < agents && r.one_in(4))
        *out.offset.entry("warp") = agents - warps;
    return out;
}

/// A layout over devices: one digit is distributed, and who is left has copies; or all have the whole. Rows of what is on the device
/// lie one after the other.
inline axe::Layout random_sharding(Random& r, const axe::Shape& shape, Int devices)
{
    axe::Layout out;
    const int split = static_cast<int>(r.in(-1, shape.size() - 1));
    Int parts = 1;
    int at = -1;
    for (int d = 0; d < shape.size(); ++d) {
        Int rest = shape[d];
        if (d == split) {
            for (Int n = devices; n > 1 && parts == 1; n /= 2)
                if (devices % n == 0 && rest % n == 0) parts = n;
            const bool inside = r.one_in(3); // distributed one by one, instead of in blocks
            if (parts > 1) {
                rest /= parts;
                if (inside) out.shard.push_back({rest, 0, "m"});
                at = out.shard.size();
                out.shard.push_back({parts, r.one_in(2) ? 1 : devices / parts, "gpuid"});
                if (!inside) out.shard.push_back({rest, 0, "m"});
                continue;
            }
        }
        out.shard.push_back({rest, 0, "m"});
    }
    Int next = 1;
    for (int i = out.shard.size(); i-- > 0;)
        if (i != at) out.shard[i].stride = next, next *= out.shard[i].extent;
    if (parts == devices) return out;
    const Int stride = at < 0 ? 1 : out.shard[at].stride == 1 ? parts : 1;
    if (at >= 0 || !r.one_in(4))
        out.replica.push_back({devices / parts, stride, "gpuid"});
    else
        *out.offset.entry("gpuid") = r.in(0, devices - 1);
    return out;
}

} // namespace programs

#endif
