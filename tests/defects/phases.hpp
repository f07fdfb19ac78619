// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_DEFECTS_PHASES_HPP
#define AXE_TESTS_DEFECTS_PHASES_HPP

#include <axe/program/kernel.hpp>

/// What agents do with mbarriers, and the options of what goes on by itself.
namespace defects {

using axe::Mbarrier;
using axe::Options;

inline Mbarrier init(int id, int arrivals) { return {Mbarrier::Action::init, id, arrivals, {}}; }
inline Mbarrier arrive(int id) { return {Mbarrier::Action::arrive, id, 0, {}}; }
inline Mbarrier expect(int id, int bytes) { return {Mbarrier::Action::expect_bytes, id, bytes, {}}; }
inline Mbarrier wait_for(int id, axe::Expression parity = 0) { return {Mbarrier::Action::wait, id, 0, std::move(parity)}; }

inline Options completes_on(int id)
{
    Options out;
    out.completes_on = id;
    return out;
}
inline Options asynchronous()
{
    Options out;
    out.async = true;
    return out;
}

} // namespace defects

#endif
