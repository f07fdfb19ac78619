// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From layouts and a file's head to a plan.
#include "relayout_job.hpp"

#include "relayout_layouts.hpp"
#include "relayout_padding.hpp"

namespace axe_cli {
namespace {

using axe::errc;
using axe::Layout;
using axe::Problem;
using axe::RelayoutSide;
using axe::Shape;
using axe::detail::worded;

std::string text_of(std::int64_t n) { return std::to_string(n); }

/// Makes the job step by step; each step stops with its problem.
class JobMaker {
  public:
    JobMaker(const RelayoutRequest& request, const NpyFile& in, const NpyFile* old) : request_(request), in_(in), old_(old) {}

    axe::Result<RelayoutJob, axe::Problem> make()
    {
        for (const auto step : {&JobMaker::find_layouts, &JobMaker::find_types, &JobMaker::find_widths, &JobMaker::find_padding,
                                &JobMaker::find_plan, &JobMaker::find_output})
            if (auto p = (this->*step)(); !p.ok()) return p;
        return std::move(job_);
    }

  private:
    axe::Result<void, axe::Problem> find_layouts()
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
        if (auto p = check_pitches(request_, from_.layout.layout, to_.layout.layout); !p.ok()) return p;
        if (auto p = add_pitches(request_, from_); !p.ok()) return p;
        return add_pitches(request_, to_);
    }

    /// Are values computed, and of which types? Else bits are copied.
    axe::Result<void, axe::Problem> find_types()
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
            return {errc::bad_argument, worded("{0} has {1}, with which nothing is computed; {2} takes f8, f4, f2, i4, i2, i1, u1, "
                                               "b1, or --of TYPE",
                                               {request_.in, in_.content_words(), asked})};
        if (in_.swapped || (old_ != nullptr && old_->swapped))
            return {errc::bad_argument, worded("{0} has {1}, in the other byte order than this processor: they "
                                               "are copied as they are, without {2}",
                                               {in_.swapped ? request_.in : request_.out,
                                                in_.swapped ? in_.content_words() : old_->content_words(), asked})};
        if (old_ == nullptr) return {};
        if (!request_.as && old_->type) to_type_ = old_->type;
        if (old_->type ? *old_->type != *to_type_ : old_->width != storage_bytes(*to_type_) || old_->kind != 'V')
            return {errc::bad_argument,
                    worded("{0} has {1}, to which no {2} can be added", {request_.out, old_->content_words(), name(*to_type_)})};
        return {};
    }

    /// A swizzle moves bytes, and must know how many an element has.
    axe::Result<void, axe::Problem> check_swizzle(bool is_to)
    {
        const auto& s = (is_to ? to_ : from_).layout;
        const std::int64_t width = is_to && computes_ ? storage_bytes(*to_type_) : in_.width;
        if (s.swizzle.bits == 0 || s.width == width) return {};
        return {errc::bad_argument,
                worded("{0}: the swizzle counts elements of {1} bytes, those here have {2}: write swizzle<...>/{2}(...)",
                       {is_to ? "--to" : "--from", text_of(s.width), text_of(width)})};
    }

    /// Elements that no instruction moves, and such that begin within themselves, are split into parts.
    axe::Result<void, axe::Problem> find_widths()
    {
        for (const bool is_to : {false, true})
            if (auto p = check_swizzle(is_to); !p.ok()) return p;
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
        if (auto p = check_elements(); !p.ok()) return p;
        if (!shape_.push_back(k)) return {errc::capacity, "--shape: elements of this width take one of the 16 dimensions"};
        if (auto p = split(from_, "--from", k); !p.ok()) return p;
        return split(to_, "--to", k);
    }

    /// What is wrong is told of whole elements, not of their parts: as if each were a byte, and where no swizzle moved it.
    axe::Result<void, axe::Problem> check_elements()
    {
        RelayoutSide to = to_, from = from_;
        to.layout.swizzle = from.layout.swizzle = {};
        axe::RelayoutOptions bytes;
        bytes.bits = 8;
        if (!to.shape.empty()) bytes.padding = 0;
        return renamed(axe::plan_relayout(to, from, shape_, bytes).error());
    }

    axe::Result<void, axe::Problem> find_padding()
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
        const auto type = computes_ ? to_type_ : from_type_;
        const PaddedElement element{to_bytes_, computes_ ? '?' : in_.kind, type, in_.swapped,
                                    type ? name(*type) : in_.type_words()};
        const auto bits = read_padding(request_.padding, element);
        if (!bits) return bits.error();
        if (*bits != 0 && unit_ != to_bytes_)
            return {errc::bad_argument, worded("--padding: elements of {0} bytes, copied in parts of {1}, are padded with 0 only",
                                               {text_of(to_bytes_), text_of(unit_)})};
        if (to_.shape.empty())
            return {errc::bad_argument, "--padding is what --to-shape has beyond the tensor's shape, and it is not given"};
        o.padding = *bits;
        return {};
    }

    /// A side's problem, as that of the option that made it.
    static axe::Result<void, axe::Problem> renamed(Problem p)
    {
        for (const auto& [side, option] : {std::pair{"source: ", "--from: "}, std::pair{"destination: ", "--to: "},
                                           std::pair{"the destination's element", "--to: the output's element"}})
            if (p.text.starts_with(side)) p.text.replace(0, std::string_view(side).size(), option);
        return p;
    }

    axe::Result<void, axe::Problem> find_plan()
    {
        auto plan = axe::plan_relayout(to_, from_, shape_, options_);
        if (!plan) return renamed(plan.error());
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
    axe::Result<void, axe::Problem> find_output()
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

axe::Result<RelayoutJob, axe::Problem> make_relayout_job(const RelayoutRequest& request, const NpyFile& in, const NpyFile* old)
{
    return JobMaker(request, in, old).make();
}

} // namespace axe_cli
