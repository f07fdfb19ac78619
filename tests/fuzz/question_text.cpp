// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/question.hpp>

#include <tests/oracle.hpp>

/// Questions from text, and into it; and their axes renamed.
namespace fuzz {

Question written_question(std::string_view fields)
{
    Question q;
    int layouts = 0, shapes = 0, axes = 0;
    while (!fields.empty()) {
        const auto end = fields.find(';');
        const std::string_view field = fields.substr(0, end);
        fields.remove_prefix(end == std::string_view::npos ? fields.size() : end + 1);
        const char* text = field.data();
        const int length = static_cast<int>(field.size());
        if (const auto l = axe::parse_layout({text, length})) {
            (layouts++ == 0 ? q.a : q.b) = *l;
        } else if (const auto s = axe::parse_shape({text, length})) {
            (shapes++ == 0 ? q.a_shape : q.b_shape) = *s;
            if (s->size() == 1) q.n = (*s)[0];
            q.order = {};
            for (Int e : *s) q.order.push_back(e < axe::max_rank ? static_cast<int>(e) : -1);
        } else if (const auto r = axe::parse_region({text, length})) {
            q.region = *r;
        } else if (const auto p = axe::parse_point({text, length})) {
            q.point = *p;
        } else if (const auto n = axe::parse_integer({text, length})) {
            q.n = *n;
        } else if (const auto list = axe::parse_axes({text, length})) {
            q.axes = *list;
            (axes++ == 0 ? q.axis : q.new_axis) = q.axes[0];
        }
    }
    q.other_shape = q.b_shape;
    q.index = q.n;
    q.dim = static_cast<int>(q.n % axe::max_rank);
    return q;
}

std::string text(const Question& q)
{
    std::string out;
    const auto put = [&](const char* name, const auto& value) {
        if constexpr (requires { value.c_str(); })
            out += std::string(out.empty() ? "" : "; ") + name + " " + value.c_str();
        else
            out += std::string(out.empty() ? "" : "; ") + name + " " + std::to_string(value);
    };
    axe::Shape order;
    for (int d = 0; d < q.order.size() && d < axe::max_rank; ++d) order.push_back(q.order[d]);
    put("a", print(q.a));
    put("b", print(q.b));
    put("a_shape", print(q.a_shape));
    put("b_shape", print(q.b_shape));
    put("other_shape", print(q.other_shape));
    put("region", print(q.region));
    put("order", print(order));
    put("point", print(q.point));
    put("axes", print(q.axes));
    put("axis", print(q.axis));
    put("new_axis", print(q.new_axis));
    put("n", q.n);
    put("index", q.index);
    put("dim", q.dim);
    for (const axe::Swizzle& s : {q.swizzle, q.other_swizzle}) {
        put("swizzle", s.bits);
        put("", s.base);
        put("", s.shift);
    }
    put("width", q.width);
    put("new_width", q.new_width);
    return out;
}

bool on_three_axes(Question& q)
{
    axe::Axis seen[oracle::axis_count];
    int count = 1;
    seen[0] = axe::Axis{};
    bool enough = true;
    const auto name = [&](axe::Axis& axis) {
        int a = 0;
        while (a < count && !(seen[a] == axis)) ++a;
        if (a == oracle::axis_count)
            enough = false;
        else if (a == count)
            seen[count++] = axis;
        axis = oracle::axes[a % oracle::axis_count];
    };
    const auto name_point = [&](axe::Point& p) {
        axe::Point renamed;
        for (auto e : p) {
            name(e.axis);
            *renamed.entry(e.axis) = e.value;
        }
        p = renamed;
    };
    for (axe::Layout* l : {&q.a, &q.b}) {
        for (auto& it : l->shard) name(it.axis);
        for (auto& it : l->replica) name(it.axis);
        name_point(l->offset);
    }
    name_point(q.point);
    for (auto& axis : q.axes) name(axis);
    name(q.axis);
    name(q.new_axis);
    return enough;
}

} // namespace fuzz
