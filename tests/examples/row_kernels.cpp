// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <cstring>
#include <perform.hpp>
#include <tests/required.hpp>

#include <limits>

/// rmsnorm, swiglu, rope, cross_entropy and topk: sizes around what lanes and blocks have, numbers at the ends of their types, orders, and kernels with a fault.

namespace {

using namespace axe;
using Set = std::vector<std::pair<std::string, std::string>>;

examples::Setting row_kernel_setting(const examples::Example& example, const char* machine, const Set& values)
{
    const auto setting = examples::setting(example, machine, 0, values);
    INFO((setting ? "" : setting.error().text));
    REQUIRE(setting);
    return *setting;
}

void check_row_kernel(const examples::Example& example, const std::vector<Set>& sets)
{
    for (const char* machine : {"sm80", "sm90", "sm100"})
        for (const Set& values : sets) {
            std::string words;
            for (const auto& [name, value] : values) words += " " + name + "=" + value;
            INFO(example.name << " on " << machine << words);
            const auto done = examples::perform(example, row_kernel_setting(example, machine, values));
            REQUIRE(done);
            INFO(done->report.fault.text << done->verification.text());
            for (const std::string& line : done->conclusion.lines) INFO(line);
            CHECK(done->ok());
            CHECK(std::string(done->verification.word()) == "right");
        }
}

/// Is a kernel of which `change` made another one found to be so? It must have changed something.
template <class Change>
bool row_kernel_is_found(const examples::Example& example, const Set& values, Change change)
{
    const auto whole = examples::perform(example, row_kernel_setting(example, "sm80", values));
    REQUIRE(whole);
    REQUIRE(whole->ok());
    Program wrong = whole->program;
    int changed = 0;
    for_each_statement(wrong.body, [&](Statement& s) { changed += change(s) ? 1 : 0; });
    REQUIRE(changed > 0);
    const auto lowered = required(lower(wrong));
    const auto report = sim::run(lowered->program, whole->inputs).value();
    return !report.ok() || !verify(whole->program, whole->inputs, report.outputs).value().ok();
}

Operation* mapped(Statement& s, Function f)
{
    auto* operation = std::get_if<Operation>(&s.what);
    return operation != nullptr && operation->op == Op::map && operation->function == f ? operation : nullptr;
}

} // namespace

TEST_CASE("rmsnorm is right for rows of any length, and reads and writes what its equation says")
{
    std::vector<Set> sets{{}, {{"N", "1"}, {"M", "1"}}, {{"N", "1024"}}, {{"N", "1025"}, {"M", "5"}}, {{"M", "3"}, {"rows", "5"}}};
    for (const char* type : {"bf16", "f32"}) sets.push_back({{"type", type}, {"N", "513"}, {"M", "6"}, {"rows", "1"}});
    check_row_kernel(examples::rmsnorm, sets);
}

TEST_CASE("rmsnorm of a sum, with a bias, is right, and the sum is stored")
{
    std::vector<Set> sets{{}, {{"N", "1"}, {"M", "1"}}, {{"N", "1024"}, {"M", "3"}}, {{"N", "1025"}, {"M", "5"}, {"rows", "2"}}};
    for (const char* type : {"bf16", "f32"}) sets.push_back({{"type", type}, {"N", "513"}, {"M", "6"}, {"rows", "1"}});
    for (Set& set : sets) set.push_back({"form", "add_bias"});
    check_row_kernel(examples::rmsnorm, sets);
    // Without the sum, and without the bias.
    CHECK(row_kernel_is_found(examples::rmsnorm, {{"form", "add_bias"}}, [](Statement& s) {
        Operation* o = mapped(s, Function::add);
        if (o == nullptr || o->operands[0].tensor == o->operands[2].tensor) return false;
        o->operands[2] = o->operands[1];
        return true;
    }));
}

