// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From layouts and a file's head to a plan.
#include "relayout_job.hpp"

#include "reply.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace axe_cli {
namespace {

using axe::errc;
using axe::Layout;
using axe::Problem;
using axe::RelayoutSide;
using axe::Shape;
using axe::detail::worded;

std::string text_of(std::int64_t n) { return std::to_string(n); }

/// x ↦ x
Layout in_order(std::int64_t elements)
{
    Layout out;
    out.shard.push_back({elements, 1, axe::Axis{}});
    return out;
}

/// Where a file in Fortran order has the elements, which are numbered row-major: the first dimension is the fastest.
Layout first_fastest(const Shape& shape)
{
    Layout out;
    std::int64_t stride = 1;
    for (int d = 0; d < shape.size(); ++d) {
        out.shard.push_back({shape[d], stride, axe::Axis{}});
        stride *= shape[d];
    }
    return out;
}

/// The pitches that were given, to a side that has one of their axes; a plain address, on m, has pitch 1 unless said.
Problem add_pitches(const RelayoutRequest& request, RelayoutSide& side)
{
    const Layout& layout = side.layout.layout;
    bool has_one = false;
    bool has_m = false;
    const auto look = [&](const axe::Axis& axis) {
        for (const Pitch& p : request.pitches) has_one = has_one || p.axis == axis;
    };
    for (const axe::Iter& it : layout.shard) look(it.axis);
    for (const axe::Iter& it : layout.replica) look(it.axis);
    for (const auto& entry : layout.offset) look(entry.axis);
    if (!has_one) return {};
    bool fits = true;
    for (const Pitch& p : request.pitches) {
        fits = fits && side.pitches.push_back({p.axis, p.elements});
        has_m = has_m || p.axis == axe::Axis{};
    }
    if (!has_m) fits = fits && side.pitches.push_back({axe::Axis{}, 1});
    return fits ? Problem() : Problem(errc::capacity, "--pitch is given for too many axes: with m there may be 8");
}

/// The same side in elements that are a k-th as wide: the tensor has one dimension more, of k.
Problem split(RelayoutSide& side, const std::string& option, std::int64_t k)
{
    if (!side.shape.empty() && !side.shape.push_back(k)) return {errc::capacity, option + ": a shape has at most 16 dimensions"};
    if (side.layout.swizzle.bits > 0) {
        if (side.layout.width % k != 0)
            return {errc::bad_argument,
                    option + worded(": a swizzle of elements of {0} bytes moves no whole elements", {text_of(side.layout.width)})};
        const auto narrow = axe::with_width(side.layout, side.layout.width / k);
        if (!narrow) return Problem(narrow.error(), option + ": ");
        side.layout = *narrow;
        for (axe::AxisPitch& p : side.pitches)
            if (!(p.axis == side.layout.axis) && !axe::detail::mul(p.pitch, k, p.pitch))
                return {errc::overflow, option + ": a pitch leaves 64 bits"};
        return {};
    }
    // All on one axis, as a stride there has the pitch in it.
    const auto pitch_of = [&](const axe::Axis& axis) {
        for (const axe::AxisPitch& p : side.pitches)
            if (p.axis == axis) return p.pitch;
        return std::int64_t{1};
    };
    Layout out;
    bool fits = true;
    const auto move = [&](const axe::Iter& it) {
        std::int64_t stride = 0;
        fits = fits && axe::detail::mul(it.stride, pitch_of(it.axis), stride) && axe::detail::mul(stride, k, stride);
        return axe::Iter{it.extent, stride, axe::Axis{}};
    };
    for (const axe::Iter& it : side.layout.layout.shard) fits = fits && out.shard.push_back(move(it));
    fits = fits && out.shard.push_back({k, 1, axe::Axis{}});
    for (const axe::Iter& it : side.layout.layout.replica) out.replica.push_back(move(it));
    std::int64_t offset = 0;
    for (const auto& entry : side.layout.layout.offset)
        fits = fits && axe::detail::add(offset, move({1, entry.value, entry.axis}).stride, offset);
    if (!fits) return {errc::overflow, option + ": its strides in parts of elements leave 64 bits, or it has too many of them"};
    if (offset != 0) *out.offset.entry(axe::Axis{}) = offset;
    side.layout.layout = out;
    side.pitches = {};
    return {};
}

/// The bits that are written where the destination is padded.
Problem read_padding(const std::string& text, std::int64_t width, char kind, std::optional<axe::DType> type, bool swapped,
                     std::uint64_t& out)
{
    const int bits = static_cast<int>(std::min<std::int64_t>(8 * width, 64));
    const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    const char *begin = text.data() + (is_hex ? 2 : 0), *end = text.data() + text.size();
    const std::string type_name = type ? name(*type) : "an element of " + text_of(width) + " bytes";
    const auto refuse = [&] {
        return Problem(errc::bad_argument, "--padding: " + axe_cli::quoted(text) + " is no value of " + type_name);
    };
    const bool has_values = !is_hex && type && (is_float(*type) || is_integer(*type) || *type == axe::DType::b1);
    if (has_values && is_float(*type)) {
        char* read = nullptr;
        const double value = std::strtod(text.c_str(), &read);
        if (read != end) return refuse();
        out = axe::encode(*type, value);
    } else if (is_hex || kind == 'u' || !(kind == 'i' || has_values)) {
        const auto [read, failed] = std::from_chars(begin, end, out, is_hex ? 16 : 10);
        if (failed != std::errc() || read != end || out > all) return refuse();
    } else {
        std::int64_t value = 0;
        const auto [read, failed] = std::from_chars(begin, end, value);
        const bool is_b1 = type && *type == axe::DType::b1;
        const std::int64_t least = is_b1 ? 0 : type ? axe::detail::lowest_integer(*type) : INT64_MIN >> (64 - bits);
        const std::int64_t most = is_b1 ? 1 : type ? axe::detail::highest_integer(*type) : INT64_MAX >> (64 - bits);
        if (failed != std::errc() || read != end || value < least || value > most) return refuse();
        out = static_cast<std::uint64_t>(value) & (type && *type == axe::DType::i4 ? 15 : all);
    }
    if (!swapped || is_hex) return {}; // bits are those in the file
    std::uint64_t turned = 0;
    for (int b = 0; b < bits; b += 8) turned |= (out >> b & 0xff) << (bits - 8 - b);
    out = turned;
    return {};
}

/// Makes the job step by step; each step stops with its problem.
class JobMaker {
  public:
    JobMaker(const RelayoutRequest& request, const NpyFile& in, const NpyFile* old) : request_(request), in_(in), old_(old) {}

