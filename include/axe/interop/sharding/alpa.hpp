// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_ALPA_HPP
#define AXE_INTEROP_SHARDING_ALPA_HPP

#include <axe/interop/sharding/read.hpp>

/// Alpa's sharding specs, one word for each dimension of the tensor:  { "R" | "S" digit {digit} }
///
/// The digits number mesh axes, major first: `S01R` splits the rows over both axes of a mesh of two.            [Alpa, 2.2 and table 1]
namespace axe {
inline namespace v0 {
namespace sharding {

namespace detail {

constexpr Error read_alpa(const char* text, int length, const Mesh& mesh, Spec& spec) noexcept
{
    if (const Error e = check(mesh)) return e;
    take(spec.mesh, mesh);
    Reader in(text, length);
    while (in.peek() != '\0' || in.at < in.length) {
        if (in.accept('S')) {
            if (!Reader::is_digit(in.peek())) return in.expected("expected the number of a mesh axis at character {0}"), in.error;
            for (; in.at < in.length && Reader::is_digit(in.text[in.at]); ++in.at) {
                const int axis = in.text[in.at] - '0';
                if (axis >= mesh.axes.size())
                    return in.fail(errc::unknown_axis, in.at, "the mesh has {1} axes; character {0} names another",
                                   mesh.axes.size()),
                           in.error;
                for (const Part& part : spec.parts)
                    if (part.axis == axis)
                        return in.fail(errc::bad_argument, in.at, "the mesh axis at character {0} is named before"), in.error;
                if (!keep(in, spec.parts, whole_axis(mesh, axis))) return in.error;
            }
        } else if (!in.accept('R')) {
            return in.expected("expected R, or S and mesh axes, at character {0}"), in.error;
        }
        if (!keep(in, spec.dims, Dimension(spec.parts.size()))) return in.error;
    }
    return {};
}

} // namespace detail

/// Reads `S0R`, `S01R`, `RS1` over a mesh, which has at most ten axes that can be named.
///
/// `errc::bad_syntax` with the character; `errc::unknown_axis` for an axis that the mesh does not have, `errc::bad_argument` for one that
/// comes twice.
constexpr Result<Spec> parse_alpa(const char* text, int length, const Mesh& mesh) noexcept
{
    Result<Spec> result;
    if (const Error e = detail::read_alpa(text, length, mesh, *result)) result = e;
    return result;
}

/// Alpa's text of a spec. What a spec says to a compiler is left out.
///
/// `errc::no_layout` for sub-axes, parts that stay on a device, terms, and mesh axes from the eleventh on: Alpa has no word for them.
constexpr Result<SpecText> print_alpa(const Spec& given) noexcept
{
    using namespace detail;
    Result<SpecText> result;
    if (const Error e = check(given)) return e;
    const Spec spec = placement_of(given);
    if (const Error e = check_whole(spec, "dimension {0} is split over {1} places of mesh axis {2}: Alpa names whole axes"))
        return e;
    if (!spec.unreduced.empty())
        return Error(errc::no_layout, -1, "Alpa's specs have no word for terms that are still to be reduced");
    for (int d = 0; d < spec.rank(); ++d) {
        result->put(spec.end(d) > spec.begin(d) ? 'S' : 'R');
        for (int i = spec.begin(d); i < spec.end(d); ++i) {
            if (spec.parts[i].axis > 9)
                return Error(errc::no_layout, d, "Alpa names mesh axes 0 to 9, not {0}", spec.parts[i].axis);
            result->put_number(spec.parts[i].axis);
        }
    }
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
