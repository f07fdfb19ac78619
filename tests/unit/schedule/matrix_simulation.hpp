// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SCHEDULE_MATRIX_SIMULATION_HPP
#define AXE_TESTS_UNIT_SCHEDULE_MATRIX_SIMULATION_HPP

#include <axe/layout/points.hpp>
#include <axe/schedule/schedule.hpp>
#include <axe/target/atoms.hpp>

#include <catch.hpp>

#include <map>
#include <unordered_map>

/// A block that runs `move`, `fill`, `map` (fma), `ldmatrix` and `mma` from their definitions, on tensors whose elements lie where their
/// layouts say: slow, without numbers of types, and with nothing in common with how the schedules find places.
namespace simulation {

using Int = std::int64_t;

struct Location {
    Int agent, lane, address;
};

class Block {
  public:
    Block(const axe::Program& program, const std::vector<axe::ProgramTensor>& temporaries) : tensors_(program.tensors)
    {
        for (const auto& m : program.machine.memories) private_[m.name] = m.roles.has(axe::Role::registers);
        for (const auto& t : temporaries) tensors_.push_back(t);
        locations_.resize(tensors_.size());
    }

    /// Gives a tensor its value, at every place of every element.
    void set(int tensor, const std::vector<double>& values)
    {
        for (std::size_t e = 0; e < values.size(); ++e)
            for (const Location& s : locations(tensor)[e]) memory_[key(tensor, s)] = values[e];
    }
    /// The value; all places of an element must agree.
    std::vector<double> get(int tensor)
    {
        std::vector<double> out;
        for (const auto& places : locations(tensor)) {
            out.push_back(load(tensor, places[0]));
            for (const Location& s : places) REQUIRE(load(tensor, s) == out.back());
        }
        return out;
    }

    void run(const axe::Body& body)
    {
        for (const auto& s : body) {
            const auto* i = std::get_if<axe::Instruction>(&s.what);
            REQUIRE(i != nullptr);
            run(*i);
        }
    }
    std::map<std::string, int> executed{}; ///< issues by opcode

  private:
    using Element = std::int32_t;

    static std::uint64_t key(int tensor, const Location& s)
    {
        return (static_cast<std::uint64_t>(tensor) << 52) ^ (static_cast<std::uint64_t>(s.agent) << 44) ^
               (static_cast<std::uint64_t>(s.lane) << 36) ^ static_cast<std::uint64_t>(s.address);
    }
    bool in_registers(int tensor) const { return private_.at(tensors_[static_cast<std::size_t>(tensor)].memory); }

    const std::vector<std::vector<Location>>& locations(int tensor)
    {
        auto& out = locations_[static_cast<std::size_t>(tensor)];
        if (!out.empty()) return out;
        const auto& t = tensors_[static_cast<std::size_t>(tensor)];
        const Int n = axe::size(t.layout.layout).value();
        REQUIRE(axe::volume(t.shape).value() == n);
        const bool registers = in_registers(tensor);
        for (Int c = 0; c < n; ++c) {
            std::vector<Location> places;
            if (registers) {
                for (const auto& p : axe::points(t.layout.layout, c))
                    places.push_back({p[axe::Axis{"warp"}] + p[axe::Axis{"thread"}], p[axe::Axis{"lane"}], p[axe::Axis{"reg"}]});
            } else {
                places.push_back({0, 0, axe::evaluate(t.layout, c).value()[axe::Axis{}]});
            }
            out.push_back(std::move(places));
        }
        return out;
    }

    double load(int tensor, const Location& s)
    {
        const auto at = memory_.find(key(tensor, s));
        if (at == memory_.end()) FAIL("read before written: " << tensors_[static_cast<std::size_t>(tensor)].name);
        return at->second;
    }

