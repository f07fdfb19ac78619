// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_REQUIRED_HPP
#define AXE_TESTS_REQUIRED_HPP

#include <axe/sim/report/report.hpp>
#include <catch.hpp>

/// A result that has a value; where it has none, the test ends with the reason.
template <class T>
axe::Result<T, axe::Problem> required(axe::Result<T, axe::Problem> result)
{
    INFO((result ? std::string() : result.error().text));
    REQUIRE(result.has_value());
    return result;
}
/// A run that ended without a fault; the same where it may not have begun.
inline axe::sim::Report without_fault(axe::sim::Report run)
{
    INFO(run.fault.text);
    REQUIRE(run.ok());
    return run;
}
inline axe::Result<axe::sim::Report, axe::Problem> without_fault(axe::Result<axe::sim::Report, axe::Problem> run)
{
    return without_fault(std::move(*required(std::move(run))));
}

#endif
