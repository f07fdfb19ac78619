// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_INDEXED_HPP
#define AXE_PROGRAM_INDEXED_HPP

#include <axe/program/operation.hpp>

namespace axe {
inline namespace v0 {

/// Which operand of a gather, a scatter or an atomic operation on rows is what.
///
///   gather:   D[i, …] = A[index_0[i], index_1[i], …] where mask[i] ≠ 0, else number;   operands D, A, indices, mask
///   scatter:  D[index_0[i], index_1[i], …] = A[i, …] where mask[i] ≠ 0;                operands D, indices, A, mask
///   atomic_rows, compare_exchange: the same places of D, combined with A in one step;            operands D, indices, A, before, mask
struct IndexedOperands {
    int chosen = 0;  ///< in whose elements the indices choose: A of a gather, else D
    int rows = 0;    ///< the other one, which goes with the indices
    int first = 0;   ///< the first index
    int count = 0;   ///< indices, one for each of the first dimensions of what is chosen in
    int before = -1; ///< of an atomic operation: what was there, or is expected; −1: none
    int mask = -1;   ///< −1: none
};

/// Of such an operation; a count below 1 where there are fewer.
inline IndexedOperands indexed_operands_of(const Operation& o)
{
    const int given = static_cast<int>(o.operands.size());
    IndexedOperands out;
    if (o.op == Op::atomic_rows || o.op == Op::compare_exchange) {
        out.first = 1;
        out.count = o.indices;
        out.rows = 1 + o.indices;
        if (given > 2 + o.indices + (o.masked ? 1 : 0)) out.before = 2 + o.indices;
        if (o.masked) out.mask = given - 1;
        return out;
    }
    out.count = given - 2 - (o.masked ? 1 : 0);
    out.mask = o.masked ? given - 1 : -1;
    const bool gathers = o.op == Op::gather;
    out.chosen = gathers ? 1 : 0;
    out.rows = gathers ? 0 : 1 + out.count;
    out.first = gathers ? 2 : 1;
    return out;
}

} // namespace v0
} // namespace axe

#endif
