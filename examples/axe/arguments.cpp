// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How each kind of argument is read. A text that cannot be read becomes the reply here, with its place among the arguments: no
// operation sees it.
#include "arguments.hpp"

#include <limits>

namespace axe_cli {
std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

bool ArgumentReader::misread(std::string_view text, const axe::Error& error)
{
    reply_.misread(static_cast<int>(next_), text, error);
    return false;
}

std::string_view reason(Unswizzled why)
{
    switch (why) {
    case Unswizzled::blocks:
        return "the blocks of a shape are cut from the iters, which a swizzle does not change: give the layout inside";
    case Unswizzled::inverse:
        return "an inverse applies the XOR of the swizzle first, and a swizzled layout last: give the layout inside";
    case Unswizzled::complement: return "a complement is added before the swizzle: give the layout inside";
    case Unswizzled::difference:
        return "points under a swizzle are not subtracted: give the layouts inside, whose sum is swizzled where one moves by "
               "multiples "
               "of the period";
    }
    return {};
}

bool ArgumentReader::plain(std::string_view reason, axe::Layout& out)
{
    const std::string_view text = take();
    if (text.starts_with("swizzle")) return misread(text, axe::Error(axe::errc::bad_argument, 0, reason.data())); // a literal
    return parse(axe::parse_layout, text, out);
}

bool ArgumentReader::read(axe::Layout& out)
{
    return plain("this operation takes no swizzled layout, as the XOR of bits is not a sum of strides: give the layout inside",
                 out);
}

bool ArgumentReader::read(SwizzledLayout& out) { return parse(axe::parse_swizzled, take(), out); }
bool ArgumentReader::read(axe::Shape& out)
{
    if (!parse(axe::parse_shape, take(), out)) return false;
    shape_ = out;
    return true;
}
bool ArgumentReader::read(Index& out) { return parse(axe::parse_coord, take(), out.coord); }
bool ArgumentReader::read(axe::Region& out)
{
    const std::string_view text = take();
    if (!shape_) return parse(axe::parse_region, text, out);
    const auto region = axe::parse_region_of(text, *shape_);
    if (!region) return misread(text, region.error());
    out = *region;
    return true;
}
bool ArgumentReader::read(axe::Point& out) { return parse(axe::parse_point, take(), out); }
bool ArgumentReader::read(axe::Layout::Axes& out) { return parse(axe::parse_axes, take(), out); }
bool ArgumentReader::read(axe::Axis& out) { return parse(axe::parse_axis, take(), out); }
bool ArgumentReader::read(axe::Iter& out) { return parse(axe::parse_iter, take(), out); }
bool ArgumentReader::read(std::int64_t& out) { return parse(axe::parse_integer, take(), out); }

bool ArgumentReader::dimension(std::string_view text, int& out)
{
    std::int64_t number = 0;
    if (!parse(axe::parse_integer, text, number)) return false;
    if (number < 0 || number > axe::max_rank)
        return misread(text, axe::Error(axe::errc::bad_argument, -1, "{0} is not a dimension: they count from 0 to at most {1}",
                                        number, axe::max_rank));
    out = static_cast<int>(number);
    return true;
}

bool ArgumentReader::read(Dimension& out) { return dimension(take(), out.dim); }

bool ArgumentReader::read(axe::Order& out)
{
    const std::string_view text = take();
    axe::Coord numbers;
    if (!parse(axe::parse_coord, text, numbers)) return false;
    for (const std::int64_t n : numbers) {
        if (n < 0 || n >= axe::max_rank)
            return misread(text, axe::Error(axe::errc::bad_argument, -1, "{0} is not a dimension: they count from 0 to at most {1}",
                                            n, axe::max_rank));
        out.push_back(static_cast<int>(n));
    }
    return true;
}

bool ArgumentReader::read(Renaming& out)
{
    const std::string_view text = take();
    const std::size_t at = text.find('=');
    if (at == std::string_view::npos)
        return misread(text,
                       axe::Error(axe::errc::bad_syntax, static_cast<int>(text.size()), "expected old=new, the names of two axes"));
    return parse(axe::parse_axis, trimmed(text.substr(0, at)), out.from) &&
           parse(axe::parse_axis, trimmed(text.substr(at + 1)), out.to);
}

bool ArgumentReader::read(Split& out)
{
    const std::string_view text = take();
    axe::detail::Reader in(text.data(), static_cast<int>(text.size()));
    axe::AxisSplit& s = out.split;
    const bool read = in.axis(s.whole) && in.expect('=', "expected '=' after the axis at character {0}") &&
                      in.integer(s.extent, "expected the extent of the inner axis at character {0}") &&
                      in.expect('*', "expected '*' after the extent at character {0}") && in.axis(s.outer) &&
                      in.expect('+', "expected '+' after the outer axis at character {0}") && in.axis(s.inner) && in.finish();
    return read || misread(text, in.error);
}

bool ArgumentReader::read(Box& out)
{
    std::string_view text = take();
    if (text.starts_with("box")) {
        text = trimmed(text.substr(3));
        if (text.empty()) text = take();
    }
    return parse(axe::parse_point, text, out.sides);
}

bool ArgumentReader::read(NewDimension& out)
{
    const std::string_view text = take();
    const std::size_t at = text.find(',');
    if (at == std::string_view::npos) return dimension(text, out.dim) && read(out.extent);
    return dimension(trimmed(text.substr(0, at)), out.dim) && parse(axe::parse_integer, trimmed(text.substr(at + 1)), out.extent);
}

bool ArgumentReader::read(Setting& out)
{
    const std::string_view text = take();
    const std::size_t at = text.find('=');
    out.key = trimmed(text.substr(0, at));
    out.value = at == std::string_view::npos ? std::string_view() : trimmed(text.substr(at + 1));
    out.argument = static_cast<int>(next_);
    return true;
}

bool ArgumentReader::read(Text& out)
{
    out.words = take();
    out.argument = static_cast<int>(next_);
    return true;
}

bool ArgumentReader::read(std::string_view& out)
{
    out = take();
    return true;
}

} // namespace axe_cli
