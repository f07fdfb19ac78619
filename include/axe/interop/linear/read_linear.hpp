// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_LINEAR_READ_LINEAR_HPP
#define AXE_INTEROP_LINEAR_READ_LINEAR_HPP

#include <axe/interop/linear/make.hpp>
#include <axe/text/common/reader.hpp>

/// What `parse_linear` is made of.
namespace axe {
inline namespace v0 {
namespace linear {
namespace detail {

/// Reads either form. Images come before the sizes that they must fit, so they are kept with their places until those are known.
struct LinearReader {
    struct Image {
        std::int64_t values[LinearLayout::max_dims]; // of those there are: filling all 62 images would cost more than reading
        int places[LinearLayout::max_dims];
        int count;
        int place;
    };
    axe::detail::Reader in;
    LinearLayout& layout;
    Image images[LinearLayout::max_bits];

    constexpr LinearReader(TextView text, LinearLayout& out) noexcept : in(text), layout(out) {}

    constexpr bool fail(errc code, int where, const char* words, std::int64_t number, std::int64_t other) noexcept
    {
        if (in.error.ok()) in.error = Error(code, where, words, where, number, other);
        return false;
    }
    constexpr bool arrow(const char* words) noexcept
    {
        return in.peek() == '-' && in.at + 1 < in.length && in.text[in.at + 1] == '>' ? (in.at += 2, true) : in.expected(words);
    }
    constexpr bool at_arrow() noexcept { return in.peek() == '-' && in.at + 1 < in.length && in.text[in.at + 1] == '>'; }

    constexpr bool dimension(Dims& dims, const Axis& name, int bits, int place) noexcept
    {
        for (const Dim& before : dims)
            if (before.name == name) return in.fail(errc::bad_axis, place, "the dimension at character {0} is already named");
        return dims.push_back({name, bits}) ||
               in.fail(errc::capacity, place, "the dimension at character {0} is one too many; a side has at most {1}",
                       LinearLayout::max_dims);
    }
    constexpr bool coordinate(Image& image) noexcept
    {
        in.peek();
        const int place = in.at;
        std::int64_t value = 0;
        if (!in.integer(value, "expected a coordinate of an image at character {0}")) return false;
        if (image.count == LinearLayout::max_dims)
            return in.fail(errc::capacity, place, "the coordinate at character {0} is one too many; an image has at most {1}",
                           LinearLayout::max_dims);
        image.values[image.count] = value;
        image.places[image.count++] = place;
        return true;
    }
    constexpr bool image() noexcept
    {
        in.peek();
        if (layout.bases.full())
            return in.fail(errc::capacity, in.at, "the image at character {0} is one too many; there are at most {1} input bits",
                           LinearLayout::max_bits);
        Image& image = images[layout.bases.count++];
        image.count = 0;
        image.place = in.at;
        ++layout.in.back().bits;
        if (!in.accept('(')) return coordinate(image);
        return axe::detail::read_list(in, ')', "expected ',' or ')' in an image at character {0}",
                                      [&] { return coordinate(image); });
    }
    constexpr bool size(const Axis& name, int name_place) noexcept
    {
        in.peek();
        const int place = in.at;
        std::int64_t value = 0;
        if (!in.integer(value, "expected the size of an output dimension at character {0}")) return false;
        const int bits = exponent(value);
        if (bits < 0) return in.fail(errc::bad_extent, place, "the size at character {0} is {1}, not a power of two", value);
        return dimension(layout.out, name, bits, name_place);
    }

    constexpr bool line() noexcept
    {
        while (!at_arrow()) {
            const int place = in.at;
            Axis name{};
            if (!in.axis(name, "expected an input dimension or the arrow -> at character {0}") ||
                !in.expect('=', "expected '=' after the input dimension at character {0}") ||
                !in.expect('[', "expected '[' before the images at character {0}") || !dimension(layout.in, name, 0, place) ||
                !axe::detail::read_list(in, ']', "expected ',' or ']' after an image at character {0}", [&] { return image(); }))
                return false;
        }
        in.at += 2;
        while (in.peek() != '\0') {
            const int place = in.at;
            Axis name{};
            if (!in.axis(name, "expected an output dimension or the end of the text at character {0}") ||
                !in.expect(':', "expected ':' after the output dimension at character {0}") || !size(name, place))
                return false;
        }
        return in.finish();
    }

    constexpr bool triton_dims() noexcept
    {
        return in.expect('[', "expected '[' before the out dims at character {0}") &&
               axe::detail::read_list(in, ']', "expected ',' or ']' after an out dim at character {0}", [&] {
                   in.peek();
                   const int place = in.at;
                   Axis name{};
                   return in.axis(name, "expected the name of an out dim at character {0}") &&
                          in.expect('(', "expected '(' before the size of an out dim at character {0}") &&
                          in.word("size", "expected the word size at character {0}") && size(name, place) &&
                          in.expect(')', "expected ')' after the size of an out dim at character {0}");
               });
    }
    /// One bullet, after its dash: `name is a size 1 dimension`, or the images of name=1, name=2, …
    constexpr bool bullet() noexcept
    {
        in.peek();
        const int place = in.at;
        Axis name{};
        if (!in.axis(name, "expected an input dimension at character {0}") || !dimension(layout.in, name, 0, place)) return false;
        const char* const unit = "expected '=' or the words is a size 1 dimension at character {0}";
        if (in.peek() != '=') {
            std::int64_t one = 0;
            return in.word("is", unit) && in.word("a", unit) && in.word("size", unit) && in.integer(one, unit) && one == 1
                       ? in.word("dimension", unit)
                       : in.expected(unit);
        }
        for (std::int64_t power = 1;; power *= 2) {
            in.accept('=');
            in.peek();
            const int number_place = in.at;
            std::int64_t number = 0;
            if (!in.integer(number, "expected the input that has the image at character {0}")) return false;
            if (number != power)
                return in.fail(errc::bad_syntax, number_place, "the input at character {0} must be the next power of two, {1}",
                               power);
            if (!arrow("expected the arrow -> at character {0}") || !image()) return false;
            const int before = in.at;
            if (!axe::detail::Reader::is_letter(in.peek())) return true;
            const int again_place = in.at;
            Axis again{};
            if (!in.axis(again)) return false;
            if (in.peek() != '=') { // the word `where`
                in.at = before;
                return true;
            }
            if (!(again == name))
                return in.fail(errc::bad_syntax, again_place,
                               "the input at character {0} belongs to another dimension: a dash is missing");
        }
    }
    constexpr bool list() noexcept
    {
        if (in.accept('(')) {
            const char* const words = "expected 'empty layout' at character {0}";
            if (!in.word("empty", words) || !in.word("layout", words)) return false;
            if (in.accept(')')) return in.finish();
            const char* const with = "expected ')' or the words with out-dims at character {0}";
            return in.word("with", with) && in.word("out", with) && in.expect('-', with) && in.word("dims", with) &&
                   triton_dims() && in.close_parenthesis() && in.finish();
        }
        while (in.accept('-'))
            if (!bullet()) return false;
        const char* const words = "expected '-' or 'where out dims are:' at character {0}";
        return in.word("where", words) && in.word("out", words) && in.word("dims", words) && in.word("are", words) &&
               in.expect(':', words) && triton_dims() && in.finish();
    }

    /// Puts the images into words, now that the sizes are known.
    constexpr bool pack() noexcept
    {
        const int bits = layout.bases.size();
        for (int j = 0; j < bits; ++j) layout.bases[j] = 0;
        if (const Status e = check(layout); !e.ok()) {
            in.error = e.error();
            return false;
        }
        for (int j = 0; j < bits; ++j) {
            const Image& from = images[j];
            if (from.count != layout.out.size())
                return fail(errc::rank_mismatch, from.place, "the image at character {0} has rank {1}, the output rank {2}",
                            from.count, layout.out.size());
            for (int d = 0, low = 0; d < from.count; low += layout.out[d++].bits) {
                const std::int64_t value = from.values[d];
                if (value < 0 || (value >> layout.out[d].bits) != 0)
                    return fail(errc::out_of_domain, from.places[d],
                                "the coordinate at character {0} is {1}; it must be in [0, {2})", value,
                                std::int64_t{1} << layout.out[d].bits);
                layout.bases[j] |= static_cast<std::uint64_t>(value) << low;
            }
        }
        return true;
    }
    constexpr bool read() noexcept
    {
        const bool triton = in.peek() == '(' || (in.peek() == '-' && !at_arrow());
        return (triton ? list() : line()) && pack();
    }
};

} // namespace detail
} // namespace linear
} // namespace v0
} // namespace axe

#endif
