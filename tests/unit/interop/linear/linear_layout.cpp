// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/unit/interop/linear/read.hpp>

#include <type_traits>

using namespace linear_tests;
using axe::errc;
using axe::linear::Dim;

static_assert(std::is_trivially_copyable_v<LinearLayout>);
static_assert(std::is_trivial_v<Dim>);
static_assert(Dim{} == Dim{"m", 0});

namespace {
/// Structural: a linear layout may be a template argument.
template <LinearLayout L>
constexpr int inputs = bits_of(L.in);
} // namespace
static_assert(inputs<line("register=[(0,1),(0,2)] lane=[(1,0)] -> dim0:2 dim1:4")> == 3);

TEST_CASE("linear layout: the words of a value")
{
    const LinearLayout l = line("register=[(0,1),(0,2)] lane=[(1,3)] -> dim0:2 dim1:4");
    CHECK(bits_of(l.in) == 3);
    CHECK(bits_of(l.out) == 3);
    CHECK(index_of(l.in, "lane") == 1);
    CHECK(index_of(l.in, "dim0") == -1);
    CHECK(first_bit(l.out, 1) == 1);
    CHECK(mask_of(l.out, 1) == 6);
    CHECK(apply(l, 0) == 0);
    CHECK(apply(l, 4) == 7);
    CHECK(apply(l, 5) == (7 ^ 2));
    CHECK(check(l).ok());
    CHECK(check(LinearLayout{}).ok());
}

TEST_CASE("linear layout: what is none")
{
    LinearLayout l = line("a=[1] b=[2] -> x:4");
    l.in[1].name = "a";
    refused(check(l), errc::bad_axis, 1, "dimension 1 has the name of dimension 0");
    l = line("a=[1] b=[2] -> x:4");
    l.in[0].bits = 2;
    refused(check(l), errc::size_mismatch, -1, "3 input bits need as many bases, got 2");
    l.in[0].bits = -1;
    refused(check(l), errc::capacity, 0, "the dimensions of one side have at most 62 bits; dimension 0 has -1");
    l.in[0].bits = 1;
    l.in[1].bits = 62;
    refused(check(l), errc::capacity, 1, "the dimensions of one side have at most 62 bits; dimension 1 has 62");
    l = line("a=[1] b=[2] -> x:4");
    l.bases[1] = 4;
    refused(check(l), errc::out_of_domain, 1, "the basis of input bit 1 has a bit beyond the 2 of the output");
    l = {};
    l.out.count = 9;
    refused(check(l), errc::capacity, -1, "a linear layout has at most 8 dimensions on a side, this one has 9");
}
