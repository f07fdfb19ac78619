// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <axe/schedule/dispatch.hpp>
#include <axe/schedule/values.hpp>
#include <axe/text/print.hpp>
#include <tests/targets.hpp>

#include "naive_moves.hpp"

#include <catch.hpp>
#include <random>

using namespace axe;

namespace {

class Source {
  public:
    explicit Source(unsigned seed) : engine_(seed) {}
    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n)); }
    bool chance(int of) { return below(of) == 0; }
    template <class List>
    auto pick(const List& list)
    {
        return *(std::begin(list) + below(static_cast<std::int64_t>(std::size(list))));
    }
    template <class T>
    void shuffle(std::vector<T>& list)
    {
        for (std::size_t i = list.size(); i > 1; --i)
            std::swap(list[i - 1], list[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
    }

  private:
    std::mt19937_64 engine_;
};

constexpr Axis lane{"lane"}, warp{"warp"}, reg{"reg"};

/// The digits of a shape, outermost first: prime factors of each dimension, some merged.
std::vector<std::int64_t> digits_of(Source& r, const Shape& shape)
{
    std::vector<std::int64_t> out;
    for (const auto extent : shape) {
        std::int64_t n = extent, digit = 1;
        for (std::int64_t f = 2; n > 1;) {
            if (n % f != 0) {
                ++f;
                continue;
            }
            n /= f;
            digit *= f;
            if (n > 1 && r.chance(3)) out.push_back(digit), digit = 1;
        }
        if (digit > 1) out.push_back(digit);
    }
    return out;
}

Swizzled<Layout> in_memory(Source& r, const Shape& shape, std::int64_t bytes)
{
    Swizzled<Layout> out;
    const auto digits = digits_of(r, shape);
    std::vector<std::size_t> order(digits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (r.chance(5)) r.shuffle(order);
    std::vector<std::int64_t> stride(digits.size());
    std::int64_t step = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        stride[order[i]] = step;
        step *= digits[order[i]];
        if (r.chance(8)) step += r.pick(std::vector<std::int64_t>{1, 2, 8});
    }
    for (std::size_t i = 0; i < digits.size(); ++i) out.layout.shard.push_back({digits[i], stride[i], Axis{}});
    if (r.chance(6)) *out.layout.offset.entry(Axis{}) = r.pick(std::vector<std::int64_t>{1, 4, 8, 16});
    if (r.chance(4)) {
        out.swizzle = r.pick(std::vector<Swizzle>{{3, 4, 3}, {2, 3, 3}, {1, 4, 3}, {2, 4, 2}});
        out.width = bytes;
    }
    if (r.chance(20)) out.layout.replica.push_back({2, step, Axis{}});
    return out;
}

Swizzled<Layout> in_registers(Source& r, const Shape& shape)
{
    Swizzled<Layout> out;
    const auto digits = digits_of(r, shape);
    std::vector<std::size_t> order(digits.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (r.chance(2)) r.shuffle(order);
    std::vector<Iter> iters(digits.size());
    std::int64_t lanes = 1, warps = 1, regs = 1;
    const bool first_in_registers = r.chance(2);
    for (std::size_t i = order.size(); i-- > 0;) {
        const std::int64_t n = digits[order[i]];
        if (first_in_registers && i + 1 == order.size()) {
            iters[order[i]] = {n, regs, reg};
            regs *= n;
        } else if (lanes * n <= 32 && !r.chance(5)) {
            iters[order[i]] = {n, lanes, lane};
            lanes *= n;
        } else if (warps * n <= 4 && !r.chance(5)) {
            iters[order[i]] = {n, warps, warp};
            warps *= n;
        } else {
            iters[order[i]] = {n, regs, reg};
            regs *= n;
        }
    }
    for (const Iter& it : iters) out.layout.shard.push_back(it);
    if (lanes <= 16 && r.chance(4)) out.layout.replica.push_back({2, lanes, lane});
    if (warps <= 2 && r.chance(4)) out.layout.replica.push_back({2, warps, warp});
    if (r.chance(20)) out.layout.replica.push_back({2, regs, reg});
    if (r.chance(8)) *out.layout.offset.entry(reg) = r.pick(std::vector<std::int64_t>{1, 4});
    if (warps == 1 && out.layout.replica.empty() && r.chance(6)) *out.layout.offset.entry(warp) = 3;
    return out;
}

/// A view of the extents, in a new tensor of the program.
View operand(Source& r, Program& p, const Shape& extents, const char* memory, DType type, bool is_source,
             const std::vector<Affine>& moves)
{
    View v;
    v.extents = extents;
    ProgramTensor t;
    t.name = is_source ? "A" : "D";
    t.memory = memory;
    t.dtype = type;
    std::vector<int> order;
    for (int k = 0; k < extents.size(); ++k) order.push_back(k);
    if (r.chance(4)) r.shuffle(order);
    for (int k = 0; k < extents.size(); ++k) v.dims.push_back(-1), v.steps.push_back(1);
    v.guarded = r.chance(3);
    for (const int k : order) {
        if (is_source && r.chance(12)) continue; // its elements repeat
        v.dims[k] = t.shape.size();
        if (r.chance(10)) v.steps[k] = 2;
        Affine origin = r.chance(5) ? Affine(r.pick(std::vector<std::int64_t>{1, 2, 4, 8})) : Affine(0);
        if (r.chance(3)) origin += r.pick(moves) * r.pick(std::vector<std::int64_t>{1, 2, 4, extents[k]});
        const Values values = values_of(p, origin);
        std::int64_t size = values.greatest + v.steps[k] * (extents[k] - 1) + 1;
        if (v.guarded && r.chance(2)) size = std::max<std::int64_t>(1, size - r.below(extents[k]));
        if (!r.chance(3)) size = (size + 7) / 8 * 8;
        v.origin.push_back(std::move(origin));
        t.shape.push_back(size);
    }
    if (r.chance(8)) { // a dimension of which the view picks an index
        t.shape.insert(0, 3);
        v.origin.insert(v.origin.begin(), Affine(r.below(3)));
        for (int& d : v.dims) d += d >= 0;
    }
    t.layout = std::string(memory) == "reg" ? in_registers(r, t.shape) : in_memory(r, t.shape, storage_bytes(type));
    if (std::string(memory) != "reg" && r.chance(6))
        t.base = r.pick(std::vector<std::int64_t>{0, 2, 4, 8, 32}) * storage_bytes(type);
    v.tensor = static_cast<int>(p.tensors.size());
    p.tensors.push_back(std::move(t));
    return v;
}

std::string words(const Program& p, const View& v)
{
    std::string out = axe::name(p.tensors[static_cast<std::size_t>(v.tensor)].dtype);
    out += " extents";
    for (const auto e : v.extents) out += " " + std::to_string(e);
    out += " shape";
    for (const auto e : p.tensors[static_cast<std::size_t>(v.tensor)].shape) out += " " + std::to_string(e);
    const ProgramTensor& t = p.tensors[static_cast<std::size_t>(v.tensor)];
    out +=
        " in " + t.memory + " from byte " + std::to_string(t.base) + ", " + print(t.layout).c_str() + (v.guarded ? " guarded" : "");
    for (std::size_t d = 0; d < v.origin.size(); ++d) {
        out += " origin " + std::to_string(v.origin[d].constant());
        for (const auto& term : v.origin[d].terms())
            out += " + " + std::to_string(term.coefficient) + "·v" + std::to_string(term.var);
    }
    for (int k = 0; k < v.rank(); ++k) out += " dim " + std::to_string(v.dims[k]) + " step " + std::to_string(v.steps[k]);
    return out;
}

} // namespace

TEST_CASE("every copy that a schedule emits moves each element once, by lanes that own it, in whole vectors")
{
    int emitted = 0, declined = 0, wide = 0;
    std::map<std::string, int> by_name;
    for (unsigned seed = 0; seed < 6000; ++seed) {
        Source r(seed);
        Program p;
        p.machine = machines::sm90;
        p.variables = {{"block", 0, 3}, {"i", 0, 25}};
        For loop{Var{1}, 0, 25, 8, {}}; // 0, 8, 16, 24
        p.body.push_back({0, loop});
        Shape extents;
        const auto rank = 1 + r.below(3);
        for (int k = 0; k < rank; ++k) extents.push_back(r.pick(std::vector<std::int64_t>{1, 2, 3, 4, 5, 8, 8, 8, 16, 16, 32}));
        if (*volume(extents) > 512) continue;
        const std::vector<DType> types{DType::f32, DType::f16, DType::bf16, DType::i8, DType::f64};
        const DType type = r.pick(types), other = r.chance(4) ? r.pick(types) : type;
        const std::vector<const char*> memories{"gmem", "smem", "reg"};
        const std::vector<Affine> moves{Var{0}, Var{1}, Var{0} * 16 + Affine(Var{1})};
        Operation copy;
        copy.operands = {operand(r, p, extents, r.pick(memories), type, false, moves),
                         operand(r, p, extents, r.pick(memories), other, true, moves)};
        ProgramTensor& source = p.tensors[1];
        if (source.memory == "reg" && p.tensors[0].memory == "reg" && !r.chance(4)) { // held by the same lanes
            source.layout = p.tensors[0].layout, source.shape = p.tensors[0].shape;
            copy.operands[1] = copy.operands[0];
            copy.operands[1].tensor = 1;
        }
        if (r.chance(8)) copy.options.schedule = "scalar";
        if (r.chance(8)) copy.options.vector_bytes = 8;
        ExecutionScope place{true, 0, 4, 1, 32};
        if (r.chance(10)) place.count = 2, place.stride = 2;
        Request request(p, target_of(p), copy, place);
        Choice choice;
        const auto body = dispatch(request, &choice);
        INFO("seed " << seed << ", D " << words(p, copy.operands[0]) << ", A " << words(p, copy.operands[1]));
        if (!body) {
            ++declined;
            // Between memories there is always a way.
            CHECK((naive::is_register(p, copy.operands[0]) || naive::is_register(p, copy.operands[1])));
            continue;
        }
        ++emitted;
        ++by_name[choice.schedule];
        if (choice.schedule == "through_shared" || choice.schedule == "shuffles") { // exchange.cpp and shuffle_copies.cpp run these
            CHECK((naive::is_register(p, copy.operands[0]) && naive::is_register(p, copy.operands[1])));
            continue;
        }
        REQUIRE(body->size() <= 1);
        for (std::int64_t block = 0; block < 3; ++block)
            for (std::int64_t i = 0; i < 25; i += 8) {
                const naive::Variables values{block, i};
                naive::State s;
                naive::number_elements(p, s, copy.operands[1], values, 1000);
                for (const Statement& statement : *body) {
                    const auto& instruction = std::get<Instruction>(statement.what);
                    if (instruction.opcode != "move") continue; // matrices are run by their own test
                    if (instruction.operands[0].distribution->vector > 1) ++wide;
                    naive::run(p, s, instruction, values, [](const auto& a) { return a[0]; });
                }
                if (choice.schedule == "ldmatrix" || choice.schedule == "stmatrix") continue;
                REQUIRE(s.fault == "");
                const View& d = copy.operands[0];
                std::size_t places = 0, wrong = 0;
                for (std::int64_t e = 0; e < *volume(extents); ++e) {
                    const auto at = naive::place_in_tensor(p, d, e, values);
                    if (!at) continue;
                    for (const Point& q : naive::places(p.tensors[static_cast<std::size_t>(d.tensor)], *at)) {
                        ++places;
                        const auto found = s.at[d.tensor].find(q);
                        wrong += found == s.at[d.tensor].end() || s.writes[d.tensor][q] != 1 ||
                                 found->second != naive::numbered(p, copy.operands[1], e, values, 1000);
                    }
                }
                REQUIRE(wrong == 0);
                REQUIRE(s.writes[d.tensor].size() == places);
            }
    }
    CHECK(emitted > 3000);
    CHECK(wide > 3000);
    for (const char* name : {"scalar", "vector", "registers"}) CHECK(by_name[name] > 100);
    INFO("emitted " << emitted << ", declined " << declined << ", in vectors " << wide);
    CHECK(declined > 0);
}
