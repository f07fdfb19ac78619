// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "topics.hpp"

namespace axe_cli {
namespace {

constexpr std::string_view notation_page =
    R"page(A layout maps each index of a tensor to points of hardware. It is written as extents, then a stride for
each extent, then replicas, then an offset:

  (8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp

  extents   (8,2,4,2) multiply to the number of elements; the last runs fastest (row-major)
  strides   4@lane moves 4 along the axis lane for each step of its extent; without @, along m, memory
  replicas  [2:4@warp] keeps two copies, 4 warps apart; [2:4@warp,3:1@reg] keeps six
  offset    5@warp moves every point; + 5 is + 5@m; a negative one is written + -3@warp

One extent needs no parentheses: 64:1. A layout without extents, of one element, is ():().

Axes
  An axis is a letter, then letters, digits, _ and . to 15 characters in all: lane, warp, reg, tx, gpuid.0. Any name is an axis;
  two axes are the same when their names are. A name with a character outside ASCII is an error at that character.

Arguments
  shape       (8,16), 8,16 or 8x16; 64
  coordinate  (2,9) or 2,9
  region      [0:8, 4:12]: an interval for each dimension, from its first index to before its end;
              [:, 4:] and [:4, :] extend to the ends of the preceding shape
  point       {lane:8, warp:6}; an axis that is not named is at 0
  axes        lane,reg
  iter        8:4@lane
  grouped     (8|2,4,2):(4@lane|1@warp,1@lane,1@reg), | between the dimension groups; an answer of `group`

  $ axe eval '(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp' 8x16 2,9
  ok: {lane:8, reg:1, warp:6} {lane:8, reg:1, warp:10}

  $ axe slice '(64,128):(128,1)' 64x128 '[32:, :]'
  ok: 4096:1 + 4096@m

Other notations
  TVM's S[(8,2):(2@laneid,1)] + R[2:4@warpid] + 5@warpid is read as well. Layouts of CuTe, Triton, XLA, NumPy, Shardy and others
  are read by groups of operations: `axe help cute`, linear, strides, sharding, map, spyre.

Put each text in quotes: brackets, spaces and stars are special to the shell. Spaces between tokens do not matter.
`axe help swizzle` describes swizzled layouts.
)page";

constexpr std::string_view swizzle_page =
    R"page(A swizzled layout is a layout whose coordinates on one axis are moved by an XOR of address bits, as in CuTe:

  swizzle<3,4,3>@smem/2((8,64):(64@smem,1@smem))
          | | |   |   |
          | | |   |   width: the bytes of an element, a power of two; 1 by default
          | | |   the axis; m by default
          | | shift: the bits read are this many positions above those written; below, if it is negative
          | base: the lowest bit that is written
          bits: the number of bits

The bits are those of the byte address, coordinate * width. The three swizzles of shared memory, for 16-bit elements, are

  128 bytes   swizzle<3,4,3>/2((8,64):(64,1))
   64 bytes   swizzle<2,4,3>/2((8,32):(32,1))
   32 bytes   swizzle<1,4,3>/2((8,16):(16,1))

  $ axe eval 'swizzle<3,4,3>/2((8,64):(64,1))' 8x64 1,0
  ok: {m:72}

  $ axe preimage 'swizzle<3,4,3>/2((8,64):(64,1))' 8x64 '{m:72}'
  ok: (1,0)

  $ axe slice 'swizzle<3,4,3>/2((8,64):(64,1))' 8x64 '[4:8, :]'
  ok: swizzle<3,4,3>/2(256:1 + 256@m)

Tiles of a swizzled layout:

  $ axe tile '(8,4):(1,8)' 8x4 'swizzle<3,4,3>/2((8,64):(64,1))' 8x64
  ok: swizzle<3,4,3>/2((64,4,64):(64,4096,1))

`axe help OPERATION` says whether an operation takes swizzled layouts. One that takes none says why: an inverse, say,
would apply the XOR first, and a complement is added before it.

`axe map` and `axe linear` also describe swizzles, as maps of integers and of bits: `axe help linear from-axe`.
)page";

constexpr std::string_view json_page =
    R"page(With --json every answer, of a single request or of a batch, is one object on a separate line. It is always valid JSON and
UTF-8, whatever the request was.

  status   "ok", "none", "error" or "undecided": the first word of the answer in text
  answer   the text after that word
  code, message                      of none, error and undecided: the code and the reason
  argument, position, suggestion     of an unreadable text: the argument, from 1; the character, from 0; a correction
  decision                           of a question: true or false
  witness members                    of a no: index, indices, point, left and right, sizes
  shard, replica, offset, swizzle    of a layout: lists of {extent, stride, axis}; an object; bits, base, shift, axis, width
  count, points, coordinates         of a list: the number of items, and the first 64
  value, text                        of a number; of a text of another library

