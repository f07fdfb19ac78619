// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_MACHINE_TEXT_HPP
#define AXE_CLI_MACHINE_TEXT_HPP

#include "json.hpp"

#include <axe/machine/machine.hpp>

#include <string>
#include <string_view>

namespace axe_cli {

/// All that is known of a machine, in sections.
std::string describe(const axe::Machine& machine);

/// `device 1 > core > thread 32`: from the largest scope to the smallest, and how many members each has.
std::string scopes_text(const axe::Machine& machine);

/// `ram, scratch, reg`
std::string memories_text(const axe::Machine& machine);

/// The machine that was probably meant: `sm90` by H100 or sm9O. Empty where none is near, and for the name of a machine.
std::string_view meant_machine(std::string_view name);

void write(JsonWriter& json, const axe::Machine& machine);

} // namespace axe_cli

#endif
