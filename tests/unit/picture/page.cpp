// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said of a page without a browser; tests/browser opens it in one.
#include <axe/axe.hpp>
#include <axe/picture/page.hpp>
#include <catch.hpp>

#include <string>

namespace {

using namespace axe::literals;
using Swizzled = axe::Swizzled<axe::Layout>;

constexpr auto tile = "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp"_axe;

bool has(const std::string& page, const std::string& part) { return page.find(part) != std::string::npos; }
int count(const std::string& page, const std::string& part)
{
    int n = 0;
    for (auto at = page.find(part); at != std::string::npos; at = page.find(part, at + part.size())) ++n;
    return n;
}
std::string of(const axe::Layout& layout, const axe::Shape& shape, const axe::PictureOptions& options = {})
{
    return axe::page(layout, shape, options).value();
}
axe::errc code(const axe::Layout& layout, const axe::Shape& shape, const axe::PictureOptions& options = {})
{
    return axe::page(layout, shape, options).code();
}

} // namespace

TEST_CASE("page: one file that asks for nothing")
{
    const std::string page = of(tile, {8, 16});
    CHECK(page.substr(0, 15) == "<!doctype html>");
    CHECK(page.substr(page.size() - 8) == "</html>\n");
    for (const char* part :
         {"src=", "@import", "url(http", "fetch(", "XMLHttpRequest", "WebSocket", "import(", "<link", "<iframe", "eval("})
        CHECK_FALSE(has(page, part));
    for (auto at = page.find("http"); at != std::string::npos; at = page.find("http", at + 1)) {
        const std::string where = page.substr(at, 30); // a name space of XML is not an address
        CHECK((where.substr(0, 26) == "http://www.w3.org/2000/svg" || where.substr(0, 10) == "http-equiv"));
    }
    CHECK(count(page, "<script") == 1);
    CHECK(count(page, "</script") == 1);
    CHECK(count(page, "<noscript") == 1);
    CHECK(page == of(tile, {8, 16}));
}

