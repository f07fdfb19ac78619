// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_RAW_FUNCTION_HPP
#define AXE_PROGRAM_IMPL_RAW_FUNCTION_HPP

#include <axe/program/operators.hpp>
#include <axe/program/raw_function.hpp>

/// The rules of raw functions as operators. Nothing here is for users.
namespace axe {
inline namespace v0 {
namespace detail {

AXE_DECL Result<void, Problem> check_raw(const Program& p, const Operation& o)
{
    if (o.raw == nullptr || o.raw->run == nullptr)
        return {errc::bad_argument, hinted("it has no function", "append it by `Scope::raw`")};
    const RawFunction& f = *o.raw;
    const int count = operand_count(f), written = written_count(f);
    if (written == 0) return Problem(errc::bad_argument, "{0} writes nothing; what a raw function writes comes first", {f.name});
    for (int i = written; i < count; ++i)
        if (f.operands[i].access != RawAccess::read)
            return Problem(errc::bad_argument, "{0} writes `{1}` after an operand that it reads; what it writes comes first",
                           {f.name, f.operands[i].name});
    if (auto e = need_operands(o, count); !e.ok()) return e;
    for (int i = 0; i < written; ++i)
        if (auto e = need_single(p, o, i); !e.ok()) return e;
    return f.check == nullptr ? Result<void, Problem>() : f.check(p, o);
}

} // namespace detail
} // namespace v0
} // namespace axe

#endif
