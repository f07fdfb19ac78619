// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_SIM_MEMORY_ACCESS_HPP
#define AXE_SIM_MEMORY_ACCESS_HPP

#include <axe/sim/memory/plan.hpp>

#include <limits>
#include <memory>

namespace axe {
inline namespace v0 {
namespace sim {

/// In tables of places: no access, and an access outside a guarded tensor (read as 0, not written).
inline constexpr std::int32_t inactive = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int32_t outside = inactive + 1;

struct EdgeTable;

/// Where the lanes of one agent go in each issue: entry (issue·lanes + lane), plus `base`, is the element's place in its buffer: its
/// address − low in a memory, its slot in registers.
struct LaneElements {
    const std::int32_t* table = nullptr;
    std::int64_t base = 0;
    bool fresh = false; ///< some entries may be `outside`
    /// Of a fresh table that is kept: which one. Null: it is made for this once.
    EdgeTable* edge = nullptr;
    /// Is the table what it was whenever its address was the same?
    [[nodiscard]] bool kept() const noexcept { return !fresh || edge != nullptr; }
};

/// How the tensor of a view is stored, as the view sees it: one that may be of any device has the memories of all of them.
inline const TensorPlan& plan_of_view(const std::vector<TensorPlan>& plans, const View& view)
{
    const TensorPlan& own = plans[static_cast<std::size_t>(view.tensor)];
    return view.remote && !view.device && own.everywhere >= 0 ? plans[static_cast<std::size_t>(own.everywhere)] : own;
}

/// An operand of a SIMT instruction, resolved once: a table of places for each agent, relative to the reference origin, which the
/// variables of the program move.
struct LaneAccess {
    const TensorPlan* plan = nullptr;
    const View* view = nullptr;
    int tensor = -1;
    int issues = 1, agents = 1, lanes = 1, vector = 1;
    int bytes = 4;        ///< of a lane in one issue
    bool together = true; ///< the elements of each vector are contiguous in the buffer; in a memory they always are
    bool fixed = true;    ///< no variable moves it
    bool still = false;   ///< fixed, inside, and each lane's own: the tables are the places
    int skew = 0;         ///< of vectors in a memory: bytes past a multiple of `bytes` at which all of them begin; −1: they differ
    bool crosses = false; ///< it may be in the shares of several devices: each access is checked
    bool linear = true;   ///< place(origin + x) − place(origin) is the same for all origins that occur
    std::vector<std::int64_t> reference{}; ///< the origin that the tables are made for, one index a dimension
    std::vector<std::int32_t> table{};     ///< [agent][issue][lane], before any swizzle
    std::vector<std::int32_t> swizzled{};  ///< the same after it; empty: no swizzle
    std::vector<std::int32_t> slots{};     ///< of registers that are not contiguous: [agent][issue][lane][element]
    std::vector<std::int32_t> uniform{};   ///< of registers: [agent][issue][element], where all lanes take the same one; else empty
    std::vector<std::int32_t> least{}, most{}; ///< [agent][issue][lane][dim]: the vector's coordinates, relative to the origin
    struct Reach {
        std::vector<std::int64_t> least{}, most{}; ///< over all entries of the agent
        bool any = false;
    };
    std::vector<Reach> footprint{}; ///< of each agent
    Reach whole_reach{};            ///< of all of them

    [[nodiscard]] std::size_t entry(int agent, int issue, int lane) const noexcept
    {
        return (static_cast<std::size_t>(agent) * static_cast<std::size_t>(issues) + static_cast<std::size_t>(issue)) *
                   static_cast<std::size_t>(lanes) +
               static_cast<std::size_t>(lane);
    }
    [[nodiscard]] int dims() const noexcept { return plan->tensor->shape.size(); }
    /// Is it of a tensor that another block of the cluster may have?
    [[nodiscard]] bool names_block() const noexcept { return view != nullptr && view->block.has_value(); }
    /// May it be of another device's memory?
    [[nodiscard]] bool is_remote() const noexcept { return view != nullptr && view->remote; }
    [[nodiscard]] bool in_registers() const noexcept { return plan->owner == Owner::lane; }
    /// Of one agent's table: how many.
    [[nodiscard]] std::size_t entries() const noexcept
    {
        return static_cast<std::size_t>(issues) * static_cast<std::size_t>(lanes);
    }
};

/// The operands of an instruction, resolved. Instructions that say the same of one share it.
class Operands {
  public:
    using Shared = std::shared_ptr<const LaneAccess>;
    struct Iterator {
        std::vector<Shared>::const_iterator at;
        [[nodiscard]] const LaneAccess& operator*() const noexcept { return **at; }
        Iterator& operator++() noexcept { return ++at, *this; }
        friend bool operator==(const Iterator&, const Iterator&) = default;
    };

    void push_back(LaneAccess access) { list_.push_back(std::make_shared<const LaneAccess>(std::move(access))); }
    void push_back(Shared access) { list_.push_back(std::move(access)); }
    [[nodiscard]] const Shared& shared(std::size_t i) const noexcept { return list_[i]; }
    [[nodiscard]] const LaneAccess& operator[](std::size_t i) const noexcept { return *list_[i]; }
    [[nodiscard]] std::size_t size() const noexcept { return list_.size(); }
    [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
    [[nodiscard]] Iterator begin() const noexcept { return {list_.begin()}; }
    [[nodiscard]] Iterator end() const noexcept { return {list_.end()}; }

  private:
    std::vector<Shared> list_{};
};

/// One element after the other: where element e of a vector is. For registers that are not contiguous, a table says so.
inline std::int64_t place_of_element(const LaneAccess& a, const LaneElements& at, std::size_t entry, std::size_t column,
                                     int e) noexcept
{
    if (a.slots.empty()) return at.base + at.table[entry] + e;
    return at.base + a.slots[(column * a.entries() + entry) * static_cast<std::size_t>(a.vector) + static_cast<std::size_t>(e)];
}

/// The same in the table as it was made, by lane: what is taken where no variable moves the operand.
inline std::int64_t made_place(const LaneAccess& a, int agent, int issue, int lane, int e) noexcept
{
    const std::size_t entry = a.entry(agent, issue, lane);
    return a.slots.empty() ? a.table[entry] + e : a.slots[entry * static_cast<std::size_t>(a.vector) + static_cast<std::size_t>(e)];
}

/// The coordinate of an element of a view, relative to the view's origin.
inline void view_offset(const View& view, std::int64_t index, std::int64_t* coord, int dims) noexcept
{
    for (int d = 0; d < dims; ++d) coord[d] = 0;
    for (int k = view.rank() - 1; k >= 0; --k) {
        const std::int64_t x = index % view.extents[k];
        index /= view.extents[k];
        if (view.dims[k] >= 0) coord[view.dims[k]] += x * view.steps[k];
    }
}

inline bool is_inside(const Shape& shape, const std::int64_t* coord) noexcept
{
    for (int d = 0; d < shape.size(); ++d)
        if (coord[d] < 0 || coord[d] >= shape[d]) return false;
    return true;
}

} // namespace sim
} // namespace v0
} // namespace axe

#endif
