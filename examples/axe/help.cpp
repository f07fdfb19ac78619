// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the table says, for a person.
#include "help.hpp"

#include "columns.hpp"
#include "topics.hpp"

#include <algorithm>
#include <vector>

namespace axe_cli {
namespace {

/// The words for arguments in a usage, between spaces, and what is to be typed for them; in one group, or in all that do not say
/// otherwise.
struct Placeholder {
    std::string_view words, meaning;
    std::string_view names{}; ///< a group, or one operation, `cute from-axe`, which comes before its group

    [[nodiscard]] bool covers(std::string_view word) const
    {
        return words.find(" " + std::string(word) + " ") != std::string_view::npos;
    }
};
constexpr Placeholder placeholders[] = {
    {" L A B C M ", "a layout: (8,2):(4@lane,1) + [2:4@warp] + 5@warp"},
    {" S S_A S_B S_C S2 ", "a shape: (8,16), 8,16, 8x16 or 64"},
    {" COORD ", "an index for each dimension: (2,9)"},
    {" REGION ", "an interval for each dimension: [0:8, 4:12]; [:, 4:] runs to the ends"},
    {" POINT ", "a point of hardware: {lane:8, warp:6}"},
    {" EXTENTS ", "the extents of a box, one for each axis: {lane:32, warp:8}; `box` may stand before them"},
    {" AXES ", "a list of axes: lane,reg"},
    {" AXIS ", "an axis: lane"},
    {" OLD=NEW ", "two axes: lane=thread"},
    {" SPLIT ", "an axis and its two parts: thread=32*warp+lane"},
    {" MACHINE ", "the name of a machine: sm90"},
    {" ORDER ", "the dimensions in their new order, from 0: (1,0)"},
    {" DIM ", "the number of a dimension, from 0"},
    {" N ", "a number"},
    {" ITER ", "an extent and a stride: 8:4@lane"},
    {" FILE ", "where to write: its name ends in .svg or .html"},
    {" MESH ", "a mesh, outermost axis first: node(node_x=2,node_y=2),device=4,cluster=2,block=4", "mesh"},
    {" PART ", "a key: [1,:,-2:4:2] or [...,0]; flat; or a shape: (4,2)", "mesh"},
    {" MESH ", "a mesh, outermost axis first: node=2,device=4", "shard"},
    {" SHARDING ", "axes for each dimension, slowest first, then partial and undistributed ones: [[x,y],[]] P(z) U(w)", "shard"},
    {" ID ", "a member, by its id", "shard"},
    {" MESH ", "a mesh, outermost axis first: node=2,device=4", "reshard"},
    {" FROM TO ", "axes for each dimension, slowest first, then partial and undistributed ones: [[x,y],[]] P(z) U(w)", "reshard"},
    {" M A B ", "an indexing map: (d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 7], s0 in [0, 3]", "map"},
    {" VALUES ", "a value for each variable: (2,3)", "map"},
    {" RANGES ", "the numbers of range variables, from 0: (0,2)", "map"},
    {" THREADS ", "how many a block has", "map"},
    {" VECTOR ", "how many elements each thread takes", "map"},
    {" ITEMSIZE ", "the bytes of an element", "map"},
    {" WIDTH ", "how many elements an instruction moves", "map"},
    {" VARIABLE ", "a variable by its name, d0, or by its number, from 0", "map"},
    {" TILE ", "offsets, sizes and strides of the tile, then values of run-time variables: (4,8,1)", "map"},
    {" SHAPE ", "a shape: (8,16), or 64", "map"},
    {" BOX ", "an interval for each result, both ends in it: [0, 3] [2, 5]", "map"},
    {" L ", "a layout, swizzled or not: (8,2):(4,1), or swizzle<3,4,3>/2((8,64):(64,1))", "cute from-axe"},
    {" COORD ", "an index for each mode, in tuples as the layout has them: ((1,3),5), or 3,5", "cute"},
    {" L ", "a layout, swizzled or not: (8,2):(4@lane,1@lane)", "cute from-tile"},
    {" TV ", "a layout of CuTe whose two modes are threads and values: ((4,8),(2,2)):((32,1),(16,8))", "cute"},
    {" COORD ", "an index for each mode, or _ for one that stays open: ((1,_),5), or _,3", "cute slice"},
    {" L ", "a layout of CuTe: ((2,4),8):((1,16),2); a shape, its compact one; not swizzled", "cute complement"},
    {" BEGIN END ", "the number of a mode, from 0", "cute"},
    {" INDEX ", "an index of the layout, leftmost mode fastest", "cute"},
    {" LANES ", "the lanes of a warp: 32 where it is left out; 0 for threads without warps", "cute"},
    {" N|SHAPE ", "a number, or a shape: 24, (4,6), 4,6 or 4x6", "cute"},
    {" A B L ", "a layout of CuTe: ((2,4),8):((1,16),2); a shape, its compact one; or Sw<3,4,3> o 0 o (8,64):(64,1)", "cute"},
    {" B ", "a layout of CuTe: ((2,4),8):((1,16),2); a shape, its compact one; not swizzled", "cute blocked-product"},
    {" B ", "a layout of CuTe: ((2,4),8):((1,16),2); a shape, its compact one; not swizzled", "cute raked-product"},
    {" T ", "a layout of CuTe, or one for each mode: <2:1,(2,2):(1,4)>, (4,2), 4,2 or 4x2", "cute"},
    {" SHAPE ", "a shape: (8,16), 8,16, 8x16 or 64; nested, (4,(2,3))", "cute"},
    {" PROFILE ", "a layout of CuTe with the tuples that the result has: ((2,4),8):((1,16),2)", "cute"},
    {" ORDER ", "a number for each dimension; that of the least is fastest: (2,1)", "cute"},
    {" OLD NEW ", "the bits of an element", "cute"},
    {" A B ", "a linear layout: register=[(0,1),(0,2)] lane=[(1,0)] -> dim0:2 dim1:4, or Triton's list", "linear"},
    {" NAMES INS OUTS ", "a list of dimensions: register,lane", "linear"},
    {" WIDTH ", "the bytes of an element", "linear"},
    {" SHAPE ", "the extents: (8,16)", "strides"},
    {" STRIDES ", "a number for each dimension: (16,1)", "strides"},
    {" ITEMSIZE ", "the bytes of an element", "strides"},
    {" TAG ", "a memory format of oneDNN: nchw, nChw16c, aBcd8b", "strides"},
    {" TEXT ", "a tiled layout of XLA: {1,0:T(8,128)(2,1)}", "strides"},
    {" TEXT ", "a sharding as its own library prints it, as in the example", "sharding"},
    {" SPEC ", "a PartitionSpec: P('x', ('y', 'z'), None)", "sharding"},
    {" SIZE SIZE2 ", "the sizes of PyTorch's tensor: (5,100,150)", "spyre"},
    {" DTYPE ", "a type of PyTorch, float16, or a format of the device, SEN169_FP16", "spyre"},
    {" ORDER A B ",
     "dimensions, that in sticks last: (1,0,2), (0,1,-1) if sparse; or device_size=[3,5,64] stride_map=[64,150,1]; or -", "spyre"},
    {" STRIDES STRIDES2 ", "elements between indices on the host, and where the first is: (150,1), (150,1) + 7; or -", "spyre"},
    {" LAYOUT ", "device_size=[3,5,64] stride_map=[64,150,1], or SpyreTensorLayout(...) as upstream prints it", "spyre"},
    {" ARRANGEMENT ", "an order inside sticks: DL16_TO_FP32", "spyre"},
    {" FORMULA ", "the loops of each tensor's dimensions: m k, k n -> m n", "spyre"},
    {" M ", "an indexing map: (p0, p1) -> (p0 * 256 + p1), domain: p0 in [0, 3], p1 in [0, 63]", "spyre"},
    {" MESH ", "a mesh: <[\"x\"=2, \"y\"=4]>, Mesh('x': 2, 'y': 4) or (2,4)", "sharding"},
};

/// The words of a usage, `L`, `S` and `S2` of `L S [S2]`.
std::vector<std::string_view> words_of(std::string_view arguments)
{
    std::vector<std::string_view> words;
    for (std::size_t at = 0; (at = arguments.find_first_not_of(" []", at)) != std::string_view::npos;) {
        const std::size_t end = std::min(arguments.find_first_of(" []", at), arguments.size());
        words.push_back(arguments.substr(at, end - at));
        at = end;
    }
    return words;
}

/// What a word of an operation's usage stands for; null when it needs no telling.
const Placeholder* placeholder_of(const Operation& op, std::string_view word)
{
    const Placeholder* found = nullptr;
    for (const Placeholder& p : placeholders) {
        if (!p.covers(word)) continue;
        if (p.names.empty()) {
            found = &p;
        } else if (op.name == p.names || (op.name.starts_with(p.names) && op.name.substr(p.names.size()).starts_with(' '))) {
            return &p;
        }
    }
    return found;
}

/// An argument as the shell wants it.
std::string shell_word(std::string_view word)
{
    const bool plain =
        word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:@/=+-") == std::string_view::npos;
    if (plain && !word.empty()) return std::string(word);
    const char quote = word.find('\'') == std::string_view::npos ? '\'' : '"'; // no text of an example has both
    return quote + std::string(word) + quote;
}

/// The example as a command of the shell.
std::string example_command(const Operation& op)
{
    std::string out = "axe";
    bool name = true; // it may be two words, and needs no quotes
    for (std::string_view rest = op.example; !rest.empty(); name = false) {
        const std::size_t to = rest.find("; ");
        out.append(" ").append(name ? std::string(rest.substr(0, to)) : shell_word(rest.substr(0, to)));
        rest.remove_prefix(to == std::string_view::npos ? rest.size() : to + 2);
    }
    return out;
}

/// Each line two columns in; ends in a newline.
std::string indented(std::string_view lines)
{
    std::string out = "  ";
    for (const char c : lines) {
        out += c;
        if (c == '\n') out += "  ";
    }
    return out += '\n';
}

std::string signature(std::string_view name, std::string_view arguments)
{
    return std::string(name).append(arguments.empty() ? "" : " ").append(arguments);
}

/// Two columns: what to type, what it means.
void add_row(std::string& out, const std::string& left, std::string_view right)
{
    constexpr std::size_t column = 28;
    const std::string space(left.size() < column ? column - left.size() : 2, ' ');
    out.append("  ").append(left).append(space).append(right).append("\n");
}

/// Is it a question of yes or no?
bool is_question(const Operation& op)
{
    const std::string_view answer = op.answer;
    return answer.starts_with("ok: yes") || answer == "ok: no" || answer.starts_with("ok: no ") || answer.starts_with("ok: no:");
}

/// A line of the refusals: `none: why`, or codes, of which `too_hard` is not an error but undecided.
void add_refusals(std::string& out, std::string_view line)
{
    if (line.starts_with("none:")) {
        out.append("  ").append(line).append("\n");
        return;
    }
    constexpr std::string_view undecided = "too_hard";
    const std::size_t at = line.find(undecided);
    std::size_t end = at == std::string_view::npos ? at : at + undecided.size();
    if (end != std::string_view::npos && line.substr(end).starts_with(" (")) end = line.find(')', end) + 1;
    std::string errors(line.substr(0, at));
    if (end != std::string_view::npos) {
        if (line.substr(end).starts_with(", ")) errors += line.substr(end + 2);
        if (errors.ends_with(", ")) errors.resize(errors.size() - 2);
    }
    if (!errors.empty()) out.append("  error: ").append(errors).append("\n");
    if (end != std::string_view::npos) out.append("  undecided: ").append(line.substr(at, end - at)).append("\n");
}

} // namespace

std::string short_usage()
{
    return "usage: axe OPERATION ARGUMENTS...   e.g. axe eval '(8,4):(4@lane,1@reg)' '(8,4)' '(2,3)'\n"
           "       axe batch                    requests from standard input\n"
           "       axe help [OPERATION]         what there is\n";
}

std::string help_page()
{
    std::string out = "axe: where does each element of a tensor live?\n"
                      "\n"
                      "A layout takes each element to points of hardware. It is written as extents, then strides on the axes of\n"
                      "the hardware, then replicas, then an offset:\n"
                      "\n"
                      "  (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp\n"
                      "\n"
                      "The extents multiply to 128 elements, here an 8x16 tile, the last running fastest. [2:4@warp] keeps two\n"
                      "copies, 4 warps apart. An axis may have any name; a stride without an axis is on m, memory.\n"
                      "Print the layout, ask where element (2,9) lives, and draw it, each text in quotes:\n"
                      "\n"
                      "  axe show '(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp'\n"
                      "  axe eval '(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp' '(8,16)' '(2,9)'\n"
                      "  axe picture '(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp' '(8,16)' tile.svg\n"
                      "\n"
                      "usage: axe [--json] OPERATION ARGUMENTS...\n"
                      "\n"
                      "An answer begins with `ok:`, `none:` (no such layout exists, and why), `error:` or `undecided:`. The exit\n"
                      "status is 0; 1 for none and for the answer no to a question; 2 for an error; 3 for undecided.\n"
                      "A shape is written (8,16) or 8x16, a coordinate (2,9), a region [0:8, 4:], a point {lane:8, warp:6}.\n"
                      "  --json                    answers as JSON, one object per line\n"
                      "  --version                 the version\n"
                      "  --                        what follows is not an option\n"
                      "\n"
                      "Commands\n";
    for (const Command& command : commands()) add_row(out, signature(command.name, command.arguments), command.meaning);
    out += "\nOperations (L, M, A, B, C are layouts; S is a shape, S_A the shape of A)\n";
    std::string groups;
    for (const Family& family : families()) {
        if (!family.group.empty()) {
            add_row(groups, signature(family.group, "OPERATION"), family.meaning);
            continue;
        }
        out.append(" ").append(family.title).append("\n");
        for (const Operation& op : family.operations) add_row(out, signature(op.name, op.arguments), op.meaning);
    }
    if (!groups.empty()) out.append("\nGroups of operations (`axe help GROUP` lists them)\n").append(groups);
    out += "\nTopics (`axe help TOPIC`)\n";
    for (const Topic& topic : topics()) add_row(out, std::string(topic.name), topic.meaning);
    return out;
}

std::string help_of(const Family& group)
{
    std::vector<Row> rows;
    for (const Operation& op : group.operations) rows.push_back({signature(last_word(op), op.arguments), std::string(op.meaning)});
    std::string out = "usage: axe " + signature(group.group, "OPERATION ARGUMENTS...") + "\n\n" + indented(group.meaning);
    out += "\nOperations" + table_of(rows, 2) + "\n\n`axe help " + std::string(group.operations.front().name) +
           "` describes one, with an example.\n";
    return out;
}

std::string help_of(const Operation& op)
{
    std::string out = "usage: axe " + signature(op.name, op.arguments) + "\n\n" + indented(op.meaning);
    if (!op.details.empty()) out += indented(op.details);
    out += "\n";
    const std::size_t before = out.size();
    for (const Placeholder& p : placeholders) {
        std::string found; // the words of this kind in the usage
        for (const std::string_view word : words_of(op.arguments))
            if (placeholder_of(op, word) == &p && found.find(word) == std::string::npos)
                found.append(found.empty() ? "" : ", ").append(word);
        if (found.empty()) continue;
        add_row(out, found, p.meaning);
        if (&p == placeholders && op.swizzled) add_row(out, "", "or a swizzled one: swizzle<3,4,3>/2((8,64):(64,1))");
    }
    if (out.size() > before) out += "\n";
    out += "Example\n  ";
    out += example_command(op) + "\n" + indented(op.answer);
    if (is_question(op)) out += "\nExit status\n  0 on yes, 1 on no, 2 on an error, 3 where it is undecided\n";
    out += "\nWhen there is no answer\n";
    for (std::string_view rest = op.refusals; !rest.empty();) {
        const std::size_t to = rest.find('\n');
        add_refusals(out, rest.substr(0, to));
        rest.remove_prefix(to == std::string_view::npos ? rest.size() : to + 1);
    }
    return out;
}

std::string form_of(const Operation& op, int argument)
{
    const auto words = words_of(op.arguments);
    const auto n = static_cast<std::size_t>(argument) - 1;
    const Placeholder* p = n < words.size() ? placeholder_of(op, words[n]) : nullptr;
    return p == nullptr ? "" : std::string(words[n]).append(" is ").append(p->meaning).append("\n");
}

std::string usage_of(const Operation& op)
{
    return "usage: axe " + signature(op.name, op.arguments) + "      each argument in quotes\n   e.g. " + example_command(op) +
           "\n";
}

} // namespace axe_cli
