// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_UNIT_SCHEDULE_DEVICE_RUN_HPP
#define AXE_TESTS_UNIT_SCHEDULE_DEVICE_RUN_HPP

#include <axe/layout/points.hpp>
#include <axe/program/functions.hpp>
#include <axe/schedule/schedule.hpp>

#include <catch.hpp>
#include <map>
#include <set>
#include <tuple>

/// Runs what schedules of collectives emit, naively: a memory is a map from a device and an address to a number. Between two meetings
/// the devices are in no order, so a place that one device writes no other may touch.
class DeviceRun {
  public:
    DeviceRun(const axe::Program& program, const axe::Request& request) : program_(&program), request_(&request) {}

    using ExecutionScope = std::tuple<int, std::int64_t, std::int64_t>; ///< tensor, device, address

    /// Bytes that went from a device to another.
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> link_bytes{};
    int meetings = 0, instructions = 0;
    std::set<std::string> texts{};
    bool async = false;

    /// All places of a view's element.
    std::vector<ExecutionScope> places(const axe::View& view, const axe::Coord& c)
    {
        using namespace axe;
        const Tensor& t = request_->tensor(view);
        Coord at;
        for (const Affine& o : view.origin) at.push_back(o(values));
        for (int k = 0; k < view.rank(); ++k)
            if (view.dims[k] >= 0) at[view.dims[k]] += c[k] * view.steps[k];
        const auto index = linear_index(t.shape, at);
        hold(index.has_value(), "an element is outside of its tensor");
        auto& known = cache_[{view.tensor, *index}];
        if (known.empty()) {
            const auto converted = convert_axes(program_->machine, t.layout.layout, {"gpuid"});
            REQUIRE(converted.has_value());
            for (const auto& p : points(*converted, *index)) known.emplace_back(view.tensor, p["gpuid"], p["m"]);
        }
        return known;
    }

    void set(const axe::View& view, const axe::Coord& c, double value)
    {
        for (const ExecutionScope& p : places(view, c)) memory_[p] = value;
    }
    double get(const ExecutionScope& p)
    {
        const auto found = memory_.find(p);
        hold(found != memory_.end(), "read before it was written");
        return found->second;
    }

    void run(const axe::Body& body)
    {
        std::vector<std::int64_t> all;
        const axe::ExecutionScope& place = request_->execution_scope();
        for (int i = 0; i < place.count; ++i) all.push_back(place.first + i * place.stride);
        run(body, all);
        meet();
    }

    std::vector<std::int64_t> values{}; ///< of the program's variables

  private:
    static void hold(bool is_so, const char* otherwise)
    {
        if (!is_so) FAIL(otherwise);
    }

    void meet()
    {
        writer_.clear();
        readers_.clear();
    }

    void run(const axe::Body& body, const std::vector<std::int64_t>& who)
    {
        for (const axe::Statement& s : body) {
            if (const auto* slice = std::get_if<axe::Slice>(&s.what)) {
                REQUIRE(slice->of == axe::Slice::Of::devices);
                std::vector<std::int64_t> some;
                for (int i = 0; i < slice->count; ++i) some.push_back(slice->first + i * slice->stride);
                run(slice->body, some);
            } else if (std::holds_alternative<axe::Barrier>(s.what)) {
                REQUIRE(static_cast<int>(who.size()) ==
                        request_->execution_scope().count); // never inside what a step's device does
                ++meetings;
                meet();
            } else {
                const auto* instruction = std::get_if<axe::Instruction>(&s.what);
                REQUIRE(instruction != nullptr);
                ++instructions;
                texts.insert(instruction->text);
                async = async || instruction->async;
                for (const std::int64_t device : who) run(*instruction, device);
            }
        }
    }

    double read(std::int64_t device, const std::vector<ExecutionScope>& from, const axe::View& view)
    {
        ExecutionScope best = from.front(); // ascending: the lowest device
        for (const ExecutionScope& p : from)
            if (std::get<1>(p) == device) best = p;
        const auto owner = std::get<1>(best);
        if (owner != device) link_bytes[{owner, device}] += axe::storage_bytes(request_->tensor(view).dtype);
        const auto w = writer_.find(best);
        hold(w == writer_.end() || w->second == device, "a race");
        readers_[best].insert(device);
        return get(best);
    }
    void write(std::int64_t device, const ExecutionScope& p, double value)
    {
        const auto [w, is_new] = writer_.emplace(p, device);
        hold(is_new || w->second == device, "a race");
        for (const std::int64_t r : readers_[p]) hold(r == device, "a race");
        memory_[p] = value;
    }

    void run(const axe::Instruction& in, std::int64_t device)
    {
        using namespace axe;
        const View &d = in.operands[0].view, &a = in.operands[1].view;
        const auto count = [](const Shape& s) { return volume(s).value(); };
        if (in.opcode == "peer_copy") {
            REQUIRE(d.extents == a.extents);
            REQUIRE(in.parameters.size() == 1);
            for (std::int64_t i = 0; i < count(d.extents); ++i) {
                const Coord c = coordinate(d.extents, i);
                const auto to = places(d, c), from = places(a, c);
                if (in.parameters[0] == 0) {
                    for (const ExecutionScope& p : to)
                        if (std::get<1>(p) == device) write(device, p, read(device, from, a));
                } else if (std::get<1>(from.front()) == device) {
                    const double value = read(device, from, a);
                    for (const ExecutionScope& p : to) {
                        if (std::get<1>(p) != device)
                            link_bytes[{device, std::get<1>(p)}] += storage_bytes(request_->tensor(d).dtype);
                        write(device, p, value);
                    }
                }
            }
            return;
        }
        REQUIRE(in.opcode == "peer_reduce");
        auto reduced = in.parameters;
        const bool accumulate = !reduced.empty() && reduced.back() == -1;
        if (accumulate) reduced.pop_back();
        Shape inner;
        for (const std::int64_t k : reduced) inner.push_back(a.extents[static_cast<int>(k)]);
        for (std::int64_t i = 0; i < count(d.extents); ++i) {
            const Coord c = coordinate(d.extents, i);
            for (const ExecutionScope& p : places(d, c)) {
                if (std::get<1>(p) != device) continue;
                bool first = !accumulate;
                double sum = accumulate ? read(device, {p}, d) : 0;
                for (std::int64_t k = 0; k < count(inner); ++k) {
                    const Coord r = coordinate(inner, k);
                    Coord whole;
                    for (int dim = 0, kept = 0; dim < a.rank(); ++dim) {
                        int at = -1;
                        for (std::size_t j = 0; j < reduced.size(); ++j)
                            if (reduced[j] == dim) at = static_cast<int>(j);
                        whole.push_back(at < 0 ? c[kept++] : r[at]);
                    }
                    const double value = read(device, places(a, whole), a);
                    sum = first ? value : in.function.row().apply(sum, value, 0);
                    first = false;
                }
                write(device, p, sum);
            }
        }
    }

    const axe::Program* program_;
    const axe::Request* request_;
    std::map<ExecutionScope, double> memory_{};
    std::map<ExecutionScope, std::int64_t> writer_{};
    std::map<ExecutionScope, std::set<std::int64_t>> readers_{};
    std::map<std::pair<int, std::int64_t>, std::vector<ExecutionScope>> cache_{};
};

#endif