    axe::Outcome<RelayoutJob> make()
    {
        for (const auto step : {&JobMaker::find_layouts, &JobMaker::find_types, &JobMaker::find_widths, &JobMaker::find_padding,
                                &JobMaker::find_plan, &JobMaker::find_output})
            if (Problem p = (this->*step)()) return p;
        return std::move(job_);
    }

  private:
    Problem find_layouts()
    {
        shape_ = request_.shape.value_or(in_.shape);
        const auto elements = volume(shape_);
        if (!elements) return Problem(elements.error(), "--shape: ");
        job_.elements = *elements;
        if (request_.from_shape) from_.shape = *request_.from_shape;
        if (request_.to_shape) to_.shape = *request_.to_shape;
        tensor_shape_ = to_.shape.empty() ? shape_ : to_.shape;
        const auto padded = volume(tensor_shape_);
        if (!padded) return Problem(padded.error(), "--to-shape: ");
        if (request_.to)
            to_.layout = *request_.to;
        else
            to_.layout.layout = in_order(*padded);

        if (request_.from) {
            from_.layout = *request_.from;
        } else {
            const auto read = volume(from_.shape.empty() ? shape_ : from_.shape);
            if (!read) return Problem(read.error(), "--from-shape: ");
            if (*read != in_.elements)
                return {errc::size_mismatch, worded("{0} has {1} elements, {2} {3}; say --from which of them are meant",
                                                    {request_.in, text_of(in_.elements),
                                                     from_.shape.empty() ? "--shape" : "--from-shape", text_of(*read)})};
            from_.layout.layout = in_.is_fortran ? first_fastest(in_.shape) : in_order(*read);
        }
        if (Problem p = add_pitches(request_, from_)) return p;
        return add_pitches(request_, to_);
    }

