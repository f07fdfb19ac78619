// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interop_laws.hpp"

#include <optional>

/// Any bytes, read as every text of another format. What is read prints, and the print reads to the same value and prints alike; what is
/// not is explained. What holds of every value is checked of each: interop_laws.hpp.
namespace fuzz {
namespace {

/// The text of what a printer gives: a text, or why there is none. Cut short it is a mistake.
template <int N>
std::optional<string> text_of(const Input& in, const axe::Text<N>& text)
{
    in.that(text.size < N, "a print cut short");
    in.that(plain(text.c_str()), "a print that is not text");
    return string(text.c_str());
}
template <class T>
std::optional<string> text_of(const Input& in, const axe::Result<T>& text)
{
    if (text) return text_of(in, *text);
    in.that(text.error().message().size > 10, "no print, and no reason");
    return {};
}

/// Reads the text, and what is printed of it; the value, if there is one.
/// @param always whatever reads has a text; else the printer may refuse, with a reason
template <class Parse, class Print>
auto read_back(const Input& in, Parse parse, Print print, bool always = true)
{
    const auto value = parse({in.text, in.length});
    if (!value) {
        check_error(in, value.error(), true);
        return value;
    }
    in.that(axe::explain(in.text, in.length, value.error()).size == 0, "an explanation of no error");
    const std::optional<string> once = text_of(in, print(*value));
    if (!once) {
        in.that(!always, "what is read has no text");
        return value;
    }
    const auto again = parse(*once);
    if (!again) in.wrong("the print is not read: " + *once);
    if (!(*again == *value)) in.wrong("the print reads to another value: " + *once);
    if (text_of(in, print(*again)) != once) in.wrong("the value read again prints otherwise: " + *once);
    return value;
}
template <class Parse, class Print>
void read(const Input& in, Parse parse, Print print, bool always = true)
{
    static_cast<void>(read_back(in, parse, print, always));
}
/// The same, and the laws of the value.
template <class Parse, class Print, class... More>
void read_lawful(const Input& in, Parse parse, Print print, bool always = true, const More&... more)
{
    if (const auto value = read_back(in, parse, print, always)) check_laws(in, *value, more...);
}

void read_cute(const char* text, int length)
{
    using namespace axe::cute;
    read_lawful({text, length, "cute layout"}, parse_layout, [](const Layout& l) { return print(l); });
    read_lawful({text, length, "cute composed"}, parse_composed, [](const Composed& c) { return print(c); });
    read({text, length, "cute coordinate"}, parse_coordinate, [](const Coordinate& c) { return print(c); });
}

void read_linear(const char* text, int length)
{
    using namespace axe::linear;
    read_lawful({text, length, "linear layout"}, parse_linear, [](const LinearLayout& l) { return print(l); });
    // Triton's own text of what was read is read as well.
    const auto layout = parse_linear({text, length});
    if (!layout) return;
    const auto triton = print_triton(*layout);
    const auto again = parse_linear({triton.c_str(), triton.size});
    const Input in{text, length, "linear layout, as Triton prints it"};
    in.that(triton.size < decltype(triton)::capacity, "a print cut short");
    in.that(again.has_value() && *again == *layout, triton.c_str());
}

void read_strides(const char* text, int length)
{
    const auto tag = [](axe::TextView t) { return axe::onednn::parse_tag(t); };
    read_lawful({text, length, "oneDNN tag"}, tag, [](const axe::onednn::Tag& t) { return axe::onednn::print(t); });
    const auto wide = [](axe::TextView t) { return axe::onednn::parse_tag(t, 6); };
    read_lawful({text, length, "oneDNN tag of rank 6"}, wide, [](const axe::onednn::Tag& t) { return axe::onednn::print(t); });
    read_lawful({text, length, "XLA layout"}, axe::xla::parse_tiled,
                [](const axe::xla::TiledLayout& t) { return axe::xla::print(t); });
}

void read_sharding(const char* text, int length)
{
    using namespace axe::sharding;
    constexpr char axes[] = R"(<["x"=2, "y"=4, "z"=3]>)";
    static const Mesh mesh = *parse_mesh({axes, sizeof axes - 1});
    read({text, length, "mesh"}, parse_mesh, [](const Mesh& m) { return print_mesh(m); }, false);
    // A list of more than 256 devices is not printed.
    read_lawful({text, length, "HLO sharding"}, parse_hlo, [](const HloSharding& h) { return print_hlo(h); }, false);
    int shardings = 0;
    const auto all = parse_hlo_tuple({text, length}, [&](const HloSharding&) { ++shardings; });
    const Input tuple{text, length, "HLO tuple"};
    if (!all) check_error(tuple, all.error(), true);
    if (all) tuple.that(*all == shardings, "another number of shardings");
    read_lawful(
        {text, length, "DTensor placements"}, parse_dtensor, [](const Placements& p) { return print_dtensor(p); }, true, mesh);
    read_lawful({text, length, "SBP"}, parse_sbp, [](const Placements& p) { return print_sbp(p); }, true, mesh);
    read_lawful(
        {text, length, "PartitionSpec"}, [](axe::TextView t) { return parse_jax(t, mesh, 3); },
        [](const Spec& s) { return print_jax(s); });
    read_lawful(
        {text, length, "Alpa"}, [](axe::TextView t) { return parse_alpa(t, mesh); }, [](const Spec& s) { return print_alpa(s); });
    // A text may say a mesh of its own.
    read_lawful(
        {text, length, "Shardy over a mesh"}, [](axe::TextView t) { return parse_sdy(t, mesh); },
        [](const Spec& s) { return print_sdy(s, s.mesh == mesh ? "mesh" : nullptr); }, false);
    read_lawful(
        {text, length, "Shardy"}, [](axe::TextView t) { return parse_sdy(t); }, [](const Spec& s) { return print_sdy(s, nullptr); },
        false);
}

} // namespace
} // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const char* text = reinterpret_cast<const char*>(data);
    const int length = static_cast<int>(size);
    fuzz::read_cute(text, length);
    fuzz::read_linear(text, length);
    fuzz::read_strides(text, length);
    fuzz::read_sharding(text, length);
    return 0;
}