TEST_CASE("swiglu is right for tiles that end at the edge or cross it")
{
    std::vector<Set> sets{{}, {{"N", "1"}, {"M", "1"}}, {{"N", "256"}, {"M", "4"}}, {{"N", "264"}, {"M", "5"}}};
    for (const char* type : {"bf16", "f32"}) sets.push_back({{"type", type}, {"N", "257"}});
    check_row_kernel(examples::swiglu, sets);
}

TEST_CASE("rope is right for heads of any size, in both kinds of pairs")
{
    for (const char* pairs : {"halves", "neighbors"}) {
        const std::pair<std::string, std::string> form{"pairs", pairs};
        std::vector<Set> sets{{form}, {form, {"H", "17"}, {"half", "64"}}, {form, {"S", "1"}, {"H", "1"}, {"half", "1"}}};
        sets.push_back({form, {"half", "256"}, {"S", "2"}, {"type", "f32"}});
        sets.push_back({form, {"half", "33"}, {"S", "2"}, {"type", "bf16"}});
        check_row_kernel(examples::rope, sets);
    }
}

TEST_CASE("cross_entropy is right for rows that end at a piece or cross it")
{
    std::vector<Set> sets{{}, {{"M", "1"}, {"V", "1"}}, {{"V", "1024"}}, {{"V", "1025"}, {"M", "2"}}, {{"V", "3072"}, {"M", "2"}}};
    for (const char* type : {"bf16", "f32"}) sets.push_back({{"type", type}, {"V", "700"}});
    check_row_kernel(examples::cross_entropy, sets);
}

TEST_CASE("topk is right for one number, for all of a row, and for rows that fill no lane or all")
{
    check_row_kernel(examples::topk, {{},
                                      {{"M", "1"}, {"N", "1"}, {"K", "1"}},
                                      {{"N", "128"}, {"K", "128"}, {"M", "2"}},
                                      {{"N", "129"}, {"K", "129"}, {"M", "1"}},
                                      {{"N", "1000"}, {"K", "8"}, {"M", "2"}},
                                      {{"N", "33"}, {"K", "1"}}});
}

TEST_CASE("topk of equal numbers takes the lower columns, of zeros the positive, of NaN any before infinity")
{
    const double inf = std::numeric_limits<double>::infinity();
    const struct {
        std::vector<double> row;
        std::vector<int> columns;
    } cases[] = {
        {{7, 7, 7, 7, 7, 7}, {0, 1, 2}},
        {{-0.0, 0, -0.0, 0, -1, -0.0}, {1, 3, 0}},
        {{1, inf, std::nan(""), -inf, -std::nan(""), inf}, {2, 4, 1}},
        {{-5, -3, -3, -4, -3, -9}, {1, 2, 4}},
        {{-inf, -inf, -inf, -inf, -1, -inf}, {4, 0, 1}},
        {{1, 2, 3, 3, 2, 3}, {2, 3, 5}},
    };
    for (const auto& one : cases) {
        const examples::Setting setting = row_kernel_setting(examples::topk, "sm80", {{"M", "1"}, {"N", "6"}, {"K", "3"}});
        const Program program = examples::topk.build(setting).value();
        Array x = Array::make({1, 6}, DType::f32).value();
        for (int i = 0; i < 6; ++i) x.set(i, one.row[static_cast<std::size_t>(i)]);
        Bindings in;
        in.set("X", std::move(x));
        const auto report = without_fault(sim::run(lower(program).value().program, in).value());
        CHECK(verify(program, in, report.outputs).value().ok());
        for (int i = 0; i < 3; ++i) CHECK(report.outputs.find("columns")->at(i) == one.columns[static_cast<std::size_t>(i)]);
    }
}

