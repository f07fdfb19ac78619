// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/sim/bindings.hpp>
#include <axe/target/machines.hpp>
#include <catch.hpp>

using namespace axe;
using enum DType;

namespace {

Program program()
{
    Kernel k("scale", machines::cpu);
    const auto a = k.input("A", {2, 3}, f32), c = k.output("C", {2, 3}, f16), s = k.inout("S", {1}, i32);
    (void)a, (void)c, (void)s;
    return k.program().value();
}
Array zeros(const Shape& shape, DType type) { return Array::make(shape, type).value(); }

} // namespace

TEST_CASE("bindings hold arrays by name, the last one given")
{
    Bindings b;
    CHECK(b.size() == 0);
    CHECK(b.find("A") == nullptr);
    b.set("A", zeros({2}, f32)).set("B", zeros({3}, f16));
    CHECK(b.size() == 2);
    CHECK(b.find("B")->dtype() == f16);
    b.set("A", zeros({5}, i8));
    CHECK(b.size() == 2);
    CHECK(b.find("A")->size() == 5);
    b.find("A")->set(4, 7);
    CHECK(b.find("A")->at(4) == 7);
    std::string names;
    for (const auto& entry : b) names += entry.name;
    CHECK(names == "AB");
}

TEST_CASE("inputs and outputs that fit are taken")
{
    const Program p = program();
    Bindings in, out;
    in.set("S", zeros({1}, i32)).set("A", zeros({2, 3}, f32));
    out.set("C", zeros({2, 3}, f16)).set("S", zeros({1}, i32));
    CHECK(check_inputs(p, in).ok());
    CHECK(check_outputs(p, out).ok());
}

TEST_CASE("bindings that do not fit are refused with both sides")
{
    const Program p = program();
    const auto said = [&](auto change) {
        Bindings in;
        in.set("A", zeros({2, 3}, f32)).set("S", zeros({1}, i32));
        change(in);
        return check_inputs(p, in).error().text;
    };
    CHECK(said([](Bindings& b) { b.set("X", zeros({1}, f32)); }) ==
          "inputs of scale: an array \"X\" is given, the program has no such tensor; it takes A, S");
    CHECK(said([](Bindings& b) { b.set("C", zeros({2, 3}, f16)); }) ==
          "inputs of scale: an array \"C\" is given, but C is an output of the program; it takes A, S");
    CHECK(said([](Bindings& b) { b.set("A", zeros({3, 2}, f32)); }) ==
          "inputs of scale: A has the shape (2, 3) in the program, the array given for it has (3, 2)");
    CHECK(said([](Bindings& b) { b.set("A", zeros({2, 3}, f16)); }) ==
          "inputs of scale: A has the type f32 in the program, the array given for it has f16");
    CHECK(said([](Bindings& b) {
              b = Bindings();
              b.set("A", zeros({2, 3}, f32));
          }) == "inputs of scale: S, an input and output of the program, (1) of i32, is not given");
    CHECK(check_outputs(p, Bindings()).error().text ==
          "outputs of scale: C, an output of the program, (2, 3) of f16, is not given");
    Bindings wrong;
    wrong.set("A", zeros({2, 3}, f32));
    CHECK(check_outputs(p, wrong).error().text ==
          "outputs of scale: an array \"A\" is given, but A is an input of the program; it takes C, S");
    CHECK(check_outputs(p, wrong).code() == errc::bad_argument);
    wrong = Bindings();
    wrong.set("C", zeros({2}, f16));
    CHECK(check_outputs(p, wrong).code() == errc::size_mismatch);
}
