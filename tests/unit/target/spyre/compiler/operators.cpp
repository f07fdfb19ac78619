// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/target/spyre/compiler/operators.hpp>
#include <catch.hpp>

#include <set>
#include <string>
#include <vector>

using namespace axe;
using namespace axe::spyre;

namespace {

using Sticks = std::vector<Stick>; ///< of the operands, then of the result

std::set<Sticks> rules_of(const spyre::Operator& op)
{
    std::set<Sticks> out;
    for (const StickRule& rule : op.rules) {
        Sticks sticks = rule.operands;
        sticks.push_back(rule.result);
        out.insert(sticks);
    }
    CHECK(out.size() == op.rules.size()); // none twice
    return out;
}

/// Every combination of sticks that tensors can have for which the words of the document hold.
template <class Legal>
std::set<Sticks> all_legal(const std::vector<Value>& operands, const Value& result, Legal legal)
{
    std::vector<Value> values = operands;
    values.push_back(result);
    std::set<Sticks> out;
    const auto visit = [&](auto&& self, const Sticks& sticks) -> void {
        if (sticks.size() == values.size()) {
            if (legal(sticks)) out.insert(sticks);
            return;
        }
        for (const Stick s : sticks_of(values[sticks.size()])) {
            Sticks more = sticks;
            more.push_back(s);
            self(self, more);
        }
    };
    visit(visit, {});
    return out;
}

template <class Made>
std::string refused(const Made& made)
{
    return made ? "made" : made.error().message().c_str();
}

constexpr DataFormat f16 = DataFormat::sen169_fp16;
const std::vector<Shape> shapes = {{}, {1}, {64}, {1, 70}, {128, 1}, {70, 128}, {3, 1, 64}, {3, 70, 64}};

} // namespace

TEST_CASE("sticks: dimensions of size 1 are none")
{
    const Value v{{3, 1, 64}};
    CHECK(stick_within(v, 0) == 0);
    CHECK(stick_within(v, 1) == sparse);
    CHECK(stick_within(v, 3) == sparse);
    CHECK(stick_within(v, -1) == sparse);
    CHECK(sticks_of(v) == std::vector<Stick>{0, 2, sparse});
    CHECK(sticks_of(Value{}) == std::vector<Stick>{sparse});
    CHECK(order_for(v, 0) == DimOrder{1, 2, 0});
    CHECK(order_for(v, sparse) == DimOrder{0, 1, 2, -1});
    for (const Shape& shape : shapes) // the layout has that dimension in its sticks
        for (const Stick s : sticks_of({shape})) {
            const auto t = make_tensor(contiguous(shape), f16, order_for({shape}, s)).value();
            CHECK(t.digits.back().dim == (s == sparse ? Digit::none : s));
        }
}

TEST_CASE("pointwise: one dimension within sticks of all, what is stretched along it one element a stick")
{
    int made = 0;
    for (const Shape& a : shapes)
        for (const Shape& b : shapes) {
            const auto op = pointwise({{a}, {b}}, f16);
            if (!op) {
                CHECK(op.error().code == errc::size_mismatch);
                continue;
            }
            ++made;
            const int rank = op->result.sizes.size();
            const auto within = [&](const Value& v, Stick result) { // the operand's own dimension, aligned at the last one
                const int d = result - (rank - v.sizes.size());
                return result == sparse || d < 0 || v.sizes[d] == 1 ? sparse : d;
            };
            const auto legal = [&](const Sticks& s) { return s[0] == within({a}, s[2]) && s[1] == within({b}, s[2]); };
            CHECK(rules_of(*op) == all_legal(op->operands, op->result, legal));
        }
    CHECK(made > 20);
    CHECK(refused(pointwise({{{3, 4}}, {{3, 5}}}, f16)) == "operand 1 has 5 elements in a dimension where others have 4");
    CHECK(pointwise({}, f16).error().code == errc::bad_argument);
    const auto wide = convert({{70, 128}}, DataFormat::ieee_fp32);
    REQUIRE(wide);
    CHECK(wide->result.format == DataFormat::ieee_fp32);
    CHECK(rules_of(*wide) == std::set<Sticks>{{0, 0}, {1, 1}, {sparse, sparse}});
}

