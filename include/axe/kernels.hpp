// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_KERNELS_HPP
#define AXE_KERNELS_HPP

#include <axe/axe.hpp>
#include <axe/machine/mesh.hpp>
#include <axe/program/allocation.hpp>
#include <axe/program/kernel.hpp>
#include <axe/program/pipeline.hpp>
#include <axe/program/print.hpp>
#include <axe/program/validate.hpp>
#include <axe/schedule/hint.hpp>
#include <axe/schedule/lower.hpp>
#include <axe/schedule/pass.hpp>
#include <axe/schedule/pipelined.hpp>
#include <axe/schedule/schedule.hpp>
#include <axe/sim/report/report_text.hpp>
#include <axe/sim/report/trace.hpp>
#include <axe/sim/report/watch.hpp>
#include <axe/sim/run.hpp>
#include <axe/sim/verify.hpp>
#include <axe/target/insert_barriers.hpp>
#include <axe/target/suggest.hpp>
#include <axe/target/targets.hpp>
#include <axe/tensor/npy.hpp>

/// Everything to write a kernel, run it on simulated machines, and verify the run against what the
/// kernel states that it computes:
///
///   Kernel → program() → lower() → sim::run() → verify()
///
/// All of it takes seconds to compile. Where AXE_COMPILED is defined it is only declared, and one source of the program, which includes
/// <axe/definitions.hpp>, has it; the CMake target axe::kernels is that.

#endif
