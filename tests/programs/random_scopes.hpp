// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_RANDOM_SCOPES_HPP
#define AXE_TESTS_PROGRAMS_RANDOM_SCOPES_HPP

#include <axe/machine/mesh.hpp>
#include <axe/program/kernel.hpp>
#include <axe/program/levels.hpp>
#include <axe/target/machines.hpp>
#include <tests/random.hpp>

/// Programs about what exists when: tensors of all sizes in scopes inside scopes, at given bases or not, used by all agents or by some,
/// in as many statements, blocks, agents, lanes and devices as a machine has, or more.
namespace programs {

using laws::Int;
using laws::Random;

class ScopeWriter {
  public:
    ScopeWriter(Random& random, const axe::Machine& machine, const std::string& name)
        : r_(random), k_(name, machine), machine_(machine)
    {
    }

    axe::Result<axe::Program, axe::Problem> program()
    {
        using namespace axe;
        a_ = k_.input("A", {64, 64}, DType::f32);
        c_ = k_.inout("C", {64, 64}, DType::f32);
        if (r_.one_in(3)) k_.fill(*c_, 1);
        const int agents = static_cast<int>(r_.one_in(40) ? r_.in(33, 40) : r_.one_in(10) ? 32 : r_.in(1, 4));
        const auto grid = [&] { k_.cta(tiles(64, 64), [&](Scope cta, const Tile&) { body(cta, agents, 3); }, agents); };
        if (machine_.scopes[0].count > 1)
            k_.devices(0, 1, [&](Scope) { grid(); }); // the first has all of A and C
        else
            grid();
        return k_.program();
    }

  private:
    void body(axe::Scope s, int agents, int depth)
    {
        using namespace axe;
        const Int statements = r_.in(1, 4);
        for (Int i = 0; i < statements; ++i) switch (r_.in(0, depth > 0 ? 5 : 1)) {
            case 0: shared(s); break;
            case 1: registers(s, agents); break;
            case 2: s.loop(0, r_.in(1, 3), r_.in(1, 3), [&](const Affine&) { body(s, agents, depth - 1); }); break;
            case 3: s.when(Expression(1.0), [&] { body(s, agents, depth - 1); }); break;
            case 4:
                if (agents > 1 && r_.one_in(3)) {
                    const int first = static_cast<int>(r_.in(0, agents - 1));
                    s.warps(first, 1, [&](Scope one) { shared(one); });
                    break;
                }
                [[fallthrough]];
            default: body(s, agents, depth - 1); break;
            }
        if (r_.one_in(2)) s.sync();
    }

    Int bytes()
    {
        constexpr Int some[] = {64, 512, 1024, 4096, 20000, 60000, 100000, 166912, 166916, 240000};
        return some[r_.in(0, r_.one_in(3) ? 9 : 6)];
    }

    /// Fills a tensor of shared memory, and copies a part of it to C, or a part of A to it.
    void shared(axe::Scope s)
    {
        using namespace axe;
        const Int n = bytes() / 4, base = r_.one_in(5) ? r_.in(0, 3) * 65536 : -1;
        const auto t = s.alloc(Role::shared, {n}, DType::f32, {}, "s" + std::to_string(number_++), base);
        if (r_.one_in(6)) return;
        const Int row = r_.in(0, r_.one_in(5) ? 70 : 63);
        if (r_.one_in(3))
            s.copy(t(Interval(0, 16)), (*a_)(Interval(row), Interval(r_.in(0, 80), 16)).guarded());
        else
            s.fill(t(Interval(0, 16)), 1);
        s.sync();
        s.copy((*c_)(Interval(row), Interval(0, 16)).guarded(r_.one_in(2)), t(Interval(0, 16)));
        s.sync();
    }
    void registers(axe::Scope s, int agents)
    {
        using namespace axe;
        // Whole vectors of all lanes: a row that is padded to them may take registers that `validate` does not know of.
        const Int each = r_.one_in(8) ? 4 * r_.in(25, 75) : r_.in(1, 60);
        const auto t = s.alloc(Role::registers, {each * agents * levels_of(machine_).lanes}, DType::f32, LayoutHint::registers,
                               "r" + std::to_string(number_++));
        if (!r_.one_in(6)) s.fill(t, 2);
    }

    Random& r_;
    axe::Kernel k_;
    axe::Machine machine_;
    std::optional<axe::TensorRef> a_{}, c_{};
    int number_ = 0;
};

/// Machines of the library, and of other numbers of lanes and devices.
inline const std::vector<axe::Machine>& scope_machines()
{
    static const std::vector<axe::Machine> out = [] {
        std::vector<axe::Machine> all{axe::machines::sm80, axe::machines::sm90, axe::machines::cpu,
                                      mesh(axe::machines::sm80, {2}).value()};
        for (const std::int64_t lanes : {16, 64, 65}) {
            axe::Machine m = axe::machines::sm80;
            m.scopes[3].count = lanes;
            m.splits[0].extent = lanes;
            all.push_back(m);
        }
        return all;
    }();
    return out;
}

} // namespace programs

#endif
