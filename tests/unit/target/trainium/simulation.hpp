// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_TARGET_TRAINIUM_SIMULATION_HPP
#define AXE_TESTS_UNIT_TARGET_TRAINIUM_SIMULATION_HPP

#include <axe/layout/points.hpp>
#include <axe/target/trainium/machines.hpp>
#include <axe/target/trainium/schedules.hpp>
#include <catch.hpp>
#include <tests/random.hpp>
#include <tests/targets.hpp>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

/// A naive NeuronCore: each tensor an array of numbers by (partition, place), each instruction a loop over the elements of its views; and
/// the rules of the hardware, checked from the places that an instruction touches, by other means than the schedules use.
namespace trn_test {

using namespace axe;
using Int = std::int64_t;
using Location = std::tuple<int, Int, Int>; // tensor, partition, place on the last axis

struct Core {
    const Program* program = nullptr;
    std::vector<ProgramTensor> temporaries{};
    std::vector<Int> variables{};
    std::map<Location, double> cells{};
    std::string broken{}; ///< the first rule that an instruction broke

    const ProgramTensor& tensor(int id) const
    {
        const auto i = static_cast<std::size_t>(id), known = program->tensors.size();
        return i < known ? program->tensors[i] : temporaries[i - known];
    }
    bool in(const View& v, const char* memory) const { return tensor(v.tensor).memory == memory; }

    /// Where an element of a view is; nowhere when a guard says so.
    std::vector<Location> locations(const View& v, const Coord& x) const
    {
        const ProgramTensor& t = tensor(v.tensor);
        Coord c;
        for (const Affine& a : v.origin) c.push_back(a(variables));
        for (int k = 0; k < v.rank(); ++k)
            if (v.dims[k] >= 0) c[v.dims[k]] += v.steps[k] * x[k];
        for (int d = 0; d < t.shape.size(); ++d)
            if (c[d] < 0 || c[d] >= t.shape[d]) {
                if (!v.guarded) throw std::runtime_error("a view leaves " + t.name);
                return {};
            }
        std::vector<Location> out;
        const auto index = linear_index(t.shape, c).value();
        const auto all = points(t.layout.layout, index);
        for (const auto& p : all) out.emplace_back(v.tensor, p[Axis{"P"}], t.memory == "hbm" ? p[Axis{}] : p[Axis{"F"}]);
        return out;
    }
    double read(const View& v, const Coord& x) const
    {
        const auto at = locations(v, x);
        if (at.empty()) return 0;
        const auto found = cells.find(at[0]);
        if (found == cells.end())
            throw std::runtime_error("an element of " + tensor(v.tensor).name + " is read that was never written");
        return found->second;
    }
    void write(const View& v, const Coord& x, double value)
    {
        for (const Location& s : locations(v, x)) cells[s] = value;
    }
    /// The whole of a view, in row-major order.
    template <class F>
    static void each(const Shape& shape, const F& f)
    {
        const Int n = volume(shape).value();
        for (Int i = 0; i < n; ++i) f(coordinate(shape, i));
    }
    View whole(int id) const
    {
        View v;
        v.tensor = id;
        v.extents = tensor(id).shape;
        for (int d = 0; d < v.extents.size(); ++d) {
            v.origin.emplace_back(0);
            v.dims.push_back(d);
            v.steps.push_back(1);
        }
        return v;
    }

    void rule(bool kept, const std::string& which)
    {
        if (!kept && broken.empty()) broken = which;
    }

    /// The places of a view by partition, in the view's order; and the rules that hold for any access of an engine.
    std::map<Int, std::vector<Int>> check_access(const View& v, bool repeats)
    {
        std::map<Int, std::vector<Int>> by_partition;
        std::set<Location> seen;
        each(v.extents, [&](const Coord& x) {
            for (const Location& s : locations(v, x)) {
                rule(seen.insert(s).second || repeats, "an element is at a place of another");
                by_partition[std::get<1>(s)].push_back(std::get<2>(s));
            }
        });
        const Int first = by_partition.begin()->first, count = static_cast<Int>(by_partition.size());
        rule(by_partition.rbegin()->first - first + 1 == count, "partitions have gaps");
        rule(first >= 0 && first + count <= 128, "partitions outside of 0 to 127");
        rule(count > 64   ? first == 0
             : count > 32 ? first % 64 == 0
                          : first % 32 == 0,
             "start partition " + std::to_string(first) + " for " + std::to_string(count));
        const auto& pattern = by_partition.begin()->second;
        for (const auto& [p, places] : by_partition) rule(places == pattern, "partitions differ in their patterns");
        rule(static_cast<Int>(pattern.size()) <= (in(v, "psum") ? 4096 : 65536), "too many elements");
        return by_partition;
    }
    /// The fewest dimensions of strides that run through the places in this order.
    static int pattern_dims(std::vector<Int> places)
    {
        int dims = 0;
        while (places.size() > 1) {
            const Int stride = places[1] - places[0];
            std::size_t run = 1;
            while (run < places.size() && places[run] - places[run - 1] == stride) ++run;
            std::vector<Int> heads;
            for (std::size_t i = 0; i < places.size(); i += run) heads.push_back(places[i]);
            places = heads;
            ++dims;
        }
        return dims;
    }

