// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TARGET_NVIDIA_TMA_PRINT_HPP
#define AXE_TARGET_NVIDIA_TMA_PRINT_HPP

#include <axe/target/nvidia/tma/im2col.hpp>
#include <axe/target/nvidia/tma/plan.hpp>

#include <string>
#include <string_view>

namespace axe {
inline namespace v0 {

/// A map in one line, innermost dimension first:  f16 (256,512):(2,512) box (64,64) swizzle 128B
///
/// Strides are bytes, that of the innermost the element's. What is as in `TensorMap{}` is left out.
[[nodiscard]] AXE_DECL std::string print(const TensorMap& map);
[[nodiscard]] AXE_DECL std::string print(const Im2colMap& map);

/// A copy in one line:  (0,64) at byte 8192, with what it has of four rows, multicast mask and pair.
[[nodiscard]] AXE_DECL std::string print(const TmaIssue& issue);

/// The map, how many elements of the tensor are one of its, and a line for each copy.
[[nodiscard]] AXE_DECL std::string print(const TmaPlan& plan);

/// The CUDA call that makes the map, in C++: `name` is the CUtensorMap, `address` an expression for the tensor's address, a `void*`.
///
/// Declares `name`, its arrays and the result `name_status`. For a map that `check` takes; `errc::bad_argument` for a swizzle of 96 bytes,
/// which PTX has and the call has not.      [CUDA 13.0, cuda.h]
AXE_DECL Result<std::string> to_cuda(const TensorMap& map, std::string_view name = "map", std::string_view address = "address");
AXE_DECL Result<std::string> to_cuda(const Im2colMap& map, std::string_view name = "map", std::string_view address = "address");

/// The instruction of a copy: `cp.async.bulk.tensor` with the addresses %shared and %mbarrier, the map [map], and the numbers of the issue; of
/// stores the next `commit_group` completes it. `reduction` is the operation of a reduction. For what `check` takes.      [PTX ISA 9.1, 9.7.9.25.5.2]
[[nodiscard]] AXE_DECL std::string to_ptx(const TensorMap& map, const TmaIssue& issue, TmaUse use = TmaUse::load,
                                          std::string_view reduction = "add");

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/target/nvidia/tma/impl/print.hpp>
#endif

#endif