TEST_CASE("topk of a row of one number, more often than a block has lanes, takes the first columns")
{
    const examples::Setting setting = row_kernel_setting(examples::topk, "sm80", {{"M", "1"}, {"N", "300"}, {"K", "150"}});
    const Program program = examples::topk.build(setting).value();
    const Lowered lowered = lower(program).value();
    for (const double number : {0.0, -2.5, std::numeric_limits<double>::infinity(), std::nan("")}) {
        Array x = Array::make({1, 300}, DType::f32).value();
        for (int i = 0; i < 300; ++i) x.set(i, number);
        Bindings in;
        in.set("X", std::move(x));
        const auto report = sim::run(lowered.program, in).value();
        INFO(number << report.fault.text);
        REQUIRE(report.ok());
        CHECK(verify(program, in, report.outputs).value().ok());
        for (int i = 0; i < 150; ++i) CHECK(report.outputs.find("columns")->at(i) == i);
    }
}

TEST_CASE("topk of more numbers than a row has is refused")
{
    const auto program = examples::topk.build(row_kernel_setting(examples::topk, "sm80", {{"N", "5"}, {"K", "6"}}));
    REQUIRE_FALSE(program);
    CHECK(program.error().text == "K is 6; a row has 5 numbers");
}

TEST_CASE("rows of full vectors touch no sector more than their bytes fill")
{
    const std::pair<const examples::Example*, Set> wide[] = {
        {&examples::rmsnorm, {{"N", "2048"}, {"M", "4"}}},
        {&examples::swiglu, {{"N", "512"}, {"M", "8"}}},
        {&examples::rope, {{"H", "32"}, {"half", "64"}, {"S", "3"}}},
        {&examples::rope, {{"H", "32"}, {"half", "64"}, {"S", "3"}, {"pairs", "neighbors"}}},
    };
    for (const auto& [example, values] : wide) {
        INFO(example->name);
        const auto done = examples::perform(*example, row_kernel_setting(*example, "sm90", values));
        REQUIRE(done);
        const auto& memory = done->report.total.memories.at("gmem");
        CHECK(memory.sectors == memory.ideal_sectors);
        CHECK(memory.bytes_read + memory.bytes_written == 32 * memory.ideal_sectors);
    }
}

TEST_CASE("swiglu of numbers whose exponentials overflow, of infinities and of NaN is what the equation says")
{
    const examples::Setting setting = row_kernel_setting(examples::swiglu, "sm80", {{"M", "1"}, {"N", "8"}, {"type", "f32"}});
    const Program program = examples::swiglu.build(setting).value();
    const double inf = std::numeric_limits<double>::infinity();
    const double gates[] = {-1000, -90, -0.0, 0, 1000, -inf, inf, std::nan("")};
    Array x = Array::make({1, 2, 8}, DType::f32).value();
    for (std::int64_t i = 0; i < 8; ++i) {
        x.set(i, gates[i]);
        x.set(8 + i, 3);
    }
    Bindings in;
    in.set("X", std::move(x));
    const auto report = sim::run(lower(program).value().program, in).value();
    REQUIRE(report.ok());
    const auto verification = verify(program, in, report.outputs).value();
    INFO(verification.text());
    CHECK(verification.ok());
    const Array& y = *report.outputs.find("Y");
    CHECK(y.at(0) == 0);
    CHECK(y.at(3) == 0);
    CHECK(y.at(4) == 3000);
    CHECK(std::isnan(y.at(5))); // −∞/(1 + ∞)
    CHECK(y.at(6) == inf);
    CHECK(std::isnan(y.at(7)));
}

TEST_CASE("rows of zeros are zeros after rmsnorm")
{
    const examples::Setting setting = row_kernel_setting(examples::rmsnorm, "sm80", {{"M", "2"}, {"N", "5"}, {"type", "f32"}});
    const Program program = examples::rmsnorm.build(setting).value();
    Bindings in;
    in.set("X", Array::make({2, 5}, DType::f32).value()).set("gamma", Array::make({5}, DType::f32).value());
    const auto report = sim::run(lower(program).value().program, in).value();
    REQUIRE(report.ok());
    CHECK(verify(program, in, report.outputs).value().ok());
    for (std::int64_t i = 0; i < 10; ++i) CHECK(report.outputs.find("Y")->at(i) == 0);
}

