// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_HPP
#define AXE_INTEROP_SHARDING_HPP

/// Shardings of other frameworks, to and from layouts on `gpuid` and `m`: what each says is read to a `sharding::Spec`, which is placed
/// by `place` and found again by `find_spec`.
#include <axe/interop/sharding/alpa.hpp>
#include <axe/interop/sharding/dtensor.hpp>
#include <axe/interop/sharding/find.hpp>
#include <axe/interop/sharding/hlo_text.hpp>
#include <axe/interop/sharding/jax.hpp>
#include <axe/interop/sharding/ranges.hpp>
#include <axe/interop/sharding/sbp.hpp>
#include <axe/interop/sharding/sdy.hpp>

#endif
