// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_STATEMENT_HPP
#define AXE_PROGRAM_IMPL_STATEMENT_HPP

#include <axe/program/statement.hpp>

#include <utility>

namespace axe {
inline namespace v0 {

AXE_DECL StatementKind::StatementKind() noexcept = default;
AXE_DECL StatementKind::StatementKind(const StatementKind&) = default;
AXE_DECL StatementKind::StatementKind(StatementKind&&) noexcept = default;
AXE_DECL StatementKind& StatementKind::operator=(const StatementKind&) = default;
AXE_DECL StatementKind& StatementKind::operator=(StatementKind&&) noexcept = default;
AXE_DECL StatementKind::~StatementKind() = default;

AXE_DECL Body::Body() = default;
AXE_DECL Body::Body(const Body&) = default;
AXE_DECL Body::Body(Body&&) noexcept = default;
AXE_DECL Body& Body::operator=(const Body&) = default;
AXE_DECL Body& Body::operator=(Body&&) noexcept = default;

AXE_DECL Body::~Body()
{
    using Statements = std::vector<Statement>;
    struct Going { // the destructors of bodies on this thread's stack
        int depth = 0;
        std::vector<Statements>* later = nullptr; ///< what is too deep for the stack, of the outermost one
    };
    constexpr int deepest = 300; // more than programs have that are valid
    thread_local Going going;
    if (empty()) return;
    if (going.depth == deepest) {
        going.later->push_back(std::move(static_cast<Statements&>(*this)));
        return;
    }
    std::vector<Statements> later;
    const bool outermost = going.depth++ == 0;
    if (outermost) going.later = &later;
    clear();
    while (!later.empty()) { // only in the outermost one
        Statements next = std::move(later.back());
        later.pop_back();
        next.clear();
    }
    --going.depth;
}

} // namespace v0
} // namespace axe

#endif
