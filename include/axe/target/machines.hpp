// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_MACHINES_HPP
#define AXE_TARGET_MACHINES_HPP

#include <axe/machine/check_machine.hpp>
#include <axe/target/cpu/machines.hpp>
#include <axe/target/nvidia/machines.hpp>
#include <axe/target/spyre/machines.hpp>
#include <axe/target/trainium/machines.hpp>

namespace axe {
inline namespace v0 {
namespace machines {

/// Every machine of the library. One more is a value in the header of its family and a name in this list.
constexpr InlineVector<const Machine*, 16> all() noexcept { return {&cpu, &sm80, &sm90, &sm100, &trn1, &trn2, &spyre}; }

/// The machine of this name.
///
/// `errc::bad_argument` if none exists. Cost: linear in the number of machines.
constexpr Result<Machine> find(const char* name) noexcept
{
    for (const Machine* machine : all())
        if (detail::same_text(machine->name, name)) return *machine;
    return Error(errc::bad_argument, -1, "no machine has this name; machines::all() lists the machines");
}

} // namespace machines
} // namespace v0
} // namespace axe

#endif
