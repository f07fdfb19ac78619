#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Are the lines of code in docs/examples/compared.md those of the kernels?

    python3 -B tests/docs/kernel_lines.py ROOT [--record | --selftest]

A kernel is the definitions named below: what it runs and what it needs for that, and not its inputs, its specification where that is a
function of its own, or the text at its end. Lines without code, blank ones and comments, do not count. `--record` writes the counts into the page.
"""
import pathlib
import re
import sys

KERNELS = {
    "gemm_sm90": [("gemm_sm90/example.cpp", ["Sizes", "sizes_of", "gemm_sm90_program"])],
    "gemm_sm100": [("common/tensor_tiles.hpp", ["TensorTiles"]), ("gemm_sm100/example.cpp", ["gemm_sm100_program"])],
    "fp8_gemm": [("fp8_gemm/example.cpp", ["fp8_gemm_program"])],
    "fp8_scaled": [("fp8_scaled/example.cpp", ["ScaledSizes", "scaled_sizes", "fp8_scaled_program"])],
    "mx_gemm": [("common/tensor_tiles.hpp", ["TensorTiles"]), ("mx_gemm/example.cpp", ["MxSizes", "mx_gemm_program"])],
    "grouped_gemm": [("grouped_gemm/example.cpp", ["in_tiles", "multiply", "contiguous", "psum", "masked", "grouped_gemm_program"])],
    "moe": [
        ("moe/routing.hpp", ["MoeSizes", "MoeLayer", "MoeRouter", "moe_route"]),
        ("moe/example.cpp", ["moe_step", "first_product", "second_product", "both_products", "sum_of_experts", "moe_program"]),
    ],
    "flash_attention": [
        ("common/online_softmax.hpp", ["OnlineSoftmax", "KeyMask"]),
        ("flash_attention/attention.hpp",
         ["AttentionSizes", "attention_sizes", "copies_of", "for_each_block", "ScoreLayouts", "scores_of_matrix_instructions",
          "scores_of_threads", "Scores"]),
        ("flash_attention/tensor_memory.hpp", ["AttentionViews", "AttentionBarriers", "TensorAttention", "by_tensor_memory"]),
        ("flash_attention/example.cpp", ["Queries", "by_warps", "by_warpgroups", "flash_attention_program"]),
    ],
}


def definitions(text, name):
    """The lines of all definitions of a name at the left margin: of a class those of its functions outside, too."""
    found, inside = [], False
    for line in text.split("\n"):
        if not inside and line[:1].strip() and not line.startswith(("//", "#", "}", "template")) and not line.endswith(";"):
            inside = re.match(rf"(struct|class) {name}\b", line) or re.search(rf"(?:^|\s){name}(?:::~?\w+)?\(", line)
            if inside and line.endswith("}"):  # all in one line
                found.append(line)
                inside = False
        if inside:
            found.append(line)
            inside = not line.startswith("}")
    return found


def code_lines(lines):
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("//"))


def count(root, kernel):
    total = 0
    for file, names in KERNELS[kernel]:
        text = (root / "examples" / file).read_text(encoding="utf-8")
        for name in names:
            lines = definitions(text, name)
            if not lines:
                sys.exit(f"{file} defines no {name}; KERNELS of {__file__} says that it does")
            total += code_lines(lines)
    return total


def row(kernel):
    return re.compile(rf"^(\| \[{kernel}\]\({kernel}\.md\) \| )(\d+)( \|)", re.MULTILINE)


def selftest():
    text = "int other(int a)\n{\n    return f(a);\n}\n/// f\nint f(int a)\n{\n    // why\n\n    return a;\n}\nstruct S {\n    int a;\n};\nint S::g()\n{\n}\nint h() { return 1; }\n"
    wanted = {"f": 4, "S": 6, "h": 1, "g": 0}
    for name, lines in wanted.items():
        if code_lines(definitions(text, name)) != lines:
            sys.exit(f"{name} has {code_lines(definitions(text, name))} lines; planted are {lines}")
    print("planted definitions are counted")


def main():
    if "--selftest" in sys.argv:
        return selftest()
    root = pathlib.Path(sys.argv[1])
    page = root / "docs" / "examples" / "compared.md"
    text = page.read_text(encoding="utf-8")
    wrong = []
    for kernel in KERNELS:
        lines = count(root, kernel)
        found = row(kernel).search(text)
        if found is None:
            sys.exit(f"{page} has no row for {kernel}")
        if int(found[2]) != lines:
            wrong.append(f"{kernel} has {lines} lines of code; the page says {found[2]}")
            text = row(kernel).sub(rf"\g<1>{lines}\g<3>", text)
    if "--record" in sys.argv:
        page.write_text(text, encoding="utf-8")
        return print(f"{len(KERNELS)} kernels")
    if wrong:
        sys.exit("\n".join(wrong) + "\nto be recorded: python3 -B tests/docs/kernel_lines.py . --record")
    print(f"{len(KERNELS)} kernels, their lines as the page says")


if __name__ == "__main__":
    main()
