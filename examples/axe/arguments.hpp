// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_CLI_ARGUMENTS_HPP
#define AXE_CLI_ARGUMENTS_HPP

#include "reply.hpp"

#include <axe/axe.hpp>
#include <axe/machine/machine.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace axe_cli {

/// The arguments of a request as they were typed.
using Fields = std::span<const std::string_view>;

/// Without the spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// A layout that may be swizzled; a plain one has a swizzle of 0 bits.
using SwizzledLayout = axe::Swizzled<axe::Layout>;

/// Why an operation takes no swizzled layout.
enum class Unswizzled {
    blocks,     ///< it cuts the iters
    inverse,    ///< the XOR would come first
    complement, ///< what is added is added before the XOR
    difference  ///< it subtracts points
};
std::string_view reason(Unswizzled why);

// Arguments that are not a value of the library, or that share its type with another.
template <Unswizzled why>
struct PlainLayout { ///< a layout without a swizzle
    axe::Layout layout;

    const axe::Layout& operator*() const noexcept { return layout; }
};
struct Index { ///< `(2,9)`
    axe::Coord coord;
};
struct Renaming { ///< `lane=thread`
    axe::Axis from, to;
};
struct Split { ///< `thread=32*warp+lane`
    axe::AxisSplit split{};
};
struct Box { ///< `{lane:32}` or `box {lane:32}`, which may come as two arguments
    axe::Point sides;
};
struct NewDimension { ///< `1 4` as two arguments, or `1, 4` as one
    int dim;
    std::int64_t extent;
};
struct Setting { ///< `view=hardware`; no value where there is no '='
    std::string_view key, value;
    int argument; ///< its place, for messages
};
struct Dimension { ///< the number of a dimension
    int dim;
};
struct Text { ///< what only an operation can read, as it takes the other arguments to
    std::string_view words;
    int argument; ///< its place, for messages

    [[nodiscard]] const char* data() const noexcept { return words.data(); }
    [[nodiscard]] std::size_t size() const noexcept { return words.size(); }
    [[nodiscard]] int length() const noexcept { return static_cast<int>(words.size()); }
};

/// An argument in the notation of others, as this reader of the library takes it: `Parsed<axe::cute::parse_layout>`.
template <auto parser>
struct Parsed {
    typename decltype(parser(""))::value_type value{};

    const auto& operator*() const noexcept { return value; }
    const auto* operator->() const noexcept { return &value; }
};

/// Reads one argument after another. The first that cannot be read becomes the reply, and all later calls fail.
class ArgumentReader {
  public:
    ArgumentReader(Fields fields, Reply& reply) : fields_(fields), reply_(reply) {}

    bool read(axe::Layout& out);
    bool read(SwizzledLayout& out);
    template <Unswizzled why>
    bool read(PlainLayout<why>& out)
    {
        return plain(reason(why), out.layout);
    }
    bool read(axe::Shape& out);
    bool read(Index& out);
    bool read(axe::Region& out);
    bool read(axe::Point& out);
    bool read(axe::Layout::Axes& out);
    bool read(axe::Axis& out);
    bool read(axe::Iter& out);
    bool read(std::int64_t& out);
    bool read(axe::Order& out);
    bool read(Renaming& out);
    bool read(Split& out);
    bool read(Box& out);
    bool read(NewDimension& out);
    bool read(Dimension& out);
    bool read(Setting& out);
    bool read(Text& out);
    bool read(std::string_view& out);
    template <auto parser>
    bool read(Parsed<parser>& out)
    {
        return parse(parser, take(), out.value);
    }

    template <class T>
    bool read(std::optional<T>& out)
    {
        return next_ == fields_.size() || read(out.emplace());
    }
    /// All that are left.
    template <class T>
    bool read(std::vector<T>& out)
    {
        while (next_ < fields_.size())
            if (!read(out.emplace_back())) return false;
        return true;
    }

  private:
    Fields fields_;
    Reply& reply_;
    std::size_t next_ = 0;
    std::optional<axe::Shape> shape_; ///< the last that was read: a region may leave its extents out

    std::string_view take() { return next_ < fields_.size() ? fields_[next_++] : std::string_view(); }
    template <class T>
    bool parse(axe::Result<T> (*parser)(axe::TextView), std::string_view text, T& out)
    {
        const axe::Result<T> result = parser(text);
        if (!result) return misread(text, result.error());
        out = *result;
        return true;
    }
    bool dimension(std::string_view text, int& out);
    bool plain(std::string_view reason, axe::Layout& out);
    bool misread(std::string_view text, const axe::Error& error);
};

/// How many arguments a parameter takes at least and at most.
struct Count {
    std::size_t least, most;
};
inline constexpr std::size_t any_number = 1 << 20;

template <class T>
inline constexpr Count count_of{1, 1};
template <>
inline constexpr Count count_of<Box>{1, 2};
template <>
inline constexpr Count count_of<NewDimension>{1, 2};
template <class T>
inline constexpr Count count_of<std::optional<T>>{0, count_of<T>.most};
template <class T>
inline constexpr Count count_of<std::vector<T>>{0, any_number};

} // namespace axe_cli

#endif
