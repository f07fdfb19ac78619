// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_JSON_HPP
#define AXE_JSON_HPP

#include <axe/json/input.hpp>
#include <axe/map/json_form.hpp>
#include <axe/text/common/words.hpp>
#include <axe/text/json_form.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Values as JSON, written and read with nlohmann's library, version 3.9 or newer. Opt-in: no other header includes this one.
///
///   json_text(layout)               {"shard":[{"extent":8,"stride":4,"axis":"lane"}],"replica":[],"offset":{}}
///   read_json<Layout>(text)         the layout, or what is wrong with which member; never throws
///   nlohmann::json j = layout;      and j.get<Layout>(), which throws as those of the library do
///
/// For axes, iters, shapes and coordinates, ranges, regions, points, lists of axes, layouts, grouped and swizzled ones, swizzles,
/// intervals and indexing maps; for problems, decisions and results (<axe/json/answers.hpp>), and where the headers of <axe/json/…> are included
/// for element types, CuTe's, Triton's and Spyre's layouts and shardings. Objects have the members of <axe/text/json_form.hpp> and <axe/map/json_form.hpp>, in any order; `status`,
/// `answer` and `text`, which the command's answers have besides, are read over, and any other is an error.
namespace axe {
inline namespace v0 {
namespace detail {

/// Builds a value of nlohmann's library; a writer as `write_json` takes one, and the events of its parser.
template <class Json>
class JsonBuilder {
  public:
    explicit JsonBuilder(Json& root) : root_(root) {}

    JsonBuilder& open(char bracket)
    {
        Json& at = place(bracket == '{' ? Json::object() : Json::array());
        within_.push_back(&at);
        return *this;
    }
    JsonBuilder& close(char)
    {
        within_.pop_back();
        return *this;
    }
    JsonBuilder& key(std::string_view name)
    {
        key_ = name;
        return *this;
    }
    JsonBuilder& string(std::string_view text) { return value(std::string(text)); }
    JsonBuilder& number(std::int64_t n) { return value(n); }
    JsonBuilder& boolean(bool truth) { return value(truth); }
    JsonBuilder& value(Json v)
    {
        place(std::move(v));
        return *this;
    }
    /// Has the object that is being built this member?
    [[nodiscard]] bool has(const std::string& name) const { return within_.back()->contains(name); }

  private:
    Json& root_;
    std::vector<Json*> within_{}; ///< innermost last; only that one grows, so that the others stay where they are
    std::string key_{};

    Json& place(Json v)
    {
        if (within_.empty()) return root_ = std::move(v);
        Json& in = *within_.back();
        if (in.is_object()) return in[key_] = std::move(v);
        in.push_back(std::move(v));
        return in.back();
    }
};

/// The parser's events. A member that comes twice is an error, of which nlohmann's own reader keeps the last.
struct JsonEvents {
    JsonBuilder<nlohmann::json> builder;
    Problem problem{};

    bool null() { return builder.value(nullptr), true; }
    bool boolean(bool truth) { return builder.boolean(truth), true; }
    bool number_integer(std::int64_t n) { return builder.number(n), true; }
    bool number_unsigned(std::uint64_t n) { return builder.value(n), true; }
    bool number_float(double number, const std::string&) { return builder.value(number), true; }
    bool string(std::string& text) { return builder.string(text), true; }
    bool binary(nlohmann::json::binary_t&) { return false; }
    bool start_object(std::size_t) { return builder.open('{'), true; }
    bool end_object() { return builder.close('}'), true; }
    bool start_array(std::size_t) { return builder.open('['), true; }
    bool end_array() { return builder.close(']'), true; }
    bool key(std::string& name)
    {
        if (builder.has(name)) {
            problem = Problem(errc::bad_syntax, "JSON: the member '{0}' occurs twice in an object", {name});
            return false;
        }
        builder.key(name);
        return true;
    }
    template <class Exception>
    bool parse_error(std::size_t position, const std::string&, const Exception&)
    {
        problem = Problem(errc::bad_syntax, "JSON: syntax error at byte {0}", {position});
        return false;
    }
};

template <class T>
inline constexpr bool has_json = AnyLayout<T>;
template <>
inline constexpr bool has_json<Axis> = true;
template <>
inline constexpr bool has_json<Swizzle> = true;
template <>
inline constexpr bool has_json<IndexInterval> = true;
template <>
inline constexpr bool has_json<IndexingMap> = true;
template <class Int>
inline constexpr bool has_json<BasicIter<Int>> = true;
template <class Int>
inline constexpr bool has_json<BasicRange<Int>> = true;
template <class T, int N>
inline constexpr bool has_json<InlineVector<T, N>> = std::is_integral_v<T> || has_json<T>;
template <class Int, int N>
inline constexpr bool has_json<BasicPoint<Int, N>> = true;
template <class L>
inline constexpr bool has_json<Grouped<L>> = true;
template <class L>
inline constexpr bool has_json<Swizzled<L>> = true;
template <HasJsonText T>
inline constexpr bool has_json<T> = true;

/// What came of an operation or a question: read by `read_json_answer`.
template <class T>
inline constexpr bool is_json_answer = false;
template <>
inline constexpr bool is_json_answer<Problem> = true;
template <>
inline constexpr bool is_json_answer<Decision> = true;
template <>
inline constexpr bool is_json_answer<Result<void, Problem>> = true;
template <class T>
inline constexpr bool is_json_answer<Result<T, Problem>> = std::is_integral_v<T> || has_json<T>;

/// What is written in the form of a type that is read.
template <class T>
inline constexpr bool is_written_json = has_json<T> || is_json_answer<T>;
template <>
inline constexpr bool is_written_json<Error> = true;
template <>
inline constexpr bool is_written_json<Status> = true;
template <class T>
inline constexpr bool is_written_json<Result<T>> = std::is_integral_v<T> || has_json<T>;

inline Result<void, Problem> parse_json(std::string_view text, nlohmann::json& json)
{
    JsonEvents events{JsonBuilder<nlohmann::json>(json)};
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &events)) return events.problem;
    return {};
}

/// What an answer is before it is read.
template <class T>
T no_answer()
{
    if constexpr (std::is_same_v<T, Decision>)
        return Decision(false);
    else
        return T{};
}

} // namespace detail

