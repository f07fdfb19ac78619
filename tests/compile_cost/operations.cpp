// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it costs to call eight operations at run time.
#include <axe/axe.hpp>

using axe::Layout;
using axe::Region;
using axe::Shape;

axe::Result<Layout> canonicalized(const Layout& l) { return axe::canonicalize(l); }
axe::Decision equals(const Layout& l, const Layout& m) { return axe::equal(l, m); }
axe::Result<axe::Grouped<Layout>> grouped(const Layout& l, const Shape& s) { return axe::group(l, s); }
axe::Result<Layout> tiled(const Layout& c, const Shape& cs, const Layout& b, const Shape& bs) { return axe::tile(c, cs, b, bs); }
axe::Result<Layout> untiled(const Layout& a, const Shape& as, const Layout& b, const Shape& bs)
{
    return axe::untile(a, as, b, bs);
}
axe::Result<Layout> sliced(const Layout& l, const Shape& s, const Region& r) { return axe::slice(l, s, r); }
axe::Result<Layout> composed(const Layout& a, const Layout& b) { return axe::compose(a, b); }
axe::Result<Layout> inverted(const Layout& l) { return axe::inverse(l, {"lane", "reg"}); }
