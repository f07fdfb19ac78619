// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotary positions: pairs of numbers of each head turned by angles that a token's position chooses. The position is data.
#include "../common/bytes.hpp"

namespace examples {
namespace {

using namespace axe;
using enum axe::DType;

constexpr int rope_positions = 64; // rows of the tables of cosines and sines

/// Of pairs (a, b) with an angle: (a·cos − b·sin, b·cos + a·sin). Pairs are the two halves of a head, or neighbors.
Result<Program, axe::Problem> rope_program(const Setting& setting)
{
    const std::int64_t S = setting.number("S"), H = setting.number("H"), half = setting.number("half"), P = rope_positions;
    const DType type = parse_dtype(setting.word("type")).value_or(f32);
    const bool halves = setting.word("pairs") == "halves";
    const Shape heads = halves ? Shape{S, H, 2, half} : Shape{S, H, half, 2};
    Kernel k("rope", setting.machine);
    const auto X = k.input("X", heads, type), position = k.input("position", {S}, i32);
    const auto cosines = k.input("cosines", {P, half}, f32), sines = k.input("sines", {P, half}, f32);
    const auto Y = k.output("Y", heads, type);

    const int pair = halves ? 2 : 3; // the dimension of the pairs' two members
    const Shape of_token = halves ? Shape{S, 1, 1, half} : Shape{S, 1, half, 1};
    const Formula c = reshape(gather(cosines, position), of_token), s = reshape(gather(sines, position), of_token);
    const Formula a = slice(X, pair, 0, 1), b = slice(X, pair, 1, 1);
    k.computes(Y, concat({a * c - b * s, b * c + a * s}, pair));

    // A lane has 16 bytes of each member of its pairs, or of pairs of neighbors; as many lanes as that takes have a head.
    const std::int64_t vector = 16 / storage_bytes(type) / (halves ? 1 : 2);
    std::int64_t lanes = 1;
    while (lanes < 32 && lanes * vector < half) lanes *= 2;
    const std::int64_t slots = (half + lanes * vector - 1) / (lanes * vector), wide = slots * lanes * vector, tile = 128 / lanes;
    const auto held = [&](std::int64_t members) {
        const std::int64_t next = halves ? 1 : members; // registers from one pair to the next
        const Iter warp{4, 1, "warp"}, head{32 / lanes, lanes, "lane"}, member{members, halves ? slots * vector : 1, "reg"};
        const Iter slot{slots, vector * next, "reg"}, lane{lanes, 1, "lane"}, number{vector, next, "reg"};
        return halves ? Layout{{warp, head, member, slot, lane, number}, {}, {}}
                      : Layout{{warp, head, slot, lane, number, member}, {}, {}};
    };
    k.cta(tiles(S, 1), [&](Scope cta, const Tile& t) {
        const Affine token = t.index[0];
        const auto angles = cta.alloc(Role::shared, {2, wide}, f32, {}, "angles");
        const Affine row = cta.index(load(position(token)), 0, P, "row");
        const Interval columns(0, wide);
        cta.copy(angles(0, all), cosines(row, columns)).copy(angles(1, all), sines(row, columns)).sync();
        const auto registers = [&](DType of, std::int64_t members, const char* name) {
            return cta.alloc(Role::registers, halves ? Shape{tile, members, wide} : Shape{tile, wide, members}, of, held(members),
                             name);
        };
        const auto x = registers(type, 2, "x");
        const auto y = registers(f32, 2, "y"), turned = registers(f32, 2, "turned"), angle = registers(f32, 2, "angle");
        const auto part = [&](const TensorRef& of, int which) { return halves ? of(all, which, all) : of(all, all, which); };
        for (const int which : {0, 1}) cta.copy(part(angle, which), angles(which, all).repeated(0, tile));
        const ViewRef cosine = part(angle, 0), sine = part(angle, 1);
        cta.loop(tiles(H, tile), [&](Interval head) {
            const auto members = [&](const TensorRef& of) {
                return halves ? of(token, head, all, columns) : of(token, head, columns, all);
            };
            cta.copy(x, members(X)).copy(y, x);
            cta.binary(Function::mul, part(turned, 0), part(y, 1), sine).binary(Function::mul, part(turned, 1), part(y, 0), sine);
            for (const int which : {0, 1}) cta.binary(Function::mul, part(y, which), part(y, which), cosine);
            cta.binary(Function::sub, part(y, 0), part(y, 0), part(turned, 0));
            cta.binary(Function::add, part(y, 1), part(y, 1), part(turned, 1));
            cta.copy(members(Y), y);
        });
    });
    return k.program();
}

/// Positions in another order than tokens, each used about as often; cosines and sines of angles that fall with the pair.
Result<Bindings, axe::Problem> rope_inputs(const Setting& setting, const Program& program)
{
    auto in = made_inputs(setting, program);
    if (!in) return in;
    for (const ProgramTensor& t : program.tensors) {
        const bool is_cosine = t.name == "cosines", is_table = is_cosine || t.name == "sines";
        if ((!is_table && t.name != "position") || !setting.files.path(t.name).empty()) continue;
        Array numbers = Array::make(t.shape, t.dtype).value();
        for (std::int64_t i = 0; i < numbers.size(); ++i) {
            if (!is_table) {
                numbers.set(i, static_cast<double>(i * 37 % rope_positions));
                continue;
            }
            const std::int64_t half = t.shape[1];
            const double angle =
                static_cast<double>(i / half) * std::pow(10000.0, -static_cast<double>(i % half) / static_cast<double>(half));
            numbers.set(i, is_cosine ? std::cos(angle) : std::sin(angle));
        }
        in->set(t.name, std::move(numbers));
    }
    return in;
}

/// Each number of X is read once and each of Y written once; each token's warps read its position, and the block its angles.
Result<Conclusion, axe::Problem> rope_conclusion(const Setting& setting, const Ending& end)
{
    const std::int64_t S = setting.number("S"), H = setting.number("H"), half = setting.number("half");
    const std::int64_t numbers = S * H * 2 * half * storage_bytes(parse_dtype(setting.word("type")).value_or(f32));
    return global_bytes(end.total, numbers + S * 2 * half * 4, numbers);
}

} // namespace

const Example rope{"rope",
                   "rotary positions: pairs of each head turned by an angle that the token's position chooses",
                   {{"S", "11", "tokens", 1 << 13},
                    {"H", "6", "heads", 1 << 8},
                    {"half", "40", "pairs of a head", 1 << 8},
                    {"pairs", "halves", "which numbers of a head are a pair", 0, {"halves", "neighbors"}},
                    {"type", "f16", "of X and Y", 0, {"f16", "bf16", "f32"}}},
                   {"sm80", "sm90", "sm100"},
                   {1},
                   rope_program,
                   rope_inputs,
                   rope_conclusion};

} // namespace examples
