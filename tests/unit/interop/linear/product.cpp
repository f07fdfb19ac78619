// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/make.hpp>
#include <axe/interop/linear/product.hpp>
#include <tests/unit/interop/linear/read.hpp>

using namespace linear_tests;
using namespace axe::linear;
using axe::errc;

static_assert(*(*identity_1d(4, "in", "out") * *identity_1d(8, "in", "out")) == *identity_1d(32, "in", "out"));

TEST_CASE("linear: products of layouts, low bits first")
{
    // What Triton's header says of products.
    CHECK(text(identity_1d(4, "i", "o") * zeros_1d(2, "i", "o")) == "i=[1,2,0] -> o:4");
    CHECK(text(zeros_1d(2, "i", "o") * identity_1d(4, "i", "o")) == "i=[0,1,2] -> o:4");
    CHECK(text(identity_1d(4, "i", "o1") * identity_1d(8, "i", "o2")) == "i=[(1,0),(2,0),(0,1),(0,2),(0,4)] -> o1:4 o2:8");
    CHECK(text(line("->") * line("i=[1] -> o:2")) == "i=[1] -> o:2");
    // Lists of dimensions are merged in an order that both have.
    CHECK(text(line("a=[] b=[] -> p:1 q:1") * line("a=[] c=[] -> q:1 r:1")) == "a=[] b=[] c=[] -> p:1 q:1 r:1");
    CHECK(text(line("a=[] c=[] ->") * line("b=[] c=[] ->")) == "a=[] b=[] c=[] ->");
}

TEST_CASE("linear: products in a row carry the first error")
{
    const auto bad = identity_1d(3, "i", "o");
    const LinearLayout good = *identity_1d(2, "i", "o");
    CHECK((bad * good).code() == errc::bad_extent);
    CHECK((good * bad).code() == errc::bad_extent);
    CHECK((bad * identity_1d(2, "i", "o")).code() == errc::bad_extent);
    CHECK((identity_1d(2, "i", "o") * bad).code() == errc::bad_extent);
    CHECK(text(identity_1d(2, "i", "o") * good) == "i=[1,2] -> o:4");
    CHECK(text(good * identity_1d(2, "i", "o") * good) == "i=[1,2,4] -> o:8");
}

TEST_CASE("linear: products that are none")
{
    refused(line("a=[] b=[] ->") * line("b=[] a=[] ->"), errc::bad_axis, 0,
            "the common dimensions of the two layouts are in different orders, from dimension 0 of the first on");
    refused(line("a=[] b=[] c=[] d=[] e=[] -> x:1") * line("f=[] g=[] h=[] i=[] -> x:1"), errc::capacity, 8,
            "the product has more than 8 dimensions on a side");
    const LinearLayout wide = *identity_1d(std::int64_t{1} << 40, "i", "o");
    refused(wide * wide, errc::capacity, -1, "the product has 80 bits on a side; a linear layout has at most 62");
    LinearLayout broken;
    broken.bases.push_back(0);
    CHECK(product(broken, wide).code() == errc::size_mismatch);
    CHECK(product(wide, broken).code() == errc::size_mismatch);
    CHECK(divide_left(broken, wide).code() == errc::size_mismatch);
    CHECK(divide_left(wide, broken).code() == errc::size_mismatch);
}

TEST_CASE("linear: quotients have the dividend's dimensions, or are none for a reason")
{
    const LinearLayout a = line("register=[(0,1),(0,2)] lane=[(1,0)] -> dim0:2 dim1:4");
    CHECK(text(divide_left(a, line("register=[1] -> dim1:2"))) == "register=[(0,1)] lane=[(1,0)] -> dim0:2 dim1:2");
    CHECK(text(divide_right(a, line("register=[1] -> dim1:2"))) == "register=[(0,1)] lane=[(1,0)] -> dim0:2 dim1:2");
    CHECK(text(divide_right(a, line("lane=[1] -> dim0:2"))) == "register=[(0,1),(0,2)] lane=[] -> dim0:1 dim1:4");
    CHECK(text(divide_left(a, a)) == "register=[] lane=[] -> dim0:1 dim1:1");
    CHECK(text(divide_left(a, line("->"))) == text(a));

    refused(divide_left(a, line("warp=[] ->")), errc::no_layout, 0, "the dividend has no dimension 0 of the divisor on that side");
    refused(divide_left(a, line("-> dim1:1 dim0:1")), errc::no_layout, 1,
            "dimension 1 of the divisor is in a different order in the dividend");
    refused(divide_left(a, line("lane=[0,0] -> dim0:1")), errc::no_layout, 0,
            "dimension 0 of the divisor has 2 bits, more than the 1 of the dividend");
    refused(divide_left(a, line("register=[1,0] -> dim1:2")), errc::no_layout, 1,
            "the image of input bit 1 of the dividend differs from the divisor's");
    refused(divide_left(line("a=[1,3] -> x:4"), line("a=[1] -> x:2")), errc::no_layout, 1,
            "input bit 1 of the dividend moves an output bit of the divisor");
    refused(divide_right(line("a=[3,2] -> x:4"), line("a=[1] -> x:2")), errc::no_layout, 0,
            "input bit 0 of the dividend moves an output bit of the divisor");
}
