// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute.hpp>

// Each of CuTe's operations by the compiler: the function is the one of run time.
namespace {

using namespace axe::cute;
using namespace axe::literals;

static_assert(coalesce("(2,(1,6)):(1,(6,2))"_cute).value() == "12:1"_cute);
static_assert(coalesce("((2,4),(3,2)):((1,2),(8,24))"_cute, "(1,1):(0,0)"_cute).value() == "(8,6):(1,8)"_cute);
static_assert(filter("(4,(2,8)):(1,(0,4))"_cute).value() == "32:1"_cute);
static_assert(filter_zeros("(4,2):(1,0)"_cute).value() == "(4,1):(1,0)"_cute);
static_assert(composition("(10,2):(16,4)"_cute, "(5,4):(1,5)"_cute).value() == "(5,(2,2)):(16,(80,4))"_cute);
static_assert(composition("(1,8,8):(59,16,3)"_cute, "((3,8),2):((1,3),24)"_cute).value() == "(8,6):(16,3)"_cute);
static_assert(composition("(4,2):(1,8)"_cute, "2:-1"_cute).value() == "2:-5"_cute);
static_assert(composition("(12,(4,8)):(59,(13,1))"_cute, Tiler{"(3,8):(1,1)"_cute, 0}).value() == "(3,(4,2)):(59,(13,1))"_cute);
static_assert(complement("(2,4):(1,6)"_cute, 24).value() == "3:2"_cute);
static_assert(left_inverse("(2,2):(2,3)"_cute).has_value());
static_assert(right_inverse("(4,6,2,4):(1,7,2,16)"_cute).value() == "(3,2):(1,25)"_cute);
static_assert(zipped_divide("(9,(4,8)):(59,(13,1))"_cute, Tiler{"(3,(2,4)):(3,(1,8))"_cute, 0}).value() ==
              "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"_cute);
static_assert(tiled_divide("(4,2,3):(2,1,8)"_cute, "4:2"_cute).value() == "((2,2),2,3):((4,1),2,8)"_cute);
static_assert(raked_product("(2,5):(5,1)"_cute, "(3,4):(1,3)"_cute).value() == "((3,2),(4,5)):((10,5),(30,1))"_cute);
static_assert(flat_product("(2,2):(1,2)"_cute, "(3,4):(1,3)"_cute).value() == "(2,2,3,4):(1,2,4,12)"_cute);
static_assert(tile_to_shape("(8,64):(64,1)"_cute, {16, 128}, {2, 1}).value() == "((8,2),(64,2)):((64,1024),(1,512))"_cute);
static_assert(max_common_layout("(4,(2,4)):(2,(1,8))"_cute, "(4,(2,4)):(2,(1,64))"_cute).value() == "(2,4):(4,1)"_cute);
static_assert(max_common_vector("8:1"_cute, "(4,2):(1,0)"_cute).value() == 4);
static_assert(max_common_vector("(4,2):(1,0)"_cute, "8:1"_cute).value() == 4);
static_assert(recast("(8,4):(1,8)"_cute, 6, 8).value() == "(6,4):(1,6)"_cute);
static_assert(nullspace("(7,5,16):(0,0,0)"_cute).value() == "(7,5,16):(1,7,35)"_cute);
static_assert(domain_distribute("(15,14):(0,0)"_cute, 6).value() == "(3,2):(1,15)"_cute);

} // namespace
