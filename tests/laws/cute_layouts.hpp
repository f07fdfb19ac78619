// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TESTS_LAWS_CUTE_LAYOUTS_HPP
#define AXE_TESTS_LAWS_CUTE_LAYOUTS_HPP

#include <axe/interop/cute/text.hpp>
#include <tests/laws/report.hpp>

#include <string>
#include <vector>

/// CuTe's layouts for the laws, and what they mean by definition alone.
namespace laws {

namespace cute = axe::cute;

/// The nested tuples of a text of brackets and 1s, every leaf 1:0.
inline cute::Layout profile(const char* text)
{
    cute::Layout out;
    std::vector<int> open;
    for (const char* p = text; *p != '\0'; ++p) {
        if (*p == '(' || *p == '1') {
            if (!open.empty()) ++out.nodes[open.back()].children;
            if (*p == '(') open.push_back(out.nodes.size());
            out.nodes.push_back(*p == '(' ? cute::Node{0, cute::Leaf{}} : cute::Node{-1, {1, 0}});
        } else if (*p == ')') {
            open.pop_back();
        }
    }
    return out;
}

/// What L has along a basis at 0, 1, …: the first leaf runs fastest.
inline std::vector<Int> values(const cute::Layout& layout, const cute::Basis& along = {})
{
    std::vector<Int> out{0};
    for (const cute::Node& node : layout.nodes) {
        if (node.children >= 0) continue;
        std::vector<Int> next;
        for (Int i = 0; i < node.leaf.extent; ++i)
            for (Int v : out) next.push_back(v + (node.leaf.basis == along ? i * node.leaf.stride : 0));
        out.swap(next);
    }
    return out;
}

/// Calls `f` with every layout of a profile whose extents are 1 … `extent` and whose strides are among those given.
template <class F>
void all_numbers(cute::Layout layout, Int extent, const std::vector<Int>& strides, F&& f)
{
    const auto go = [&](const auto& self, int i) -> void {
        while (i < layout.nodes.size() && layout.nodes[i].children >= 0) ++i;
        if (i == layout.nodes.size()) return f(static_cast<const cute::Layout&>(layout));
        for (Int n = 1; n <= extent; ++n)
            for (Int s : strides) {
                layout.nodes[i].leaf.extent = n;
                layout.nodes[i].leaf.stride = s;
                self(self, i + 1);
            }
    };
    go(go, 0);
}

/// The profiles with up to three leaves, and some empty tuples.
inline const char* const small_profiles[] = {"1",         "(1)",       "()",          "((1))",         "(1,1)",
                                             "((1,1))",   "((1),1)",   "((),1)",      "(1,1,1)",       "((1,1),1)",
                                             "(1,(1,1))", "((1,1,1))", "((1,(1,1)))", "((1),(1,()),1)"};

/// A tree of at most `nodes` nodes, leaves 1:0.
inline void random_tree(Random& r, cute::Layout& out, int nodes, int depth = 0)
{
    const int at = out.nodes.size();
    out.nodes.push_back(cute::Node{-1, {1, 0}});
    if (depth > 6 || nodes < 2 || (depth > 0 && r.one_in(2))) return;
    const int count = static_cast<int>(r.in(0, 5));
    out.nodes[at] = cute::Node{0, cute::Leaf{}};
    for (int k = 0; k < count && out.nodes.size() - at < nodes; ++k) {
        const int left = nodes - (out.nodes.size() - at);
        random_tree(r, out, left < 1 ? 1 : static_cast<int>(r.in(1, left)), depth + 1);
        ++out.nodes[at].children;
    }
}

} // namespace laws

#endif
