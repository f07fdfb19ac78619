// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/arrangement.hpp>
#include <axe/interop/spyre/place.hpp>
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/layout/compose.hpp>
#include <axe/layout/equal.hpp>

using namespace axe::literals;
using namespace axe::spyre;
using said::refused;
using said::tensor;

TEST_CASE("spyre: an order inside sticks is one layout", "[interop][spyre]")
{
    const auto wide = arrange(tensor({128}, said::f32), Arrangement::dl16_to_fp32).value();
    CHECK(said::text(to_axe(wide)->layout) == "(2,8,2,4):(64,4,32,1)");
    CHECK(said::text(shuffle(wide).value()) == "(2,8,2,4):(64,4,32,1)");
    const auto narrow = arrange(tensor({128}), Arrangement::fp32_to_dl16).value();
    CHECK(said::text(to_axe(narrow)->layout) == "(2,2,8,4):(64,4,8,1)");
    CHECK(said::text(shuffle(narrow).value()) == "(2,2,8,4):(64,4,8,1)");
    // rows between the sticks of one pair
    CHECK(said::text(to_axe(*arrange(tensor({3, 128}, said::f32), Arrangement::dl16_to_fp32))->layout) ==
          "(3,2,8,2,4):(32,192,4,96,1)");
    // copies between them
    const auto copies =
        place(contiguous({128}), axe::SpyreLayout{{4, 3, 32}, {32, 0, 1}, said::f32, Arrangement::dl16_to_fp32}).value();
    CHECK(said::text(to_axe(copies)->layout) == "(2,8,2,4):(192,4,96,1) + [3:32]");
    const auto weights = arrange(tensor({4, 128}, said::f8), Arrangement::qfp8wt).value();
    CHECK(said::text(to_axe(weights)->layout) == "(2,2,2,64):(128,1,256,2)");
    CHECK(said::text(shuffle(tensor({5, 64})).value()) == "320:1");
    static_assert(shuffle(*make_tensor(contiguous({4, 128}), DataFormat::sen143_fp8))->shard[0].extent == 512);
}

TEST_CASE("spyre: the second stagger undoes the first", "[interop][spyre]")
{
    for (const std::int64_t n : {64, 128, 640, 6400}) {
        const auto wide = to_axe(*arrange(tensor({n}, said::f32), Arrangement::dl16_to_fp32)).value();
        const auto narrow = to_axe(*arrange(tensor({n}), Arrangement::fp32_to_dl16)).value();
        const auto both = axe::compose(narrow.layout, wide.layout).value();
        CHECK(bool(axe::equal(both, axe::make_layout({{n, 1, {}}}).value())));
        CHECK(bool(axe::equal(axe::compose(wide.layout, narrow.layout).value(), axe::make_layout({{n, 1, {}}}).value())));
    }
}

TEST_CASE("spyre: a sparse tensor has no stagger", "[interop][spyre]")
{
    const auto sparse = tensor({8}, said::f32, {0, -1});
    CHECK(arrange(sparse, Arrangement::dl16_to_fp32)->device.arrangement == Arrangement::standard);
    CHECK(arrange(sparse, Arrangement::fp32_to_dl16)->device.arrangement == Arrangement::standard);
    CHECK(arrange(tensor({8}), Arrangement::qfp8ch)->device.arrangement == Arrangement::qfp8ch);
    CHECK(arrange(tensor({8, 2}), Arrangement::exx2)->device.arrangement == Arrangement::exx2);
}

TEST_CASE("spyre: full sticks and pairs of them", "[interop][spyre]")
{
    const auto no = [](const Tensor& t, Arrangement arrangement, std::string_view sentence) {
        refused(arrange(t, arrangement), axe::errc::bad_argument, sentence);
    };
    no(tensor({128}), Arrangement::dl16_to_fp32, "the arrangement needs sticks of 32 elements; those of the format have 64");
    no(tensor({128}, said::f32), Arrangement::fp32_to_dl16,
       "the arrangement needs sticks of 64 elements; those of the format have 32");
    no(tensor({100}, said::f32), Arrangement::dl16_to_fp32,
       "the arrangement needs full sticks of 32; the stick dimension has 100 elements");
    no(tensor({100}), Arrangement::fp32_to_dl16, "the arrangement needs full sticks of 64; the stick dimension has 100 elements");
    no(tensor({96}, said::f32), Arrangement::dl16_to_fp32,
       "the arrangement needs an even number of sticks; there are 3, with room for 3");
    auto one = tensor({32}, said::f32);
    one.digits[1].outer = Digit::none; // as `place` has it: a single stick is not counted
    no(one, Arrangement::dl16_to_fp32, "no device dimension counts the sticks one by one, so they have no pairs");
    no(tensor({4, 128}), Arrangement::qfp8wt, "sticks of [2,64] need a matrix of 8-bit elements on a device of [N/128, K, 128]");
    no(tensor({2, 4, 128}, said::f8), Arrangement::qfp8wt,
       "sticks of [2,64] need a matrix of 8-bit elements on a device of [N/128, K, 128]");
    no(tensor({5, 128}, said::f8), Arrangement::qfp8wt,
       "sticks of [2,64] need an even number of rows; there are 5, with room for 5");
    no(tensor({4, 100}, said::f8), Arrangement::qfp8wt, "sticks of [2,64] need a multiple of 64 columns; there are 100");
    no(tensor({4, 3}), Arrangement::exx2, "a stick of EXX2 holds two values; the stick dimension has 3");
    refused(shuffle(tensor({0, 64})), axe::errc::bad_extent,
            "the device holds no stick of the tensor; a layout has at least one element");
    CHECK(arrange(tensor({128}), Arrangement::dl16_to_fp32).error().position == 1);
}
