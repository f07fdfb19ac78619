# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The layouts whose pages are compared with the library on every cell."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    name: str
    layout: str
    shape: str
    color: str = ""
    rows: str = ""
    columns: str = ""
    access: str = ""
    vector: int = 1
    width: int = 1

    def options(self):
        return self.color, self.rows, self.columns, self.access, self.vector, self.width


CASES = [
    # the examples of the paper
    Case("tensor core tile", "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp", "(8,16)"),
    Case(
        "tensor core tile by warp", "(8,2,4,2):(4@lane,1@warp,1@lane,1@reg) + [2:4@warp] + 5@warp", "(8,16)", "warp", "warp", "lane"
    ),
    Case("sharded over a mesh", "(2,8,2,16):(1@gpuid,32@m,2@gpuid,1@m)", "(16,32)"),
    Case("rows sharded, columns replicated", "(2,8,32):(1@gpuid,32@m,1@m) + [2:2@gpuid]", "(16,32)", "gpuid"),
    Case("partitions", "(2,16,8):(8@F,1@P,1@F)", "(32,8)"),
    Case("tensor memory", "(2,16,7):(7@TCol,1@TLane,1@TCol)", "(32,7)"),
    # operands of instructions
    Case("mma m16n8k16 A", "(2,8,2,4,2):(2@reg,4@lane,4@reg,1@lane,1@reg)", "(16,16)"),
    Case("mma m16n8k16 B", "(2,4,2,8):(2@reg,1@lane,1@reg,4@lane)", "(16,8)"),
    Case("mma m16n8 C by reg", "(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)", "(16,8)", "reg", "reg", "lane"),
    Case("wgmma m64n16 D", "(4,2,8,2,4,2):(1@warp,2@reg,4@lane,4@reg,1@lane,1@reg)", "(64,16)"),
    Case("mfma 32x32x8 B", "(2,4,32):(32@lane,1@reg,1@lane)", "(8,32)"),
    Case("wmma gfx1200 D", "(2,8,16):(16@lane,1@reg,1@lane)", "(16,16)"),
    Case("amx Z", "(16,16):(4@zrow,1@zelem)", "(16,16)"),
    # memory
    Case("row-major", "(8,16):(16,1)", "(8,16)"),
    Case("padded, by bank", "(8,16):(20,1)", "(8,16)", "bank", width=4),
    Case("copies, by bank", "(4,4):(4,1) + [2:8, 2:60]", "(4,4)", "bank", width=2),
    Case("an axis called bank", "(8,4):(1@bank,1)", "(8,4)"),
    Case("swizzled rows of 128 bytes", "swizzle<3,4,3>/2((8,64):(64,1))", "(8,64)", "bank", access="(8,8):(64,1)", vector=8),
    Case("swizzled, four bytes", "swizzle<2,4,3>/4((16,16):(16,1))", "(16,16)", access="16:16", vector=1),
    Case("swizzled on an axis of its own", "swizzle<1,2,-2>@smem((4,8):(8@smem,1@smem) + 32@smem)", "(4,8)"),
    Case("a swizzle of an axis that does not move", "swizzle<1,0,1>((2,2):(3@lane,1@lane) + 2@m)", "(2,2)"),
    Case("swizzled with copies", "swizzle<2,0,2>((4,4):(4,1) + [2:16, 2:1@cta] + 3@m)", "(4,4)"),
    Case("a column without a swizzle", "(64,32):(32,1)", "(64,32)", access="32:32", vector=1, width=4),
    Case("quarters of a warp", "swizzle<3,4,3>/2((32,64):(64,1))", "(32,64)", access="(32,8):(64,1)", vector=8),
    Case("halves of a warp", "(32,4):(4,1)", "(32,4)", access="(32,2):(4,1)", vector=2, width=4),
    Case("addresses below 0", "(4,32):(32,1) + -100@m", "(4,32)", "bank", access="(4,8):(32,3)", width=4),
    Case("bytes that share words", "(4,32):(32,1)", "(4,32)", access="32:1", vector=1),
    # choices of the grid
    Case("columns wrapped", "(2,40):(1@gpuid,1)", "(2,40)"),
    Case("columns just not wrapped", "(2,32):(1@gpuid,1)", "(2,32)"),
    Case("columns and enough rows", "(3,40):(1@gpuid,1)", "(3,40)"),
    Case("columns that were asked for", "(2,40):(1@gpuid,1)", "(2,40)", columns="m"),
    Case("rows that were asked for", "(2,40):(1@gpuid,1)", "(2,40)", rows="m"),
    Case("an axis that does not move", "(2,4):(1@lane,1) + 3@cta", "(2,4)", "cta", "cta", "m"),
    # replicas, offsets and signs
    Case("overlapping replicas", "4:1 + [3:2, 2:3]", "4"),
    Case("replicas of no stride", "(2,2):(2,1) + [3:0@warp, 1:7@warp]", "(2,2)"),
    Case("many replicas", "2:1 + [100:2]", "2"),
    Case("negative strides", "(3,4):(-4,1) + [2:-12] + -7@m", "(3,4)"),
    Case("stride 0", "(4,4):(0,1@lane)", "(4,4)"),
    Case("nothing moves", "(2,3):(0,0@lane) + 5@lane", "(2,3)"),
    Case("offset on an axis alone", "6:1 + 3@device + -2@warp", "6"),
    Case("farther than 2^53", "(2,4):(1@lane,1@reg) + [2:4@reg] + 1152921504606846977@reg + -1152921504606846977@lane", "(2,4)"),
    Case("a swizzle farther than 2^53", "swizzle<3,4,3>/2((8,64):(64,1) + 1152921504606846976@m)", "(8,64)"),
    Case("holes", "(4,3):(5,2)", "(4,3)"),
    # ranks and sizes
    Case("one element", "():()", "()"),
    Case("one element, placed", "():() + [2:1@cta] + 4@warp", "(1,1)"),
    Case("rank 1 of 100", "100:3", "100"),
    Case("rank 3", "(3,2,5):(10,1@warp,1)", "(3,2,5)"),
    Case("rank 4 across iters", "(6,20):(1@lane,1@reg)", "(2,3,4,5)"),
    Case("odd sizes", "(7,11,13):(143@m,1@lane,11@m)", "(77,13)"),
    Case("three axes", "(2,3,4):(1@alpha,1@beta.2,1@Gamma_3)", "(6,4)", "beta.2"),
    Case("an offset without an axis", "(4,2):(2,1) + 5", "(8)"),
    Case("the spelling of TVM", "S[(8,2):(2@laneid,1)] + R[2:4@warpid] + 5@warpid", "(8,2)"),
]
