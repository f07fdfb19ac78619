// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SCHEDULE_VALUES_HPP
#define AXE_SCHEDULE_VALUES_HPP

#include <axe/program/loops.hpp>
#include <axe/schedule/schedule.hpp>

namespace axe {
inline namespace v0 {

/// The values of an affine function of the variables of a request's program. Cost: linear in its terms, once its loops are known.
inline Values values_of(const Request& request, const Affine& function)
{
    if (request.loops() != nullptr) return values_of(request.program(), *request.loops(), function);
    return values_of(request.program(), function);
}

} // namespace v0
} // namespace axe

#endif