TEST_CASE("page: 128 by 128 cells stay below 300 KB, with a picture for readers without scripts where there is room")
{
    for (const axe::Layout& layout : {"(128,128):(128,1)"_axe, "(128,128):(1@lane,1@reg)"_axe, "(128,128):(1,128)"_axe}) {
        const std::string page = of(layout, {128, 128});
        CHECK(page.size() < 300'000);
        CHECK(page.size() > 50'000);
    }
    CHECK(of("(32768,2):(1@reg,1@lane)"_axe, {256, 256}).size() < 300'000);
    CHECK(count(of(tile, {8, 16}), "<svg") == 1);
    CHECK(count(of("(32768,2):(1@reg,1@lane)"_axe, {256, 256}), "<svg") == 0);
}

TEST_CASE("page: it starts with the texts and the choices that it was made of")
{
    axe::PictureOptions options;
    options.color = axe::Axis{"warp"};
    options.rows = axe::Axis{"reg"};
    options.columns = axe::Axis{"lane"};
    options.title = "a tile";
    const std::string page = of(tile, {8, 16}, options);
    CHECK(has(page, " data-layout=\"(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp\""));
    CHECK(has(page, " data-shape=\"(8,16)\" data-color=\"warp\" data-rows=\"reg\" data-columns=\"lane\""));
    CHECK(has(page, " data-access=\"\" data-vector=\"1\" data-width=\"1\""));
    CHECK(has(page, "<title>a tile</title>"));
    CHECK(has(page, "<h1 id=title>a tile</h1>"));
    CHECK(has(of(tile, {8, 16}), "<title>(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp</title>"));
}

TEST_CASE("page: the width of an element is in the text of a swizzled layout, else in a field of its own")
{
    axe::PictureOptions options;
    options.width = 4;
    CHECK(has(of("(8,4):(4,1)"_axe, {8, 4}, options), "data-layout=\"(8,4):(4,1)\""));
    CHECK(has(of("(8,4):(4,1)"_axe, {8, 4}, options), "data-width=\"4\""));
    const auto text = [](const Swizzled& s) {
        const std::string page = axe::page(s, {8, 64}).value();
        const auto at = page.find("data-layout=\"") + 13;
        return page.substr(at, page.find('"', at) - at);
    };
    CHECK(text({{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe}) == "swizzle&lt;3,4,3&gt;/2((8,64):(64,1))");
    CHECK(text({{}, {}, 2, "(8,64):(64,1)"_axe}) == "(8,64):(64,1)");
    CHECK(text({{}, "smem", 2, "(8,64):(64@smem,1@smem)"_axe}) == "swizzle&lt;0,0,0&gt;@smem/2((8,64):(64@smem,1@smem))");
}

TEST_CASE("page: an access, given or made up")
{
    axe::PictureOptions options;
    options.vector = 8;
    options.access = "(8,8):(64,1)"_axe;
    const Swizzled halves{{3, 4, 3}, {}, 2, "(8,64):(64,1)"_axe};
    CHECK(has(axe::page(halves, {8, 64}, options).value(), " data-access=\"(8,8):(64,1)\" data-vector=\"8\" data-width=\"2\""));
    options.access.reset();
    CHECK(has(axe::page(halves, {8, 64}, options).value(), " data-access=\"\""));
    options.view = axe::PictureView::banks;
    CHECK(has(axe::page(halves, {8, 64}, options).value(), " data-access=\"256:1\" data-vector=\"8\""));
    CHECK(has(axe::page(halves, {512}, options).value(), " data-access=\"256:1\""));
    options.vector = 4;
    CHECK(
        has(axe::page(Swizzled{{}, {}, 2, "(2,8):(8,1)"_axe}, {2, 8}, options).value(), " data-access=\"16:1\" data-vector=\"4\""));
    options.vector = 16; // 32 bytes
    CHECK(axe::page(halves, {8, 64}, options).code() == axe::errc::bad_argument);
    options.vector = 0;
    CHECK(axe::page(halves, {8, 64}, options).code() == axe::errc::size_mismatch);
    options.vector = 1;
    options.access = "128:1"_axe; // more lanes than an agent has
    CHECK(axe::page(halves, {8, 64}, options).code() == axe::errc::bad_argument);
    options.access = "32:17"_axe;
    CHECK(axe::page(halves, {8, 64}, options).code() == axe::errc::out_of_domain);
}

TEST_CASE("page: no text becomes markup")
{
    axe::PictureOptions options;
    options.title = "</title></script></noscript><script>\"'&\n\xff";
    const std::string page = of(tile, {8, 16}, options);
    CHECK(count(page, "<script") == 1);
    CHECK(count(page, "</script") == 1);
    const std::string escaped = "&lt;/title&gt;&lt;/script&gt;&lt;/noscript&gt;&lt;script&gt;&quot;&#39;&amp; \xef\xbf\xbd";
    CHECK(has(page, "<title>" + escaped + "</title>"));
    CHECK(has(page, "data-title=\"" + escaped + "\""));
}

TEST_CASE("page: what has no picture has no page")
{
    axe::PictureOptions options;
    CHECK(code("8:1"_axe, {4}) == axe::errc::size_mismatch);
    CHECK(code("8:1"_axe, {0}) == axe::errc::bad_extent);
    CHECK(code(axe::Layout{{{0, 1}}}, {0}) == axe::errc::bad_extent);
    CHECK(code("(512,512):(512,1)"_axe, {512, 512}) == axe::errc::capacity);
    CHECK(code("512:1"_axe, {512, 1, 1}) == axe::errc::capacity);
    CHECK(code("2:1 + [1000:1@a, 1000:1@b]"_axe, {2}) == axe::errc::capacity);
    CHECK(axe::page(Swizzled{{3, 4, 2}, {}, 2, "8:1"_axe}, {8}).code() == axe::errc::bad_argument);
    options.color = axe::Axis{"lane"};
    CHECK(code("8:1"_axe, {8}, options) == axe::errc::unknown_axis);
    options.color = axe::Axis{"bank"};
    CHECK(code("8:1"_axe, {8}, options) == axe::errc::ok);
    options.rows = axe::Axis{"lane"};
    CHECK(code("8:1"_axe, {8}, options) == axe::errc::unknown_axis);
    options.rows = options.columns = axe::Axis{"m"};
    CHECK(code("8:1"_axe, {8}, options) == axe::errc::bad_argument);
    // where only the hardware view is too large, the page says so in its place
    CHECK(code("(2,2):(1152921504606846976@lane,1@reg)"_axe, {2, 2}) == axe::errc::ok);
}

TEST_CASE("page: the smallest layouts")
{
    CHECK(has(of("():()"_axe, {}), "data-layout=\"():()\" data-shape=\"()\""));
    CHECK(has(of("1:1"_axe, {1, 1, 1}), "data-shape=\"(1,1,1)\""));
}
