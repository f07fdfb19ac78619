// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_INTEROP_LINEAR_THREADS_HPP
#define AXE_TESTS_UNIT_INTEROP_LINEAR_THREADS_HPP

#include <axe/interop/linear/linear_layout.hpp>
#include <tests/random.hpp>

#include <set>

/// What the tests of register layouts share: layouts of registers, lanes and warps, and what each thread has, by enumeration.
namespace linear_tests {

using Word = std::uint64_t;
using Bases = axe::InlineVector<Word, axe::linear::LinearLayout::max_bits>;

/// Registers lowest, then lanes, then warps; `bits` of output.
inline axe::linear::LinearLayout threads(const Bases& bases, int registers, int lanes, int warps, int bits)
{
    return {{{"register", registers}, {"lane", lanes}, {"warp", warps}}, {{"dim0", bits}}, bases};
}

/// The element in register r of lane l of warp w, where registers, lanes and warps follow each other.
inline Word element(const axe::linear::LinearLayout& layout, Word r, Word l, Word w)
{
    return apply(layout, r | l << layout.in[0].bits | w << (layout.in[0].bits + layout.in[1].bits));
}

/// The elements of one thread.
inline std::set<Word> elements(const axe::linear::LinearLayout& layout, Word l, Word w)
{
    std::set<Word> out;
    for (Word r = 0; r < Word{1} << layout.in[0].bits; ++r) out.insert(element(layout, r, l, w));
    return out;
}

inline Bases random_bases(laws::Random& random, int count, int bits)
{
    Bases out;
    for (int i = 0; i < count; ++i) out.push_back(random.next() & ((Word{1} << bits) - 1));
    return out;
}

} // namespace linear_tests

#endif
