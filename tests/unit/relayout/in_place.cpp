// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/relayout/in_place.hpp>
#include <catch.hpp>

#include <array>
#include <numeric>

namespace {

using namespace axe::literals;
using axe::errc;
using axe::Layout;
using axe::RelayoutOptions;
using axe::RelayoutSide;
using axe::Shape;
using Int = std::int64_t;

/// In place, and from a copy.
template <class T>
void moves_as_a_copy(const RelayoutSide& to, const RelayoutSide& from, const Shape& shape, std::size_t elements)
{
    RelayoutOptions o;
    o.bits = 8 * static_cast<int>(sizeof(T));
    std::vector<T> buffer(elements);
    for (std::size_t i = 0; i < elements; ++i) buffer[i] = static_cast<T>(i * 7 + 1);
    const std::vector<T> before = buffer;
    std::vector<T> expected = before;
    CHECK(axe::relayout(expected.data(), elements * sizeof(T), to, before.data(), elements * sizeof(T), from, shape, o)
              .error()
              .text == "");
    CHECK(axe::relayout_in_place(buffer.data(), elements * sizeof(T), to, from, shape, o).error().text == "");
    CHECK(buffer == expected);
}

void refused(const RelayoutSide& to, const RelayoutSide& from, const Shape& shape, errc code, const char* sentence,
             const RelayoutOptions& o = {}, std::size_t bytes = 256)
{
    alignas(64) std::array<unsigned char, 256> buffer{};
    std::iota(buffer.begin(), buffer.end(), static_cast<unsigned char>(0));
    const auto before = buffer;
    const axe::Result<void, axe::Problem> p = axe::relayout_in_place(buffer.data(), bytes, to, from, shape, o);
    CHECK(p.code() == code);
    CHECK(p.error().text == sentence);
    CHECK(buffer == before);
}

} // namespace

TEST_CASE("relayout in place: permutations are those of a copy")
{
    moves_as_a_copy<float>("(6,35):(1,6)"_axe, "(6,35):(35,1)"_axe, {6, 35}, 210);
    moves_as_a_copy<std::uint8_t>("(31,7):(1,31)"_axe, "(31,7):(7,1)"_axe, {31, 7}, 217);
    moves_as_a_copy<double>("(4,3,5):(1,20,4)"_axe, "(4,3,5):(15,5,1)"_axe, {4, 3, 5}, 60);
    moves_as_a_copy<std::uint16_t>("12:-1@m + 11@m"_axe, "12:1"_axe, {12}, 12);
    moves_as_a_copy<float>("12:1"_axe, "12:1"_axe, {12}, 12);
    moves_as_a_copy<float>(Layout{}, Layout{}, {}, 1);
    moves_as_a_copy<float>("97:1@m + 3@m"_axe, "97:-1@m + 99@m"_axe, {97}, 102);
}

TEST_CASE("relayout in place: with gaps, which stay as they are")
{
    moves_as_a_copy<float>("(5,3,4):(16,1,3)"_axe, "(5,3,4):(16,4,1)"_axe, {5, 3, 4}, 5 * 16);
    RelayoutSide to = "(4,8):(1@P,1@F)"_axe, from = "(4,8):(1@P,-1@F) + 7@F"_axe;
    for (RelayoutSide* s : {&to, &from}) {
        s->pitches.push_back({"P", 20});
        s->pitches.push_back({"F", 1});
    }
    moves_as_a_copy<std::uint16_t>(to, from, {4, 8}, 80);
}

TEST_CASE("relayout in place: sources whose steps interleave")
{
    // 0 2 4 3 5 7, backwards.
    moves_as_a_copy<float>("(2,3):(-3@m,-2@m) + 7@m"_axe, "(2,3):(3,2)"_axe, {2, 3}, 8);
    moves_as_a_copy<float>("(2,3):(-3@m,-2@m) + 17@m"_axe, "(2,3):(3@m,2@m) + 10@m"_axe, {2, 3}, 18);
}

