// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_ALPA_HPP
#define AXE_INTEROP_SHARDING_ALPA_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/read.hpp>

/// Alpa's sharding specs, one word for each dimension of the tensor:  { "R" | "S" digit {digit} }
///
/// The digits number mesh axes, major first: `S01R` splits the rows over both axes of a mesh of two.            [Alpa, 2.2 and table 1]
namespace axe {
inline namespace v0 {
namespace sharding {

namespace detail {

constexpr Status read_alpa(TextView text, const Mesh& mesh, Spec& spec) noexcept
{
    if (const Status e = check(mesh); !e.ok()) return e;
    take(spec.mesh, mesh);
    Reader in(text);
    while (in.peek() != '\0' || in.at < in.length) {
        if (in.accept('S')) {
            if (!Reader::is_digit(in.peek())) return in.expected("expected the number of a mesh axis at character {0}"), in.error;
            for (; in.at < in.length && Reader::is_digit(in.text[in.at]); ++in.at) {
                const int axis = in.text[in.at] - '0';
                if (axis >= mesh.axes.size())
                    return in.fail(errc::unknown_axis, in.at,
                                   "character {0} names an axis that the mesh, of {1} axes, does not have", mesh.axes.size()),
                           in.error;
                for (const Part& part : spec.parts)
                    if (part.axis == axis) return axis_again(in, in.at), in.error;
                if (!keep(in, spec.parts, whole_axis(mesh, axis))) return in.error;
            }
        } else if (!in.accept('R')) {
            return in.expected("expected R, or S and mesh axes, at character {0}"), in.error;
        }
        if (!keep(in, spec.dims, Dimension(spec.parts.size()))) return in.error;
    }
    return in.error;
}

} // namespace detail

/// Reads `S0R`, `S01R`, `RS1` over a mesh, which has at most ten axes that can be named.
///
/// `errc::bad_syntax` with the character; `errc::unknown_axis` for an axis that the mesh does not have, `errc::bad_argument` for one that
/// comes twice.
constexpr Result<Spec> parse_alpa(TextView text, const Mesh& mesh) noexcept
{
    Result<Spec> result;
    if (const Status e = detail::read_alpa(text, mesh, *result); !e.ok()) result = e;
    return result;
}

/// Alpa's text of a spec. What a spec says to a compiler is left out.
///
/// `errc::no_layout` for sub-axes, parts that stay on a device, terms, and mesh axes from the eleventh on: Alpa has no word for them.
constexpr Result<SpecText> print_alpa(const Spec& given) noexcept
{
    using namespace detail;
    Result<SpecText> result;
    if (const Status e = check(given); !e.ok()) return e;
    const Spec spec = placement_of(given);
    if (const Status e = check_whole(spec, "dimension {0} is split over {1} places of mesh axis {2}: Alpa names whole axes");
        !e.ok())
        return e;
    if (!spec.unreduced.empty())
        return Error(errc::no_layout, -1, "an Alpa spec cannot express terms that are still to be reduced");
    for (int d = 0; d < spec.rank(); ++d) {
        result->put(spec.end(d) > spec.begin(d) ? 'S' : 'R');
        for (int i = spec.begin(d); i < spec.end(d); ++i) {
            if (spec.parts[i].axis > 9)
                return Error(errc::no_layout, d, "Alpa names mesh axes 0 to 9, got {0}", spec.parts[i].axis);
            result->put_number(spec.parts[i].axis);
        }
    }
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
