// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <catch.hpp>

#include <axe/target/spyre/compiler/choose.hpp>
#include <axe/target/spyre/compiler/operators.hpp>

#include <optional>
#include <random>
#include <set>
#include <string>

using namespace axe;
using namespace axe::spyre;

namespace {

/// Every combination of rules and sticks of inputs; the fewest copies, and then the fewest sticks that they write.
class AllChoices {
  public:
    explicit AllChoices(const OperatorGraph& graph) : graph_(graph), sticks_(graph.inputs.size() + graph.nodes.size()) {}

    std::optional<std::pair<std::size_t, std::int64_t>> least()
    {
        visit(0);
        return least_;
    }

  private:
    using Copies = std::set<std::pair<int, Stick>>;

    void visit(std::size_t tensor)
    {
        if (tensor == sticks_.size()) return finish();
        if (tensor < graph_.inputs.size()) {
            const auto& input = graph_.inputs[tensor];
            for (const Stick s : sticks_of(input.value)) {
                if (input.stick != OperatorGraph::any && s != stick_within(input.value, input.stick)) continue;
                sticks_[tensor] = s;
                visit(tensor + 1);
            }
            return;
        }
        const auto& node = graph_.nodes[tensor - graph_.inputs.size()];
        for (const StickRule& rule : node.op.rules) {
            const Copies before = copies_;
            bool possible = true;
            for (std::size_t i = 0; i < node.operands.size(); ++i) possible = possible && need(node.operands[i], rule.operands[i]);
            sticks_[tensor] = rule.result;
            if (possible) visit(tensor + 1);
            copies_ = before;
        }
    }

    bool need(int tensor, Stick stick)
    {
        const Stick own = sticks_[static_cast<std::size_t>(tensor)];
        if (own == stick) return true;
        if (own == sparse || stick == sparse) return false;
        copies_.insert({tensor, stick});
        return true;
    }

    void finish()
    {
        const Copies before = copies_;
        bool possible = true;
        for (const auto& o : graph_.outputs)
            possible = possible && (o.stick == OperatorGraph::any || need(o.tensor, stick_within(graph_.value(o.tensor), o.stick)));
        std::pair<std::size_t, std::int64_t> cost{copies_.size(), 0};
        for (const auto& [tensor, stick] : copies_) {
            const Value& v = graph_.value(tensor);
            cost.second += *stick_count(make_tensor(contiguous(v.sizes), v.format, order_for(v, stick))->device);
        }
        copies_ = before;
        if (possible && (!least_ || cost < *least_)) least_ = cost;
    }

    const OperatorGraph& graph_;
    std::vector<Stick> sticks_;
    Copies copies_{};
    std::optional<std::pair<std::size_t, std::int64_t>> least_{};
};

/// A graph of up to `most` operators on tensors of two dimensions whose sizes are 1, 64, 70 or 128.
OperatorGraph random_graph(std::mt19937& random, int most)
{
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    constexpr std::int64_t extents[] = {1, 64, 70, 128};
    OperatorGraph graph;
    for (int i = 1 + below(3); i > 0; --i) {
        OperatorGraph::Input input{{{extents[below(4)], extents[below(4)]}}, OperatorGraph::any};
        if (below(4) != 0) input.stick = below(2);
        graph.inputs.push_back(input);
    }
    for (int tries = 0; tries < 40 && static_cast<int>(graph.nodes.size()) < most; ++tries) {
        const int tensors = static_cast<int>(graph.inputs.size() + graph.nodes.size());
        const int a = below(tensors), b = below(tensors);
        const Value &x = graph.value(a), &y = graph.value(b);
        Result<spyre::Operator> op{spyre::Operator{}};
        switch (below(6)) {
        case 0:
        case 1: op = pointwise({x, y}, x.format); break;
        case 2: op = matmul(x, y, x.format); break;
        case 3: op = reduce(x, {below(2)}, true, x.format); break;
        case 4: op = concatenate({x, y}, below(2)); break;
        default: op = clone(x); break;
        }
        if (!op) continue;
        std::vector<int> operands{a};
        if (op->operands.size() == 2) operands.push_back(b);
        graph.nodes.push_back({*op, operands});
    }
    const int tensors = static_cast<int>(graph.inputs.size() + graph.nodes.size());
    graph.outputs.push_back({tensors - 1, below(2) == 0 ? OperatorGraph::any : below(2)});
    return graph;
}

} // namespace

