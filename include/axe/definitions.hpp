// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_DEFINITIONS_HPP
#define AXE_DEFINITIONS_HPP

/// The definitions of all that headers only declare where AXE_COMPILED is defined (support/config.hpp). One source of a program includes
/// it; the CMake target axe::kernels is made of its parts.
#include <axe/program/impl/kernel.hpp>
#include <axe/program/impl/operators.hpp>
#include <axe/program/impl/print.hpp>
#include <axe/program/impl/scope.hpp>
#include <axe/program/impl/validate.hpp>
#include <axe/relayout/kernels/impl/select.hpp>
#include <axe/schedule/impl/lower.hpp>
#include <axe/sim/agents/impl/block_memory.hpp>
#include <axe/sim/agents/impl/block_replicas.hpp>
#include <axe/sim/agents/impl/block_run.hpp>
#include <axe/sim/agents/impl/block_together.hpp>
#include <axe/sim/agents/impl/block_values.hpp>
#include <axe/sim/agents/impl/block_waits.hpp>
#include <axe/sim/agents/impl/block_words.hpp>
#include <axe/sim/agents/impl/device_grids.hpp>
#include <axe/sim/agents/impl/device_run.hpp>
#include <axe/sim/impl/run.hpp>
#include <axe/sim/impl/verify.hpp>
#include <axe/sim/report/impl/report_text.hpp>
#include <axe/sim/report/impl/statement_lines.hpp>
#include <axe/sim/report/impl/trace.hpp>
#include <axe/sim/report/impl/verification.hpp>
#include <axe/target/cpu/impl/targets.hpp>
#include <axe/target/impl/targets.hpp>
#include <axe/target/nvidia/impl/targets.hpp>
#include <axe/target/spyre/impl/targets.hpp>
#include <axe/target/trainium/impl/targets.hpp>
#include <axe/tensor/impl/npy.hpp>

#endif