  $ axe --json canonicalize '2:1@P + 3@P'
  {"status":"ok","answer":"2:1@P + 3@P","shard":[{"extent":2,"stride":1,"axis":"P"}],"replica":[],"offset":{"P":3}}

  $ axe --json equal '(4,2):(2,1)' '(4,2):(1,4)' | cut -c1-65
  {"status":"ok","answer":"no: at 1: {m:1} vs {m:4}","decision":fal

  $ axe --json transpose 8:1
  {"status":"error","answer":"unknown_operation: no operation is called 'transpose'; did you mean permute?","code":"unknown_operation","message":"no operation is called 'transpose'; did you mean permute?","suggestion":"permute"}

Numbers are whole and of 64 bits; a reader that keeps them as floating point loses digits beyond 2^53. The members of every
operation are listed in docs/how-to/command.md.
)page";

constexpr std::string_view batch_page = R"page(usage: axe [--json] batch < REQUESTS > ANSWERS

Reads one request per line from standard input, the operation and its arguments separated by `;`, and answers each with one line, in
order. A request that fails gets its error and does not end the batch.

  $ printf '%s\n' 'eval; 64:1; (8,8); (1,2)' 'equal; 4:1; 5:1' 'silce; 64:1; 64; [0:8]' | axe batch
  ok: {m:10}
  ok: no: sizes 4 and 5
  error: unknown_operation: no operation is called 'silce'; did you mean slice?

  - Every complete line is answered before the command waits for more input: a program may write one request and read its
    answer before it writes the next.
  - Spaces around arguments do not matter. Lines may end in a carriage return. The last one needs no newline.
  - An empty line is answered by an error, so that answers and requests correspond line by line.
  - A request has at most 1,048,576 characters. An argument cannot contain `;`.
  - An answer with several lines on the command line has one line here, with its parts separated by `; `.
  - The two words of an operation of a group are one field or two: `cute composition; ...` or `cute; composition; ...`.

Exit status
    0  the input has ended, whatever the answers were: each begins with ok, none, error or undecided
    2  the input cannot be read, or the answers cannot be written
  130  Ctrl-C: the current request is finished and all answers are written; a second Ctrl-C ends immediately

While a long batch runs, its progress is shown on standard error if that is a terminal and the answers go elsewhere.
)page";

constexpr std::string_view completion_page = R"page(usage: axe completion SHELL

Prints a script that completes operations, groups, commands, options and names of files, for the shell bash, fish or zsh:

  source <(axe completion bash)     in ~/.bashrc
  axe completion fish | source      in ~/.config/fish/config.fish
  source <(axe completion zsh)      in ~/.zshrc, after compinit

An installed axe does not need these lines: the scripts are where the shells look for them.

The script is generated from this program's list of operations. After an update, start a new shell.

  $ axe completion bash | head -n 1
  # Completion of the command axe for bash:  source <(axe completion bash)
)page";

constexpr std::string_view status_page =
    R"page(Every answer is written to standard output and begins with one of four words. Hints follow on standard error.

  ok: ...            0   the answer; to a question, yes
  ok: no ...         1   the answer to a question, with a witness
  none: why          1   the request is well-formed, and no such layout exists
  error: CODE: why   2   the request is ill-formed, a number overflowed, or the answer cannot be written
  undecided: why     3   a search reached its limit: neither yes nor no, neither a layout nor none

so a shell can test:

  $ if axe equal '(8,16):(16,1)' 128:1 >/dev/null; then echo 'one map'; fi
  one map

  $ axe injective '(2,3):(2,1)' || echo "exit status $?"
  ok: no: indices 2 and 3 share {m:2}
  exit status 1

`error: internal: ...` (2) is an internal error of the library: please report it. Ctrl-C ends with 130. A batch that has been
read to its end exits with 0, whatever its answers: `axe help batch`.
)page";

constexpr Topic all_topics[] = {
    {"notation", "how layouts, shapes, regions and points are written", notation_page},
    {"swizzle", "swizzled layouts, and which operations take them", swizzle_page},
    {"status", "the first words of answers, and the exit statuses", status_page},
    {"json", "answers as JSON", json_page},
    {"batch", "many requests from standard input", batch_page},
    {"completion", "completion in the shell", completion_page},
};

} // namespace

std::span<const Topic> topics() { return all_topics; }

const Topic* find_topic(std::string_view name)
{
    for (const Topic& topic : all_topics)
        if (topic.name == name) return &topic;
    return nullptr;
}

std::string help_of(const Topic& topic)
{
    std::string out = "axe help ";
    return out.append(topic.name).append(": ").append(topic.meaning).append("\n\n").append(topic.page);
}

} // namespace axe_cli
