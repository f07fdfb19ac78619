// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_JSON_INPUT_HPP
#define AXE_JSON_INPUT_HPP

#include <axe/json/answers.hpp>
#include <axe/json/text_form.hpp>
#include <axe/layout/group.hpp>
#include <axe/layout/swizzle.hpp>
#include <axe/map/parse.hpp>
#include <axe/tensor/problem.hpp>
#include <axe/text/common/words.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Values out of JSON, for <axe/json.hpp>.
namespace axe {
inline namespace v0 {
/// Reads values out of a tree of JSON, one function a type:  read(json, value) is whether there was one.
///
/// Otherwise `problem` says what is wrong first, and where: `shard[2].stride: expected an integer, found "x"`.
/// @tparam Json a tree as nlohmann's library has it
template <class Json>
class JsonInput {
  public:
    Problem problem{};

    template <class Int>
        requires(std::is_integral_v<Int>)
    bool read(const Json& j, Int& out)
    {
        if (!j.is_number_integer()) return expected("an integer", j);
        if (j.is_number_unsigned() && j.template get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
            return overflows(j);
        const auto n = j.template get<std::int64_t>();
        if (n < std::numeric_limits<Int>::min() || n > std::numeric_limits<Int>::max()) return overflows(j);
        out = static_cast<Int>(n);
        return true;
    }
    bool read(const Json& j, std::string& out)
    {
        if (!j.is_string()) return expected("a string", j);
        out = j.template get_ref<const std::string&>();
        return true;
    }
    bool read(const Json& j, Axis& out)
    {
        std::string name;
        return read(j, name) && axis(name, out);
    }
    template <class Int>
    bool read(const Json& j, BasicIter<Int>& out)
    {
        return object(j, {"extent", "stride", "axis"}) && member(j, "extent", out.extent) && member(j, "stride", out.stride) &&
               member(j, "axis", out.axis);
    }
    template <class Int>
    bool read(const Json& j, BasicRange<Int>& out)
    {
        return object(j, {"lo", "hi"}) && member(j, "lo", out.lo) && member(j, "hi", out.hi);
    }
    bool read(const Json& j, IndexInterval& out)
    {
        return object(j, {"low", "high"}) && member(j, "low", out.low) && member(j, "high", out.high);
    }
    template <class T, int N>
    bool read(const Json& j, InlineVector<T, N>& out)
    {
        if (j.is_array() && j.size() > static_cast<std::size_t>(N))
            return fail(errc::capacity, "a list of {0} items; at most {1} fit", {j.size(), N});
        return items(j, [&](const Json& item) {
            T value{};
            return read(item, value) && out.push_back(value);
        });
    }
    template <class Int, int N>
    bool read(const Json& j, BasicPoint<Int, N>& out)
    {
        if (!j.is_object()) return expected("an object", j);
        for (auto it = j.begin(); it != j.end(); ++it) {
            Axis at{};
            const Inside inside(*this, "." + it.key());
            if (!axis(it.key(), at)) return false;
            Int* entry = out.entry(at);
            if (entry == nullptr) return fail(errc::capacity, "one axis too many; a point has at most {0}", {N});
            if (!read(it.value(), *entry)) return false;
        }
        return true;
    }
    bool read(const Json& j, Swizzle& out) { return object(j, {"bits", "base", "shift"}) && swizzle(j, out) && sound(check(out)); }
    template <AnyLayout L>
    bool read(const Json& j, L& out)
    {
        return object(j, {"shard", "replica", "offset"}) && layout(j, out);
    }
    template <AnyLayout L>
    bool read(const Json& j, Grouped<L>& out)
    {
        InlineVector<int, max_rank> groups;
        if (!object(j, {"shard", "replica", "offset", "groups"}) || !layout(j, out.layout) || !member(j, "groups", groups))
            return false;
        const Inside inside(*this, ".groups");
        int end = 0;
        for (int d = 0; d < groups.size(); ++d) {
            if (groups[d] < 0 || groups[d] > out.layout.shard.size() - end)
                return fail(errc::rank_mismatch, "group {0} has {1} iters; {2} are left",
                            {d, groups[d], out.layout.shard.size() - end});
            out.ends.push_back(end += groups[d]);
        }
        if (end == out.layout.shard.size()) return true;
        return fail(errc::rank_mismatch, "the groups have {0} iters; the layout has {1}", {end, out.layout.shard.size()});
    }
    template <AnyLayout L>
    bool read(const Json& j, Swizzled<L>& out)
    {
        if (!object(j, {"shard", "replica", "offset", "swizzle"}) || !layout(j, out.layout)) return false;
        if (j.contains("swizzle")) {
            const Json& s = j["swizzle"];
            const Inside inside(*this, ".swizzle");
            if (!object(s, {"bits", "base", "shift", "axis", "width"}) || !swizzle(s, out.swizzle) ||
                !member(s, "axis", out.axis) || !member(s, "width", out.width))
                return false;
        }
        return sound(check(out));
    }
    bool read(const Json& j, IndexingMap& out)
    {
        if (!object(j, {"dimensions", "ranges", "runtimes", "results", "constraints", "undefined"})) return false;
        if (j.contains("undefined")) {
            const Inside inside(*this, ".undefined");
            if (j["undefined"] != true || j.contains("results")) return fail(errc::bad_syntax, "must be true, and the only member");
            out = IndexingMap::undefined();
            return true;
        }
        return map(j, out);
    }

    /// A type whose form is its text.
    template <HasJsonText T>
    bool read(const Json& j, T& out)
    {
        std::string text;
        if (!read(j, text)) return false;
        auto value = JsonText<T>::parse(text);
        if (!value) return fail(value.code(), "{0}", {detail::MessageArgument(value.error().message().c_str())});
        out = *std::move(value);
        return true;
    }
    bool read(const Json& j, Problem& out)
    {
        std::string code;
        if (!object(j, {"code", "message"}) || !member(j, "code", code) || !member(j, "message", out.text)) return false;
        const Inside inside(*this, ".code");
        bool is_known = false;
        out.code = code_named(code.c_str(), is_known);
        return is_known || expected("the name of a code", j["code"]);
    }
    bool read(const Json& j, Result<void, Problem>& out)
    {
        Problem error;
        if (!read(j, error)) return false;
        out = std::move(error);
        return true;
    }
    template <class T>
    bool read(const Json& j, Result<T, Problem>& out)
    {
        if (!object(j, {"value", "error"})) return false;
        if (j.contains("error")) {
            Problem error;
            if (j.contains("value")) return fail(errc::bad_syntax, "an object has a value or an error, not both");
            if (!member(j, "error", error)) return false;
            out = Result<T, Problem>(std::move(error));
            return true;
        }
        T value{};
        if (!member(j, "value", value)) return false;
        out = Result<T, Problem>(std::move(value));
        return true;
    }
    /// Of an undecided one the code is read: its message is a constant of the program that made it.
    bool read(const Json& j, Decision& out)
    {
        std::string answer;
        std::int64_t witness = -1;
        if (!object(j, {"decision", "witness", "error"}) || !member(j, "decision", answer)) return false;
        if (j.contains("witness") && !member(j, "witness", witness)) return false;
        if (answer == "undecided") {
            Problem error;
            if (!member(j, "error", error)) return false;
            out = Decision(Error(error.code, -1, "the JSON that was read says so"));
            return true;
        }
        const Inside inside(*this, ".decision");
        if (answer != "yes" && answer != "no") return expected("yes, no or undecided", j["decision"]);
        out = Decision(answer == "yes", witness);
        return true;
    }

  private:
    std::string path_{};

    /// Adds to the path while it lives.
    class Inside {
      public:
        Inside(JsonInput& input, const std::string& step) : input_(input), length_(input.path_.size()) { input.path_ += step; }
        ~Inside() { input_.path_.resize(length_); }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

      private:
        JsonInput& input_;
        std::size_t length_;
    };

    bool fail(errc code, const char* words, std::initializer_list<detail::MessageArgument> values = {})
    {
        const std::string where = path_.empty() ? "JSON" : path_.front() == '.' ? path_.substr(1) : path_;
        problem = Problem(code, where + ": " + detail::worded(words, values));
        return false;
    }
    bool expected(const char* what, const Json& j)
    {
        std::string found = j.is_primitive() ? j.dump(-1, ' ', true, Json::error_handler_t::replace) : std::string();
        if (found.empty() || found.size() > 40) found = detail::worded("a value of type {0}", {j.type_name()});
        return fail(errc::bad_syntax, "expected {0}, found {1}", {what, found});
    }
    bool overflows(const Json& j) { return fail(errc::overflow, "the number {0} overflows", {j.dump()}); }
    bool sound(const Status& status) { return status.ok() || fail(status.code(), "{0}", {status.error().message().c_str()}); }
    bool axis(const std::string& name, Axis& out)
    {
        const auto made = Axis::make(name.data(), static_cast<int>(name.size() < 100 ? name.size() : 100));
        if (!made) return sound(made.error());
        out = *made;
        return true;
    }

    /// Is it an object, with no member but these and what answers of the command have?
    bool object(const Json& j, std::initializer_list<std::string_view> names)
    {
        if (!j.is_object()) return expected("an object", j);
        for (auto it = j.begin(); it != j.end(); ++it) {
            bool known = false;
            for (const std::string_view name : names) known = known || it.key() == name;
            for (const std::string_view name : {"status", "answer", "text"}) known = known || it.key() == name;
            const Inside inside(*this, "." + it.key());
            if (known) continue;
            std::string members;
            for (const std::string_view name : names) members.append(members.empty() ? "" : ", ").append(name);
            return fail(errc::bad_syntax, "unknown member; the object has {0}", {members});
        }
        return true;
    }
    template <class T>
    bool member(const Json& j, const char* name, T& out)
    {
        return at(j, name, [&](const Json& value) { return read(value, out); });
    }
    template <class Read>
    bool at(const Json& j, const char* name, Read read_member)
    {
        const Inside inside(*this, std::string(".") + name);
        return j.contains(name) ? read_member(j[name]) : fail(errc::bad_syntax, "the member is missing");
    }
    template <class Read>
    bool items(const Json& j, Read read_item)
    {
        if (!j.is_array()) return expected("a list", j);
        for (std::size_t i = 0; i < j.size(); ++i) {
            const Inside inside(*this, "[" + std::to_string(i) + "]");
            if (!read_item(j[i])) return false;
        }
        return true;
    }
    bool swizzle(const Json& j, Swizzle& out)
    {
        return member(j, "bits", out.bits) && member(j, "base", out.base) && member(j, "shift", out.shift);
    }
    template <AnyLayout L>
    bool layout(const Json& j, L& out)
    {
        return member(j, "shard", out.shard) && member(j, "replica", out.replica) && member(j, "offset", out.offset) &&
               sound(check(out));
    }

    static std::string range_text(const IndexInterval& interval)
    {
        return "[" + std::to_string(interval.low) + ", " + std::to_string(interval.high) + "]";
    }
    /// A map is read as its text, put together; each part by itself first, to say which is wrong, and so that none says more than it may.
    bool map(const Json& j, IndexingMap& out)
    {
        std::string head, results, domain;
        const auto put_condition = [&](const std::string& what, const IndexInterval& interval) {
            domain.append(domain.empty() ? ", domain: " : ", ").append(what).append(" in ").append(range_text(interval));
        };
        if (!variables(j, "dimensions", "()", head, put_condition) || !variables(j, "ranges", "[]", head, put_condition) ||
            !variables(j, "runtimes", "{}", head, put_condition))
            return false;
        head += " -> (";
        if (const auto names = parse_map(head + ")"); !names)
            return fail(names.code(), "the names of the variables: {0}", {names.error().message().c_str()});
        const auto one_result = [&](const Json& item) {
            std::string text;
            if (!expression(item, head, text)) return false;
            results.append(results.empty() ? "" : ", ").append(text);
            return true;
        };
        const auto one_constraint = [&](const Json& item) {
            std::string text;
            IndexInterval interval;
            if (!object(item, {"expression", "low", "high"}) || !member(item, "low", interval.low) ||
                !member(item, "high", interval.high) ||
                !at(item, "expression", [&](const Json& value) { return expression(value, head, text); }))
                return false;
            put_condition("(" + text + ")", interval);
            return true;
        };
        if (!at(j, "results", [&](const Json& list) { return items(list, one_result); }) ||
            !at(j, "constraints", [&](const Json& list) { return items(list, one_constraint); }))
            return false;
        auto whole = parse_map(head + results + ")" + domain);
        if (!whole) return sound(whole.error());
        out = *std::move(whole);
        return true;
    }
    /// The variables of one kind: their names in brackets at the end of `head`, and their intervals.
    template <class PutCondition>
    bool variables(const Json& j, const char* kind, const char* brackets, std::string& head, PutCondition put_condition)
    {
        const char* before = "";
        head += brackets[0];
        const auto one = [&](const Json& item) {
            std::string name;
            IndexInterval bounds;
            if (!object(item, {"name", "low", "high"}) || !member(item, "low", bounds.low) || !member(item, "high", bounds.high) ||
                !member(item, "name", name))
                return false;
            const Inside inside(*this, ".name");
            const auto alone = parse_map("(" + name + ") -> ()");
            if (!alone || alone->dimensions != 1 || alone->variables.size() != 1)
                return expected("the name of a variable", item["name"]);
            head.append(before).append(name);
            before = ", ";
            put_condition(name, bounds);
            return true;
        };
        if (!at(j, kind, [&](const Json& list) { return items(list, one); })) return false;
        head += brackets[1];
        return true;
    }
    /// One expression of the variables in `head`; where it goes wrong counts from its own first character.
    bool expression(const Json& item, const std::string& head, std::string& text)
    {
        if (!read(item, text)) return false;
        const auto alone = parse_map(head + text + ")");
        if (alone) return alone->results.size() == 1 || expected("one expression", item);
        Error e = alone.error();
        if (e.position == e.numbers[0]) e.numbers[0] -= static_cast<std::int64_t>(head.size());
        return sound(e);
    }
};

} // namespace v0
} // namespace axe

#endif
