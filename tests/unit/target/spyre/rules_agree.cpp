// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/interop/spyre/to_axe.hpp>
#include <axe/kernels.hpp>
#include <axe/target/spyre/compiler/choose.hpp>
#include <axe/target/spyre/compiler/operators.hpp>
#include <catch.hpp>
#include <tests/one_block.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace axe;
using spyre::Stick;
using spyre::Value;

/// What the chooser lets an operator have for sticks, and what a program is lowered with, for all sticks that its tensors can have.
namespace {

using Sticks = std::vector<Stick>;

constexpr spyre::DataFormat f16 = spyre::DataFormat::sen169_fp16, bf16 = spyre::DataFormat::bfloat16,
                            f32 = spyre::DataFormat::ieee_fp32;
const std::vector<Shape> shapes = {{1}, {64}, {1, 70}, {128, 1}, {70, 128}, {64, 64}, {3, 1, 64}, {3, 70, 64}};

/// The elements of a tensor of PyTorch's sizes, laid out in the scratchpad of a core with this stick, without its padding.
ViewRef placed(Scope core, const std::string& name, const Value& value, Stick stick)
{
    const auto tensor = spyre::make_tensor(spyre::contiguous(value.sizes), value.format, spyre::order_for(value, stick));
    const Padded p = spyre::to_axe(tensor.value()).value();
    const DType type = value.format == f16 ? DType::dl16 : value.format == bf16 ? DType::bf16 : DType::f32;
    std::vector<Interval> valid;
    for (int d = 0; d < value.sizes.size(); ++d) valid.emplace_back(Affine(0), value.sizes[d]);
    return core.alloc("lx", p.shape, type, p.layout, name)(valid);
}

/// An operand with the extents of the result, as PyTorch broadcasts it.
ViewRef stretched(const ViewRef& view, const Shape& to)
{
    const int missing = to.size() - view.shape().size();
    std::vector<Interval> box;
    for (int k = 0; k < view.shape().size(); ++k)
        box.push_back(view.shape()[k] == 1 && to[missing + k] != 1 ? Interval(0) : axe::all);
    ViewRef out = view(box);
    for (int d = 0; d < to.size(); ++d)
        if (d < missing || box[static_cast<std::size_t>(d - missing)].picks) out = out.repeated(d, to[d]);
    return out;
}

/// Calls visit(sticks) with every combination of sticks that these tensors can have.
template <class Visit>
void all_sticks(const std::vector<Value>& values, Visit visit, const Sticks& chosen = {})
{
    if (chosen.size() == values.size()) return visit(chosen);
    for (const Stick s : spyre::sticks_of(values[chosen.size()])) {
        Sticks more = chosen;
        more.push_back(s);
        all_sticks(values, visit, more);
    }
}

std::string sizes_of(const std::vector<Value>& values)
{
    std::string out;
    for (const Value& v : values) {
        out += out.empty() ? "[" : " [";
        for (const auto n : v.sizes) out += std::to_string(n) + ",";
        out += "]";
    }
    return out;
}

/// Why a program of one statement, given the views of operands and result, is not lowered; empty where it is.
using Write = std::function<void(Scope, const std::vector<ViewRef>& operands, const ViewRef& result)>;
std::string declined(const std::vector<Value>& values, const Sticks& sticks, const Write& write)
{
    Machine roomy = machines::spyre; // the room in a core is not the rules' matter
    for (Memory& m : roomy.memories)
        if (m.capacity > 0) m.capacity = m.extents[0] = std::int64_t{1} << 40;
    Kernel k("one", roomy);
    one_block(k, 1, [&](Scope core) {
        std::vector<ViewRef> views;
        for (std::size_t i = 0; i < values.size(); ++i)
            views.push_back(placed(core, "t" + std::to_string(i), values[i], sticks[i]));
        const ViewRef result = views.back();
        views.pop_back();
        write(core, views, result);
    });
    const auto program = k.program();
    if (!program) FAIL(program.error().text);
    const auto low = lower(*program);
    if (low) return {};
    CHECK(low.error().text.find("no schedule implements this") != std::string::npos);
    return low.error().text;
}

/// How many combinations of sticks are a rule of the operator; each is exactly then a program that is lowered.
int agree(const spyre::Operator& op, const Write& write)
{
    std::vector<Value> values = op.operands;
    values.push_back(op.result);
    int accepted = 0;
    all_sticks(values, [&](const Sticks& sticks) {
        bool rule = false;
        for (const auto& r : op.rules) {
            Sticks all = r.operands;
            all.push_back(r.result);
            rule = rule || all == sticks;
        }
        const std::string text = declined(values, sticks, write);
        INFO(op.name << " of " << sizes_of(values) << " in sticks " << Catch::StringMaker<Sticks>::convert(sticks) << ": " << text);
        CHECK(rule == text.empty());
        accepted += rule;
    });
    return accepted;
}

} // namespace