TEST_CASE("relayout in place: elements of sixteen bytes")
{
    std::vector<std::array<std::uint64_t, 2>> buffer(15);
    for (std::size_t i = 0; i < 15; ++i) buffer[i] = {i, ~i};
    RelayoutOptions o;
    o.bits = 128;
    CHECK(axe::relayout_in_place(buffer.data(), 240, "(3,5):(1,3)"_axe, "(3,5):(5,1)"_axe, {3, 5}, o).error().text == "");
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 5; ++j) CHECK(buffer[i + 3 * j] == std::array<std::uint64_t, 2>{5 * i + j, ~(5 * i + j)});
}

TEST_CASE("relayout in place: layouts that reach other addresses")
{
    refused("6:2"_axe, "6:1"_axe, {6}, errc::no_layout,
            "in place, both layouts must have the same addresses: element 6 is in the destination only");
    refused("6:1"_axe, "6:2"_axe, {6}, errc::no_layout,
            "in place, both layouts must have the same addresses: element 1 is in the destination only");
    refused("6:1@m + 1@m"_axe, "6:1"_axe, {6}, errc::no_layout,
            "in place, both layouts must have the same addresses: element 6 is in the destination only");
    refused("6:1"_axe, "6:1@m + 1@m"_axe, {6}, errc::no_layout,
            "in place, both layouts must have the same addresses: element 0 is in the destination only");
    refused("6:1"_axe, "(2,3):(3,2)"_axe, {6}, errc::no_layout,
            "in place, both layouts must have the same addresses: element 1 is in the destination only");
}

TEST_CASE("relayout in place: what is moved otherwise than whole")
{
    const char* const sentence = "in place, a tensor cannot be padded, replicated, swizzled or converted, and has whole bytes";
    refused(RelayoutSide("8:1"_axe, {8}), "6:1"_axe, {6}, errc::bad_argument, sentence);
    refused("6:1@m + [2:6@m]"_axe, "6:1"_axe, {6}, errc::bad_argument, sentence);
    refused(axe::Swizzled<Layout>{{1, 4, 1}, {}, 4, "16:1"_axe}, "16:1"_axe, {16}, errc::bad_argument, sentence);
    RelayoutOptions o;
    o.bits = 4;
    refused("6:1"_axe, "6:1"_axe, {6}, errc::bad_argument, sentence, o);
    o = {};
    o.from_type = axe::DType::f32;
    o.scale = 2;
    refused("6:1"_axe, "6:1"_axe, {6}, errc::bad_argument, sentence, o);
    // A type alone converts nothing.
    o.scale = 1;
    float values[2] = {1, 2};
    CHECK(axe::relayout_in_place(values, 8, "2:-1@m + 1@m"_axe, "2:1"_axe, {2}, o).ok());
    CHECK(values[0] == 2);
}

TEST_CASE("relayout in place: errors of the sides and of the buffer")
{
    refused("6:1"_axe, "6:1"_axe, {7}, errc::size_mismatch, "destination: the layout has 6 elements, its shape 7");
    refused("6:1"_axe, "(2,3):(3@P,1@F)"_axe, {6}, errc::bad_axis,
            "source: the layout has the axes F and P; give the pitch of each");
    refused("(2,3):(0,1)"_axe, "6:1"_axe, {6}, errc::bad_argument,
            "the destination's element 0 is written twice, by the tensor's elements 0 and 3");
    refused("6:1"_axe, "(2,3):(0,1)"_axe, {6}, errc::bad_argument,
            "the source's element 0 is the tensor's elements 0 and 3: in place it would have to go to two places");
    refused("6:1"_axe, "6:1"_axe, {6}, errc::out_of_domain,
            "source: the layout covers byte 0 to byte 23, but the buffer has 23 bytes", {}, 23);
    CHECK(axe::relayout_in_place(nullptr, 24, "6:1"_axe, "6:1"_axe, {6}).error().text == "source: the buffer is a null pointer");
    RelayoutOptions o;
    o.bits = 12;
    refused("6:1"_axe, "6:1"_axe, {6}, errc::bad_argument, "elements of 12 bits cannot be copied; 4, 8, 16, 32, 64 and 128 can", o);
}
