// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tests/fuzz/any_size.hpp>
#include <tests/fuzz/exact.hpp>

/// Every operation, asked with numbers made from any bytes, against its law.
///
/// An input is either a request in the notation, `slice; (5,2):(1@P,5@P); (10); [3:7]`, recognized by the small letter that it begins
/// with, or bytes: the operation, whether the numbers are small or wild, and what the question is made of.
namespace fuzz {
namespace {

struct Operation {
    const char* name;
    void (*any_size)(const Question&);
    void (*exact)(laws::Report&, const Question&); ///< null where every answer there is was compared already
};

// The corpus counts on this order: a new operation goes to the end.
constexpr Operation operations[] = {
    {"canonicalize", any_size::canonicalize, exact::canonicalize},
    {"equal", any_size::equal, exact::equal},
    {"group", any_size::group, exact::group},
    {"group-many", any_size::group_many, exact::group_many},
    {"tile", any_size::tile, exact::tile},
    {"sum", any_size::sum, exact::tile},
    {"untile", any_size::untile, exact::untile},
    {"untile-outer", any_size::untile_outer, exact::untile_outer},
    {"unsum-left", any_size::unsum, exact::unsum},
    {"unsum-right", any_size::unsum, exact::unsum},
    {"slice", any_size::slice, exact::slice},
    {"compose", any_size::compose, exact::compose},
    {"inverse", any_size::inverse, exact::inverse},
    {"left-inverse", any_size::left_inverse, exact::left_inverse},
    {"right-inverse", any_size::right_inverse, exact::right_inverse},
    {"complement", any_size::complement, exact::complement},
    {"permute", any_size::permute, exact::permute},
    {"reshape", any_size::reshape, nullptr},
    {"broadcast", any_size::broadcast, exact::broadcast},
    {"project", any_size::project, nullptr},
    {"local", any_size::local, nullptr},
    {"rename", any_size::rename, nullptr},
    {"shift", any_size::shift, nullptr},
    {"unpack", any_size::unpack, nullptr},
    {"pack", any_size::pack, exact::pack},
    {"eval", any_size::points, exact::points},
    {"preimage", any_size::preimage, exact::preimage},
    {"injective", any_size::properties, exact::properties},
    {"contiguous", any_size::contiguous, exact::contiguous},
    {"max-vector", any_size::max_vector, exact::max_vector},
    {"intersect", any_size::intersect, nullptr},
    {"span", any_size::span, nullptr},
    {"swizzle", any_size::swizzle, nullptr},
};
constexpr int operation_count = sizeof operations / sizeof *operations;

void ask(const Operation& operation, Question q)
{
    operation.any_size(q);
    axe::Layout point;
    point.offset = q.point;
    if (operation.exact == nullptr || !axe::check(q.a).ok() || !axe::check(q.b).ok() || !axe::check(point).ok() ||
        q.axes.overfull())
        return;
    if (!on_three_axes(q)) return;
    laws::Report report(operation.name);
    report.asked(true);
    operation.exact(report, q);
    report.finish(false);
}

const Operation* find(std::string_view name)
{
    for (const Operation& operation : operations)
        if (name == operation.name) return &operation;
    return nullptr;
}

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace fuzz;
    if (size == 0) return 0;
    if (data[0] >= 'a' && data[0] <= 'z') {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const auto end = text.find(';');
        if (const Operation* operation = find(text.substr(0, end)); operation != nullptr && end != std::string_view::npos)
            ask(*operation, written_question(text.substr(end + 1)));
        return 0;
    }
    Bytes bytes(data, size);
    const Operation& operation = operations[bytes.byte() % operation_count];
    const bool wild = bytes.byte() % 2 != 0;
    ask(operation, wild ? wild_question(bytes) : small_question(bytes));
    return 0;
}