TEST_CASE("matmul: k within A's sticks, n within B's and the result's")
{
    const Value a{{70, 128}}, b{{128, 200}};
    const auto op = spyre::matmul(a, b, f16);
    REQUIRE(op);
    CHECK(op->result.sizes == Shape{70, 200});
    CHECK(rules_of(*op) == std::set<Sticks>{{1, 1, 1}});
    CHECK(op->operands_need_zeros == std::vector<bool>{true, true});
    const auto batched = spyre::matmul({{5, 70, 128}}, b, f16);
    REQUIRE(batched);
    CHECK(std::string(batched->name) == "batch_matmul");
    CHECK(rules_of(*batched) == std::set<Sticks>{{2, 1, 2}});
    CHECK(rules_of(*spyre::matmul({{70, 1}}, {{1, 200}}, f16)) == std::set<Sticks>{{sparse, 1, 1}});
    CHECK(refused(spyre::matmul(a, {{127, 200}}, f16)) == "A has 128 columns, B 127 rows");
    CHECK(refused(spyre::matmul({{128}}, b, f16)) == "a product needs two dimensions and no more in B than in A: 1 and 2");
    CHECK(refused(spyre::matmul({{5, 70, 128}}, {{4, 128, 200}}, f16)) == "batch dimension 0 of B has 4 elements, that of A 5");
}

TEST_CASE("reduce: within sticks it leaves one element a stick, elsewhere the stick stays")
{
    for (const Shape& shape : shapes)
        for (unsigned mask = 0; mask < 1U << shape.size(); ++mask)
            for (const bool keep : {false, true}) {
                std::vector<int> dims;
                for (int d = 0; d < shape.size(); ++d)
                    if (mask >> d & 1U) dims.push_back(d);
                const auto op = reduce({shape}, dims, keep, f16);
                REQUIRE(op);
                const auto legal = [&](const Sticks& s) {
                    if (s[0] == sparse || (mask >> s[0] & 1U)) return s[1] == sparse;
                    int place = s[0]; // dimensions reduced before it are gone
                    for (int d = 0; d < s[0] && !keep; ++d) place -= static_cast<int>(mask >> d & 1U);
                    return s[1] == place;
                };
                CHECK(rules_of(*op) == all_legal({{shape}}, op->result, legal));
            }
    CHECK(refused(reduce({{4, 5}}, {2}, true, f16)) == "dimension 2 cannot be reduced; there are 2");
    CHECK(refused(reduce({{4, 5}}, {1, 1}, true, f16)) == "dimension 1 is reduced twice");
}

TEST_CASE("normalization: along the last dimension, statistics of one element a stick")
{
    CHECK(rules_of(*exx2({{70, 128}}, f16)) == std::set<Sticks>{{1, sparse}});
    CHECK(rules_of(*layer_norm({{70, 128}}, {{70, 1}})) == std::set<Sticks>{{1, sparse, 1}});
    CHECK(refused(layer_norm({{70, 128}}, {{70, 128}})) ==
          "the statistics must have one value where x has 128, and the sizes of x elsewhere");
    CHECK(refused(exx2({}, f16)) == "a tensor without dimensions has none to reduce");
}

TEST_CASE("clone, top_k, concatenate")
{
    for (const Shape& shape : shapes) {
        const auto copied = clone({shape});
        REQUIRE(copied);
        const Stick last = stick_within({shape}, shape.size() - 1);
        const auto legal = [&](const Sticks& s) { return s[1] == (s[0] == sparse ? sparse : last); };
        CHECK(rules_of(*copied) == all_legal({{shape}}, {shape}, legal));
    }
    const auto most = top_k({{70, 128}}, 1, 10);
    REQUIRE(most);
    CHECK(most->result.sizes == Shape{70, 10});
    CHECK(rules_of(*most) == std::set<Sticks>{{0, 0}, {1, sparse}, {sparse, sparse}});
    CHECK(refused(top_k({{70, 128}}, 1, 129)) == "129 elements are requested of 128");
    CHECK(refused(top_k({{70, 128}}, 2, 1)) == "dimension 2 cannot be searched; there are 2");

    // along the stick only where each part but the last fills whole sticks
    CHECK(rules_of(*concatenate({{{3, 128}}, {{3, 70}}}, 1)) == std::set<Sticks>{{0, 0, 0}, {1, 1, 1}, {sparse, sparse, sparse}});
    CHECK(rules_of(*concatenate({{{3, 70}}, {{3, 128}}}, 1)) == std::set<Sticks>{{0, 0, 0}, {sparse, sparse, sparse}});
    CHECK(concatenate({{{3, 70}}, {{4, 70}}}, 0)->result.sizes == Shape{7, 70});
    CHECK(refused(concatenate({{{3, 70}}, {{3, 70}}}, 2)) == "tensors cannot be concatenated along dimension 2; there are 2");
    CHECK(refused(concatenate({{{3, 70}}, {{3}}}, 0)) == "operand 1 has 1 dimension, the first 2");
    CHECK(refused(concatenate({{{3, 70}}, {{3, 71}}}, 0)) == "operand 1 has 71 elements where the first has 70");
}