    /// Where the lane finds an element of a view.
    Location location(const axe::View& v, Element e, Int agent, Int lane)
    {
        const auto& t = tensors_[static_cast<std::size_t>(v.tensor)];
        std::vector<Int> at;
        for (const auto& o : v.origin) at.push_back(o.constant());
        Int left = e;
        for (int k = v.rank() - 1; k >= 0; --k) {
            if (v.dims[k] >= 0) at[static_cast<std::size_t>(v.dims[k])] += left % v.extents[k] * v.steps[k];
            left /= v.extents[k];
        }
        REQUIRE(left == 0);
        Int c = 0;
        for (int d = 0; d < t.shape.size(); ++d) {
            const Int x = at[static_cast<std::size_t>(d)];
            REQUIRE((x >= 0 && x < t.shape[d]));
            c = c * t.shape[d] + x;
        }
        const auto& places = locations(v.tensor)[static_cast<std::size_t>(c)];
        if (!in_registers(v.tensor)) return places[0];
        for (const Location& s : places)
            if (s.agent == agent && s.lane == lane) return s;
        FAIL("lane " << lane << " of warp " << agent << " does not hold element " << e << " of " << t.name);
        return {};
    }

    /// The elements of a vector: consecutive, and in memory aligned to their bytes.
    std::vector<Location> vector(const axe::Access& a, int issue, int agent_column, Int agent, int lane, bool together)
    {
        std::vector<Location> out;
        const auto& p = *a.distribution;
        for (int e = 0; e < p.vector; ++e) {
            const Element x = p.element[p.at(issue, agent_column, lane, e)];
            if (x < 0) {
                REQUIRE(out.empty());
                continue;
            }
            out.push_back(location(a.view, x, agent, lane));
            if (together && e > 0) REQUIRE(out.back().address == out[0].address + e);
        }
        if (together && !out.empty() && !in_registers(a.view.tensor)) REQUIRE(out[0].address % static_cast<Int>(out.size()) == 0);
        return out;
    }

    void run(const axe::Instruction& i)
    {
        const auto& p = *i.operands[0].distribution;
        for (int issue = 0; issue < p.issues; ++issue)
            for (int column = 0; column < p.agents; ++column) {
                const Int agent = i.first_agent + column * i.agent_stride;
                ++executed[i.opcode];
                if (i.opcode == "mma")
                    mma(i, issue, column, agent);
                else if (i.opcode == "ldmatrix")
                    ldmatrix(i, issue, column, agent);
                else
                    lanes(i, issue, column, agent);
            }
    }

    void lanes(const axe::Instruction& i, int issue, int column, Int agent)
    {
        const int count = i.operands[0].distribution->lanes;
        std::vector<std::pair<std::uint64_t, double>> results;
        for (int lane = 0; lane < count; ++lane) {
            std::vector<std::vector<Location>> at;
            for (const auto& a : i.operands) at.push_back(vector(a, issue, column, agent, lane, i.opcode == "move"));
            for (std::size_t e = 0; e < at[0].size(); ++e) {
                const auto operand = [&](std::size_t k) { return load(i.operands[k].view.tensor, at[k][e]); };
                double value = i.number;
                if (i.opcode == "move")
                    value = operand(1);
                else if (i.opcode == "map" && i.function == axe::Function::fma)
                    value = operand(1) * operand(2) + operand(3);
                else
                    REQUIRE(i.opcode == "fill");
                results.emplace_back(key(i.operands[0].view.tensor, at[0][e]), value);
            }
        }
        for (const auto& [where, value] : results) memory_[where] = value;
    }

