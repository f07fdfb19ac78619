// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_SHARDING_HLO_TEXT_HPP
#define AXE_INTEROP_SHARDING_HLO_TEXT_HPP

#include <axe/interop/sharding/errors.hpp>
#include <axe/interop/sharding/hlo_list.hpp>

/// The text of XLA's shardings:
///
///   sharding := "{" ( "replicated" | "manual" | "unknown" | "unreduced" | "maximal device=" int | tiles ) "}"
///   tiles    := "devices=[" ints "]" [ int {"," int} | "<=[" ints "]" [ "T(" ints ")" ] ]
///               [ "last_tile_dim_replicate" | "last_tile_dims={" kind {"," kind} "}" ]
///                                                    [XLA, HloParser::ParseSingleSharding, HloSharding::Print, TileAssignment::Print]
namespace axe {
inline namespace v0 {
namespace sharding {
namespace detail {

/// `last_tile_dim_replicate` or `last_tile_dims={manual, replicated}`.
constexpr bool read_subgroups(Reader& in, HloSharding& out) noexcept
{
    using Kind = HloSharding::Kind;
    in.peek();
    const int where = in.at;
    if (accept_word(in, "last_tile_dim_replicate")) {
        out.subgroups.push_back(Kind::replicated);
    } else if (accept_word(in, "last_tile_dims")) {
        const auto kind = [&] {
            if (accept_word(in, "replicated")) return keep(in, out.subgroups, Kind::replicated);
            if (accept_word(in, "manual")) return keep(in, out.subgroups, Kind::manual);
            if (accept_word(in, "unreduced")) return keep(in, out.subgroups, Kind::unreduced);
            return in.expected("expected replicated, manual or unreduced at character {0}");
        };
        if (!in.expect('=', "expected '=' after last_tile_dims at character {0}") ||
            !in.expect('{', "expected '{' before the kinds at character {0}") ||
            !read_list(in, '}', "expected ',' or '}' after the kind at character {0}", kind))
            return false;
    }
    return out.subgroups.size() <= out.tile.size() ||
           in.fail(errc::rank_mismatch, where, "the subgroups at character {0} are more than the {1} dimensions of the tiles",
                   out.tile.size());
}

/// What follows `devices=`.
constexpr bool read_tiles(Reader& in, HloSharding& out) noexcept
{
    out.kind = HloSharding::Kind::tiled;
    const auto dim = [&] {
        std::int64_t n = 0;
        return read_size(in, n, "expected the number of tiles at character {0}") && keep(in, out.tile, n);
    };
    if (!in.expect('[', "expected '[' before the tiles at character {0}") ||
        !read_list(in, ']', "expected ',' or ']' after the tiles at character {0}", dim))
        return false;
    in.peek();
    const int where = in.at;
    std::int64_t places = 1, devices = 0;
    for (const std::int64_t n : out.tile)
        if (!mul(places, n, places)) return in.fail(errc::overflow, where, "the number of tiles before character {0} overflows");
    DeviceList list;
    if (accept_all(in, "<=")) {
        Shape dims;
        InlineVector<int, max_rank> order;
        if (!open_iota(in) || !read_iota(in, dims, order)) return false;
        const auto steps = iota_order(dims, order);
        if (!steps) {
            in.error = steps.error();
            in.error.position = -1; // counts the dimensions of the iota
            return false;
        }
        take(out.order, *steps);
        devices = 1;
        for (const std::int64_t n : dims) devices *= n; // fits: `iota_order` took it
    } else if (Reader::is_digit(in.peek()) || in.peek() == '-') {
        if (!read_device_list(in, list)) return false;
        devices = list.count;
    } else { // left out: in order
        out.order.push_back(Iter(places, 1, device_axis));
        devices = places;
    }
    if (devices != places) {
        in.error = Error(errc::size_mismatch, where, "the list at character {0} has {2} devices; expected {1}, the number of tiles",
                         where, places, devices);
        return false;
    }
    if (!read_subgroups(in, out)) return false;
    if (list.count == 0) return true;
    const auto steps = list.finder.order();
    if (list.broken < 0 && steps) {
        take(out.order, *steps);
        out.first = list.finder.first();
        return true;
    }
    if (!out.subgroups.empty() && out.subgroups.back() != HloSharding::Kind::manual)
        return order_of_sets(in, list, out.tile.back(), out);
    if (list.broken < 0) return no_steps(in, list.start);
    return in.fail(errc::no_layout, list.broken, "the device list is not a product of steps: character {0} breaks the pattern");
}

constexpr bool read_hlo(Reader& in, HloSharding& out) noexcept
{
    using Kind = HloSharding::Kind;
    if (!in.expect('{', "expected '{' before the sharding at character {0}")) return false;
    if (accept_word(in, "replicated")) {
        out.kind = Kind::replicated;
    } else if (accept_word(in, "manual")) {
        out.kind = Kind::manual;
    } else if (accept_word(in, "unknown")) {
        out.kind = Kind::unknown;
    } else if (accept_word(in, "unreduced")) {
        out.kind = Kind::unreduced;
    } else if (accept_word(in, "maximal")) {
        out.kind = Kind::maximal;
        if (!accept_word(in, "device")) return in.expected("expected device= at character {0}");
        if (!in.expect('=', "expected '=' after device at character {0}") || !read_device(in, out.device)) return false;
    } else if (accept_word(in, "devices")) {
        if (!in.expect('=', "expected '=' after devices at character {0}") || !read_tiles(in, out)) return false;
    } else {
        return in.expected("expected replicated, maximal, manual, unknown, unreduced or devices= at character {0}");
    }
    return in.expect('}', "expected '}' at character {0}; only the placement of a sharding is read");
}

/// A comma, and the comment that XLA puts before every fifth element.
constexpr bool next_element(Reader& in) noexcept
{
    if (!in.accept(',')) return false;
    if (accept_all(in, "/*"))
        while (in.at < in.length && !accept_all(in, "*/")) ++in.at;
    return true;
}

} // namespace detail

/// Reads the sharding of one array: `{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}`, `{devices=[2,2]0,1,2,3}`, `{replicated}`,
/// `{maximal device=3}`, `{devices=[1,1,4,2]<=[8] last_tile_dims={manual, replicated}}`.
///
/// A list of devices is turned to steps; of copies of a tile only the set counts. `errc::no_layout` at the device where no steps make
/// the list, `errc::bad_syntax` with the character, `errc::size_mismatch`, `errc::rank_mismatch`.
constexpr Result<HloSharding> parse_hlo(TextView text) noexcept
{
    Result<HloSharding> result;
    detail::Reader in(text);
    if (!detail::read_hlo(in, *result) || !in.finish()) result = in.error;
    return result;
}

/// Reads the shardings of a tuple, `{{replicated}, {devices=[2]<=[2]}}`, and calls `each(const HloSharding&)`; how many there were. The
/// sharding of one array is a value; `{}` is not. Errors: those of `parse_hlo`.
template <class Each>
constexpr Result<int> parse_hlo_tuple(TextView text, Each each) noexcept
{
    Result<int> result(0);
    detail::Reader in(text), inside(text);
    inside.accept('{');
    const bool tuple = inside.peek() == '{' || inside.peek() == '}';
    if (tuple) in.at = inside.at;
    if (!tuple || !in.accept('}')) {
        do {
            HloSharding one;
            if (!detail::read_hlo(in, one)) return in.error;
            each(static_cast<const HloSharding&>(one));
            ++*result;
        } while (tuple && detail::next_element(in));
        if (tuple && !in.expect('}', "expected ',' or '}' after the sharding at character {0}")) return in.error;
    }
    if (!in.finish()) return in.error;
    return result;
}

namespace detail {

/// `<=[4,2]T(1,0)`: the steps, neighbors joined, are dimensions of an iota; sorted they are its shape. Or the devices one by one.
template <int N>
constexpr Status put_order(Text<N>& out, const HloSharding& hlo) noexcept
{
    DeviceOrder steps;
    std::int64_t count = 1;
    const bool backwards = hlo.first != 0; // or from another device on: no device has a number below 0
    for (const Iter& it : hlo.order) {
        if (it.extent == 1) continue;
        count *= it.extent;
        if (!steps.empty() && steps.back().stride == it.stride * it.extent)
            steps.back() = Iter(steps.back().extent * it.extent, it.stride, device_axis);
        else
            steps.push_back(it);
    }
    if (backwards) {
        if (count > most_listed) return too_many_listed(count, most_listed);
        for (std::int64_t place = 0; place < count; ++place) {
            std::int64_t device = hlo.first, rest = place;
            for (int k = steps.size() - 1; k >= 0; --k) {
                device += rest % steps[k].extent * steps[k].stride;
                rest /= steps[k].extent;
            }
            if (place > 0) out.put(',');
            out.put_number(device);
        }
        return {};
    }
    int rank[max_mesh_axes]{}; // how many steps are larger
    for (int i = 0; i < steps.size(); ++i)
        for (int k = 0; k < steps.size(); ++k) rank[i] += steps[k].stride > steps[i].stride;
    out.put("<=[");
    if (steps.empty()) out.put('1');
    for (int d = 0; d < steps.size(); ++d)
        for (int i = 0; i < steps.size(); ++i)
            if (rank[i] == d) {
                if (d > 0) out.put(',');
                out.put_number(steps[i].extent);
            }
    out.put(']');
    if (steps.size() < 2) return {};
    out.put("T(");
    for (int i = 0; i < steps.size(); ++i) {
        if (i > 0) out.put(',');
        out.put_number(rank[i]);
    }
    out.put(')');
    return {};
}

constexpr const char* word(HloSharding::Kind kind) noexcept
{
    constexpr const char* words[] = {"replicated", "maximal", "manual", "unknown", "unreduced", "tiled"};
    return words[static_cast<int>(kind)];
}

} // namespace detail

/// XLA's text of a sharding, as XLA prints it: an iota with the fewest dimensions, else (an order that goes backwards) a list.
/// `errc::capacity` when more than 256 devices would be listed; what `check` says of the value.
constexpr Result<SpecText> print_hlo(const HloSharding& hlo) noexcept
{
    using namespace detail;
    using Kind = HloSharding::Kind;
    Result<SpecText> result;
    SpecText& out = *result;
    if (const Status e = check(hlo); !e.ok()) return e;
    out.put('{');
    if (hlo.kind == Kind::tiled) {
        out.put("devices=[");
        for (int d = 0; d < hlo.tile.size(); ++d) {
            if (d > 0) out.put(',');
            out.put_number(hlo.tile[d]);
        }
        out.put(']');
        if (const Status e = put_order(out, hlo); !e.ok()) return e;
        if (hlo.subgroups.size() == 1 && hlo.subgroups[0] == Kind::replicated) {
            out.put(" last_tile_dim_replicate");
        } else if (!hlo.subgroups.empty()) {
            out.put(" last_tile_dims={");
            for (int i = 0; i < hlo.subgroups.size(); ++i) {
                if (i > 0) out.put(", ");
                out.put(word(hlo.subgroups[i]));
            }
            out.put('}');
        }
    } else {
        out.put(word(hlo.kind));
        if (hlo.kind == Kind::maximal) {
            out.put(" device=");
            out.put_number(hlo.device);
        }
    }
    out.put('}');
    return result;
}

} // namespace sharding
} // namespace v0
} // namespace axe

#endif
