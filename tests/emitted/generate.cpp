// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a program of emitted functions, and of what they must compute: by evaluation for maps, by loops written from the
// definitions for operations. Its exit status is the number of functions that compute something else.
//   generate FILE
#include <axe/map/constrain.hpp>
#include <axe/map/emit_c.hpp>
#include <axe/map/evaluate.hpp>
#include <axe/map/print.hpp>
#include <tests/emitted/computed.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace {

using emitted::Int;
using emitted::Numbers;
using laws::Random;

axe::IndexExpr expression(Random& r, axe::IndexingMap& m, int depth)
{
    axe::IndexPool& pool = m.pool;
    if (depth == 0 || r.one_in(6))
        return r.one_in(5) ? pool.constant(r.in(-9, 9))
                           : pool.variable(static_cast<int>(r.in(0, static_cast<Int>(m.variables.size()) - 1)));
    const Int divisors[] = {2, 3, 4, 7, 8, 64, -1, -2, -3, -5, -8};
    const axe::IndexExpr x = expression(r, m, depth - 1);
    switch (r.in(0, 6)) {
    case 0: return pool.mul(x, r.in(-5, 9));
    case 1: return pool.mul(x, expression(r, m, depth - 1));
    case 2: return pool.floor_div(x, divisors[r.in(0, 10)]);
    case 3: return pool.mod(x, divisors[r.in(0, 10)]);
    case 4: return pool.sub(x, expression(r, m, depth - 1));
    default: return pool.add(x, expression(r, m, depth - 1));
    }
}

void list(std::ostream& out, const Numbers& numbers)
{
    out << "{0"; // one too many, since there are no arrays of nothing
    for (const Int n : numbers) out << ", " << n;
    out << "}";
}

/// A map, its value at points in the variables' intervals and a little outside.
void map_case(std::ostream& out, Random& r, int number)
{
    axe::IndexingMap m;
    m.dimensions = static_cast<int>(r.in(1, 3));
    m.ranges = static_cast<int>(r.in(0, 1));
    const Int scale = r.one_in(3) ? 100'000'000'000 : r.one_in(2) ? 1000 : 10; // past 32 bits, too
    for (int v = 0; v < m.dimensions + m.ranges; ++v) {
        const Int low = r.one_in(2) ? 0 : -r.in(0, scale);
        m.variables.push_back({{low, low + r.in(0, scale)}, {}, axe::IndexKind::none});
    }
    for (int i = 0; i < 2; ++i) m.results.push_back(expression(r, m, 3));
    const axe::IndexExpr constraint = expression(r, m, 2);
    const Int low = r.in(-9, 2);
    axe::constrain(m, constraint, {low, low + r.in(0, scale)});
    if (m.has_empty_interval()) return; // it has no points
    const std::string name = "map" + std::to_string(number);
    const auto text = axe::emit_c(m, {name, true});
    if (!text) return; // products of three large variables overflow 64 bits: the text says so, and there is nothing to run
    out << "// " << axe::print(m) << "\n" << *text << "static int check_" << name << "()\n{\n";
    const bool is_narrow = text->find("long long") == std::string::npos;
    const char* const type = is_narrow ? "int" : "long long";
    for (int k = 0; k < 40; ++k) {
        Numbers at;
        for (const auto& v : m.variables)
            at.push_back(k == 0 ? v.bounds.low : k == 1 ? v.bounds.high : r.in(v.bounds.low - 1, v.bounds.high + 1));
        const auto inside = axe::contains(m, at);
        const auto value = axe::evaluate_anywhere(m, at);
        out << "    {\n        " << type << " r[2] = {7, 7};\n        const bool inside = " << name << "(";
        for (const Int n : at) out << n << ", ";
        out << "r);\n        if (inside != " << (inside.yes() ? "true" : "false");
        if (inside.yes()) out << " || r[0] != " << (*value)[0] << " || r[1] != " << (*value)[1];
        out << ") return 1;\n    }\n";
    }
    out << "    return 0;\n}\n";
}

void loop_case(std::ostream& out, const emitted::Computed& c, int number, bool peels)
{
    const std::string name = c.name + std::to_string(number) + (peels ? "_peeled" : "_guarded");
    axe::LoopOptions options;
    options.name = name;
    options.type = "long long";
    options.initial = std::to_string(c.initial);
    options.combine = c.combine;
    options.peel = peels;
    out << axe::emit_loops(*c.nest, options).value() << "static int check_" << name << "()\n{\n";
    for (std::size_t i = 0; i < c.operands.size(); ++i) {
        out << "    static const long long a" << i << "[] = ";
        list(out, c.operands[i]);
        out << ";\n";
    }
    out << "    static const long long expected[] = ";
    list(out, c.expected);
    out << ";\n    static long long r[" << c.expected.size() + 1 << "];\n    " << name << "(";
    for (std::size_t i = 0; i < c.operands.size(); ++i) out << "a" << i << " + 1, ";
    out << "r);\n    for (int i = 0; i < " << c.expected.size()
        << "; ++i)\n        if (r[i] != expected[i + 1]) return 1;\n    return 0;\n}\n";
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 2) return 2;
    std::ofstream out(arguments[1]);
    out << "// Written by generate.cpp.\n#include <cstdio>\n\n";
    Random r(811);
    std::vector<std::string> names;
    for (int i = 0; i < 150; ++i) map_case(out, r, i);
    for (int i = 0; i < 60; ++i) {
        const emitted::Computed c = emitted::operations[i % 5](r);
        loop_case(out, c, i, true);
        loop_case(out, c, i, false);
    }
    out.close();
    // What was written says itself what there is to check.
    std::ifstream written(arguments[1]);
    for (std::string line; std::getline(written, line);)
        if (line.rfind("static int check_", 0) == 0) names.push_back(line.substr(11, line.find('(') - 11));
    std::ofstream end(arguments[1], std::ios::app);
    end << "int main()\n{\n    int wrong = 0;\n";
    for (const std::string& n : names) end << "    if (" << n << "() != 0) ++wrong, std::puts(\"" << n << "\");\n";
    end << "    std::printf(\"%d of " << names.size() << " are wrong\\n\", wrong);\n    return wrong != 0;\n}\n";
    return names.size() > 200 ? 0 : 1;
}
