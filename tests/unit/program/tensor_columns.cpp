// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/program/kernel.hpp>
#include <axe/program/print.hpp>
#include <axe/program/tensor_columns.hpp>
#include <axe/program/validate.hpp>
#include <axe/target/machines.hpp>

#include <catch.hpp>
#include <functional>
#include <tests/required.hpp>

using namespace axe;
using enum DType;

/// What a program with columns of tensor memory may say, and how it prints.
namespace {

struct ColumnsScene {
    Kernel k{"columns", machines::sm100};
    std::vector<std::string> problems{};
    std::string text{};

    explicit ColumnsScene(const std::function<void(Scope, const TensorRef&, const TensorRef&)>& body,
                          const Machine& machine = machines::sm100, const Shape& cluster = {})
        : k("columns", machine)
    {
        const auto write = [&](Scope cta, const Tile&) {
            const auto at = cta.alloc(Role::shared, {1}, i32, {}, "at");
            const auto t = std::string(machine.name) == "sm100" ? cta.alloc("tmem", {128, 64}, f32, {}, "t")
                                                                : cta.alloc(Role::shared, {128, 64}, f32, {}, "t");
            body(cta, at, t);
        };
        if (cluster.empty())
            k.cta(tiles(1, 1), write, 2);
        else
            k.cta(tiles(Shape{2}, Shape{1}), Clusters{cluster}, write, 2);
        const auto program = required(k.program());
        for (const Problem& p : validate(*program)) problems.push_back(p.text);
        text = print(*program);
    }
};

void check_columns_problem(const ColumnsScene& s, const std::string& part)
{
    CAPTURE(s.problems, s.text);
    REQUIRE_FALSE(s.problems.empty());
    CHECK(s.problems.front().find(part) != std::string::npos);
}

} // namespace

TEST_CASE("columns of tensor memory: the text of a program")
{
    const ColumnsScene s([](Scope cta, const TensorRef& at, const TensorRef& t) {
        cta.warps(0, 1, [&](Scope w) { w.allocate_columns(3, 64, at, {t}).relinquish_columns().give_back_columns(3); });
    });
    CAPTURE(s.text, s.problems);
    CHECK(s.problems.empty());
    CHECK(s.text.find("columns 3 allocate 64 for t, address in at") != std::string::npos);
    CHECK(s.text.find("columns relinquish") != std::string::npos);
    CHECK(s.text.find("columns 3 give_back") != std::string::npos);
}

TEST_CASE("columns of tensor memory: how many")
{
    for (std::int64_t columns = -64; columns <= 1100; ++columns) {
        const bool exists = columns == 64 || columns == 128 || columns == 256 || columns == 512 || columns == 32;
        if (!exists && columns % 31 != 0 && columns != 1024) continue;
        const ColumnsScene s([&](Scope cta, const TensorRef& at, const TensorRef& t) {
            cta.warps(0, 1, [&](Scope w) { w.allocate_columns(0, columns, at, {t}).give_back_columns(0); });
        });
        CAPTURE(columns, s.problems);
        if (columns >= 64 && exists)
            CHECK(s.problems.empty());
        else if (exists)
            check_columns_problem(s, "columns: tensors take 64 of the 32 columns that are asked for");
        else
            check_columns_problem(s,
                                  "it asks for " + std::to_string(columns) + " columns; it must be a power of two from 32 to 512");
    }
}

TEST_CASE("columns of tensor memory: who asks for them, and for what")
{
    const auto one = [](const std::function<void(Scope, const TensorRef&, const TensorRef&)>& body) {
        return ColumnsScene(
            [&](Scope cta, const TensorRef& at, const TensorRef& t) { cta.warps(0, 1, [&](Scope w) { body(w, at, t); }); });
    };
    check_columns_problem(
        ColumnsScene([](Scope cta, const TensorRef& at, const TensorRef& t) { cta.allocate_columns(0, 64, at, {t}); }),
        "2 agents ask for columns or give them back; it must be 1");
    check_columns_problem(one([](Scope w, const TensorRef& at, const TensorRef&) { w.allocate_columns(0, 64, at, {}); }),
                          "it asks for columns of no tensor");
    check_columns_problem(one([](Scope w, const TensorRef& at, const TensorRef&) { w.allocate_columns(0, 64, at, {at}); }),
                          "`at` is in smem, which has no columns to ask for");
    check_columns_problem(one([](Scope w, const TensorRef&, const TensorRef& t) {
                              const auto wide = w.alloc(Role::shared, {2}, i32, {}, "wide");
                              w.allocate_columns(0, 64, wide, {t});
                          }),
                          "`wide` is a view of 64 bits; the address of columns takes 32");
    check_columns_problem(one([](Scope w, const TensorRef& at, const TensorRef& t) {
                              w.allocate_columns(0, 64, at, {t}).allocate_columns(1, 64, at, {t});
                          }),
                          "`t` is in columns 0 already");
    check_columns_problem(one([](Scope w, const TensorRef& at, const TensorRef& t) { w.allocate_columns(0, 64, at, {t}, true); }),
                          "it is for a pair of blocks; clusters of 0 are not made of pairs");
    check_columns_problem(
        ColumnsScene([](Scope cta, const TensorRef& at,
                        const TensorRef& t) { cta.warps(0, 1, [&](Scope w) { w.allocate_columns(0, 64, at, {t}); }); },
                     machines::sm90),
        "sm90 has no memory whose columns are asked for");
    check_columns_problem(ColumnsScene(
                              [](Scope cta, const TensorRef& at, const TensorRef& t) {
                                  cta.warps(0, 1, [&](Scope w) { w.allocate_columns(0, 64, at, {t}, true).give_back_columns(0); });
                              },
                              machines::sm100, {2}),
                          "it is not of a pair of blocks and statement");
    Kernel outside("outside", machines::sm100);
    Program p = outside.program().value();
    p.body.push_back({p.statements++, TensorColumns{TensorColumns::Action::relinquish, 0, 0, {}, {}, false}});
    CHECK(validate(p).front().text.find("columns are asked for outside a block; it is for an agent of a block") !=
          std::string::npos);
}