/// An answer that has one: a `Problem`, a `Decision`, a `Result` with a `Problem`.
template <class T>
concept JsonAnswer = detail::is_json_answer<T>;

/// A type that has a form in JSON. Exactly these types, and none derived from them.
template <class T>
concept JsonValue = detail::has_json<T>;

/// Reads a value.
///
///   read_json<T>(json_text(value)) = value     for every value that `check` takes; of maps the same map, node by node, as `parse_map` reads it
///
/// Errors: `errc::bad_syntax` for what is not this form, `errc::overflow`, `errc::capacity` and `errc::rank_mismatch` of numbers and lists,
/// and those of `Axis::make`, `check` and `parse_map`; each names the member, as `shard[2].stride`. Never throws but for a lack of memory.
/// Cost: linear in the value; of a map the names for each expression.
template <JsonValue T, class Json>
    requires(nlohmann::detail::is_basic_json<Json>::value)
Result<T, Problem> read_json(const Json& json)
{
    JsonInput<Json> input;
    T value{};
    if (!input.read(json, value)) return input.problem;
    return Result<T, Problem>(std::move(value));
}
/// Reads a text, all of it. Errors besides: `errc::bad_syntax` with the byte at which it is not JSON, and for a member that comes twice.
template <JsonValue T>
Result<T, Problem> read_json(std::string_view text)
{
    nlohmann::json json;
    if (const auto problem = detail::parse_json(text, json); !problem.ok()) return problem;
    return read_json<T>(json);
}
/// Reads an answer into `out`, apart from what is wrong with the text: a result of an answer would be two in one. `out` stays as it is where the text is
/// not one.
///
///   read_json_answer(json_text(answer), out)     out says the same: of an undecided decision the code, of a result its value or its problem
///
/// Errors: as of `read_json`.
template <JsonAnswer T>
Result<void, Problem> read_json_answer(std::string_view text, T& out)
{
    nlohmann::json json;
    if (auto problem = detail::parse_json(text, json); !problem.ok()) return problem;
    JsonInput<nlohmann::json> input;
    T value{detail::no_answer<T>()};
    if (!input.read(json, value)) return input.problem;
    out = std::move(value);
    return {};
}

/// The text of a value, on one line, its members in the order of the command's answers. Cost: linear in the text.
template <class T>
    requires(detail::is_written_json<T>)
std::string json_text(const T& value)
{
    nlohmann::ordered_json json;
    detail::JsonBuilder<nlohmann::ordered_json> builder(json);
    write_json(builder, value);
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace v0
} // namespace axe

/// `nlohmann::json j = layout` and `j.get<axe::Layout>()`. What `read_json` rejects is thrown as `std::invalid_argument`; without exceptions
/// it is a value that does not exist (`AXE_ON_BAD_ACCESS`): ask `read_json`.
template <axe::JsonValue T>
struct nlohmann::adl_serializer<T> {
    template <class Json>
    static void to_json(Json& json, const T& value)
    {
        axe::detail::JsonBuilder<Json> builder(json);
        axe::write_json(builder, value);
    }
    template <class Json>
    static void from_json(const Json& json, T& value)
    {
        auto read = axe::read_json<T>(json);
#if defined(__cpp_exceptions)
        if (!read) throw std::invalid_argument(read.error().message());
#endif
        value = *std::move(read);
    }
};

#endif
