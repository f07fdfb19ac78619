// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/races/rows.hpp>

/// Rows of TPUs with copies to other devices. Such a copy is one of the devices together here; commit and wait complete it, and the devices
/// meet where the row has a semaphore.
namespace {

using namespace races;

constexpr int n = 4;

Machine ring_of_devices()
{
    Machine m = machines::sm90;
    m.scopes[0].count = n;
    return m;
}

constexpr Layout rows = "(4,32):(1@gpuid,1@m)"_axe;
const Options peer{.schedule = "peer"};

/// A block on each device.
void on_each(Kernel& k, const std::function<void(Scope, int)>& body)
{
    for (int d = 0; d < n; ++d) k.devices(d, 1, [&](Scope) { one_block(k, 1, [&](Scope cta) { body(cta, d); }); });
}

} // namespace

TEST_CASE("tpu-ring-permute")
{
    ok({[](Kernel& k, Sites&) {
            const auto in = k.input("in", {n, 32}, f32, rows), out = k.output("out", {n, 32}, f32, rows);
            k.sync();
            for (int d = 0; d < n; ++d) k.copy_async(out((d + 1) % n, all), in(d, all), peer);
            k.commit().wait(0);
        },
        {{"out", [](std::int64_t i) { return double((i + 96) % 128); }}},
        ring_of_devices()});
}

TEST_CASE("tpu-all-gather")
{
    ok({[](Kernel& k, Sites&) {
            const auto in = k.input("in", {n, 32}, f32, rows);
            const auto out = k.output("out", {n, n, 32}, f32, "(4,4,32):(1@gpuid,32@m,1@m)"_axe);
            k.sync();
            on_each(k, [&](Scope cta, int d) { cta.copy(out(d, d, all), in(d, all)); });
            k.sync();
            for (int step = 0; step < n - 1; ++step) {
                for (int d = 0; d < n; ++d) {
                    const int slot = (d - step + n) % n;
                    k.copy_async(out((d + 1) % n, slot, all), out(d, slot, all), peer);
                }
                k.commit().wait(0).sync();
            }
        },
        {{"out", [](std::int64_t i) { return double(i % 128); }}},
        ring_of_devices()});
}

TEST_CASE("tpu-reduce-scatter")
{
    // Sums go round in both directions: while one half is on its way, the devices add their part to the other.
    ok({[](Kernel& k, Sites&) {
            const auto x = k.input("x", {n, n, 2, 32}, f32, "(4,4,2,32):(1@gpuid,64@m,32@m,1@m)"_axe);
            const auto out = k.output("out", {n, 2, 32}, f32, "(4,2,32):(1@gpuid,32@m,1@m)"_axe);
            // of each device: direction, one of two buffers
            const auto h = k.alloc(Role::global, {n, 2, 2, 32}, f32, "(4,2,2,32):(1@gpuid,64@m,32@m,1@m)"_axe, "h");
            const auto part = [](int d, int direction, int step) {
                return direction == 0 ? (d + step + 1) % n : (d - step - 1 + 2 * n) % n;
            };
            const auto send = [&](int direction, int step) {
                for (int d = 0; d < n; ++d) {
                    const int from = direction == 0 ? (d + 1) % n : (d + n - 1) % n;
                    k.copy_async(h(d, direction, step % 2, all), h(from, direction, (step - 1) % 2, all), peer);
                }
                k.commit();
            };
            const auto add = [&](int direction, int step) {
                on_each(k, [&](Scope cta, int d) {
                    const auto sum = h(d, direction, step % 2, all);
                    cta.binary(Function::add, sum, sum, x(d, part(d, direction, step), direction, all));
                });
            };
            for (int direction = 0; direction < 2; ++direction)
                on_each(k,
                        [&](Scope cta, int d) { cta.copy(h(d, direction, 0, all), x(d, part(d, direction, 0), direction, all)); });
            k.sync();
            send(0, 1);
            k.wait(0).sync();
            for (int step = 1; step < n; ++step) {
                send(1, step);
                add(0, step);
                k.wait(0).sync();
                if (step + 1 < n) send(0, step + 1);
                add(1, step);
                if (step + 1 < n) k.wait(0);
                k.sync();
            }
            on_each(k, [&](Scope cta, int d) {
                for (int direction = 0; direction < 2; ++direction)
                    cta.copy(out(d, direction, all), h(d, direction, (n - 1) % 2, all));
            });
        },
        // the sum over the devices of element i of a device's n·64
        {{"out", [](std::int64_t i) { return 4 * double(i) + 256.0 * (0 + 1 + 2 + 3); }}},
        ring_of_devices()});
}

TEST_CASE("tpu-two-senders-one-target")
{
    using Pairs = std::vector<std::pair<int, int>>;
    const auto kernel = [](const Pairs& pairs) {
        return Variant{[pairs](Kernel& k, Sites& sites) {
                           const auto in = k.input("in", {n, 32}, f32, rows), out = k.output("out", {n, 32}, f32, rows);
                           on_each(k, [&](Scope cta, int d) { cta.fill(out(d, all), 0); });
                           k.sync();
                           std::vector<int> to_second;
                           for (const auto& [from, to] : pairs) {
                               if (to == 2) to_second.push_back(next(k));
                               k.copy_async(out(to, all), in(from, all), peer);
                           }
                           k.commit().wait(0);
                           sites = {{to_second.front(), to_second.back()}};
                       },
                       {{"out", [](std::int64_t i) { return i < 32 ? 0.0 : double(i - 32); }}},
                       ring_of_devices()};
    };
    race(kernel({{0, 1}, {1, 2}, {3, 2}, {3, 0}}));
    SECTION("every target is written once") { ok(kernel({{0, 1}, {1, 2}, {2, 3}})); }
}
