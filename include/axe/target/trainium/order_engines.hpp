// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_ORDER_ENGINES_HPP
#define AXE_TARGET_TRAINIUM_ORDER_ENGINES_HPP

#include <axe/program/program.hpp>
#include <axe/program/walk.hpp>

#include <set>
#include <utility>

/// Engines run side by side, each its own instructions in order. A program that is portable says where its agents meet only as far as
/// agents that all take part in every operator need it; what one engine makes for another needs a meeting, too.
namespace axe {
inline namespace v0 {
namespace detail::trainium {

/// Who touched which tensor since all engines met.
struct Touched {
    struct One {
        int tensor, engine;
        bool writes;
        friend auto operator<=>(const One&, const One&) = default;
    };
    std::set<One> all{};
};

class EngineOrder {
  public:
    void for_grids(Body& body)
    {
        for_each_statement(body, [&](Statement& s) {
            Touched touched;
            if (auto* grid = std::get_if<Grid>(&s.what)) walk(grid->body, touched);
        });
    }

  private:
    static std::vector<Touched::One> touches(const Instruction& i)
    {
        std::vector<Touched::One> out;
        for (std::size_t o = 0; o < i.operands.size(); ++o) out.push_back({i.operands[o].view.tensor, i.first_agent, o == 0});
        return out;
    }
    [[nodiscard]] static bool depends(const Touched& before, const Instruction& i)
    {
        for (const auto& now : touches(i))
            for (const auto& then : before.all)
                if (then.engine != now.engine && (then.writes || now.writes) && then.tensor == now.tensor) return true;
        return false;
    }
    [[nodiscard]] static bool depends(const Touched& before, const Slice& slice)
    {
        return for_each_statement(slice.body, [&](const Statement& s) {
            const auto* i = std::get_if<Instruction>(&s.what);
            return i != nullptr && depends(before, *i);
        });
    }

    /// What leads out of a loop early, and back to its start.
    struct Ways {
        Touched out{}, back{};
    };
    static void join(Touched& into, const Touched& from) { into.all.insert(from.all.begin(), from.all.end()); }

    /// @param runs whether the body is certain to run
    void walk_loop(Body& body, Touched& touched, bool runs)
    {
        Touched start = touched;
        // The second time the loop starts with what it ended with, besides.
        for (int pass = 0; pass < 2; ++pass) {
            Ways ways;
            Touched inside = start;
            Ways* around = std::exchange(ways_, &ways);
            walk(body, inside);
            ways_ = around;
            join(inside, ways.back);
            join(start, inside);
            join(inside, ways.out);
            if (pass == 0) continue;
            if (!runs) join(inside, touched);
            touched = std::move(inside);
        }
    }

    void walk(Body& body, Touched& touched)
    {
        rewrite(body, [&](Statement& s, Body& out) {
            const auto* i = std::get_if<Instruction>(&s.what);
            const auto* slice = std::get_if<Slice>(&s.what);
            if ((i != nullptr && depends(touched, *i)) || (slice != nullptr && depends(touched, *slice))) {
                out.push_back({s.id, Barrier{}});
                touched.all.clear();
            }
            std::visit([&](auto& what) { pass(what, touched); }, s.what);
            out.push_back(std::move(s));
        });
    }

    /// Walks over one statement: `touched` was before, and becomes what is after.
    static void pass(Instruction& i, Touched& touched)
    {
        for (const auto& one : touches(i)) touched.all.insert(one);
    }
    static void pass(Barrier&, Touched& touched) { touched.all.clear(); }
    void pass(Break&, Touched& touched)
    {
        if (ways_ != nullptr) join(ways_->out, touched);
    }
    void pass(Continue&, Touched& touched)
    {
        if (ways_ != nullptr) join(ways_->back, touched);
    }
    void pass(For& loop, Touched& touched)
    {
        const Affine count = loop.end - loop.begin;
        walk_loop(loop.body, touched, count.is_constant() && count.constant() > 0);
    }
    void pass(While& loop, Touched& touched) { walk_loop(loop.body, touched, false); }
    void pass(If& choice, Touched& touched)
    {
        Touched other = touched;
        walk(choice.then, touched);
        walk(choice.otherwise, other);
        join(touched, other);
    }
    /// How slices wait for each other is the program's own: a meeting between them could keep one from what the other waits for.
    void pass(Slice& slice, Touched&)
    {
        Touched inside;
        walk(slice.body, inside);
    }
    template <class What>
    static void pass(What&, Touched&)
    {
    }

    Ways* ways_ = nullptr;
};

} // namespace detail::trainium

/// Puts a barrier before each instruction that needs, or overwrites, what another engine made or reads since the engines last met; in
/// blocks, of a program of instructions. As the vendor's compiler does with semaphores.
///
/// Tensors count as a whole. Between slices of agents nothing is put: they wait for each other as the program says. Cost: instructions
/// times tensors in use, twice for each loop around.
inline void order_engines(Program& program) { detail::trainium::EngineOrder().for_grids(program.body); }

} // namespace v0
} // namespace axe

#endif
