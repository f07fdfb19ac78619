// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/linear/names.hpp>
#include <axe/text/literals.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <string>

using namespace axe::literals;
using namespace axe::linear;

TEST_CASE("linear: the tables of names have each axis and each dimension once, and all has those of both")
{
    for (const AxisNames* table : {&distributed_names, &memory_names, &all_names})
        for (int i = 0; i < table->size(); ++i)
            for (int k = 0; k < i; ++k) {
                CHECK_FALSE((*table)[i].axis == (*table)[k].axis);
                CHECK_FALSE((*table)[i].dim == (*table)[k].dim);
            }
    for (const AxisNames* table : {&distributed_names, &memory_names})
        for (const AxisName& name : *table) {
            bool is_there = false;
            for (const AxisName& other : all_names) is_there = is_there || other == name;
            CHECK(is_there);
        }
}

TEST_CASE("linear: a layout that moves on m is in memory")
{
    CHECK(names_for("8:1"_axe) == memory_names);
    CHECK(names_for("(8,4):(4@lane,1@reg)"_axe) == distributed_names);
    CHECK(names_for("(8,4):(4@lane,1)"_axe) == memory_names);
    CHECK(names_for("8:1@lane + [2:4]"_axe) == memory_names);  // copies move, too
    CHECK(names_for("8:1@lane + 5"_axe) == distributed_names); // an offset does not
    CHECK(names_for("8:0"_axe) == distributed_names);
    CHECK(names_for("(8,1):(1@lane,1)"_axe) == distributed_names);
}

TEST_CASE("linear: the dimensions of tensors by number")
{
    for (int d = 0; d < LinearLayout::max_dims; ++d)
        CHECK(tensor_dim(d) == axe::Axis::make(("dim" + std::to_string(d)).c_str(), 4).value());
}
