// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interop_constant.hpp"

#include <axe/interop/sharding.hpp>

/// Every conversion of sharding specs: the compiler's answer is that of the program.
namespace {

using namespace axe;
using namespace axe::sharding;

struct Written {
    const char* text;
    [[nodiscard]] constexpr int size() const
    {
        int n = 0;
        while (text[n] != '\0') ++n;
        return n;
    }
};
constexpr Mesh grid = *make_mesh({{"data", 4}, {"model", 2}, {"expert", 2}});
constexpr Shape shape{32, 16};

struct Meshes {
    static constexpr Written list[] = {{"<[\"data\"=4, \"model\"=2]>"},
                                       {"<[\"x\"=2, \"y\"=2], device_ids=[0, 2, 1, 3]>"},
                                       {"Mesh('x': 2, 'y': 4)"},
                                       {"[2,4]<=[4,2]T(1,0)"},
                                       {"(3,)"},
                                       {"<[\"x\"=2, \"y\"=2], device_ids=[0, 3, 1, 2]>"}};
};
struct Shardy {
    static constexpr Written list[] = {{"<@mesh, [{\"data\"}, {\"model\"}], unreduced={\"expert\"}>"},
                                       {"<@mesh, [{\"data\":(2)2, ?}p1, {}], replicated={\"model\"}>"},
                                       {"<@mesh, [{\"model\", \"data\"}, {}]>"},
                                       {"<@mesh, [{\"data\", \"data\"}]>"},
                                       {"<@mesh, [{\"none\"}]>"}};
};
struct Hlo {
    static constexpr Written list[] = {{"{devices=[4,2,2]<=[2,4,2]T(1,2,0) last_tile_dim_replicate}"},
                                       {"{devices=[2,2]0,1,2,3}"},
                                       {"{devices=[2,1,2]3,2,1,0 last_tile_dims={unreduced}}"},
                                       {"{devices=[2,1,2]0,2,3,1 last_tile_dim_replicate}"},
                                       {"{replicated}"},
                                       {"{maximal device=3}"},
                                       {"{manual}"},
                                       {"{devices=[2,2]0,1,3}"}};
};
struct Jax {
    static constexpr Written list[] = {
        {"P(('data', 'expert'), 'model')"}, {"P('data')"}, {"P(None, P.UNCONSTRAINED, unreduced={'data'})"}, {"P('data', 'data')"}};
};
struct Torch {
    static constexpr Written list[] = {{"[_StridedShard(0, split_factor=4), Shard(0), Partial(max)]"},
                                       {"[Replicate(), Shard(1), Shard(1)]"},
                                       {"[_StridedShard(0, split_factor=2), Replicate(), Shard(-1)]"},
                                       {"[Shard(7), Shard(0), Shard(0)]"},
                                       {"[Shard(0)"}};
};
struct OneFlow {
    static constexpr Written list[] = {{"(S(0), B, P(sum))"}, {"(S(1), S(1), S(0))"}, {"(P(min), B, B)"}, {"(X)"}};
};
struct Alpa {
    static constexpr Written list[] = {{"S02S1"}, {"RS0"}, {"S9R"}, {"S"}};
};

} // namespace

TEST_CASE("constant: meshes")
{
    const auto law = [](auto f, int least) { CHECK(constant::each<Meshes>(f).answered >= least); };
    law([](const Written& t) { return parse_mesh({t.text, t.size()}); }, 4);
    law(
        [](const Written& t) {
            const auto m = parse_mesh({t.text, t.size()});
            return m ? print_mesh(*m) : Result<SpecText>(m.error());
        },
        4);
    law(
        [](const Written& t) {
            const auto m = parse_mesh({t.text, t.size()});
            return m ? place_of(*m, 2) : Result<Coord>(m.error());
        },
        4);
    law(
        [](const Written& t) {
            const auto m = parse_mesh({t.text, t.size()});
            return m ? devices(*m) : Layout{};
        },
        6);
}

