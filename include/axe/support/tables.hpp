// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SUPPORT_TABLES_HPP
#define AXE_SUPPORT_TABLES_HPP

#include <axe/support/inline_vector.hpp>
#include <axe/support/result.hpp>

#include <cstddef>

namespace axe {
inline namespace v0 {

/// Rows of one kind, from several arrays, one array after the other. It refers to the arrays, which must outlive it, and is plain data
/// itself: a list of tables is composed by naming the tables, at compile time or when a program runs. A row type may be incomplete
/// where its rows are not looked at.
///
///   Tables<Row> all(mine, others);   for (const Row& row : all) …   visits mine[0], mine[1], …, others[0], …
template <class Row>
class Tables {
  public:
    static constexpr int capacity = 32;

    constexpr Tables() = default;
    /// Arrays, single rows, and other lists of tables.
    /// @pre at most `capacity` arrays in all; one more is a failed access, in a constant expression no compilation
    template <class... More>
        requires(sizeof...(More) > 0)
    constexpr explicit(false) Tables(const More&... more)
    {
        (put(more), ...);
    }

    /// Appends the rows of an array; returns whether there was room.
    template <int N>
    constexpr bool add(const Row (&rows)[N])
    {
        return !arrays_.full() && arrays_.push_back({rows, N});
    }
    /// Appends one row.
    constexpr bool add(const Row& row) { return !arrays_.full() && arrays_.push_back({&row, 1}); }
    /// Appends the arrays of another list.
    constexpr bool add(const Tables& other)
    {
        bool room = true;
        for (const Array& a : other.arrays_) room = !arrays_.full() && arrays_.push_back(a) && room;
        return room;
    }

    [[nodiscard]] constexpr int size() const noexcept
    {
        int n = 0;
        for (const Array& a : arrays_) n += a.count;
        return n;
    }
    [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }

    class Iterator {
      public:
        using value_type = Row;
        using difference_type = std::ptrdiff_t;

        constexpr Iterator() = default;
        constexpr Iterator(const Tables& of, int array) : of_(&of), array_(array) {}
        constexpr const Row& operator*() const { return of_->arrays_[array_].rows[row_]; }
        constexpr const Row* operator->() const { return &**this; }
        constexpr Iterator& operator++()
        {
            if (++row_ >= of_->arrays_[array_].count) {
                ++array_;
                row_ = 0;
            }
            return *this;
        }
        constexpr Iterator operator++(int)
        {
            Iterator before = *this;
            ++*this;
            return before;
        }
        friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

      private:
        const Tables* of_ = nullptr;
        int array_ = 0, row_ = 0;
    };
    [[nodiscard]] constexpr Iterator begin() const noexcept { return {*this, 0}; }
    [[nodiscard]] constexpr Iterator end() const noexcept { return {*this, arrays_.size()}; }

  private:
    struct Array {
        const Row* rows = nullptr;
        int count = 0;
    };

    constexpr void put(const auto& more)
    {
        if (!add(more)) detail::fail_access(Error(errc::capacity, capacity, "a list of tables names at most {0} arrays", capacity));
    }

    InlineVector<Array, capacity> arrays_{};
};

} // namespace v0
} // namespace axe

#endif
