// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/axe.hpp>
#include <axe/c.h>
#include <axe/version.hpp>

#include <cstring>
#include <new>

/// What <axe/c.h> declares: the source of the shared library axe_c.
struct axe_layout {
    axe::Layout value{};
};

namespace {
namespace c {

using namespace axe;

// A code that C has no number for does not compile.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
constexpr axe_code code_of(errc code) noexcept
{
    switch (code) {
    case errc::ok: return AXE_OK;
    case errc::not_grouped: return AXE_NOT_GROUPED;
    case errc::no_layout: return AXE_NO_LAYOUT;
    case errc::bad_extent: return AXE_BAD_EXTENT;
    case errc::bad_axis: return AXE_BAD_AXIS;
    case errc::bad_argument: return AXE_BAD_ARGUMENT;
    case errc::rank_mismatch: return AXE_RANK_MISMATCH;
    case errc::size_mismatch: return AXE_SIZE_MISMATCH;
    case errc::out_of_domain: return AXE_OUT_OF_DOMAIN;
    case errc::unknown_axis: return AXE_UNKNOWN_AXIS;
    case errc::not_single_valued: return AXE_NOT_SINGLE_VALUED;
    case errc::capacity: return AXE_CAPACITY;
    case errc::overflow: return AXE_OVERFLOW;
    case errc::too_hard: return AXE_TOO_HARD;
    case errc::bad_syntax: return AXE_BAD_SYNTAX;
    case errc::internal: return AXE_INTERNAL;
    }
    return AXE_INTERNAL;
}
#pragma GCC diagnostic pop

axe_code failed(axe_error* error, axe_code code, int position, const char* message) noexcept
{
    static_assert(sizeof error->message > Message::capacity, "the longest message has room");
    if (error != nullptr) {
        error->code = code;
        error->position = position;
        std::strncpy(error->message, message, sizeof error->message - 1);
        error->message[sizeof error->message - 1] = '\0';
    }
    return code;
}
axe_code failed(axe_error* error, const Error& e) noexcept
{
    return failed(error, code_of(e.code), e.position, e.message().c_str());
}
axe_code null_argument(axe_error* error) noexcept { return failed(error, AXE_BAD_ARGUMENT, -1, "an argument is null"); }

axe_code give(const Result<Layout>& result, axe_layout** out, axe_error* error) noexcept
{
    if (!result) return failed(error, result.error());
    auto* made = new (std::nothrow) axe_layout{*result};
    if (made == nullptr) return failed(error, AXE_NO_MEMORY, -1, "no memory for a layout");
    *out = made;
    return AXE_OK;
}

/// Numbers for each of `rank` dimensions; a negative rank has none, and one that is too large is counted, as everywhere.
Shape list_of(const int64_t* numbers, int32_t rank) noexcept { return rank < 1 ? Shape{} : Shape(numbers, numbers + rank); }

/// The axes named; an error for a name that no axis has.
Result<Layout::Axes> axes_of(const char* const* names, int32_t count) noexcept
{
    Layout::Axes axes;
    for (int32_t i = 0; i < count; ++i) {
        if (names[i] == nullptr) return Error(errc::bad_argument, i, "the name of axis {0} is null", i);
        const auto axis = parse_axis(names[i]);
        if (!axis) return axis.error();
        axes.push_back(*axis);
    }
    if (axes.overfull())
        return Error(errc::capacity, Layout::max_axes, "a layout has at most {0} axes, here are {1}", Layout::max_axes, count);
    return axes;
}
bool missing(const void* list, int32_t count) noexcept { return count < 0 || (count > 0 && list == nullptr); }

} // namespace c
} // namespace

