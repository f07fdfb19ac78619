// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_TEXT_JSON_FORM_HPP
#define AXE_TEXT_JSON_FORM_HPP

#include <axe/layout/group.hpp>
#include <axe/layout/swizzle.hpp>

#include <cstdint>
#include <type_traits>

/// What values are as JSON, for any writer of it; the command `axe` writes its answers so, and <axe/json.hpp> makes and reads such values.
///
///   a number, an axis        8, "lane"
///   shapes, coordinates      [8,16]                a list of axes ["lane","reg"]
///   an iter, a range         {"extent":8,"stride":4,"axis":"lane"}, {"lo":0,"hi":32}       a region is a list of ranges
///   a point                  {"lane":8,"warp":6}
///   a layout                 {"shard":[iters],"replica":[iters],"offset":point}
///   a grouped layout         the same, and "groups": how many iters each dimension has
///   a swizzled layout        the same, and "swizzle":{"bits":3,"base":4,"shift":3,"axis":"smem","width":2}, where there is one
///
/// A writer has open(bracket), close(bracket), key(name), string(text), number(integer) and boolean(truth), each of which returns the writer.
namespace axe {
inline namespace v0 {

/// Is it the layout alone: a swizzle of no bits, on no axis that is named, for elements of one byte? Such a one is written as the layout.
template <AnyLayout L>
constexpr bool is_plain(const Swizzled<L>& s) noexcept
{
    return s.swizzle == Swizzle{} && s.axis == Axis{} && s.width == 1;
}

namespace detail {

/// One function a type, which find each other in whatever order they are written.
template <class Writer>
class JsonForm {
  public:
    explicit JsonForm(Writer& writer) : out(writer) {}

    template <class Int>
        requires(std::is_integral_v<Int>)
    void value(Int n) const
    {
        out.number(static_cast<std::int64_t>(n));
    }
    void value(const Axis& axis) const { out.string(axis.name().c_str()); }
    template <class Int>
    void value(const BasicIter<Int>& it) const
    {
        out.open('{').key("extent").number(it.extent).key("stride").number(it.stride).key("axis");
        value(it.axis);
        out.close('}');
    }
    template <class Int>
    void value(const BasicRange<Int>& range) const
    {
        out.open('{').key("lo").number(range.lo).key("hi").number(range.hi).close('}');
    }
    template <class T, int N>
    void value(const InlineVector<T, N>& list) const
    {
        out.open('[');
        for (int i = 0; i < list.size() && i < N; ++i) value(list[i]);
        out.close(']');
    }
    template <class Int, int N>
    void value(const BasicPoint<Int, N>& point) const
    {
        out.open('{');
        for (int i = 0; i < point.size() && i < N; ++i)
            out.key(point.entries[i].axis.name().c_str()).number(point.entries[i].value);
        out.close('}');
    }
    void value(const Swizzle& s) const { object(s); }
    template <AnyLayout L>
    void value(const L& layout) const
    {
        object(layout);
    }
    template <AnyLayout L>
    void value(const Grouped<L>& grouped) const
    {
        object(grouped);
    }
    template <AnyLayout L>
    void value(const Swizzled<L>& s) const
    {
        object(s);
    }

    void members(const Swizzle& s) const { out.key("bits").number(s.bits).key("base").number(s.base).key("shift").number(s.shift); }
    template <AnyLayout L>
    void members(const L& layout) const
    {
        out.key("shard");
        value(layout.shard);
        out.key("replica");
        value(layout.replica);
        out.key("offset");
        value(layout.offset);
    }
    template <AnyLayout L>
    void members(const Grouped<L>& grouped) const
    {
        members(grouped.layout);
        out.key("groups").open('[');
        for (int d = 0; d < grouped.rank() && d < max_rank; ++d) out.number(grouped.end(d) - grouped.begin(d));
        out.close(']');
    }
    template <AnyLayout L>
    void members(const Swizzled<L>& s) const
    {
        members(s.layout);
        if (is_plain(s)) return;
        out.key("swizzle").open('{');
        members(s.swizzle);
        out.key("axis");
        value(s.axis);
        out.key("width").number(s.width).close('}');
    }

  private:
    Writer& out;

    template <class T>
    void object(const T& v) const
    {
        out.open('{');
        members(v);
        out.close('}');
    }
};

} // namespace detail

/// Writes a value. Of a list that is overfull, which no reader takes, the items that it holds. Cost: linear.
template <class Writer, class T>
    requires(requires(const detail::JsonForm<Writer>& form, const T& value) { form.value(value); })
void write_json(Writer& out, const T& value)
{
    detail::JsonForm<Writer>(out).value(value);
}

/// Writes the members of the object that a layout is, for a writer that adds others.
template <class Writer, class T>
    requires(requires(const detail::JsonForm<Writer>& form, const T& value) { form.members(value); })
void write_json_members(Writer& out, const T& value)
{
    detail::JsonForm<Writer>(out).members(value);
}

} // namespace v0
} // namespace axe

#endif