TEST_CASE("row kernels give the same bits in every order of agents")
{
    for (const examples::Example* example :
         {&examples::rmsnorm, &examples::swiglu, &examples::rope, &examples::cross_entropy, &examples::topk}) {
        INFO(example->name);
        const auto first = examples::perform(*example, row_kernel_setting(*example, "sm90", {}));
        REQUIRE(first);
        const Array& of = first->report.outputs.begin()->array;
        for (const sim::RunOrder order : sim::all_run_orders) {
            sim::RunOptions options;
            options.order = order;
            const auto again = sim::run(first->lowered.program, first->inputs, options).value();
            INFO(sim::name(order) << again.fault.text);
            REQUIRE(again.ok());
            const Array& to = again.outputs.begin()->array;
            CHECK(std::memcmp(of.data(), to.data(), static_cast<std::size_t>(of.size_bytes())) == 0);
        }
    }
}

TEST_CASE("a wrong number of columns, an exchanged gate, a wrong sign and another token's position are found")
{
    CHECK(row_kernel_is_found(examples::rmsnorm, {{"type", "f32"}}, [](Statement& s) {
        auto* o = std::get_if<Operation>(&s.what);
        if (o == nullptr || o->op != Op::fill || o->number != 1.0 / 301) return false;
        o->number = 1.0 / 300;
        return true;
    }));
    CHECK(row_kernel_is_found(examples::swiglu, {}, [](Statement& s) {
        Operation* o = mapped(s, Function::neg);
        if (o != nullptr) o->function = Function::identity;
        return o != nullptr;
    }));
    for (const char* pairs : {"halves", "neighbors"}) {
        CHECK(row_kernel_is_found(examples::rope, {{"pairs", pairs}}, [](Statement& s) {
            Operation* o = mapped(s, Function::sub);
            if (o != nullptr) o->function = Function::add;
            return o != nullptr;
        }));
        CHECK(row_kernel_is_found(examples::rope, {{"pairs", pairs}}, [](Statement& s) {
            auto* let = std::get_if<Let>(&s.what);
            if (let == nullptr) return false;
            let->value = Expression(0.0);
            return true;
        }));
    }
    // A sum that is not rescaled, and padding that is 0 instead of −∞.
    CHECK(row_kernel_is_found(examples::cross_entropy, {}, [](Statement& s) {
        Operation* o = mapped(s, Function::fma);
        if (o != nullptr) o->operands[2] = o->operands[1];
        return o != nullptr;
    }));
    CHECK(row_kernel_is_found(examples::cross_entropy, {}, [](Statement& s) {
        Operation* o = mapped(s, Function::select);
        if (o != nullptr) o->operands[3] = o->operands[2];
        return o != nullptr;
    }));
    // Keys of negative numbers that are not turned; ties in the order of their last.
    for (const Function f : {Function::bit_xor, Function::shift_right})
        CHECK(row_kernel_is_found(examples::topk, {}, [&](Statement& s) {
            Operation* o = mapped(s, f);
            if (o != nullptr) o->function = Function::bit_or;
            return o != nullptr;
        }));
    CHECK(row_kernel_is_found(examples::topk, {}, [](Statement& s) {
        auto* o = std::get_if<Operation>(&s.what);
        if (o == nullptr || o->op != Op::scan) return false;
        o->exclusive = false;
        return true;
    }));
}

TEST_CASE("a position that has no row in the tables is a fault that names it")
{
    const examples::Setting setting = row_kernel_setting(examples::rope, "sm80", {});
    const Program program = examples::rope.build(setting).value();
    Bindings in = examples::rope.inputs(setting, program).value();
    Array positions = in.find("position")->clone().value();
    positions.set(2, 64);
    in.set("position", std::move(positions));
    const auto report = sim::run(lower(program).value().program, in).value();
    CHECK(report.fault.kind == sim::FaultKind::out_of_bounds);
    INFO(report.fault.text);
    CHECK(report.fault.text.find("index `row` is 64, from element (2) of position; it must be a whole number from 0 to 63") !=
          std::string::npos);
}
