// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/cute/sorted.hpp>
#include <axe/interop/cute/text.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
using namespace axe::cute;

/// extent:stride*weight of each mode, in order.
std::string sorted(const Layout& l)
{
    detail::Sorted out;
    detail::sort_modes(detail::whole(l), out);
    std::string text;
    for (int i = 0; i < out.count; ++i)
        text += std::to_string(out.items[i].extent) + ":" + std::to_string(out.items[i].stride) + "*" +
                std::to_string(out.items[i].weight) + " ";
    return text;
}

} // namespace

TEST_CASE("cute sorted: the modes that move, coalesced, by stride, with the weights of their digits")
{
    CHECK(sorted("(4,8):(1,4)"_cute) == "32:1*1 ");
    CHECK(sorted("(4,8):(8,1)"_cute) == "8:1*4 4:8*1 ");
    CHECK(sorted("((4,8),(2,2)):((32,1),(16,8))"_cute) == "8:1*4 2:8*64 2:16*32 4:32*1 ");
    CHECK(sorted("(4,3,2):(1,0,4)"_cute) == "4:1*1 2:4*12 "); // what does not move has a digit
    CHECK(sorted("(4,1,2):(1,9,4)"_cute) == "8:1*1 ");
    CHECK(sorted("(4,8):(-8,1)"_cute) == "8:1*4 4:-8*1 ");
    CHECK(sorted("(2,3,4):(5,5,5)"_cute) == "4:5*6 3:5*2 2:5*1 "); // equal strides: slowest first
    CHECK(sorted("(3,4):(0,0)"_cute).empty());
    CHECK(sorted("1:7"_cute).empty());
    CHECK(sorted("():()"_cute).empty());
}
