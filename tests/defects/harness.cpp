// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/kernels.hpp>
#include <tests/defects/harness.hpp>

namespace defects {

/// Where what is ready refers to does not move.
struct Ready::Parts {
    Parts(const Program& program, bool as_it_is)
    {
        for (const Problem& problem : validate(program)) malformed.push_back(problem.text);
        auto low = as_it_is ? Result<Lowered, Problem>(Lowered{program, {}}) : lower(program);
        if (low) lowered = std::move(*low);
        auto made = low ? sim::prepare(lowered.program) : low.error();
        if (made)
            prepared = std::move(*made);
        else
            refused = made.error();
    }
    Found run(const Bindings& inputs, const sim::RunOptions& options)
    {
        Found out;
        out.malformed = malformed;
        auto report = refused.code == errc::ok ? prepared.run(inputs, options) : refused;
        if (!report) {
            out.refused = report.error().code;
            out.text = report.error().text;
            return out;
        }
        out.fault = report->fault;
        out.text = report->fault.text;
        out.outputs = std::move(report->outputs);
        out.total = report->total;
        out.statements = report->statements;
        return out;
    }

    Lowered lowered{};
    sim::PreparedProgram prepared{};
    std::vector<std::string> malformed{};
    Problem refused{};
};

Ready::Ready(const Program& program, Bindings inputs, bool as_it_is)
    : parts_(std::make_shared<Parts>(program, as_it_is)), inputs_(std::move(inputs))
{
}
Found Ready::run(const sim::RunOptions& options) const { return parts_->run(inputs_, options); }

Found find(const Program& program, const Bindings& inputs, const sim::RunOptions& options, bool as_it_is)
{
    return Ready::Parts(program, as_it_is).run(inputs, options);
}

std::string verified(const Program& program, const Bindings& inputs, const Bindings& outputs)
{
    const auto v = verify(program, inputs, outputs);
    return !v ? v.error().text : v->ok() ? std::string() : v->text();
}

} // namespace defects
