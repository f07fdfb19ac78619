// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_INTEROP_JSON_SHARDING_HPP
#define AXE_INTEROP_JSON_SHARDING_HPP

#include <axe/interop/sharding/hlo_text.hpp>
#include <axe/interop/sharding/mesh_text.hpp>
#include <axe/json/text_form.hpp>

/// JSON of shardings, with <axe/json.hpp>: the texts of their frameworks, XLA's HLO sharding `"{devices=[2,1]<=[2]}"` and
/// Shardy's mesh. A value that `check` rejects is written as "".
template <>
struct axe::JsonText<axe::sharding::HloSharding> {
    static std::string print(const sharding::HloSharding& hlo)
    {
        const auto text = sharding::print_hlo(hlo);
        return text ? text->c_str() : "";
    }
    static Result<sharding::HloSharding> parse(std::string_view text) { return sharding::parse_hlo(text); }
};
template <>
struct axe::JsonText<axe::sharding::Mesh> {
    static std::string print(const sharding::Mesh& mesh)
    {
        const auto text = sharding::print_mesh(mesh);
        return text ? text->c_str() : "";
    }
    static Result<sharding::Mesh> parse(std::string_view text) { return sharding::parse_mesh(text); }
};

#endif
