// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <axe/picture/access_picture.hpp>
#include <axe/picture/movement.hpp>
#include <axe/picture/svg.hpp>
#include <axe/picture/svg_panel.hpp>
#include <axe/sim/report/format.hpp>
#include <catch.hpp>
#include <tests/unit/sim/pair.hpp>

#include "read_svg.hpp"

namespace {

using namespace axe;
using pictures::Element;
using pictures::read;

const MovementTensor& tensor(const MovementPicture& m, const MovementEnd& end)
{
    return m.tensors.at(static_cast<std::size_t>(end.tensor));
}

/// "A > s": what a step brings where.
std::string arrows(const MovementPicture& m, const MovementStep& step)
{
    std::string out;
    for (const MovementEnd& s : step.sources) out += (out.empty() ? "" : " ") + tensor(m, s).name;
    return step.destination ? out + " > " + tensor(m, *step.destination).name : step.words;
}

std::vector<std::string> all_arrows(const MovementPicture& m)
{
    std::vector<std::string> out;
    for (const MovementStep& step : m.steps) out.push_back(arrows(m, step));
    return out;
}

int number(const std::string& text) { return std::atoi(text.c_str()); }

/// Boxes keep apart, texts in their boxes, everything in the picture.
void check_drawing(const MovementPicture& m)
{
    const auto all = read(draw(m));
    const int width = number(all[0]["width"]), height = number(all[0]["height"]);
    std::vector<const Element*> boxes;
    std::size_t drawn = 0;
    for (const Element& e : all) {
        const bool in_box = e.parent >= 0 && all[static_cast<std::size_t>(e.parent)]["class"].rfind("box", 0) == 0;
        if (e.name == "rect" && in_box) boxes.push_back(&e);
        if (e.name != "text" || e["x"].empty()) continue;
        const int right = number(e["x"]) + axe::detail::label_width(axe::detail::characters(e.text));
        INFO(e.text);
        CHECK(number(e["y"]) < height);
        if (in_box) {
            const Element& box = *boxes.back();
            CHECK(right <= number(box["x"]) + number(box["width"]));
            CHECK(number(e["y"]) > number(box["y"]));
            CHECK(number(e["y"]) < number(box["y"]) + number(box["height"]));
        } else if (e["class"] != "soft" && e["class"] != "head ink") {
            CHECK(right <= width);
            if (number(e["x"]) < 376) CHECK(right <= 376); // left of the columns
        }
    }
    for (const MovementStep& step : m.steps) drawn += step.destination ? 1 + step.sources.size() : 0;
    CHECK(boxes.size() <= drawn);
    for (std::size_t i = 0; i < boxes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const auto apart = [&](const char* at, const char* size) {
                const int a = number((*boxes[i])[at]), b = number((*boxes[j])[at]);
                return a >= b + number((*boxes[j])[size]) || b >= a + number((*boxes[i])[size]);
            };
            CHECK((apart("x", "width") || apart("y", "height")));
        }
}

} // namespace

TEST_CASE("the movement of a program has each tensor once, and an arrow for each operand")
{
    const pair::Run run = pair::run();
    const MovementPicture m = movement(run.program, &run.lowered, &run.report);
    REQUIRE(m.memories.size() == 3);
    CHECK(m.memories[0].name == "gmem");
    CHECK(m.memories[0].whose == "each of 2 devices");
    CHECK(m.memories[1].name == "smem");
    CHECK(m.memories[1].whose == "each cta");
    CHECK(m.memories[2].name == "reg");
    std::vector<std::string> names;
    for (const MovementTensor& t : m.tensors) names.push_back(t.name);
    CHECK(names == std::vector<std::string>{"A", "s", "r", "C", "G"});
    for (const MovementTensor& t : m.tensors)
        for (const ProgramTensor& of : run.lowered.program.tensors)
            if (of.name == t.name) {
                CHECK(m.memories[static_cast<std::size_t>(t.memory)].name == of.memory);
                CHECK(t.layout == (of.layout.swizzle.bits == 0 ? std::string(print(of.layout.layout).c_str())
                                                               : std::string(print(of.layout).c_str())));
            }
    CHECK(m.tensors[1].type == "f16[32,64]");
    CHECK(all_arrows(m) == std::vector<std::string>{"grid block0 < 2; 2 agents", "A > s", "commit", "wait 0", "barrier", "s > r",
                                                    "r > r", "r > C", "barrier", "C > G"});
    for (const MovementStep& step : m.steps) {
        if (!step.destination) continue;
        const sim::Counters& c = run.report.statements.at(step.statement);
        CHECK(step.link_bytes == c.link_bytes);
        CHECK(step.across_devices == (step.statement == 11));
        REQUIRE(step.instructions.size() == c.by_text.size());
        for (const auto& [text, n] : c.by_text)
            CHECK(std::find(step.instructions.begin(), step.instructions.end(), sim::format::grouped(n) + " × " + text) !=
                  step.instructions.end());
        std::vector<std::string> bytes;
        for (const auto& [memory, b] : c.memories) {
            std::string read = b.bytes_read == 0 ? "" : " " + sim::format::grouped(b.bytes_read) + " B read";
            if (b.bytes_written != 0) read += (read.empty() ? " " : ", ") + sim::format::grouped(b.bytes_written) + " B written";
            bytes.push_back(memory + read);
        }
        CHECK(step.bytes == bytes);
    }
    CHECK(m.steps[1].bytes == std::vector<std::string>{"gmem 16,384 B read", "smem 16,384 B written"});
    CHECK(m.steps[9].link_bytes == 128 * 64 * 4);
    check_drawing(m);
}

