// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/layout/canonicalize.hpp>
#include <axe/layout/compose.hpp>
#include <axe/layout/equal.hpp>
#include <axe/layout/group.hpp>
#include <axe/layout/inverse.hpp>
#include <axe/layout/points.hpp>
#include <axe/layout/preimage.hpp>
#include <axe/layout/slice.hpp>
#include <axe/layout/span.hpp>
#include <axe/layout/sum.hpp>
#include <axe/layout/tile.hpp>
#include <axe/layout/unsum.hpp>
#include <axe/layout/untile.hpp>
#include <axe/text/parse.hpp>
#include <axe/text/print.hpp>
#include <catch.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

/// Runs every row of a file of cases: `command; arguments` TAB expectation. See data/README.md.
namespace {

using Int = std::int64_t;

/// A text that could not be read: the row is broken or the parser is.
struct Unreadable {
    std::string text;
};

/// The fields of a request. One that is not there is a broken request.
struct Words : std::vector<std::string> {
    const std::string& operator[](std::size_t i) const
    {
        if (i >= size()) throw Unreadable{"a request with too few arguments"};
        return at(i);
    }
};

template <class R>
auto read(const R& result, const std::string& text)
{
    if (!result) throw Unreadable{text + " (" + result.error().message().c_str() + ")"};
    return *result;
}
axe::Layout layout(const std::string& s) { return read(axe::parse_layout({s.c_str(), static_cast<int>(s.size())}), s); }
axe::Shape shape(const std::string& s) { return read(axe::parse_shape({s.c_str(), static_cast<int>(s.size())}), s); }
axe::Coord coord(const std::string& s) { return read(axe::parse_coord({s.c_str(), static_cast<int>(s.size())}), s); }
axe::Region region(const std::string& s) { return read(axe::parse_region({s.c_str(), static_cast<int>(s.size())}), s); }
axe::Point point(const std::string& s) { return read(axe::parse_point({s.c_str(), static_cast<int>(s.size())}), s); }
axe::Layout::Axes axes(const std::string& s) { return read(axe::parse_axes({s.c_str(), static_cast<int>(s.size())}), s); }

Words split(const std::string& text, char at)
{
    Words out;
    std::string word;
    std::istringstream in(text);
    while (std::getline(in, word, at)) {
        const auto first = word.find_first_not_of(' ');
        out.push_back(first == std::string::npos ? "" : word.substr(first));
    }
    return out;
}

// ---- the maps, written out ------------------------------------------------------------------------------------------------------

using Place = std::map<axe::Axis, Int>; ///< coordinates that are 0 are left out
using Places = std::set<Place>;

Place moved(Place p, const axe::Axis& axis, Int by)
{
    if ((p[axis] += by) == 0) p.erase(axis);
    return p;
}

std::vector<Places> table(const axe::Layout& l)
{
    Places origin{{}};
    for (const auto& e : l.offset) {
        Places next;
        for (const auto& p : origin) next.insert(moved(p, e.axis, e.value));
        origin.swap(next);
    }
    for (const auto& it : l.replica) {
        Places next;
        for (const auto& p : origin)
            for (Int i = 0; i < it.extent; ++i) next.insert(moved(p, it.axis, i * it.stride));
        origin.swap(next);
    }
    std::vector<Places> all{origin};
    for (const auto& it : l.shard) {
        std::vector<Places> next;
        for (const auto& places : all)
            for (Int i = 0; i < it.extent; ++i) {
                Places there;
                for (const auto& p : places) there.insert(moved(p, it.axis, i * it.stride));
                next.push_back(there);
            }
        all.swap(next);
    }
    return all;
}

Place place(const axe::Point& p)
{
    Place out;
    for (const auto& e : p)
        if (e.value != 0) out[e.axis] = e.value;
    return out;
}

/// `{a:1} {b:2, c:3}`
std::vector<axe::Point> listed_points(const std::string& text)
{
    std::vector<axe::Point> out;
    for (std::size_t i = 0; (i = text.find('{', i)) != std::string::npos; ++i)
        out.push_back(point(text.substr(i, text.find('}', i) + 1 - i)));
    return out;
}

// ---- answers --------------------------------------------------------------------------------------------------------------------

/// What came out, in the words of the expectations; empty when it is as expected.
template <class R>
std::string refusal(const R& result)
{
    return std::string(result.error().is_none() ? "none" : "error") + " (" + result.error().message().c_str() + ")";
}

std::string expect_layout(const axe::Result<axe::Layout>& got, const std::string& kind, const std::string& rest)
{
    if (kind == "none" || kind == "error") {
        if (got) return axe::print(*got).c_str();
        return got.error().is_none() == (kind == "none") ? "" : refusal(got);
    }
    if (!got) return refusal(got);
    const axe::Layout want = layout(rest);
    const axe::Decision same = axe::equal(*got, want);
    if (same.undecided() || !same) return std::string(axe::print(*got).c_str()) + ", not equal";
    return table(*got) == table(want) ? "" : std::string(axe::print(*got).c_str()) + ", another table";
}

axe::Shape quotient(const axe::Shape& whole, const axe::Shape& part)
{
    axe::Shape out;
    for (int d = 0; d < whole.size(); ++d) out.push_back(whole[d] / part[d]);
    return out;
}

/// Put back, the answer must give the question's layout.
template <class Back>
std::string expect_solution(const axe::Result<axe::Layout>& got, const std::string& kind, const std::string& rest,
                            const axe::Layout& whole, Back back)
{
    if (kind != "solves") return expect_layout(got, kind, rest);
    if (!got) return refusal(got);
    const axe::Result<axe::Layout> again = back(*got);
    if (!again) return std::string(axe::print(*got).c_str()) + ", put back: " + refusal(again);
    return table(*again) == table(whole) ? "" : std::string(axe::print(*got).c_str()) + ", put back: " + axe::print(*again).c_str();
}

std::string run(const Words& w, const std::string& kind, const std::string& rest)
{
    const std::string& op = w[0];
    if (op == "canonicalize") return expect_layout(axe::canonicalize(layout(w[1])), kind, rest);
    if (op == "same-canonical") {
        const std::string a = axe::print(read(axe::canonicalize(layout(w[1])), w[1])).c_str();
        const std::string b = axe::print(read(axe::canonicalize(layout(w[2])), w[2])).c_str();
        return (a == b) == (kind == "yes") ? "" : a + " and " + b;
    }
    if (op == "equal") {
        const axe::Decision same = axe::equal(layout(w[1]), layout(w[2]));
        if (same.undecided()) return same.error().message().c_str();
        return static_cast<bool>(same) == (kind == "yes") ? "" : (same ? "yes" : "no");
    }
    if (op == "group") {
        const auto got = axe::group(layout(w[1]), shape(w[2]));
        return expect_layout(got ? axe::Result<axe::Layout>(got->layout) : axe::Result<axe::Layout>(got.error()), kind, rest);
    }
    if (op == "eval") {
        const auto got = axe::points(layout(w[1]), shape(w[2]), coord(w[3]));
        if (!got.error().ok()) return kind == "error" && !got.error().is_none() ? "" : got.error().message().c_str();
        Places want, have;
        Int count = 0;
        std::string text;
        for (const auto& p : listed_points(rest)) want.insert(place(p));
        for (const auto& p : got) {
            have.insert(place(p));
            text += std::string(axe::print(p).c_str()) + " ";
            ++count;
        }
        return kind == "set" && want == have && count == static_cast<Int>(have.size()) ? "" : text;
    }
    if (op == "preimage") {
        const auto got = axe::preimage(layout(w[1]), shape(w[2]), point(w[3]));
        if (!got.error().ok()) return got.error().message().c_str();
        std::string text;
        for (const auto& c : got) text += (text.empty() ? "" : " ") + std::string(axe::print(c).c_str());
        if (kind == "none") return got.empty() && text.empty() ? "" : text;
        return kind == "coords" && text == rest ? "" : text;
    }
    if (op == "span") {
        const axe::Layout l = layout(w[1]);
        Place want, have;
        for (const auto& e : point(rest))
            if (e.value != 1) want[e.axis] = e.value;
        for (const auto* list : {l.shard.begin(), l.replica.begin()}) {
            const int count = list == l.shard.begin() ? l.shard.size() : l.replica.size();
            for (int i = 0; i < count; ++i)
                if (const Int s = read(axe::span(l, list[i].axis), w[1]); s != 1) have[list[i].axis] = s;
        }
        return want == have ? "" : "other spans";
    }
    if (op == "tile") return expect_layout(axe::tile(layout(w[1]), shape(w[2]), layout(w[3]), shape(w[4])), kind, rest);
    if (op == "sum") return expect_layout(axe::sum(layout(w[1]), shape(w[2]), layout(w[3]), shape(w[4])), kind, rest);
    if (op == "slice") return expect_layout(axe::slice(layout(w[1]), shape(w[2]), region(w[3])), kind, rest);
    if (op == "compose") return expect_layout(axe::compose(layout(w[1]), layout(w[2])), kind, rest);
    if (op == "inverse") return expect_layout(axe::inverse(layout(w[1]), axes(w[2])), kind, rest);
    const bool known = op == "untile" || op == "untile-outer" || op == "unsum-left" || op == "unsum-right";
    if (!known) return kind == "error" ? "" : "no such command";

    const axe::Layout a = layout(w[1]), b = layout(w[3]);
    const axe::Shape as = shape(w[2]), bs = shape(w[4]), xs = quotient(as, bs);
    if (op == "untile")
        return expect_solution(axe::untile(a, as, b, bs), kind, rest, a,
                               [&](const axe::Layout& x) { return axe::tile(x, xs, b, bs); });
    if (op == "untile-outer")
        return expect_solution(axe::untile_outer(a, as, b, bs), kind, rest, a,
                               [&](const axe::Layout& x) { return axe::tile(b, bs, x, xs); });
    if (op == "unsum-left")
        return expect_solution(axe::unsum_left(a, as, b, bs), kind, rest, a,
                               [&](const axe::Layout& x) { return axe::sum(x, xs, b, bs); });
    return expect_solution(axe::unsum_right(a, as, b, bs), kind, rest, a,
                           [&](const axe::Layout& x) { return axe::sum(b, bs, x, xs); });
}

#ifndef AXE_TEST_DATA
#  define AXE_TEST_DATA folder_of(__FILE__) + "/../data"
std::string folder_of(const std::string& file) { return file.substr(0, file.find_last_of('/')); }
#endif

void run_file(const std::string& name, Int least_rows)
{
    const std::string path = std::string(AXE_TEST_DATA) + "/" + name;
    std::ifstream in(path);
    INFO("reading " << path);
    REQUIRE(in);
    std::string line, wrong;
    Int rows = 0, failed = 0;
    while (std::getline(in, line)) {
        const auto tab = line.find('\t');
        if (tab == std::string::npos) continue;
        ++rows;
        const std::string expectation = line.substr(tab + 1);
        const auto space = expectation.find(' ');
        const std::string kind = expectation.substr(0, space),
                          rest = space == std::string::npos ? "" : expectation.substr(space + 1);
        std::string got;
        try {
            got = run(split(line.substr(0, tab), ';'), kind, rest);
        } catch (const Unreadable& text) {
            got = kind == "error" ? "" : "cannot read " + text.text;
        }
        if (!got.empty() && ++failed <= 50)
            wrong += "\n" + line.substr(0, tab) + "\n    wanted " + expectation + "\n    got    " + got;
    }
    INFO(failed << " of " << rows << " rows are wrong:" << wrong);
    CHECK(failed == 0);
    CHECK(rows >= least_rows);
}

} // namespace

TEST_CASE("the cases of algebra.tsv") { run_file("algebra.tsv", 6900); }
TEST_CASE("the cases of algebra_more.tsv") { run_file("algebra_more.tsv", 1000); }