    void matmul(const Instruction& i)
    {
        const View &d = i.operands[0].view, &a = i.operands[1].view, &b = i.operands[2].view;
        const int m_dims = i.parameters.size() > 1 ? static_cast<int>(i.parameters[1]) : 1;
        const int n_dims = i.parameters.size() > 1 ? static_cast<int>(i.parameters[2]) : 1;
        const int k_dims = a.rank() - m_dims;
        REQUIRE(d.rank() == m_dims + n_dims);
        REQUIRE(b.rank() == k_dims + n_dims);
        Shape m, n, k;
        for (int x = 0; x < m_dims; ++x) m.push_back(d.extents[x]);
        for (int x = 0; x < n_dims; ++x) n.push_back(d.extents[m_dims + x]);
        for (int x = 0; x < k_dims; ++x) k.push_back(a.extents[x]);
        for (int x = 0; x < m_dims; ++x) REQUIRE(a.extents[k_dims + x] == m[x]);
        for (int x = 0; x < n_dims; ++x) REQUIRE(b.extents[k_dims + x] == n[x]);
        for (int x = 0; x < k_dims; ++x) REQUIRE(b.extents[x] == k[x]);
        rule(in(d, "psum") && in(a, "sbuf") && in(b, "sbuf"), "memories of a product");
        rule(volume(m).value() <= 128 && volume(k).value() <= 128 && volume(n).value() <= 512, "limits of a product");
        const auto join = [](const Coord& x, const Coord& y) {
            Coord out = x;
            for (const Int c : y) out.push_back(c);
            return out;
        };
        const auto d_places = check_access(d, false), a_places = check_access(a, true), b_places = check_access(b, true);
        rule(pattern_dims(d_places.begin()->second) <= 4 && pattern_dims(a_places.begin()->second) <= 4 &&
                 pattern_dims(b_places.begin()->second) <= 4,
             "more than 4 dimensions");
        rule(static_cast<Int>(d_places.size()) == volume(m).value(), "M is not on the partitions");
        rule(static_cast<Int>(a_places.size()) == volume(k).value(), "K is not on the partitions of A");
        rule(static_cast<Int>(b_places.size()) == volume(k).value(), "K is not on the partitions of B");
        std::set<Int> banks;
        const Int base = std::max<Int>(0, tensor(d.tensor).base), width = storage_bytes(tensor(d.tensor).dtype);
        for (const Int f : d_places.begin()->second) banks.insert((base + f * width) / 2048);
        rule(banks.size() == 1, "a product in several banks");
        each(k, [&](const Coord& x) {
            Coord zero_m, zero_n;
            for (int j = 0; j < m_dims; ++j) zero_m.push_back(0);
            for (int j = 0; j < n_dims; ++j) zero_n.push_back(0);
            rule(std::get<1>(locations(a, join(x, zero_m))[0]) == std::get<1>(locations(b, join(x, zero_n))[0]),
                 "K on other partitions in A than in B");
        });
        std::vector<double> left, right;
        each(a.extents, [&](const Coord& x) { left.push_back(read(a, x)); });
        each(b.extents, [&](const Coord& x) { right.push_back(read(b, x)); });
        const Int rows = volume(m).value(), cols = volume(n).value(), depth = volume(k).value();
        for (Int x = 0; x < rows; ++x)
            for (Int y = 0; y < cols; ++y) {
                const Coord at = join(coordinate(m, x), coordinate(n, y));
                double sum = i.parameters[0] != 0 ? read(d, at) : 0;
                for (Int z = 0; z < depth; ++z)
                    sum += left[static_cast<std::size_t>(z * rows + x)] * right[static_cast<std::size_t>(z * cols + y)];
                write(d, at, sum);
            }
    }

    static double apply(Function f, double a, double b, double c)
    {
        if (f == Function::identity) return a;
        if (f == Function::exp) return std::exp(a);
        if (f == Function::add) return a + b;
        if (f == Function::sub) return a - b;
        if (f == Function::mul) return a * b;
        if (f == Function::min) return std::min(a, b);
        if (f == Function::max) return std::max(a, b);
        if (f == Function::select) return a != 0 ? b : c;
        throw std::runtime_error("the test does not know the function");
    }