TEST_CASE("rules of sticks: functions of elements are lowered in the sticks that the chooser has")
{
    int accepted = 0;
    for (const Shape& a : shapes) {
        const auto one = spyre::pointwise({{a}}, f16);
        REQUIRE(one);
        accepted +=
            agree(*one, [](Scope core, const std::vector<ViewRef>& v, const ViewRef& d) { core.unary(Function::relu, d, v[0]); });
        for (const Shape& b : shapes) {
            const auto two = spyre::pointwise({{a}, {b}}, f16);
            if (!two) continue;
            accepted += agree(*two, [](Scope core, const std::vector<ViewRef>& v, const ViewRef& d) {
                core.binary(Function::add, d, stretched(v[0], d.shape()), stretched(v[1], d.shape()));
            });
        }
    }
    CHECK(accepted > 80);
}

TEST_CASE("rules of sticks: conversions of one width are lowered in the sticks that the chooser has, others in none")
{
    const Write copy = [](Scope core, const std::vector<ViewRef>& v, const ViewRef& d) { core.copy(d, v[0]); };
    int accepted = 0;
    for (const Shape& shape : shapes) {
        accepted += agree(*spyre::convert({shape}, bf16), copy);
        // What is between 16 and 32 bits stays rearranged inside sticks, which no schedule has.
        const std::vector<Value> wider{{shape}, {shape, f32}};
        all_sticks(wider, [&](const Sticks& sticks) {
            const std::string text = declined(wider, sticks, copy);
            INFO(text);
            CHECK(text.find("D is f32 and A is dl16; on the card a DMA does not convert") != std::string::npos);
            CHECK(text.find("A = t0 is dl16 and D is f32; their sticks hold different numbers of elements") != std::string::npos);
        });
    }
    CHECK(accepted == 20);
}

TEST_CASE("rules of sticks: reductions are lowered in the sticks that the chooser has")
{
    int accepted = 0;
    for (const Shape& shape : shapes)
        for (unsigned mask = 1; mask < 1U << shape.size(); ++mask) {
            std::vector<int> dims;
            InlineVector<int, max_rank> axes;
            for (int d = 0; d < shape.size(); ++d)
                if ((mask >> d & 1U) != 0) dims.push_back(d), axes.push_back(d);
            const auto op = spyre::reduce({shape}, dims, false, f16);
            REQUIRE(op);
            accepted += agree(*op, [&](Scope core, const std::vector<ViewRef>& v, const ViewRef& d) {
                core.reduce(Function::add, d, v[0], axes);
            });
        }
    CHECK(accepted > 40);
}

TEST_CASE("rules of sticks: products are lowered in the sticks that the chooser has")
{
    int accepted = 0;
    for (const std::int64_t m : {1, 64, 70})
        for (const std::int64_t k : {1, 64, 128})
            for (const std::int64_t n : {1, 64, 70}) {
                const auto op = spyre::matmul({{m, k}}, {{k, n}}, f16);
                REQUIRE(op);
                accepted += agree(*op, [](Scope core, const std::vector<ViewRef>& v, const ViewRef& d) {
                    core.gemm(d, v[0], v[1], {.accumulate = false});
                });
            }
    CHECK(accepted == 27); // one way each
}

TEST_CASE("rules of sticks: copies on the card are lowered between the sticks that the chooser restickifies")
{
    int accepted = 0;
    for (const Shape& shape : shapes) {
        const Value value{shape};
        all_sticks({value, value}, [&](const Sticks& sticks) {
            spyre::OperatorGraph graph;
            graph.inputs = {{value, sticks[0]}};
            graph.outputs = {{0, sticks[1]}};
            const bool is_possible = spyre::choose_sticks(graph).has_value();
            const std::string text = declined(
                {value, value}, sticks, [](Scope core, const std::vector<ViewRef>& v, const ViewRef& d) { core.copy(d, v[0]); });
            INFO(sizes_of({value}) << " from " << sticks[0] << " to " << sticks[1] << ": " << text);
            CHECK(is_possible == text.empty());
            accepted += is_possible;
        });
    }
    CHECK(accepted > 20);
}
