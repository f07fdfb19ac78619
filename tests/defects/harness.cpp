// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <tests/defects/harness.hpp>

namespace defects {

Found find(const Program& program, const Bindings& inputs, const sim::RunOptions& options, bool as_it_is)
{
    Found out;
    for (const Problem& p : validate(program)) out.malformed.push_back(p.text);
    const auto refuse = [&](const Problem& p) {
        out.refused = p.code;
        out.text = p.text;
        return std::move(out);
    };
    const auto lowered = as_it_is ? Result<Lowered, axe::Problem>(Lowered{program, {}}) : lower(program);
    if (!lowered) return refuse(lowered.error());
    auto report = sim::run(lowered->program, inputs, options);
    if (!report) return refuse(report.error());
    out.fault = report->fault;
    out.text = report->fault.text;
    out.outputs = std::move(report->outputs);
    out.total = report->total;
    out.statements = report->statements;
    return out;
}

std::string verified(const Program& program, const Bindings& inputs, const Bindings& outputs)
{
    const auto v = verify(program, inputs, outputs);
    return !v ? v.error().text : v->ok() ? std::string() : v->text();
}

} // namespace defects