    void run(const Instruction& i)
    {
        const View& d = i.operands[0].view;
        if (i.opcode == "nc_matmul") return matmul(i);
        if (i.opcode == "dma") {
            rule(!in(d, "psum") && !in(i.operands[1].view, "psum"), "a DMA at PSUM");
            REQUIRE(d.extents == i.operands[1].view.extents);
            each(d.extents, [&](const Coord& x) { write(d, x, read(i.operands[1].view, x)); });
            return;
        }
        for (const Access& a : i.operands) {
            const auto places = check_access(a.view, true);
            if (i.opcode != "engine_reduce" || &a == &i.operands[0])
                rule(pattern_dims(places.begin()->second) <= 4, "more than 4 dimensions");
        }
        if (i.opcode == "engine_fill") {
            each(d.extents, [&](const Coord& x) { write(d, x, i.number); });
        } else if (i.opcode == "engine_map") {
            for (const Access& a : i.operands) REQUIRE(a.view.extents == d.extents);
            Shape one;
            each(d.extents, [&](const Coord& x) {
                double v[3] = {0, 0, 0};
                for (std::size_t o = 1; o < i.operands.size(); ++o) v[o - 1] = read(i.operands[o].view, x);
                write(d, x, apply(i.function, v[0], v[1], v[2]));
            });
        } else if (i.opcode == "engine_reduce") {
            const View& a = i.operands[1].view;
            std::map<std::vector<Int>, double> sums;
            each(a.extents, [&](const Coord& x) {
                std::vector<Int> kept;
                for (int k = 0; k < a.rank(); ++k)
                    if (std::find(i.parameters.begin(), i.parameters.end(), k) == i.parameters.end()) kept.push_back(x[k]);
                const double v = read(a, x);
                const auto [at, fresh] = sums.emplace(kept, v);
                if (!fresh) at->second = apply(i.function, at->second, v, 0);
            });
            for (const auto& [kept, v] : sums) {
                Coord x;
                for (const Int c : kept) x.push_back(c);
                REQUIRE(x.size() == d.rank());
                write(d, x, v);
            }
        } else {
            throw std::runtime_error("no such instruction: " + i.opcode);
        }
    }
    /// What each place was touched by since the engines met: an engine, or −2 for several that read; and whether one wrote.
    std::map<Location, std::pair<int, bool>> since{};
    void meet(const Instruction& i)
    {
        for (std::size_t o = 0; o < i.operands.size(); ++o)
            each(i.operands[o].view.extents, [&](const Coord& x) {
                for (const Location& s : locations(i.operands[o].view, x)) {
                    auto& [engine, wrote] = since.emplace(s, std::pair{i.first_agent, false}).first->second;
                    rule(engine == i.first_agent || (!wrote && o != 0), "engines race for " + tensor(std::get<0>(s)).name);
                    if (engine != i.first_agent) engine = -2;
                    wrote = wrote || o == 0;
                }
            });
    }

    /// Runs statements one after the other, each block after the one before.
    void run(const Body& body)
    {
        const auto value = [&](Var v) -> Int& { return variables[static_cast<std::size_t>(v.id)]; };
        for (const Statement& s : body) {
            if (const auto* i = std::get_if<Instruction>(&s.what)) {
                meet(*i);
                run(*i);
            } else if (std::holds_alternative<Barrier>(s.what)) {
                since.clear();
            } else if (const auto* loop = std::get_if<For>(&s.what)) {
                for (Int v = loop->begin(variables); v < loop->end(variables); v += loop->step) {
                    value(loop->var) = v;
                    run(loop->body);
                }
            } else if (const auto* grid = std::get_if<Grid>(&s.what)) {
                each(grid->counts, [&](const Coord& block) {
                    for (int d = 0; d < block.size(); ++d) value(grid->vars[static_cast<std::size_t>(d)]) = block[d];
                    since.clear();
                    run(grid->body);
                });
            }
        }
    }
};

/// A program under the pen: tensors, one operator, and what a schedule makes of it.
struct Bench {
    Program program{};
    Operation operation{};
    ExecutionScope place{true, 0, 4, 1, 1};

    explicit Bench(Op op = Op::copy, const Machine& machine = machines::trn1)
    {
        program.machine = machine;
        operation.op = op;
    }
    int tensor(const char* name, const char* memory, const Shape& shape, const Layout& layout, DType type = DType::f32,
               Int base = -1)
    {
        ProgramTensor t;
        t.name = name;
        t.memory = memory;
        t.shape = shape;
        t.layout.layout = layout;
        t.dtype = type;
        t.base = base;
        program.tensors.push_back(t);
        return static_cast<int>(program.tensors.size()) - 1;
    }
    View whole(int id) const
    {
        Core core;
        core.program = &program;
        return core.whole(id);
    }
    Bench& on(std::initializer_list<int> tensors)
    {
        for (const int t : tensors) operation.operands.push_back(whole(t));
        return *this;
    }

    std::vector<ProgramTensor> temporaries{};
    std::string decision{};
    Result<Body, axe::Problem> emit(Result<Body, axe::Problem> (*schedule)(Request&))
    {
        Request request(program, target_of(program), operation, place);
        auto body = schedule(request);
        temporaries = request.temporaries();
        decision = request.decision();
        return body;
    }
    std::string reason(Result<Body, axe::Problem> (*schedule)(Request&))
    {
        const auto body = emit(schedule);
        return body ? "it applies" : body.error().text;
    }
    Core core() const
    {
        Core out;
        out.program = &program;
        out.temporaries = temporaries;
        out.variables.assign(program.variables.size(), 0);
        return out;
    }
};

inline int count(const Body& body, const char* opcode)
{
    int n = 0;
    for (const Statement& s : body)
        if (const auto* i = std::get_if<Instruction>(&s.what)) n += i->opcode == opcode;
    return n;
}

} // namespace trn_test

#endif