TEST_CASE("choose_sticks: as few copies as the best of all combinations")
{
    std::mt19937 random(9);
    int possible = 0, copies = 0;
    for (int round = 0; round < 400; ++round) {
        const OperatorGraph graph = random_graph(random, 8);
        const auto found = choose_sticks(graph);
        const auto least = AllChoices(graph).least();
        REQUIRE(found.has_value() == least.has_value());
        if (!found) {
            CHECK(found.error().code == errc::no_layout);
            continue;
        }
        CHECK(found->restickifies.size() == least->first);
        CHECK(found->moved == least->second);
        ++possible;
        copies += least->first > 0;
    }
    CHECK(possible > 200);
    CHECK(copies > 50);
}

TEST_CASE("choose_sticks: a product after a product needs no copy, its transpose one")
{
    const Value x{{100, 200}}, w{{200, 300}}, v{{300, 50}};
    OperatorGraph graph;
    graph.inputs = {{x, 1}, {w, 1}, {v, 1}};
    graph.nodes = {{*matmul(x, w, x.format), {0, 1}}, {*matmul({{100, 300}}, v, x.format), {3, 2}}};
    graph.outputs = {{4, 1}};
    const auto found = choose_sticks(graph);
    REQUIRE(found);
    CHECK(found->restickifies.empty());
    CHECK(found->sticks == std::vector<Stick>{1, 1, 1, 1, 1});

    graph.inputs[0].stick = 0;
    const auto copied = choose_sticks(graph);
    REQUIRE(copied);
    CHECK(copied->restickifies == std::vector<Restickify>{{0, 0, 1}});
    CHECK(copied->moved == 100 * 4); // 200 elements are four sticks
}

TEST_CASE("choose_sticks: a softmax keeps one element a stick, and a dense one is an error with the way out")
{
    const Value x{{128, 256}};
    OperatorGraph graph;
    graph.inputs = {{x, 1}};
    const auto most = reduce(x, {1}, true, x.format);
    graph.nodes = {{*most, {0}}, {*pointwise({x, most->result}, x.format), {0, 1}}};
    graph.outputs = {{2, 1}};
    const auto found = choose_sticks(graph);
    REQUIRE(found);
    CHECK(found->restickifies.empty());
    CHECK(found->sticks[1] == sparse);

    graph.outputs = {{1, 0}}; // the maxima, within sticks
    const auto kept = choose_sticks(graph);
    REQUIRE(kept); // x with dimension 0 within sticks first
    CHECK(kept->restickifies == std::vector<Restickify>{{0, 1, 0}});

    OperatorGraph given;
    given.inputs = {{Value{{128, 1}}, sparse}, {Value{{128, 1}}, 0}};
    given.nodes = {{*pointwise({Value{{128, 1}}, Value{{128, 1}}}, x.format), {0, 1}}};
    given.outputs = {{2, OperatorGraph::any}};
    const auto none = choose_sticks(given);
    REQUIRE(none.error().code == errc::no_layout);
    CHECK(std::string(none.error().message().c_str()).find("several sticks") != std::string::npos);
}

TEST_CASE("choose_sticks: graphs that are none")
{
    const Value x{{8, 8}};
    OperatorGraph graph;
    graph.inputs = {{x, 1}};
    graph.nodes = {{*clone(x), {1}}};
    CHECK(choose_sticks(graph).error().code == errc::out_of_domain);
    graph.nodes = {{*clone(x), {0, 0}}};
    CHECK(choose_sticks(graph).error().code == errc::rank_mismatch);
    graph.nodes = {{*clone(Value{{8, 9}}), {0}}};
    CHECK(choose_sticks(graph).error().code == errc::size_mismatch);
    graph.nodes.clear();
    graph.outputs = {{1, 0}};
    CHECK(choose_sticks(graph).error().code == errc::out_of_domain);
}
