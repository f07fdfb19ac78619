// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_STAGES_EXPOSED_HPP
#define AXE_SCHEDULE_STAGES_EXPOSED_HPP

#include <axe/schedule/stages/round.hpp>

/// Is what a tensor holds needed later? If not, each round of a loop may have one of its own.
namespace axe {
inline namespace v0 {
namespace detail::stages {

/// What happens first to a tensor's values: nothing that is known, all are written, some may be read.
enum class First : std::uint8_t { neither, written, read };

class Exposed {
  public:
    Exposed(const Program& p, int tensor) : p_(p), tensor_(tensor) {}

    [[nodiscard]] First in(const Body& body, std::size_t begin, std::size_t end) const
    {
        for (std::size_t i = begin; i < end && i < body.size(); ++i)
            if (const First f = in(body[i]); f != First::neither) return f;
        return First::neither;
    }
    [[nodiscard]] First in(const Body& body) const { return in(body, 0, body.size()); }

    /// What happens first after a statement, up to the allocation of the tensor: `read` where values that it left may be used.
    [[nodiscard]] First after(const Statement& statement) const
    {
        First out = First::neither;
        find(p_.body, statement, out);
        return out;
    }

  private:
    [[nodiscard]] First in(const Statement& s) const
    {
        if (const auto* alloc = std::get_if<Alloc>(&s.what)) return alloc->tensor == tensor_ ? First::written : First::neither;
        const bool holds = !for_each_body(s, [](const Body&) { return true; });
        bool reads = false;
        std::vector<Touch> touches;
        if (holds)
            append_touches(p_, s, touches);
        else
            for_each_expression(s, [&](const Expression& e) {
                for_each_node(
                    e, [&](const Expression& n) { reads |= n.kind == Expression::Kind::load && n.element.tensor == tensor_; });
            });
        for (const Touch& t : touches) reads |= t.reads && t.what == tensor_;
        if (reads) return First::read;
        if (holds) return wholly_written(p_, s) == tensor_ ? First::written : First::neither;
        const bool always = std::holds_alternative<Let>(s.what);
        First out = First::neither;
        for_each_body(s, [&](const Body& body) {
            const First f = in(body);
            if (f == First::read || (f == First::written && always && out == First::neither)) out = f;
        });
        return out;
    }
    /// Is the statement in the body? Then, what happens first after it there, and in the bodies around.
    bool find(const Body& body, const Statement& statement, First& out) const
    {
        for (std::size_t i = 0; i < body.size(); ++i) {
            const bool here = &body[i] == &statement;
            if (!here && !for_each_body(body[i], [&](const Body& inner) { return find(inner, statement, out); })) continue;
            if (out != First::neither) return true;
            if (!here && repeats(body[i])) out = in(body[i]); // the next round of the loop around
            if (out == First::neither || out == First::written) {
                // A loop may not run once more: what follows it matters, too.
                const First then = in(body, i + 1, body.size());
                if (out == First::neither || then == First::read) out = then;
            }
            if (out == First::neither && allocates(body, i)) out = First::written;
            return true;
        }
        return false;
    }
    [[nodiscard]] bool allocates(const Body& body, std::size_t end) const
    {
        for (std::size_t i = 0; i < end; ++i)
            if (const auto* alloc = std::get_if<Alloc>(&body[i].what); alloc != nullptr && alloc->tensor == tensor_) return true;
        return false;
    }

    const Program& p_;
    int tensor_;
};

} // namespace detail::stages
} // namespace v0
} // namespace axe

#endif
