// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TENSOR_NPY_HPP
#define AXE_TENSOR_NPY_HPP

#include <axe/tensor/array.hpp>

#include <optional>

namespace axe {
inline namespace v0 {

/// Reads an array from a .npy file: versions 1.0 to 3.0, either order of dimensions and of bytes.
///
/// NumPy's f8, f4, f2, i4, i2, i1, u1 and b1 become f64, f32, f16, i32, i16, i8, u8 and b1; i8, u8, u4 and u2 become i32 when all
/// values fit. `as` names the type instead: another integer type, when all values fit; or a type as wide as the elements, bit by
/// bit, when NumPy has stored its like as V2 or V1 (what bfloat16, float8_* and int4 of ml_dtypes become), as an integer, or e5m2
/// as f1. An f4 whose low bits are zero may be read as tf32.
///
/// `errc::bad_argument` when the file cannot be read or its type is not one of these, `errc::bad_syntax` when it is not a .npy file,
/// `errc::size_mismatch` when it is too short or too long for its shape, `errc::out_of_domain` with the element when a value does
/// not fit; the errors of `Array::make`. Cost: one pass; memory for the elements, once more when they must be converted.
AXE_DECL Result<Array, Problem> read_npy(const std::string& path, std::optional<DType> as = {});

/// Writes an array as a .npy file of version 1.0, row-major, in this machine's byte order; no part of it is left when that fails,
/// and a file that was there before is kept until all is written.
///
///   read_npy(path, a.dtype()) = a   after write_npy(path, a), for elements as `encode` makes them
///
/// Types that NumPy has not are written as ml_dtypes does: bf16 as V2, and likewise dl16; floats of 8 bits or less and i4 as V1; e5m2, too,
/// since NumPy cannot load what ml_dtypes writes of it. tf32 is written as f4. Cost: one pass.
/// `errc::bad_argument` with what the system says.
AXE_DECL Result<void, Problem> write_npy(const std::string& path, const Array& array);

} // namespace v0
} // namespace axe

#if !defined(AXE_COMPILED)
#  include <axe/tensor/impl/npy.hpp>
#endif

#endif
