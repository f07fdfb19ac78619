// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_TRAINIUM_ORDER_ENGINES_HPP
#define AXE_TARGET_TRAINIUM_ORDER_ENGINES_HPP

#include <axe/program/program.hpp>

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
        for (Statement& s : body) {
            if (auto* grid = std::get_if<Grid>(&s.what)) {
                Touched touched;
                walk(grid->body, touched);
            }
            if (auto* loop = std::get_if<For>(&s.what)) for_grids(loop->body);
            if (auto* loop = std::get_if<While>(&s.what)) for_grids(loop->body);
            if (auto* slice = std::get_if<Slice>(&s.what)) for_grids(slice->body);
            if (auto* choice = std::get_if<If>(&s.what)) {
                for_grids(choice->then);
                for_grids(choice->otherwise);
            }
        }
    }

  private:
    template <class F>
    static void for_each_body(const Statement& s, const F& f)
    {
        if (const auto* loop = std::get_if<For>(&s.what)) f(loop->body);
        if (const auto* loop = std::get_if<While>(&s.what)) f(loop->body);
        if (const auto* slice = std::get_if<Slice>(&s.what)) f(slice->body);
        if (const auto* grid = std::get_if<Grid>(&s.what)) f(grid->body);
        if (const auto* choice = std::get_if<If>(&s.what)) {
            f(choice->then);
            f(choice->otherwise);
        }
    }

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
    [[nodiscard]] static bool depends(const Touched& before, const Body& body)
    {
        for (const Statement& s : body) {
            if (const auto* i = std::get_if<Instruction>(&s.what); i != nullptr && depends(before, *i)) return true;
            bool inside = false;
            for_each_body(s, [&](const Body& inner) { inside = inside || depends(before, inner); });
            if (inside) return true;
        }
        return false;
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
        for (std::size_t at = 0; at < body.size(); ++at) {
            Statement& s = body[at];
            const auto meet_before = [&] {
                Statement barrier{s.id, Barrier{}};
                body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), std::move(barrier));
                touched.all.clear();
            };
            if (const auto* i = std::get_if<Instruction>(&s.what)) {
                if (depends(touched, *i)) {
                    meet_before();
                    continue; // the barrier stands here now, the instruction comes next
                }
                for (const auto& one : touches(*i)) touched.all.insert(one);
            } else if (std::holds_alternative<Barrier>(s.what)) {
                touched.all.clear();
            } else if (std::holds_alternative<Break>(s.what) || std::holds_alternative<Continue>(s.what)) {
                if (ways_ != nullptr) join(std::holds_alternative<Break>(s.what) ? ways_->out : ways_->back, touched);
            } else if (auto* loop = std::get_if<For>(&s.what)) {
                const Affine count = loop->end - loop->begin;
                walk_loop(loop->body, touched, count.is_constant() && count.constant() > 0);
            } else if (auto* loop2 = std::get_if<While>(&s.what)) {
                walk_loop(loop2->body, touched, false);
            } else if (auto* choice = std::get_if<If>(&s.what)) {
                Touched other = touched;
                walk(choice->then, touched);
                walk(choice->otherwise, other);
                join(touched, other);
            } else if (auto* slice = std::get_if<Slice>(&s.what)) {
                // How slices wait for each other is the program's own: a meeting between them could keep one from what the other waits for.
                if (depends(touched, slice->body)) {
                    meet_before();
                    continue;
                }
                Touched inside;
                walk(slice->body, inside);
            }
        }
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
