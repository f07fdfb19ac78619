// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "said.hpp"

#include <axe/interop/spyre/equal.hpp>

using axe::SpyreLayout;
using namespace axe::spyre;
using said::refused;
using said::tensor;

TEST_CASE("spyre: what a layout leaves open does not count", "[interop][spyre]")
{
    // the entry of a single stick: 64 in upstream's tests, 32 in its newest source
    CHECK(same_placement(contiguous({32}), {{1, 64}, {64, 1}}, {{1, 64}, {32, 1}}));
    CHECK(same_placement(contiguous({32}), {{1, 64}, {64, 1}}, {{1, 64}, {-1, 1}}));
    // dimensions of size 1, and sticks that are counted twice
    CHECK(same_placement(contiguous({60}), {{1, 64}, {64, 1}}, {{1, 1, 1, 64}, {60, 64, 60, 1}}));
    CHECK(same_placement(contiguous({240}), {{4, 64}, {64, 1}}, {{2, 2, 64}, {128, 64, 1}}));
    // folded or not, where rows are whole sticks
    CHECK(same_placement(contiguous({40, 64}), {{40, 64}, {64, 1}}, {{1, 40, 64}, {64, 64, 1}}));
    // where elements lie on the host does not count
    CHECK(same_placement(tensor({4, 100}), *make_tensor({{4, 100}, {512, 3}, 9}, said::f16)));
    CHECK(same_placement(tensor({4, 0}), tensor({4, 0})));
    static_assert(same_placement(contiguous({240}), {{4, 64}, {64, 1}}, {{2, 2, 64}, {128, 64, 1}}));
}

TEST_CASE("spyre: another place of one element is another placement", "[interop][spyre]")
{
    const auto no = [](const axe::Decision& verdict, std::int64_t witness) {
        CHECK(!verdict.undecided());
        CHECK(!verdict);
        CHECK(verdict.witness() == witness);
    };
    no(same_placement(tensor({5, 100, 150}), tensor({5, 100, 150}, said::f16, {1, 0, 2})), 64);
    no(same_placement(tensor({2, 3}), tensor({3, 2})), -1);
    no(same_placement(tensor({2, 3}), tensor({2, 3}, said::f32)), -1);
    no(same_placement(contiguous({40}), {{1, 64}, {64, 1}}, {{2, 64}, {64, 1}}), -1); // another stick of padding
    no(same_placement(contiguous({60}), {{2, 64}, {0, 1}}, {{2, 64}, {-1, 1}}), -1);  // copies or padding
    auto t = tensor({128}, said::f32);
    t.device.arrangement = Arrangement::dl16_to_fp32;
    no(same_placement(t, tensor({128}, said::f32)), -1);
    refused(same_placement(contiguous({60}), {{1, 64}, {64, 1}}, {{1, 64}, {64, -1}}).error(), axe::errc::no_layout,
            "host dimension 0 has 60 elements, but no device dimension counts the last 60");
}