    /// Are values computed, and of which types? Else bits are copied.
    Problem find_types()
    {
        from_type_ = in_.type;
        if (request_.of) {
            if (storage_bytes(*request_.of) != in_.width)
                return {errc::bad_argument,
                        worded("--of {0} has elements of {1} bytes, {2} of {3}",
                               {name(*request_.of), text_of(storage_bytes(*request_.of)), request_.in, text_of(in_.width)})};
            from_type_ = request_.of;
        }
        to_type_ = request_.as ? request_.as : from_type_;
        computes_ = request_.as || request_.scale != 1 || request_.accumulate;
        if (!computes_) return {};
        const std::string asked = request_.as ? "--as" : request_.accumulate ? "--accumulate" : "--scale";
        if (!from_type_)
            return {
                errc::bad_argument,
                worded("{0} has elements of the type {1}, with which nothing is computed; {2} takes f8, f4, f2, i4, i2, i1, u1, "
                       "b1, or --of TYPE",
                       {request_.in, in_.type_words(), asked})};
        if (in_.swapped || (old_ != nullptr && old_->swapped))
            return {errc::bad_argument,
                    worded("{0} has elements of the type {1}, in the other byte order than this processor: they "
                           "are copied as they are, without {2}",
                           {in_.swapped ? request_.in : request_.out, in_.swapped ? in_.type_words() : old_->type_words(), asked})};
        if (old_ == nullptr) return {};
        if (!request_.as && old_->type) to_type_ = old_->type;
        if (old_->type ? *old_->type != *to_type_ : old_->width != storage_bytes(*to_type_) || old_->kind != 'V')
            return {errc::bad_argument, worded("{0} has elements of the type {1}, to which no {2} can be added",
                                               {request_.out, old_->type_words(), name(*to_type_)})};
        return {};
    }

    /// Elements that no instruction moves, and such that begin within themselves, are split into parts.
    Problem find_widths()
    {
        if (computes_) {
            unit_ = to_bytes_ = storage_bytes(*to_type_);
            if (in_.start % in_.width == 0) return {};
            return {errc::bad_argument,
                    worded("{0}: its data begins at byte {1}, within an element of {2} bytes; nothing is computed "
                           "of such, but they are copied",
                           {request_.in, text_of(in_.start), text_of(in_.width)})};
        }
        to_bytes_ = in_.width;
        unit_ = 16;
        while (in_.width % unit_ != 0 || in_.start % unit_ != 0) unit_ /= 2;
        const std::int64_t k = in_.width / unit_;
        if (k == 1) return {};
        if (!shape_.push_back(k)) return {errc::capacity, "--shape: elements of this width take one of the 16 dimensions"};
        if (Problem p = split(from_, "--from", k)) return p;
        return split(to_, "--to", k);
    }

    Problem find_padding()
    {
        auto& o = options_;
        if (computes_) {
            o.from_type = from_type_;
            o.to_type = to_type_;
            o.scale = request_.scale;
            o.accumulate = request_.accumulate;
        } else {
            o.bits = static_cast<int>(8 * unit_);
        }
        if (request_.padding.empty()) {
            if (!to_.shape.empty() && !request_.accumulate) o.padding = 0;
            return {};
        }
        std::uint64_t bits = 0;
        const auto type = computes_ ? to_type_ : from_type_;
        if (Problem p = read_padding(request_.padding, to_bytes_, computes_ ? '?' : in_.kind, type, in_.swapped, bits)) return p;
        if (bits != 0 && unit_ != to_bytes_)
            return {errc::bad_argument, worded("--padding: elements of {0} bytes, copied in parts of {1}, are padded with 0 only",
                                               {text_of(to_bytes_), text_of(unit_)})};
        o.padding = bits;
        return {};
    }

