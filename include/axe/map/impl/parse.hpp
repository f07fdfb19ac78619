// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_MAP_IMPL_PARSE_HPP
#define AXE_MAP_IMPL_PARSE_HPP

#include <axe/map/parse.hpp>
#include <axe/map/text/parse_expression.hpp>

namespace axe {
inline namespace v0 {
namespace detail {

/// Reads a map up to where it ends: what follows is the caller's.
class IndexMapReader {
  public:
    explicit IndexMapReader(MapReader& in) : in_(in) {}

    IndexingMap read()
    {
        if (in_.peek_word() == "UNDEFINED") {
            in_.take_word();
            return IndexingMap::undefined();
        }
        if (in_.accept_word("KNOWN")) {
            if (!in_.accept_word("EMPTY")) in_.expected("expected EMPTY after KNOWN at character {0}");
            map_.constraints.push_back({map_.pool.constant(0), {}});
            return std::move(map_);
        }
        if (read_variables() && read_results()) read_domain();
        return std::move(map_);
    }

  private:
    bool read_variables()
    {
        if (!in_.expect('(', "expected '(' before the dimensions at character {0}") ||
            !read_names(')', "expected ',' or ')' after the dimension at character {0}"))
            return false;
        map_.dimensions = static_cast<int>(map_.variables.size());
        if (in_.accept('[') && !read_names(']', "expected ',' or ']' after the range variable at character {0}")) return false;
        map_.ranges = static_cast<int>(map_.variables.size()) - map_.dimensions;
        if (in_.accept('{') && !read_names('}', "expected ',' or '}' after the run-time variable at character {0}")) return false;
        for (std::size_t v = 0; v < map_.variables.size(); ++v) {
            std::string& name = map_.variables[v].name;
            if (name == place_name(map_, static_cast<int>(v))) name.clear();
        }
        return true;
    }

    bool read_names(char close, const char* words)
    {
        return read_list(in_, close, words, [&] {
            in_.peek();
            const int start = in_.at;
            const std::string_view name = in_.take_word();
            if (name.empty()) return in_.expected("expected the name of a variable at character {0}");
            if (is_map_keyword(name))
                return in_.fail(errc::bad_syntax, start, "the word at character {0} is a keyword; it cannot name a variable");
            if (!numbers_.emplace(name, static_cast<int>(map_.variables.size())).second)
                return in_.fail(errc::bad_argument, start, "the variable at character {0} is already named");
            map_.variables.push_back({every_integer, std::string(name), kind_named(name)});
            starts_.push_back(start);
            return true;
        });
    }

    bool read_results()
    {
        in_.peek();
        if (in_.at + 1 >= in_.length || in_.text[in_.at] != '-' || in_.text[in_.at + 1] != '>')
            return in_.expected("expected '->' after the variables at character {0}");
        in_.at += 2;
        return in_.expect('(', "expected '(' before the results at character {0}") &&
               read_list(in_, ')', "expected an operator, ',' or ')' in the results at character {0}", [&] {
                   map_.results.push_back(expressions_.read());
                   return in_.error.ok();
               });
    }

    bool read_domain()
    {
        has_interval_.assign(map_.variables.size(), false);
        bool comma = in_.accept(','), has_domain = false;
        if (in_.accept_word("domain")) {
            if (!in_.expect(':', "expected ':' after domain at character {0}")) return false;
            comma = false;
            has_domain = true;
        }
        while (begins_item()) {
            if (in_.peek_word() == "is_simplified") {
                if (!read_is_simplified()) return false;
                comma = false;
                break;
            }
            has_domain = true;
            if (!read_item()) return false;
            comma = in_.accept(',');
        }
        if (comma) return in_.expected("expected an interval or a constraint after ',' at character {0}");
        for (std::size_t v = 0; has_domain && v < starts_.size(); ++v)
            if (!has_interval_[v])
                return in_.fail(errc::bad_argument, starts_[v], "the variable at character {0} has no interval in the domain");
        return true;
    }

    bool begins_item()
    {
        const char next = in_.peek();
        return begins_name(next) || Reader::is_digit(next) || next == '(' || next == '-';
    }

    bool read_is_simplified()
    {
        in_.take_word();
        if (!in_.expect(':', "expected ':' after is_simplified at character {0}")) return false;
        return in_.accept_word("true") || in_.accept_word("false") || in_.expected("expected true or false at character {0}");
    }

    bool read_item()
    {
        const int start = in_.at;
        const std::string_view word = in_.take_word();
        if (word == "hlo" && in_.peek() == ':')
            return in_.fail(errc::bad_syntax, start,
                            "the producer at character {0} cannot be read; omit the hlo of a run-time variable");
        const auto found = numbers_.find(word);
        if (found != numbers_.end() && in_.peek_word() == "in") {
            const auto v = static_cast<std::size_t>(found->second);
            if (has_interval_[v])
                return in_.fail(errc::bad_argument, start, "the variable at character {0} already has an interval");
            has_interval_[v] = true;
            return read_interval(map_.variables[v].bounds);
        }
        in_.at = start;
        IndexConstraint constraint;
        constraint.expression = expressions_.read();
        if (!read_interval(constraint.interval)) return false;
        map_.constraints.push_back(constraint);
        return true;
    }

    bool read_interval(IndexInterval& out)
    {
        if (!in_.error.ok()) return false;
        return (in_.accept_word("in") || in_.expected("expected an operator or 'in' at character {0}")) &&
               read_index_interval(in_, out);
    }

    MapReader& in_;
    IndexingMap map_{};
    std::map<std::string_view, int> numbers_{};
    ExpressionReader expressions_{in_, map_.pool, numbers_};
    std::vector<int> starts_{}; ///< of the variables: the character of the name
    std::vector<bool> has_interval_{};
};

} // namespace detail

AXE_DECL Result<IndexingMap> parse_map(std::string_view text)
{
    detail::MapReader in(text);
    IndexingMap map = detail::IndexMapReader(in).read();
    if (!in.finish()) return in.error;
    return Result<IndexingMap>(std::move(map));
}

} // namespace v0
} // namespace axe

#endif
