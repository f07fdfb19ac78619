// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipelined_runs.hpp"

#include <random>
#include <tests/one_block.hpp>
#include <tests/required.hpp>

using namespace axe;
using namespace pipelined_runs;
using enum axe::DType;

/// Bodies of loops by chance: every schedule that is taken computes what program order does.

namespace {

struct Body {
    enum class Kind { load, add, onto, store, store_later } kind;
    int d = 0, a = 0, b = 0;
};
constexpr int tensors = 4;

Program random_program(const Machine& machine, std::mt19937& random, std::int64_t rounds, int statements, bool inside, bool bulk)
{
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<Body> body;
    std::vector<int> stages, orders;
    for (int s = 0; s < statements; ++s) {
        body.push_back({static_cast<Body::Kind>(below(5)), below(tensors), below(tensors), below(tensors)});
        // What is made in a round is often used in it.
        if (s == 0 && below(2) == 0) body[0].kind = Body::Kind::load;
        if (s == 0 && bulk) body[0] = {Body::Kind::load, 0, 0, body[0].b}; // of X, which nothing writes
        if (s > 0 && below(2) == 0) body.back().a = body[static_cast<std::size_t>(s) - 1].d, body.back().d = s % tensors;
        stages.push_back(below(3));
        orders.push_back(s);
    }
    if (below(2) == 0) std::sort(stages.begin(), stages.end()); // those are legal more often
    if (below(3) == 0) std::shuffle(orders.begin(), orders.end(), random);

    Kernel k("random", machine);
    const auto X = k.input("X", {rounds + 4, 64}, i32), Y = k.inout("Y", {rounds + 4, 64}, i32),
               Z = k.output("Z", {tensors, 64}, i32);
    one_block(k, 2, [&](Scope c) {
        std::vector<TensorRef> s;
        for (int t = 0; t < tensors; ++t) {
            s.push_back(c.alloc(Role::shared, {64}, i32, {}, "s" + std::to_string(t)));
            c.fill(s.back(), t);
        }
        c.sync();
        c.loop(0, rounds, 1, Stages{3, stages, orders, {}, bulk}, [&](const Affine& i) {
            for (int n = 0; n < statements; ++n) {
                const Body& one = body[static_cast<std::size_t>(n)];
                const auto &d = s[static_cast<std::size_t>(one.d)], &a = s[static_cast<std::size_t>(one.a)],
                           &b = s[static_cast<std::size_t>(one.b)];
                c.pipeline_group(n, [&] {
                    switch (one.kind) {
                    case Body::Kind::load: c.copy(d, one.a % 2 == 0 ? X(i + one.b, all) : Y(i + one.b, all)); break;
                    case Body::Kind::add: c.binary(Function::add, d, a, b); break;
                    case Body::Kind::onto: c.binary(Function::sub, d, d, a); break;
                    case Body::Kind::store: c.copy(Y(i, all), a); break;
                    case Body::Kind::store_later: c.copy(Y(i + one.b, all), a); break;
                    }
                });
                c.sync();
            }
        });
        if (!inside)
            for (int t = 0; t < tensors; ++t) c.copy(Z(t, all), s[static_cast<std::size_t>(t)]);
        else
            c.fill(Z, 0);
    });
    return *required(k.program());
}

} // namespace

TEST_CASE("pipelined: random bodies compute what they do in program order, whatever schedule is legal", "[pipelined]")
{
    int taken = 0, overlapping = 0, refused = 0, asynchronous = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
        std::mt19937 random(seed);
        INFO("seed " << seed);
        const Target& target = seed % 4 == 0   ? targets::sm80
                               : seed % 4 == 1 ? targets::cpu
                               : seed % 4 == 2 ? targets::sm90
                                               : targets::sm80;
        const auto rounds = static_cast<std::int64_t>(random() % 8);
        const int statements = 2 + static_cast<int>(random() % 4);
        const bool inside = random() % 2 == 0;
        const Program p = random_program(target.machine, random, rounds, statements, inside, false);
        const auto made = pipelined(p, target);
        if (!made) {
            INFO(made.error().text);
            CHECK(made.error().text.find(" must come after ") != std::string::npos);
            ++refused;
            continue;
        }
        ++taken;
        check_same(p, target);
        bool several = false;
        for (const auto& slots : made->loops[0].slots) several |= slots.count > 1;
        overlapping += several ? 1 : 0;
        for (const auto& step : made->loops[0].steps) asynchronous += step.asynchronous ? 1 : 0;
    }
    INFO(taken << " taken, " << overlapping << " with slots, " << refused << " refused, " << asynchronous
               << " asynchronous copies");
    CHECK((taken > 100 && overlapping > 20 && refused > 100 && asynchronous > 10));
}

TEST_CASE("pipelined: random bodies with bulk copies compute what they do in program order", "[pipelined][bulk]")
{
    int taken = 0, refused = 0, bulk = 0, with_slots = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        INFO("seed " << seed);
        const Target& target = seed % 2 == 0 ? targets::sm90 : targets::sm100;
        const auto rounds = static_cast<std::int64_t>(random() % 8);
        const Program p = random_program(target.machine, random, rounds, 2 + static_cast<int>(random() % 4), true, true);
        const auto made = pipelined(p, target);
        if (!made) {
            CHECK(made.error().text.find(" must come after ") != std::string::npos);
            ++refused;
            continue;
        }
        ++taken;
        check_same(p, target);
        for (const auto& step : made->loops[0].steps) bulk += step.bulk ? 1 : 0;
        for (const auto& slots : made->loops[0].slots) with_slots += slots.tensor == "s0" && slots.count > 1 ? 1 : 0;
    }
    INFO(taken << " taken, " << refused << " refused, " << bulk << " bulk copies, " << with_slots << " into several slots");
    CHECK((taken > 80 && refused > 50 && bulk > 50 && with_slots > 10));
}