    /// Matrix q of 8 rows of 8: lanes 8q … 8q + 7 name its rows; lane l gets elements 2(l%4), 2(l%4) + 1 of row l/4, or of the column.
    void ldmatrix(const axe::Instruction& i, int issue, int column, Int agent)
    {
        const Int x = i.parameters.at(0);
        const bool trans = i.parameters.at(1) != 0;
        std::vector<std::vector<double>> rows;
        for (int lane = 0; lane < 32; ++lane) {
            const auto at = vector(i.operands[1], issue, column, agent, lane, true);
            if (lane == 0 && at.empty()) return; // a warp without a part
            REQUIRE(at.size() == (lane < 8 * x ? 8u : 0u));
            std::vector<double> row;
            for (const Location& s : at) row.push_back(load(i.operands[1].view.tensor, s));
            if (!row.empty()) rows.push_back(std::move(row));
        }
        for (int lane = 0; lane < 32; ++lane) {
            const auto at = vector(i.operands[0], issue, column, agent, lane, false);
            REQUIRE(at.size() == static_cast<std::size_t>(2 * x));
            for (std::size_t q = 0; q < static_cast<std::size_t>(x); ++q)
                for (std::size_t e = 0; e < 2; ++e) {
                    const auto r = static_cast<std::size_t>(lane / 4), c = static_cast<std::size_t>(lane % 4 * 2) + e;
                    memory_[key(i.operands[0].view.tensor, at[2 * q + e])] = trans ? rows[8 * q + c][r] : rows[8 * q + r][c];
                }
        }
    }

    /// The instruction's operand as a matrix, from the lanes' registers, by the atom's layout.
    std::vector<double> matrix(const axe::Instruction& i, std::size_t operand, const char* row, int issue, int column, Int agent)
    {
        const axe::Atom& atom = find(i.text, row);
        const auto layout = atom.layout();
        const Int n = axe::size(layout).value();
        std::vector<double> out(static_cast<std::size_t>(n));
        std::vector<std::vector<Location>> held;
        for (int lane = 0; lane < 32; ++lane) held.push_back(vector(i.operands[operand], issue, column, agent, lane, false));
        if (held[0].empty()) return {};
        for (Int x = 0; x < n; ++x) {
            const auto p = axe::evaluate(layout, x).value();
            const auto& lane = held.at(static_cast<std::size_t>(p[axe::Axis{"lane"}]));
            out[static_cast<std::size_t>(x)] =
                load(i.operands[operand].view.tensor, lane.at(static_cast<std::size_t>(p[axe::Axis{"reg"}])));
        }
        return out;
    }

    static const axe::Atom& find(const std::string& name, const std::string& operand)
    {
        for (const axe::Atom& a : axe::atoms::all)
            if (a.name == name && a.operand == operand) return a;
        FAIL("no atom " << name);
        std::abort();
    }

    void mma(const axe::Instruction& i, int issue, int column, Int agent)
    {
        const auto a = matrix(i, 1, "A", issue, column, agent), b = matrix(i, 2, "B", issue, column, agent);
        auto c = matrix(i, 3, "C", issue, column, agent);
        if (a.empty()) return;
        const axe::Atom& d = find(i.text, "C");
        const auto m = static_cast<std::size_t>(d.dims[0]), n = static_cast<std::size_t>(d.dims[1]), k = a.size() / m;
        for (std::size_t r = 0; r < m; ++r)
            for (std::size_t s = 0; s < n; ++s)
                for (std::size_t t = 0; t < k; ++t) c[r * n + s] += a[r * k + t] * b[t * n + s];
        const auto layout = d.layout();
        for (Int x = 0; x < static_cast<Int>(c.size()); ++x) {
            const auto p = axe::evaluate(layout, x).value();
            const auto at = vector(i.operands[0], issue, column, agent, static_cast<int>(p[axe::Axis{"lane"}]), false);
            memory_[key(i.operands[0].view.tensor, at.at(static_cast<std::size_t>(p[axe::Axis{"reg"}])))] =
                c[static_cast<std::size_t>(x)];
        }
    }

    std::vector<axe::ProgramTensor> tensors_;
    std::map<std::string, bool> private_{};
    std::vector<std::vector<std::vector<Location>>> locations_{};
    std::unordered_map<std::uint64_t, double> memory_{};
};

} // namespace simulation

#endif