TEST_CASE("constant: GSPMD and Shardy, to layouts and back, and ranges")
{
    const auto law = [](auto f, int least) { CHECK(constant::each<Shardy>(f).answered >= least); };
    law([](const Written& t) { return parse_sdy({t.text, t.size()}, grid); }, 3);
    law(
        [](const Written& t) {
            const auto s = parse_sdy({t.text, t.size()}, grid);
            return s ? print_sdy(*s) : Result<SpecText>(s.error());
        },
        3);
    law(
        [](const Written& t) {
            const auto s = parse_sdy({t.text, t.size()}, grid);
            return s ? place(*s, shape) : Result<Placed>(s.error());
        },
        3);
    law(
        [](const Written& t) {
            const auto s = parse_sdy({t.text, t.size()}, grid);
            if (!s) return Result<Spec>(s.error());
            const auto p = place(*s, shape);
            return p ? find_spec(*p, shape, grid) : Result<Spec>(p.error());
        },
        3);
    law(
        [](const Written& t) {
            const auto s = parse_sdy({t.text, t.size()}, grid);
            if (!s) return Result<Spec>(s.error());
            const auto p = place(*s, shape);
            return p ? find_spec(*p, shape) : Result<Spec>(p.error());
        },
        3);
    law(
        [](const Written& t) {
            const auto s = parse_sdy({t.text, t.size()}, grid);
            return s ? range_of(*s, Shape{31, 7}, Rule::gspmd, 5) : Result<Region>(s.error());
        },
        3);
    law(
        [](const Written& t) {
            const auto s = parse_sdy({t.text, t.size()}, grid);
            if (!s) return Result<Placed>(s.error());
            const auto p = padded(*s, Shape{31, 7}, Rule::gspmd);
            return p ? Result<Placed>(p->placed) : Result<Placed>(p.error());
        },
        3);
}

TEST_CASE("constant: HLO, JAX, DTensor, SBP, Alpa")
{
    const auto hlo = [](auto f, int least) { CHECK(constant::each<Hlo>(f).answered >= least); };
    hlo([](const Written& t) { return parse_hlo({t.text, t.size()}); }, 6);
    hlo(
        [](const Written& t) {
            const auto h = parse_hlo({t.text, t.size()});
            return h ? print_hlo(*h) : Result<SpecText>(h.error());
        },
        6);
    hlo(
        [](const Written& t) {
            const auto h = parse_hlo({t.text, t.size()});
            return h ? to_spec(*h, 2, 16) : Result<Spec>(h.error());
        },
        3);
    hlo(
        [](const Written& t) {
            const auto h = parse_hlo({t.text, t.size()});
            const auto s = h ? to_spec(*h, 2) : Result<Spec>(h.error());
            return s ? to_hlo(*s) : Result<HloSharding>(s.error());
        },
        4);
    hlo(
        [](const Written& t) {
            const auto h = parse_hlo({t.text, t.size()});
            return h ? place(*h, shape) : Result<Placed>(h.error());
        },
        4);
    hlo(
        [](const Written& t) {
            const auto h = parse_hlo({t.text, t.size()});
            const auto p = h ? place(*h, shape) : Result<Placed>(h.error());
            return p ? find_hlo(*p, shape) : Result<HloSharding>(p.error());
        },
        4);

    const auto jax = [](auto f, int least) { CHECK(constant::each<Jax>(f).answered >= least); };
    jax([](const Written& t) { return parse_jax({t.text, t.size()}, grid, 2); }, 3);
    jax(
        [](const Written& t) {
            const auto s = parse_jax({t.text, t.size()}, grid, 2);
            return s ? print_jax(*s) : Result<SpecText>(s.error());
        },
        3);
    const auto torch = [](auto f, int least) { CHECK(constant::each<Torch>(f).answered >= least); };
    torch([](const Written& t) { return parse_dtensor({t.text, t.size()}); }, 4);
    torch(
        [](const Written& t) {
            const auto p = parse_dtensor({t.text, t.size()});
            return print_dtensor(p ? *p : Placements{});
        },
        5);
    torch(
        [](const Written& t) {
            const auto p = parse_dtensor({t.text, t.size()});
            return p ? to_spec(*p, grid, 2) : Result<Spec>(p.error());
        },
        3);
    torch(
        [](const Written& t) {
            const auto p = parse_dtensor({t.text, t.size()});
            const auto s = p ? to_spec(*p, grid, 2) : Result<Spec>(p.error());
            return s ? to_placements(*s) : Result<Placements>(s.error());
        },
        3);
    torch(
        [](const Written& t) {
            const auto p = parse_dtensor({t.text, t.size()});
            const auto s = p ? to_spec(*p, grid, 2) : Result<Spec>(p.error());
            return s ? range_of(*s, Shape{31, 16}, Rule::dtensor, 7) : Result<Region>(s.error());
        },
        1);
    const auto sbp = [](auto f, int least) { CHECK(constant::each<OneFlow>(f).answered >= least); };
    sbp([](const Written& t) { return parse_sbp({t.text, t.size()}); }, 3);
    sbp(
        [](const Written& t) {
            const auto p = parse_sbp({t.text, t.size()});
            return p ? print_sbp(*p) : Result<SpecText>(p.error());
        },
        3);
    const auto alpa = [](auto f, int least) { CHECK(constant::each<Alpa>(f).answered >= least); };
    alpa([](const Written& t) { return parse_alpa({t.text, t.size()}, grid); }, 2);
    alpa(
        [](const Written& t) {
            const auto s = parse_alpa({t.text, t.size()}, grid);
            return s ? print_alpa(*s) : Result<SpecText>(s.error());
        },
        2);
}
