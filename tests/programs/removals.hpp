// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_PROGRAMS_REMOVALS_HPP
#define AXE_TESTS_PROGRAMS_REMOVALS_HPP

#include <axe/program/operators.hpp>
#include <axe/program/program.hpp>
#include <axe/program/validate.hpp>
#include <axe/program/walk.hpp>
#include <catch.hpp>

/// Programs with one thing less: what keeps them right, taken away piece by piece.
namespace removals {

/// What was taken away, in the words of the program's text.
struct Removal {
    int statement = -1;
    std::string what{}; ///< "barrier", "wait", "commit", "mbarrier", "proxy fence", "cluster barrier", "named barrier",
                        ///< "guard of A"
};

/// Takes away the n-th of the barriers, waits, commits, mbarriers, fences, arrivals and waits at the cluster's barrier and at named ones, and
/// guards of a body, in the order of the text.
class Remover {
  public:
    Remover(const axe::Program& program, int number) : program_(program), left_(number) {}

    /// False when there are not so many.
    bool from(axe::Body& body)
    {
        for (std::size_t i = 0; i < body.size(); ++i) {
            axe::Statement& s = body[i];
            if (const char* word = fence(s); word != nullptr && left_-- == 0) {
                removal = {s.id, word};
                body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
                return true;
            }
            if (auto* operation = std::get_if<axe::Operation>(&s.what))
                for (axe::View& v : operation->operands)
                    if (v.guarded && left_-- == 0) {
                        removal = {s.id, "guard of " + program_.tensors[static_cast<std::size_t>(v.tensor)].name};
                        v.guarded = false;
                        return true;
                    }
            if (axe::for_each_body(s, [&](axe::Body& inner) { return from(inner); })) return true;
        }
        return false;
    }

    Removal removal{};

  private:
    static const char* fence(const axe::Statement& s)
    {
        if (std::holds_alternative<axe::Barrier>(s.what)) return "barrier";
        if (std::holds_alternative<axe::Wait>(s.what)) return "wait";
        if (std::holds_alternative<axe::Commit>(s.what)) return "commit";
        if (std::holds_alternative<axe::Mbarrier>(s.what)) return "mbarrier";
        if (std::holds_alternative<axe::ProxyFence>(s.what)) return "proxy fence";
        if (std::holds_alternative<axe::ClusterBarrier>(s.what)) return "cluster barrier";
        if (std::holds_alternative<axe::NamedBarrier>(s.what)) return "named barrier";
        return nullptr;
    }

    const axe::Program& program_;
    int left_;
};

/// The program, the layouts that `lower` chose for it being its own: they are the same whatever is taken away, and not chosen again each time.
inline axe::Program with_chosen_layouts(const axe::Program& program, const axe::Program& lowered)
{
    axe::Program out = program;
    for (std::size_t i = 0; i < out.tensors.size(); ++i) {
        axe::ProgramTensor& t = out.tensors[i];
        const axe::ProgramTensor& chosen = lowered.tensors[i];
        if (t.memory != chosen.memory || t.shape != chosen.shape) continue; // moved to tensor memory; padded rows
        t.layout = chosen.layout;
        t.hint = axe::LayoutHint::none;
    }
    REQUIRE(axe::validate(out).empty());
    return out;
}

/// f(program with one thing less, Removal), thing by thing. How many there are.
template <class F>
int for_each_removal(const axe::Program& program, F&& f)
{
    for (int number = 0;; ++number) {
        axe::Program less = program;
        Remover remover(program, number);
        if (!remover.from(less.body)) return number;
        f(less, remover.removal);
    }
}

} // namespace removals

#endif