extern "C" {

int32_t axe_version(void) { return 10000 * AXE_VERSION_MAJOR + 100 * AXE_VERSION_MINOR + AXE_VERSION_PATCH; }

const char* axe_code_name(axe_code code)
{
    if (code == AXE_NO_MEMORY) return "no_memory";
    for (int i = 0; i <= static_cast<int>(axe::errc::internal); ++i)
        if (c::code_of(static_cast<axe::errc>(i)) == code) return axe::name(static_cast<axe::errc>(i));
    return "?";
}

axe_code axe_parse(const char* text, size_t length, axe_layout** layout, axe_error* error)
{
    if (text == nullptr || layout == nullptr) return c::null_argument(error);
    struct Characters {
        const char* text;
        size_t length;
        const char* data() const { return text; }
        size_t size() const { return length; }
    };
    return c::give(axe::parse_layout(Characters{text, length}), layout, error);
}

size_t axe_print(const axe_layout* layout, char* text, size_t capacity)
{
    if (layout == nullptr) return 0;
    const auto printed = axe::print(layout->value);
    const auto length = static_cast<size_t>(printed.size);
    if (text != nullptr && capacity > 0) {
        const size_t fits = length < capacity ? length : capacity - 1;
        std::memcpy(text, printed.c_str(), fits);
        text[fits] = '\0';
    }
    return length;
}

void axe_free(axe_layout* layout) { delete layout; }

axe_code axe_size(const axe_layout* layout, int64_t* size, axe_error* error)
{
    if (layout == nullptr || size == nullptr) return c::null_argument(error);
    const auto n = axe::size(layout->value);
    if (!n) return c::failed(error, n.error());
    *size = *n;
    return AXE_OK;
}

axe_code axe_canonicalize(const axe_layout* layout, axe_layout** result, axe_error* error)
{
    if (layout == nullptr || result == nullptr) return c::null_argument(error);
    return c::give(axe::canonicalize(layout->value), result, error);
}

axe_code axe_equal(const axe_layout* a, const axe_layout* b, int32_t* equal, int64_t* witness, axe_error* error)
{
    if (a == nullptr || b == nullptr || equal == nullptr) return c::null_argument(error);
    const axe::Decision decision = axe::equal(a->value, b->value);
    if (decision.undecided()) return c::failed(error, decision.error());
    *equal = decision.yes() ? 1 : 0;
    if (witness != nullptr) *witness = decision.witness();
    return AXE_OK;
}

axe_code axe_slice(const axe_layout* layout, const int64_t* shape, const int64_t* low, const int64_t* high, int32_t rank,
                   axe_layout** result, axe_error* error)
{
    if (layout == nullptr || result == nullptr || c::missing(shape, rank) || c::missing(low, rank) || c::missing(high, rank))
        return c::null_argument(error);
    axe::Region region;
    for (int32_t d = 0; d < rank; ++d) region.push_back({low[d], high[d]});
    return c::give(axe::slice(layout->value, c::list_of(shape, rank), region), result, error);
}

axe_code axe_tile(const axe_layout* outer, const int64_t* outer_shape, const axe_layout* inner, const int64_t* inner_shape,
                  int32_t rank, axe_layout** result, axe_error* error)
{
    if (outer == nullptr || inner == nullptr || result == nullptr || c::missing(outer_shape, rank) || c::missing(inner_shape, rank))
        return c::null_argument(error);
    return c::give(axe::tile(outer->value, c::list_of(outer_shape, rank), inner->value, c::list_of(inner_shape, rank)), result,
                   error);
}

axe_code axe_compose(const axe_layout* outer, const axe_layout* inner, axe_layout** result, axe_error* error)
{
    if (outer == nullptr || inner == nullptr || result == nullptr) return c::null_argument(error);
    return c::give(axe::compose(outer->value, inner->value), result, error);
}

axe_code axe_inverse(const axe_layout* layout, const char* const* axes, int32_t count, axe_layout** result, axe_error* error)
{
    if (layout == nullptr || result == nullptr || c::missing(axes, count)) return c::null_argument(error);
    const auto named = c::axes_of(axes, count);
    if (!named) return c::failed(error, named.error());
    return c::give(axe::inverse(layout->value, *named), result, error);
}

axe_code axe_evaluate(const axe_layout* layout, int64_t index, const char* const* axes, int32_t count, int64_t* coordinates,
                      size_t capacity, size_t* points, axe_error* error)
{
    if (layout == nullptr || points == nullptr || c::missing(axes, count) || (capacity > 0 && count > 0 && coordinates == nullptr))
        return c::null_argument(error);
    const auto named = c::axes_of(axes, count);
    if (!named) return c::failed(error, named.error());
    const auto found = axe::points(layout->value, index);
    if (!found.error().ok()) return c::failed(error, found.error());
    const auto all = found.count();
    if (!all) return c::failed(error, all.error());
    *points = static_cast<size_t>(*all);
    if (static_cast<size_t>(*all) > capacity)
        return c::failed(error, {axe::errc::capacity, -1, "the index has {0} points; the list has room for {1}", *all,
                                 static_cast<int64_t>(capacity)});
    for (const auto& point : found)
        for (const axe::Axis& axis : *named) *coordinates++ = point[axis];
    return AXE_OK;
}

} // extern "C"
