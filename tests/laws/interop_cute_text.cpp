// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/text/explain.hpp>
#include <tests/laws/cute_layouts.hpp>

#include <limits>

/// parse(print(L)) = L, and print(parse(t)) = t for what is printed; a text that is changed is read, or refused at a character of it.
namespace {

using laws::Int;
namespace cute = axe::cute;

cute::Layout read(const std::string& text)
{
    const auto got = cute::parse_layout(text);
    INFO(text << ": " << got.error().message().c_str());
    REQUIRE(got.has_value());
    return *got;
}

/// The text by recursion over the tree.
void spell(const cute::Layout& l, int& i, bool strides, std::string& out)
{
    const cute::Node& node = l.nodes[i++];
    if (node.children < 0) {
        if (strides ? node.static_stride : node.static_extent) out += '_';
        out += std::to_string(strides ? node.leaf.stride : node.leaf.extent);
        for (int k = node.leaf.basis.path.size() - 1; strides && k >= 0; --k) out += '@' + std::to_string(node.leaf.basis.path[k]);
        return;
    }
    out += '(';
    for (int k = 0; k < node.children; ++k) {
        if (k > 0) out += ',';
        spell(l, i, strides, out);
    }
    out += ')';
}
std::string spell(const cute::Layout& l)
{
    std::string out;
    int i = 0, k = 0;
    spell(l, i, false, out);
    out += ':';
    spell(l, k, true, out);
    return out;
}

/// Layouts that `check` passes, of any numbers, plain or along bases.
cute::Layout random_layout(laws::Random& r, int nodes)
{
    static const cute::Basis bases[] = {cute::Basis{0}, cute::Basis{1, 0}, cute::Basis{1, 1}, cute::Basis{2097150},
                                        cute::Basis{2, 0, 7}};
    while (true) {
        cute::Layout l;
        laws::random_tree(r, l, nodes);
        const bool along = r.one_in(3), large = r.one_in(3);
        for (cute::Node& node : l.nodes) {
            if (node.children >= 0) continue;
            node.leaf.extent = large && r.one_in(3) ? r.in(1, Int{1} << r.in(1, 60)) : r.in(1, 5);
            node.leaf.stride = large ? r.in(-(Int{1} << r.in(1, 60)), Int{1} << r.in(1, 60)) : r.in(-9, 99);
            if (along) node.leaf.basis = bases[r.in(0, 4)];
            node.static_extent = r.one_in(2);
            node.static_stride = r.one_in(2);
        }
        if (check(l).ok()) return l;
    }
}

} // namespace

TEST_CASE("cute text: every small layout is read as it was printed")
{
    Int count = 0, wrong = 0;
    for (const char* profile : laws::small_profiles)
        laws::all_numbers(laws::profile(profile), 3, {-2, 0, 1, 12}, [&](const cute::Layout& l) {
            const auto text = cute::print(l);
            const auto again = cute::parse_layout({text.c_str(), text.size});
            ++count;
            wrong += !(again && *again == l && text == spell(l).c_str());
        });
    CHECK(wrong == 0);
    CHECK(count > 10'000);
}

TEST_CASE("cute text: random trees, static numbers, bases, extremes")
{
    laws::Random r(20241102);
    Int along = 0, deepest = 0;
    for (Int i = laws::cases(20'000); i > 0; --i) {
        const cute::Layout l = random_layout(r, static_cast<int>(r.in(1, cute::Layout::max_nodes)));
        const auto text = cute::print(l);
        REQUIRE(spell(l) == text.c_str());
        REQUIRE(read(text.c_str()) == l);
        along += !is_plain(l);
        deepest = std::max<Int>(deepest, depth(l));

        const cute::Composed c{{static_cast<int>(r.in(0, 4)), static_cast<int>(r.in(0, 6)), static_cast<int>(r.in(4, 7))},
                               is_plain(l) ? r.in(-100, 100) : 0,
                               r.one_in(2),
                               0,
                               l};
        if (!check(c).ok()) continue;
        const auto whole = cute::print(c);
        const auto again = cute::parse_composed({whole.c_str(), whole.size});
        INFO(whole.c_str());
        REQUIRE(again.has_value());
        REQUIRE(*again == c);
    }
    CHECK(along > 0);
    CHECK(deepest > 5);
}

TEST_CASE("cute text: the widest layout fits its text")
{
    constexpr Int most = std::numeric_limits<Int>::max();
    cute::Layout l;
    cute::Node tuple{1, cute::Leaf{}};
    for (int i = 0; i + 1 < cute::Layout::max_nodes; ++i) l.nodes.push_back(tuple);
    const cute::Node leaf{-1, {1, -most - 1, cute::Basis{2097150, 2097150, 2097150}}, true, true};
    l.nodes.push_back(leaf);
    CHECK(read(cute::print(l).c_str()) == l);
    CHECK(depth(l) == cute::Layout::max_nodes - 1);

    cute::Layout flat; // of the most leaves, each as wide as one can be
    tuple.children = cute::Layout::max_nodes - 1;
    flat.nodes.push_back(tuple);
    for (int i = 0; i < tuple.children; ++i) flat.nodes.push_back(leaf);
    CHECK(read(cute::print(flat).c_str()) == flat);
    flat.nodes[1].leaf.extent = flat.nodes[1].leaf.stride = 0; // what is not a layout is printed as well
    CHECK(cute::print(flat).size > 1000);
}

TEST_CASE("cute text: a changed text is read, or refused at a character of it")
{
    laws::Random r(77);
    const std::string alphabet = "()(),:_@-0123456789 oSw<>?smem_ptr[16b](unset)x";
    Int fine = 0, refused = 0;
    for (Int i = laws::cases(30'000); i > 0; --i) {
        const cute::Layout l = random_layout(r, 8);
        std::string text = cute::print(l).c_str();
        if (r.one_in(3)) text = "Sw<3,4,3> o " + std::string(r.one_in(2) ? "_5" : "smem_ptr[16b](unset)") + " o " + text;
        for (Int k = r.in(1, 3); k > 0 && !text.empty(); --k) {
            const auto at = static_cast<std::size_t>(r.in(0, static_cast<Int>(text.size()) - 1));
            const char c = alphabet[static_cast<std::size_t>(r.in(0, static_cast<Int>(alphabet.size()) - 1))];
            if (r.one_in(3))
                text.erase(at, 1);
            else if (r.one_in(2))
                text.insert(at, 1, c);
            else
                text[at] = c;
        }
        const int length = static_cast<int>(text.size());
        const auto got = cute::parse_composed({text.data(), length});
        INFO(text);
        if (got) {
            ++fine;
            REQUIRE(check(*got).ok());
            const auto again = cute::print(*got);
            const auto twice = cute::parse_composed({again.c_str(), again.size});
            REQUIRE(twice.has_value());
            REQUIRE(*twice == *got);
            continue;
        }
        ++refused;
        const axe::Error& e = got.error();
        REQUIRE(e.position >= -1);
        REQUIRE(e.position <= length);
        const bool of_character = axe::detail::contains(e.words, "character");
        REQUIRE(of_character == (e.position >= 0)); // what the swizzle and the layout say together has no character
        REQUIRE(axe::explain(text.data(), length, e).size > 0);
    }
    CHECK(fine > 100);
    CHECK(refused > 100);
}
