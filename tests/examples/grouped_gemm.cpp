// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>
#include <perform.hpp>

/// Grouped products: every form, on group sizes around a tile's, with none, all or one of them, and with wrong data.

namespace {

using namespace axe;
using Set = std::vector<std::pair<std::string, std::string>>;

const char* const forms[] = {"contiguous", "psum", "masked"};

examples::Setting set(const char* machine, const char* form, const Set& more)
{
    Set values{{"form", form}};
    values.insert(values.end(), more.begin(), more.end());
    const auto setting = examples::setting(examples::grouped_gemm, machine, 0, values);
    INFO((setting ? "" : setting.error().text));
    REQUIRE(setting);
    return *setting;
}

} // namespace

TEST_CASE("products of groups of any sizes are right")
{
    const Set sizes[] = {{{"rows", "edges"}}, {{"rows", "equal"}, {"m", "65"}}, {{"rows", "last"}}};
    const Set shapes[] = {{}, {{"G", "1"}}, {{"K", "640"}, {"N", "8"}}, {{"N", "129"}, {"K", "33"}}};
    for (const char* machine : {"sm80", "sm90"})
        for (const char* form : forms)
            for (const Set& rows : sizes)
                for (const Set& shape : shapes) {
                    Set all = rows;
                    all.insert(all.end(), shape.begin(), shape.end());
                    const auto done = examples::perform(examples::grouped_gemm, set(machine, form, all));
                    INFO(machine << " " << form << " " << rows[0].second << (shape.empty() ? "" : " " + shape[0].second));
                    REQUIRE(done);
                    INFO(done->report.fault.text << done->verification.text());
                    CHECK(done->ok());
                    CHECK(std::string(done->verification.word()) == "right");
                }
}

TEST_CASE("a group that does not exist, and more rows than there are, are faults with the element named")
{
    const struct {
        const char *form, *tensor, *text;
        double value;
    } wrong[] = {
        {"contiguous", "group", "index `g` is 5, from element (0) of group; it must be a whole number from 0 to 4", 5},
        {"masked", "counts", "index `last` is 3, from element (0) of counts; it must be a whole number from 0 to 2", 129},
    };
    for (const auto& one : wrong) {
        const examples::Setting setting = set("sm80", one.form, {});
        const Program program = examples::grouped_gemm.build(setting).value();
        Bindings in = examples::grouped_gemm.inputs(setting, program).value();
        Array data = in.find(one.tensor)->clone().value();
        data.set(0, one.value);
        in.set(one.tensor, std::move(data));
        const auto report = sim::run(lower(program).value().program, in).value();
        INFO(report.fault.text);
        CHECK(report.fault.kind == sim::FaultKind::out_of_bounds);
        CHECK(report.fault.text.find(one.text) != std::string::npos);
    }
}

TEST_CASE("a kernel that takes the wrong group is wrong")
{
    for (const char* form : forms) {
        const auto whole = examples::perform(examples::grouped_gemm, set("sm80", form, {}));
        REQUIRE(whole);
        Program wrong = whole->program;
        const int B = 1; // the right operand is the second tensor of each form
        REQUIRE(wrong.tensors[B].name == "B");
        int changed = 0;
        for_each_statement(wrong.body, [&](Statement& s) {
            auto* operation = std::get_if<Operation>(&s.what);
            if (operation == nullptr) return;
            for (View& v : operation->operands)
                if (v.tensor == B && !v.origin[0].is_constant()) v.origin[0] = Affine(0), ++changed;
        });
        CHECK(changed > 0);
        const auto report = sim::run(lower(wrong).value().program, whole->inputs).value();
        REQUIRE(report.ok());
        CHECK(!verify(whole->program, whole->inputs, report.outputs).value().ok());
    }
}