    Problem find_plan()
    {
        auto plan = axe::plan_relayout(to_, from_, shape_, options_);
        if (!plan) {
            Problem p = plan.error();
            const auto rename = [&](std::string_view side, const char* option) {
                if (p.text.starts_with(side)) p.text.replace(0, side.size(), option);
            };
            rename("source: ", "--from: ");
            rename("destination: ", "--to: ");
            return p;
        }
        job_.plan = std::move(*plan);
        const auto& from = job_.plan.parts().from;
        const auto& to = job_.plan.parts().to;
        if (from.least < 0)
            return {errc::out_of_domain,
                    worded("--from reaches byte {0}, before the data of {1}", {text_of(from.least), request_.in})};
        if (from.most >= in_.bytes)
            return {errc::out_of_domain, worded("--from reaches byte {0}, {1} has {2} bytes of data",
                                                {text_of(from.most), request_.in, text_of(in_.bytes)})};
        if (to.least < 0) return {errc::out_of_domain, worded("--to reaches byte {0}, before the output", {text_of(to.least)})};
        return {};
    }

    /// The output holds all that the layout may reach, padding too, also where that is left alone.
    Problem find_output()
    {
        const auto map = axe::detail::address_map(to_, unit_, true);
        const auto source = axe::detail::address_map(from_, computes_ ? in_.width : unit_, false);
        if (!map) return map.error();
        const auto runs_on = [](const axe::detail::AddressMap& m, std::int64_t unit) {
            return (m.digits.empty() || (m.digits.size() == 1 && m.digits[0].step == unit)) && m.copies.empty() && m.offset == 0 &&
                   m.swizzle.bits == 0;
        };
        job_.writes_in_order = runs_on(*map, unit_);
        job_.reads_in_order = source && runs_on(*source, computes_ ? in_.width : unit_);
        const std::int64_t reach = std::max(map->most, job_.plan.parts().to.most) / to_bytes_ + 1; // in elements

        NpyFile& out = job_.out;
        if (old_ != nullptr) {
            out = *old_;
            if (request_.out_shape && !(*request_.out_shape == out.shape))
                return {errc::bad_argument, worded("--out-shape is another than that of {0}, to which is added", {request_.out})};
            if (reach <= out.elements) return {};
            return {errc::out_of_domain, worded("--to reaches element {0}, {1} has {2} of them",
                                                {text_of(reach - 1), request_.out, text_of(out.elements)})};
        }
        out.shape = Shape{reach};
        if (job_.writes_in_order && volume(tensor_shape_).value() == reach) out.shape = tensor_shape_;
        if (request_.out_shape) out.shape = *request_.out_shape;
        const auto elements = volume(out.shape);
        if (!elements) return Problem(elements.error(), "--out-shape: ");
        if (*elements < reach)
            return {errc::size_mismatch,
                    worded("--out-shape has {0} elements, --to reaches {1}", {text_of(*elements), text_of(reach)})};
        out.elements = *elements;
        out.width = to_bytes_;
        // The bits of another type than the file said are still those of the file's.
        out.descr = computes_ && (request_.as || request_.of) ? npy_descr(*to_type_) : in_.descr;
        job_.head = npy_head(out.descr, out.shape);
        out.start = static_cast<std::int64_t>(job_.head.size());
        std::int64_t whole = 0;
        if (!axe::detail::mul(out.elements, to_bytes_, out.bytes) || !axe::detail::add(out.bytes, out.start, whole))
            return {errc::overflow, "the output takes more bytes than 64 bits count"};
        return {};
    }

    const RelayoutRequest& request_;
    const NpyFile& in_;
    const NpyFile* old_;
    Shape shape_{}, tensor_shape_{}; ///< of what is copied; and of the output, were it row-major
    RelayoutSide from_{}, to_{};
    std::optional<axe::DType> from_type_{}, to_type_{};
    bool computes_ = false;
    std::int64_t unit_ = 1, to_bytes_ = 1; ///< bytes of what is moved at once, and of an element of the output
    axe::RelayoutOptions options_{};
    RelayoutJob job_{};
};

} // namespace

axe::Outcome<RelayoutJob> make_relayout_job(const RelayoutRequest& request, const NpyFile& in, const NpyFile* old)
{
    return JobMaker(request, in, old).make();
}

} // namespace axe_cli
