// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_MAP_OPERATIONS_MAPS_HPP
#define AXE_TESTS_UNIT_MAP_OPERATIONS_MAPS_HPP

#include <axe/map/operations/operation.hpp>
#include <axe/map/print.hpp>

#include <catch.hpp>

/// What operations say, as text.
namespace maps_text {

using Operation = axe::Result<axe::OperationMaps>;
using Shapes = std::vector<axe::IndexShape>;

/// The maps of an operand joined by " | ", each with where its run-time variables are read: " {operand 1 at (d0) -> ()}".
inline std::string joined(const std::vector<axe::OperandMap>& maps)
{
    std::string out;
    for (const axe::OperandMap& m : maps) {
        out += (out.empty() ? "" : " | ") + axe::print(m.map);
        for (const axe::RuntimeSource& r : m.runtimes)
            out += " {operand " + std::to_string(r.operand) + " at " + axe::print(r.at) + "}";
    }
    return out;
}
inline std::string from_output(const Operation& o, std::size_t operand = 0, std::size_t result = 0)
{
    return joined(o->results[result].from_output[operand]);
}
inline std::string to_output(const Operation& o, std::size_t operand = 0, std::size_t result = 0)
{
    return joined(o->results[result].to_output[operand]);
}
inline axe::IndexShape shape(const Operation& o) { return o->results[0].shape; }
inline std::string value(const Operation& o) { return axe::print(o->results[0].value); }

/// The refusal: its code, its position, its sentence.
inline std::string why(const Operation& o)
{
    return std::string(axe::name(o.code())) + " " + std::to_string(o.error().position) + ": " + o.error().message().c_str();
}

} // namespace maps_text

#endif
