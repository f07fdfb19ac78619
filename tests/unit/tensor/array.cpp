// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/tensor/array.hpp>
#include <catch.hpp>

#include <csignal>
#include <cstdio>
#include <limits>
#include <type_traits>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using axe::Array;
using axe::DType;
using axe::Shape;

/// What a program says on standard error that does this and stops; empty when it does not stop.
template <class Act>
std::string refusal(Act act)
{
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char buffer[256];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, static_cast<std::size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? said : "";
}

} // namespace

static_assert(!std::is_copy_constructible_v<Array> && std::is_nothrow_move_constructible_v<Array>);

TEST_CASE("an array starts as zeros, aligned, row-major")
{
    for (const DType type : {DType::f64, DType::f32, DType::bf16, DType::i8, DType::i4, DType::b1}) {
        Array a = Array::make({2, 3, 4}, type).value();
        CHECK(a.shape() == Shape{2, 3, 4});
        CHECK(a.rank() == 3);
        CHECK(a.dtype() == type);
        CHECK(a.size() == 24);
        CHECK(a.size_bytes() == 24 * axe::storage_bytes(type));
        CHECK_FALSE(a.is_borrowed());
        CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % Array::alignment == 0);
        for (std::int64_t i = 0; i < a.size(); ++i) CHECK(a.bits_at(i) == 0);

        a.set({1, 2, 3}, 1);
        CHECK(a.at(23) == 1);
        CHECK(a.at({1, 2, 3}) == 1);
        a.set_bits({0, 1, 0}, axe::encode(type, 1.0));
        CHECK(a.at(4) == 1);
        CHECK(a.bits_at({0, 1, 0}) == axe::encode(type, 1.0));
        double sum = 0;
        for (std::int64_t i = 0; i < a.size(); ++i) sum += a.at(i);
        CHECK(sum == 2);
    }
}

TEST_CASE("an array of rank 0 has one element")
{
    Array a = Array::make({}, DType::f16).value();
    CHECK(a.rank() == 0);
    CHECK(a.size() == 1);
    a.set(axe::Coord{}, 0.1);
    CHECK(a.at(0) == axe::decode(DType::f16, axe::encode(DType::f16, 0.1)));
    CHECK(Array().size() == 1);
    CHECK(Array().at(0) == 0);
}

TEST_CASE("an array borrows what a caller has, and only reads it")
{
    const float elements[6] = {0, 1, 2, 3, 4, 5};
    const Array a = Array::borrow(elements, {2, 3}, DType::f32).value();
    CHECK(a.is_borrowed());
    CHECK(static_cast<const void*>(a.data()) == elements);
    CHECK(a.at({1, 2}) == 5);
    // Of any alignment.
    char shifted[sizeof elements + 1];
    std::memcpy(shifted + 1, elements, sizeof elements);
    CHECK(Array::borrow(shifted + 1, {6}, DType::f32)->at(3) == 3);

    Array copy = a.clone().value();
    CHECK_FALSE(copy.is_borrowed());
    copy.set(0, 7);
    CHECK(copy.at({1, 2}) == 5);
    CHECK(a.at(0) == 0);

    const Array seen = copy.view();
    CHECK(seen.is_borrowed());
    CHECK(seen.at(0) == 7);
    copy.set(0, 8);
    CHECK(seen.at(0) == 8);
    // The elements do not move with the array.
    const Array moved = std::move(copy);
    CHECK(seen.at(0) == 8);
}

TEST_CASE("what is moved from is an array of one zero, and holds nothing")
{
    Array a = Array::make({5}, DType::i32).value();
    a.set(4, 9);
    Array b = std::move(a);
    CHECK(b.at(4) == 9);
    CHECK(a.size() == 1); // NOLINT(bugprone-use-after-move): that is the promise
    CHECK(a.at(0) == 0);
    a = std::move(b);
    CHECK(a.at(4) == 9);
    CHECK(b.rank() == 0); // NOLINT(bugprone-use-after-move)
}

TEST_CASE("an array given away comes back in another shape of the same size")
{
    Array a = Array::make({2, 6}, DType::i8).value();
    a.set({1, 0}, 3);
    const std::byte* const elements = a.data();
    const auto other = std::move(a).reshaped({3, 4});
    REQUIRE(other);
    CHECK(other->data() == elements);
    CHECK(other->at({1, 2}) == 3);

    const auto refused = Array::make({2, 6}, DType::i8).value().reshaped({5});
    CHECK(refused.error().code == axe::errc::size_mismatch);
    CHECK(refused.error().text == "the shape has 5 elements, the array 12");
    CHECK(Array::make({2}, DType::i8).value().reshaped({0}).error().code == axe::errc::bad_extent);
}

TEST_CASE("an array that cannot be says why")
{
    const auto says = [](const Shape& shape, DType type) {
        const auto refused = Array::make(shape, type);
        REQUIRE_FALSE(refused);
        return std::string(axe::name(refused.error().code)) + ": " + refused.error().text;
    };
    CHECK(says({2, 0}, DType::f32) == "bad_extent: dimension 1 of the shape is 0; it must be at least 1");
    CHECK(says({-3}, DType::f32) == "bad_extent: dimension 0 of the shape is -3; it must be at least 1");
    constexpr std::int64_t half = std::int64_t{1} << 32;
    CHECK(says({half, half}, DType::i8) == "overflow: the product of the shape overflows at dimension 1");
    CHECK(says({half, half / 4}, DType::f32) == "overflow: 4611686018427387904 elements of f32 take more bytes than 64 bits count");
    CHECK(says({half, half / 4}, DType::i8) ==
          "capacity: not enough memory for 4611686018427387904 elements of i8, 4611686018427387904 bytes");
    CHECK(says({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, DType::i8) ==
          "capacity: a shape has at most 16 dimensions, this one has 17");

    const auto none = Array::borrow(nullptr, {2}, DType::f32);
    CHECK(none.error().code == axe::errc::bad_argument);
    CHECK(none.error().text == "an array cannot borrow its elements from a null pointer");
    const int one = 1;
    CHECK(Array::borrow(&one, {0}, DType::i32).error().code == axe::errc::bad_extent);
}

TEST_CASE("an element that is not there is refused, and so is writing what is borrowed")
{
    Array a = Array::make({2, 3}, DType::f32).value();
    CHECK(refusal([&] { return a.at(6); }) == "axe: element 6 is outside of the array's 6 elements\n");
    CHECK(refusal([&] { return a.at(-1); }) == "axe: element -1 is outside of the array's 6 elements\n");
    CHECK(refusal([&] { a.set({0, 3}, 1); }) == "axe: index 3 of dimension 1 is outside [0, 3)\n");
    CHECK(refusal([&] { return a.at({1, 1, 1}); }) == "axe: the coordinate has 3 indices, the shape 2 dimensions\n");
    Array seen = a.view();
    CHECK(refusal([&] { seen.set(0, 1); }) == "axe: the array borrows its elements and only reads them; write to a clone\n");
    CHECK(refusal([&] { a.set(5, 1); }).empty());
}
