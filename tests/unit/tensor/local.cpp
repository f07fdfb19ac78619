// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/tensor/local.hpp>
#include <tests/catch.hpp>
#include <tests/random.hpp>

using namespace axe::literals;

namespace {

axe::Tensor tensor(const axe::Shape& shape, const axe::Layout& layout)
{
    axe::Tensor t;
    t.name = "t";
    t.shape = shape;
    t.layout.layout = layout;
    return t;
}

/// The elements of the whole that have a point with these owner coordinates, by looking at all of them.
std::vector<std::int64_t> held(const axe::Tensor& whole, const axe::Point& owner)
{
    std::vector<std::int64_t> out;
    const std::int64_t n = *axe::volume(whole.shape);
    for (std::int64_t i = 0; i < n; ++i)
        for (const auto& p : axe::points(whole.layout.layout, i)) {
            bool mine = true;
            for (const auto& e : owner) mine = mine && p[e.axis] == e.value;
            if (mine) {
                out.push_back(i);
                break;
            }
        }
    return out;
}

/// Is the part what the owner holds, in order, each element at the place that the whole has for it?
void check_part(const axe::Tensor& whole, const axe::Point& owner)
{
    INFO(axe::print(whole.layout.layout).c_str());
    const auto part = axe::local(whole, owner);
    REQUIRE(part);
    std::vector<std::int64_t> mine;
    const std::int64_t n = *axe::volume(part->tensor.shape);
    REQUIRE(*axe::size(part->tensor.layout.layout) == n);
    for (std::int64_t x = 0; x < n; ++x) {
        const std::int64_t i = (*axe::evaluate(part->logical, x))[axe::Axis{}];
        mine.push_back(i);
        const auto here = axe::points(part->tensor.layout.layout, x);
        bool there = false;
        for (const auto& p : axe::points(whole.layout.layout, i))
            for (const auto& q : here) {
                bool same = true;
                for (const auto& e : p) {
                    bool is_owner = false;
                    for (const auto& o : owner) is_owner = is_owner || o.axis == e.axis;
                    same = same && (is_owner ? e.value == owner[e.axis] : q[e.axis] == e.value);
                }
                there = there || same;
            }
        CHECK(there);
    }
    auto sorted = mine;
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == held(whole, owner));
}

} // namespace

TEST_CASE("local: a device's rows, a warp's fragment, a lane's registers")
{
    const auto rows = tensor({8, 6}, "(4,2,6):(1@gpuid,6,1)"_axe);
    const auto part = axe::local(rows, {{"gpuid", 2}});
    REQUIRE(part);
    CHECK(part->tensor.shape == axe::Shape{2, 6});
    CHECK(axe::equal(part->tensor.layout.layout, "12:1"_axe));
    CHECK((*axe::evaluate(part->logical, 0))[axe::Axis{}] == 24);

    const auto fragment = tensor({16, 16}, "(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg) + [2:1@warp]"_axe);
    for (int lane = 0; lane < 32; ++lane) {
        check_part(fragment, {{"lane", lane}});
        check_part(fragment, {{"lane", lane}, {"warp", 1}});
    }
    CHECK(axe::local(fragment, {{"lane", 5}, {"warp", 1}})->tensor.shape == axe::Shape{2, 4});
}

TEST_CASE("local: offsets, copies, odd extents")
{
    const auto shifted = tensor({5, 3}, "(5,3):(2@gpuid,7) + [2:1@gpuid] + 3@gpuid + 9@m"_axe);
    for (int d = 3; d < 13; ++d) check_part(shifted, {{"gpuid", d}});
    const auto none = axe::local(shifted, {{"gpuid", 2}});
    REQUIRE(!none);
    CHECK(none.error().text == "tensor t: the owner holds none of it");
    // Rows 0 and 2 are both on device 0: no one tensor has them as digits.
    const auto several = axe::local(tensor({2, 2}, "(2,2):(1@gpuid,-1@gpuid) + 1@gpuid"_axe), {{"gpuid", 1}});
    REQUIRE(!several);
    CHECK(several.error().text == "tensor t: the owner holds several parts, which are not one tensor");
}

TEST_CASE("local: every owner's part of random layouts")
{
    laws::Random random(20261121);
    int parts = 0;
    for (int round = 0; round < 2000; ++round) {
        axe::Layout layout;
        axe::Shape shape;
        const axe::Axis owners[2] = {"gpuid", "lane"};
        std::int64_t spans[2] = {1, 1}, memory = 1;
        for (int d = 0, dims = static_cast<int>(random.in(1, 3)); d < dims; ++d) {
            std::int64_t extent = 1;
            for (int k = 0, digits = static_cast<int>(random.in(1, 2)); k < digits; ++k) {
                const std::int64_t n = random.in(1, 3);
                const int which = static_cast<int>(random.in(0, 2));
                std::int64_t& span = which == 2 ? memory : spans[which];
                layout.shard.push_back({n, span, which == 2 ? axe::Axis{} : owners[which]});
                span *= n;
                extent *= n;
            }
            shape.push_back(extent);
        }
        const auto whole = tensor(shape, layout);
        for (std::int64_t g = 0; g < spans[0]; ++g) {
            check_part(whole, {{"gpuid", g}});
            for (std::int64_t l = 0; l < spans[1]; ++l, ++parts) check_part(whole, {{"gpuid", g}, {"lane", l}});
        }
    }
    CHECK(parts > 2000);
}
