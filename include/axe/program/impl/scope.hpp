// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AXE_PROGRAM_IMPL_SCOPE_HPP
#define AXE_PROGRAM_IMPL_SCOPE_HPP

#include <axe/program/kernel.hpp>
#include <axe/program/levels.hpp>
#include <axe/program/messages.hpp>

/// How kernel.hpp appends statements. Nothing here is for users.
namespace axe {
inline namespace v0 {

AXE_DECL TensorRef Scope::alloc(std::string memory, const Shape& shape, DType type, const Placement& placement, std::string name,
                                std::int64_t base, SourceLine at)
{
    if (name.empty()) name = "t" + std::to_string(kernel_->program_.tensors.size());
    const TensorRef ref = kernel_->declare(Binding::local, std::move(name), shape, type, placement);
    ProgramTensor& tensor = kernel_->program_.tensors.back();
    tensor.base = base;
    const Memory* where = find_memory(kernel_->program_.machine, memory.c_str());
    if (where == nullptr)
        kernel_->refuse(errc::bad_argument, detail::worded("tensor {0} is in {1}; {2} has no such memory",
                                                           {tensor.name, memory, kernel_->program_.machine.name}));
    else if (!placement.given)
        if (const auto plain = row_major_in(shape, *where)) tensor.layout.layout = *plain;
    tensor.memory = std::move(memory);
    kernel_->append({-1, Alloc{ref.id()}}, at);
    return ref;
}

AXE_DECL TensorRef Scope::alloc(Role role, const Shape& shape, DType type, const Placement& placement, std::string name,
                                std::int64_t base, SourceLine at)
{
    const Memory* memory = memory_for(kernel_->program_.machine, role);
    if (memory == nullptr)
        kernel_->refuse(errc::bad_argument,
                        detail::worded("{0} has no memory with the role of this tensor", {kernel_->program_.machine.name}));
    return alloc(memory == nullptr ? "" : memory->name, shape, type, placement, std::move(name), base, at);
}

AXE_DECL Scope& Scope::call(Instruction instruction, SourceLine at)
{
    kernel_->append({-1, std::move(instruction)}, at);
    return *this;
}

AXE_DECL Scope& Scope::sync(SourceLine at)
{
    kernel_->append({-1, Barrier{}}, at);
    return *this;
}
AXE_DECL Scope& Scope::commit(SourceLine at)
{
    kernel_->append({-1, Commit{}}, at);
    return *this;
}
AXE_DECL Scope& Scope::wait(int pending, SourceLine at)
{
    kernel_->append({-1, Wait{pending}}, at);
    return *this;
}
AXE_DECL Scope& Scope::wait_sources(int pending, SourceLine at)
{
    kernel_->append({-1, Wait{pending, Wait::Of::sources}}, at);
    return *this;
}
AXE_DECL Scope& Scope::wait_products(int pending, SourceLine at)
{
    kernel_->append({-1, Wait{pending, Wait::Of::products}}, at);
    return *this;
}
AXE_DECL Scope& Scope::proxy_fence(SourceLine at)
{
    kernel_->append({-1, ProxyFence{}}, at);
    return *this;
}
AXE_DECL Scope& Scope::memory_fence(Within within, SourceLine at)
{
    kernel_->append({-1, ProxyFence{ProxyFence::Of::memory, within}}, at);
    return *this;
}
AXE_DECL Scope& Scope::wait_tensor_loads(SourceLine at)
{
    kernel_->append({-1, Wait{0, Wait::Of::tensor_loads}}, at);
    return *this;
}
AXE_DECL Scope& Scope::wait_tensor_stores(SourceLine at)
{
    kernel_->append({-1, Wait{0, Wait::Of::tensor_stores}}, at);
    return *this;
}
AXE_DECL Scope& Scope::tensor_fence_before(SourceLine at)
{
    kernel_->append({-1, ProxyFence{ProxyFence::Of::before_sync}}, at);
    return *this;
}
AXE_DECL Scope& Scope::tensor_fence_after(SourceLine at)
{
    kernel_->append({-1, ProxyFence{ProxyFence::Of::after_sync}}, at);
    return *this;
}
AXE_DECL Scope& Scope::named_barrier(const NamedBarrier& action, SourceLine at)
{
    kernel_->append({-1, action}, at);
    return *this;
}
AXE_DECL Scope& Scope::mbarrier(const Mbarrier& action, SourceLine at)
{
    kernel_->append({-1, action}, at);
    return *this;
}

AXE_DECL Scope& Scope::loop(Affine begin, Affine end, std::int64_t step, const std::function<void(Affine)>& body, SourceLine at)
{
    if (step < 1) kernel_->refuse(errc::bad_argument, loop_step_text(step));
    const std::string name = "i" + std::to_string(kernel_->program_.variables.size());
    const std::int64_t low = kernel_->lowest(begin);
    std::int64_t high = std::max(low, kernel_->highest(end));
    // Of a loop from a number on, the last value is known: tiles that end with the shape do not cross its edge.
    if (begin.is_constant() && high > low && step > 0) high = low + (high - low - 1) / step * step + 1;
    const Var v = kernel_->variable(name, low, high);
    For loop{v, std::move(begin), std::move(end), step, {}};
    const int id = kernel_->number(at);
    loop.body = kernel_->written([&] { body(Affine(v)); });
    kernel_->append({id, std::move(loop)}, at);
    return *this;
}
AXE_DECL Scope& Scope::loop(const Tiles& tiles, const std::function<void(Interval)>& body, SourceLine at)
{
    if (kernel_->refuses(tiles)) return *this;
    const Shape counts = tiles.counts();
    if (counts.size() != 1) {
        kernel_->refuse(errc::rank_mismatch,
                        detail::worded("a loop runs over tiles of one dimension; these have {0}", {counts.size()}));
        return *this;
    }
    const std::int64_t tile = tiles.tile[0];
    return loop(0, counts[0], 1, [&](const Affine& i) { body(Interval(i * tile, tile)); }, at);
}
AXE_DECL Scope& Scope::loop_while(Expression condition, const std::function<void()>& body, SourceLine at)
{
    const int id = kernel_->number(at);
    kernel_->append({id, While{std::move(condition), kernel_->written(body)}}, at);
    return *this;
}
AXE_DECL Scope& Scope::break_loop(SourceLine at)
{
    kernel_->append({-1, Break{}}, at);
    return *this;
}
AXE_DECL Scope& Scope::continue_loop(SourceLine at)
{
    kernel_->append({-1, Continue{}}, at);
    return *this;
}
AXE_DECL Scope& Scope::when(Expression condition, const std::function<void()>& then, const std::function<void()>& otherwise,
                            SourceLine at)
{
    const int id = kernel_->number(at);
    Body yes = kernel_->written(then), no = kernel_->written(otherwise);
    kernel_->append({id, If{std::move(condition), std::move(yes), std::move(no)}}, at);
    return *this;
}
AXE_DECL ScalarRef Scope::scalar(std::string name, double initial)
{
    kernel_->program_.scalars.push_back({std::move(name), initial});
    return {static_cast<int>(kernel_->program_.scalars.size()) - 1, {kernel_}};
}
AXE_DECL Scope& Scope::assign(ScalarRef scalar, Expression value, SourceLine at)
{
    kernel_->check_owner(scalar);
    kernel_->append({-1, Assign{scalar.id, std::move(value)}}, at);
    return *this;
}

AXE_DECL Affine Scope::index(Expression value, std::int64_t low, std::int64_t high, std::string name, SourceLine at)
{
    if (name.empty()) name = "x" + std::to_string(kernel_->program_.variables.size());
    if (high <= low) kernel_->refuse(errc::bad_argument, empty_range_text({name, low, high}));
    const Var v = kernel_->variable(std::move(name), low, std::max(low + 1, high));
    kernel_->append({kernel_->number(at), Let{v, std::move(value), {}}}, at);
    // What is written from here on is inside, as far as the body around goes.
    kernel_->open(std::get<Let>(kernel_->open_.back()->back().what).body);
    return v;
}

AXE_DECL Scope& Scope::agents(int first, int count, int stride, const std::function<void(Scope)>& body, SourceLine at)
{
    return agents(first, count, stride, std::string(), body, at);
}
AXE_DECL Scope& Scope::agents(int first, int count, int stride, std::string name, const std::function<void(Scope)>& body,
                              SourceLine at)
{
    return slice({Slice::Of::agents, first, count, stride, {}, std::move(name), 1}, body, at);
}
AXE_DECL Scope& Scope::warpgroups(int first, int count, std::string name, const std::function<void(Scope)>& body, SourceLine at)
{
    const int warps = warpgroup_agents(kernel_->machine());
    const auto limited = [&](int n) { return static_cast<int>(std::clamp<std::int64_t>(std::int64_t{n} * warps, -1, 1 << 20)); };
    return slice({Slice::Of::agents, limited(first), limited(count), 1, {}, std::move(name), warps}, body, at);
}
AXE_DECL Scope& Scope::role(const AgentRole& role, const std::function<void(Scope)>& body, SourceLine at)
{
    auto chosen = slice_of(kernel_->machine(), role);
    if (chosen) return slice(std::move(*chosen), body, at);
    kernel_->refuse(chosen.error().code, chosen.error().text);
    return *this;
}
AXE_DECL Scope& Scope::slice(Slice slice, const std::function<void(Scope)>& body, SourceLine at)
{
    const int id = kernel_->number(at);
    Scope inside = *this;
    if (slice.of == Slice::Of::agents) inside.first_agent_ = slice.first;
    slice.body = kernel_->written([&] { body(inside); });
    kernel_->append({id, std::move(slice)}, at);
    return *this;
}
AXE_DECL Scope& Scope::each(Each::Of of, const Shape& counts, const std::function<void(Scope, const std::vector<Affine>&)>& body,
                            SourceLine at)
{
    if (kernel_->refuses(counts)) return *this;
    Each each{of, counts, {}, {}};
    std::vector<Affine> numbers;
    for (int d = 0; d < counts.size(); ++d) {
        each.vars.push_back(kernel_->variable((of == Each::Of::agent ? "agent" : "thread") + std::to_string(d), 0, counts[d]));
        numbers.emplace_back(each.vars.back());
    }
    const int id = kernel_->number(at);
    each.body = kernel_->written([&] { body(*this, numbers); });
    kernel_->append({id, std::move(each)}, at);
    return *this;
}
AXE_DECL Scope& Scope::each_agent(const Shape& counts, const std::function<void(Scope, const std::vector<Affine>&)>& body,
                                  SourceLine at)
{
    return each(Each::Of::agent, counts, body, at);
}
AXE_DECL Scope& Scope::each_thread(const Shape& counts, const std::function<void(Scope, const std::vector<Affine>&)>& body,
                                   SourceLine at)
{
    return each(Each::Of::thread, counts, body, at);
}

} // namespace v0
} // namespace axe

#endif
