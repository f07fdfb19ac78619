// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_COLLECTIVES_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_COLLECTIVES_HPP

#include <tests/programs/draws.hpp>

/// Copies and reductions between devices.
namespace programs {

inline void write_device_copy(Writer& w)
{
    Random& r = w.r;
    const DType type = usual_type(w);
    Shape shape = random_shape(r, 1, 3, 64);
    for (Int& n : shape)
        if (r.one_in(2)) n *= w.devices;
    const auto a = w.k.input("A", shape, type, random_sharding(r, shape, w.devices));
    const auto d = w.k.output("D", shape, r.one_in(6) ? usual_type(w) : type, random_sharding(r, shape, w.devices));
    constexpr const char* forced[] = {"", "", "", "local", "peer", "ring", "push"};
    axe::Options options;
    options.schedule = forced[r.in(0, 6)];
    const auto copy = [&](const ViewRef& to, const ViewRef& from) {
        if (options.schedule != "ring" && r.one_in(3))
            w.k.copy_async(to, from, options).commit().wait(0);
        else
            w.k.copy(to, from, options);
    };
    if (r.one_in(3)) {
        const auto between = w.k.alloc(Role::global, shape, type, random_sharding(r, shape, w.devices), "between");
        w.k.copy(between, a).sync();
        copy(d, between);
    } else if (shape[0] % 2 == 0 && r.one_in(4)) {
        w.k.loop(0, shape[0], shape[0] / 2, [&](const Affine& i) {
            const Interval rows(i, shape[0] / 2);
            copy(Writer::part(d, 0, rows), Writer::part(a, w.along, rows));
        });
    } else {
        copy(d, a);
    }
}

inline void write_device_reduce(Writer& w)
{
    Random& r = w.r;
    const axe::Function f = r.one_in(2) ? axe::Function::add : random_reduction(r);
    const bool bits = f.row().domain == axe::Domain::bits;
    const DType type = bits ? DType::i32 : one_of(r, {DType::f32, DType::f16, DType::bf16, DType::i32});
    Shape left = random_shape(r, 1, 2, 32);
    for (Int& n : left)
        if (r.one_in(2)) n *= w.devices;
    Shape shape = left;
    const int at = static_cast<int>(r.in(0, left.size()));
    shape.insert(at, r.one_in(4) ? random_extent(r, 5) : w.devices);
    const auto from = [&]() -> axe::Layout {
        if (shape[at] != w.devices || r.one_in(4)) return random_sharding(r, shape, w.devices);
        axe::Layout out; // each device has its term
        for (const Int n : shape) out.shard.push_back({n, 0, "m"});
        Int next = 1;
        for (int i = out.shard.size(); i-- > 0;)
            if (i != at) out.shard[i].stride = next, next *= out.shard[i].extent;
        out.shard[at] = {w.devices, 1, "gpuid"};
        return out;
    };
    const bool accumulate = r.one_in(4);
    const auto a = w.k.input("A", shape, type, from());
    const axe::Layout to = random_sharding(r, left, w.devices);
    const auto d = accumulate ? w.k.inout("D", left, type, to) : w.k.output("D", left, type, to);
    constexpr const char* forced[] = {"", "", "", "in_network", "one_shot", "ring"};
    axe::Options options;
    options.schedule = forced[r.in(0, 5)];
    options.async = options.schedule != "ring" && r.one_in(4);
    w.k.reduce(f, d, a, {at}, accumulate, options);
    if (options.async) w.k.commit().wait(0);
}

} // namespace programs

#endif