TEST_CASE("without a lowered program the movement has hints and no instructions")
{
    const MovementPicture m = movement(pair::program());
    CHECK(m.tensors[1].layout == "hint conflict_free");
    for (const MovementStep& step : m.steps) {
        CHECK(step.instructions.empty());
        CHECK(step.bytes.empty());
        CHECK(!step.across_devices);
    }
    check_drawing(m);
}

TEST_CASE("operands of all columns, repeated and accumulated, keep apart in the picture")
{
    Kernel k("crowd <&>", machines::sm80);
    const auto A = k.input("A", {64, 64}, DType::f16), B = k.input("B", {64, 64}, DType::f32),
               O = k.output("O", {64, 64}, DType::f32);
    k.cta(tiles(1, 1), [&](Scope cta, const Tile&) {
        const auto a = cta.alloc(Role::shared, {64, 64}, DType::f16, conflict_free, "a");
        const auto b = cta.alloc(Role::shared, {64, 64}, DType::f32, {}, "b");
        const auto x = cta.alloc(Role::accumulator, {64, 64}, DType::f32, accumulator, "x");
        const auto y = cta.alloc(Role::registers, {64, 64}, DType::f32, LayoutHint::registers, std::string(60, 'y'));
        const auto z = cta.alloc(Role::registers, {64, 64}, DType::f32, LayoutHint::registers, "z");
        cta.loop(0, 3, 1, [&](const Affine& i) {
            cta.when(Expression(i) < 2, [&] { cta.fill(x, 0); }, [&] { cta.copy(a, A); });
            cta.gemm(x, a, a);
            cta.select(y, x, z, y).fma(y, B, b, z).fma(x, x, y, z).copy(b(Interval(i, 8), all), b(Interval(8, 8), all));
        });
        cta.copy(O, x);
    });
    const MovementPicture m = movement(k.program().value());
    CHECK(m.title == "crowd <&> on sm80");
    const auto steps = all_arrows(m);
    const std::string y(60, 'y');
    const std::vector<std::string> want = {"a x > x", "x z " + y + " > " + y, "B b z > " + y, "x " + y + " z > x", "b > b",
                                           "x > O"};
    CHECK(std::vector<std::string>(steps.end() - 6, steps.end()) == want);
    CHECK(std::find(steps.begin(), steps.end(), "else") != steps.end());
    check_drawing(m);
}

TEST_CASE("a statement with a fault is marked in the movement")
{
    const pair::Run run = pair::run({}, true);
    const MovementPicture m = movement(run.program, &run.lowered, &run.report);
    int faulty = 0;
    for (const MovementStep& step : m.steps)
        if (step.faulty) {
            ++faulty;
            CHECK(step.statement == run.report.fault.statement);
        }
    CHECK(faulty == 1);
    CHECK(draw(m).find(": the fault") != std::string::npos);
}

TEST_CASE("the picture of an access shows who touches which element")
{
    const pair::Run run = pair::run();
    const auto copies = axe::detail::instructions_of(run.lowered.program.body, 3);
    REQUIRE(copies.size() == 1);
    for (int operand = 0; operand < 2; ++operand)
        for (const auto by : {AccessPicture::By::lane, AccessPicture::By::agent, AccessPicture::By::issue}) {
            AccessPicture options;
            options.operand = operand;
            options.color = by;
            const Picture p = access_picture(run.lowered.program, 3, options).value();
            REQUIRE(p.panels.size() == 1);
            REQUIRE(p.panels[0].cells.size() == 32 * 64);
            const Distribution& part = *copies[0]->operands[static_cast<std::size_t>(operand)].distribution;
            std::size_t touched = 0;
            for (int issue = 0; issue < part.issues; ++issue)
                for (int agent = 0; agent < part.agents; ++agent)
                    for (int lane = 0; lane < part.lanes; ++lane)
                        for (int e = 0; e < part.vector; ++e) {
                            const auto element = part.element[part.at(issue, agent, lane, e)];
                            const PictureCell& cell = p.panels[0].cells.at(static_cast<std::size_t>(element));
                            ++touched;
                            CHECK(cell.kind == PictureCell::Kind::filled);
                            CHECK(cell.value == (by == AccessPicture::By::lane    ? lane
                                                 : by == AccessPicture::By::agent ? agent
                                                                                  : issue));
                            CHECK(cell.label.rfind(std::to_string(cell.value) + "\n", 0) == 0);
                            CHECK(cell.tip == "(" + std::to_string(element / 64) + "," + std::to_string(element % 64) + "): lane " +
                                                  std::to_string(lane) + " of agent " + std::to_string(agent) + ", issue " +
                                                  std::to_string(issue) + ", place " + std::to_string(e) + " of its vector");
                        }
            CHECK(touched == p.panels[0].cells.size());
            std::string wrong;
            pictures::read(draw(p), wrong);
            CHECK(wrong.empty());
        }
}

TEST_CASE("a picture of an access that is not there says what is")
{
    const pair::Run run = pair::run();
    const auto refused = [&](int statement, int instruction, int operand) {
        AccessPicture options;
        options.instruction = instruction;
        options.operand = operand;
        const auto p = access_picture(run.lowered.program, statement, options);
        REQUIRE(!p);
        CHECK(p.error().code == errc::bad_argument);
        return p.error().text;
    };
    CHECK(refused(3, 1, 0) == "statement 3 has 1 instruction; there is no number 1");
    CHECK(refused(99, 0, 0) == "statement 99 has 0 instructions; there is no number 0");
    CHECK(refused(3, 0, 2) == "cp.async.cg.shared.global 16 of statement 3 has 2 operands; there is no number 2");
    const std::string whole = refused(11, 0, 0);
    CHECK(whole.find(" of statement 11 accesses G as a whole, not by lanes") != std::string::npos);
}
