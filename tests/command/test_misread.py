# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Malformed texts of every other library: the sentence, the character that it names, and the caret under it.

In the texts below ^ stands before the character that must be named; a text without one is wrong as a whole."""

import unittest

from axe_command import batch, main, run

# The request with {} for the text, and texts with their sentences, {} for the place.
MISREAD = {
    "CuTe's layouts": (
        ["cute", "coalesce", "{}"],
        [
            ("^", "bad_syntax", "expected an extent or '(' at character {}"),
            ("(4,8^:(8,1)", "bad_syntax", "expected ',' or ')' in the shape at character {}"),
            ("(4,8):(8,1^", "bad_syntax", "expected ',' or ')' in the strides at character {}"),
            ("(4,^x):(8,1)", "bad_syntax", "expected an extent or '(' at character {}"),
            ("(4,8):(8,^)", "rank_mismatch", "the strides end at character {}; the tuple of the shape has 2 entries"),
            ("(4,8):(8,1) ^(2", "bad_syntax", "expected the end of the text at character {}"),
            ("(8,8):(^9223372036854775807,1)", "overflow", "the values of the layout overflow at character {}"),
            ("(_^,8):(8,1)", "bad_syntax", "expected a number after _ at character {}"),
            ("4:1@^", "bad_syntax", "expected the number of a basis after @ at character {}"),
            ("(4,^?):(8,1)", "bad_syntax", "the number at character {} is known at run time only; a layout needs its value"),
            ("(4,^0):(8,1)", "bad_extent", "the extent at character {} is 0; it must be at least 1"),
            ("(4,^-8):(8,1)", "bad_extent", "the extent at character {} is -8; it must be at least 1"),
            ("(4,8):(8^)", "rank_mismatch", "the strides end at character {}; the tuple of the shape has 2 entries"),
            ("(4,8):(8,1,^3)", "rank_mismatch", "the stride at character {} is one more than the 2 entries of the tuple in the shape"),
            (
                "(4,(2,2)):(8,^1)",
                "rank_mismatch",
                "the stride at character {} is one number where the shape has a tuple of 2",
            ),
            ("(4,8):(^(8,1),1)", "rank_mismatch", "the stride at character {} is a tuple where the shape has one extent, 4"),
            ("^99999999999999999999:1", "overflow", "the number at character {} overflows"),
        ],
    ),
    "CuTe's swizzles": (
        ["cute", "to-axe", "{}", "linear"],
        [
            ("Sw ^3,4,3>", "bad_syntax", "expected '<' after Sw at character {}"),
            ("Sw<^,4,3> o 0 o 8:1", "bad_syntax", "expected the number of bits at character {}"),
            ("Sw<3^> o 0 o 8:1", "bad_syntax", "expected ',' after the bits at character {}"),
            ("Sw<3,4^> o 0 o 8:1", "bad_syntax", "expected ',' after the lowest bit at character {}"),
            ("Sw<3,4,3 ^o 0 o 8:1", "bad_syntax", "expected '>' after the shift at character {}"),
            ("Sw<3,4,3> ^0 o 8:1", "bad_syntax", "expected ' o ' at character {}"),
            ("Sw<3,4,3> o 0 ^8:1", "bad_syntax", "expected ' o ' at character {}"),
            ("Sw<3,4,3> o ^x o 8:1", "bad_syntax", "expected an offset or smem_ptr[16b] at character {}"),
            (
                "Sw<3,4,3> o smem_ptr[16^](unset) o 8:1",
                "bad_syntax",
                "expected 'b' after the bits of an element at character {}",
            ),
            ("Sw<3,4,3> o 0 o (8^:1", "bad_syntax", "expected ',' or ')' in the shape at character {}"),
            ("Sw<^99999999999,4,3> o 0 o 8:1", "overflow", "the number at character {} overflows"),
        ],
    ),
    "layouts for each mode": (
        ["cute", "logical-divide", "(8,4,2):(1,8,32)", "{}"],
        [
            ("<^", "bad_syntax", "expected a layout, an extent or _ at character {}"),
            ("<4:1,^>", "bad_syntax", "expected a layout, an extent or _ at character {}"),
            ("<4:1, ^x>", "bad_syntax", "expected a layout, an extent or _ at character {}"),
            ("<4:^>", "bad_syntax", "expected a stride at character {}"),
            ("<4:1 ^2:1>", "bad_syntax", "expected ',' or '>' after a mode at character {}"),
            ("<4:1,_^", "bad_syntax", "expected ',' or '>' after a mode at character {}"),
            ("<<4,^>,_>", "bad_syntax", "expected a layout, an extent or _ at character {}"),
            ("<<4,2> ^_>", "bad_syntax", "expected ',' or '>' after a mode at character {}"),
            ("<4:1>^>", "bad_syntax", "expected the end of the text at character {}"),
            ("<4:1,^0>", "bad_extent", "the extent at character {} is 0; it must be at least 1"),
            ("<4:1,(2,^-2):(1,4)>", "bad_extent", "the extent at character {} is -2; it must be at least 1"),
            ("<4^", "bad_syntax", "expected ':' after the shape at character {}"),
            ("(4,^x)", "bad_syntax", "expected an extent, _ or '(' at character {}"),
            ("(4,^0)", "bad_extent", "the extent at character {} is 0; it must be at least 1"),
            ("((4,_)^", "bad_syntax", "expected ',' or ')' after an extent at character {}"),
        ],
    ),
    "CuTe's coordinates": (
        ["cute", "eval", "((2,4),8):((1,16),2)", "{}"],
        [
            ("^", "bad_syntax", "expected an index or '(' at character {}"),
            ("((1,3),^x)", "bad_syntax", "expected an index or '(' at character {}"),
            ("((1,3),5^", "bad_syntax", "expected ',' or ')' in the coordinate at character {}"),
            ("((1,3),5)^)", "bad_syntax", "expected the end of the text at character {}"),
            ("(^99999999999999999999,5)", "overflow", "the number at character {} overflows"),
        ],
    ),
    "linear or coordinate": (
        ["cute", "to-axe", "8:1", "{}"],
        [
            ("^", "bad_syntax", "expected linear or coordinate at character {}"),
            ("^lineer", "bad_syntax", "expected linear or coordinate at character {}"),
        ],
    ),
    "linear layouts": (
        ["linear", "show", "{}"],
        [
            ("^", "bad_syntax", "expected an input dimension or the arrow -> at character {}"),
            ("^=[1] -> x:4", "bad_syntax", "expected an input dimension or the arrow -> at character {}"),
            ("a^[1] -> x:4", "bad_syntax", "expected '=' after the input dimension at character {}"),
            ("a=[1] x^:4", "bad_syntax", "expected '=' after the input dimension at character {}"),
            ("a=[1,2 ^-> x:4", "bad_syntax", "expected ',' or ']' after an image at character {}"),
            (
                "a=[^(1,2)] -> x:4",
                "rank_mismatch",
                "the image at character {} has rank 2, the output rank 1",
            ),
            ("a=[1,2] -> x:^3", "bad_extent", "the size at character {} is 3, not a power of two"),
            ("a=[1,^5] -> x:4", "out_of_domain", "the coordinate at character {} is 5; it must be in [0, 4)"),
            ("a=[1] ^a=[2] -> x:4", "bad_axis", "the dimension at character {} is already named"),
            ("a=[^-1] -> x:4", "out_of_domain", "the coordinate at character {} is -1; it must be in [0, 4)"),
        ],
    ),
    "Triton's list": (
        ["linear", "show", "{}"],
        [
            ("- lane=1 -> (1)^", "bad_syntax", "expected '-' or 'where out dims are:' at character {}"),
            ("- ^1=1 -> (1)", "bad_syntax", "expected an input dimension at character {}"),
            ("- lane ^-> (1)", "bad_syntax", "expected '=' or the words is a size 1 dimension at character {}"),
            ("- lane=1 ^> (1) where", "bad_syntax", "expected the arrow -> at character {}"),
            ("- lane=^2 -> (1)", "bad_syntax", "the input at character {} must be the next power of two, 1"),
            (
                "- lane=1 -> (1) where ^in dims are: [d (size 2)]",
                "bad_syntax",
                "expected '-' or 'where out dims are:' at character {}",
            ),
            (
                "- lane=1 -> (1) where out dims are: [d ^size 2]",
                "bad_syntax",
                "expected '(' before the size of an out dim at character {}",
            ),
            (
                "- lane=1 -> (1) where out dims are: [d (size ^3)]",
                "bad_extent",
                "the size at character {} is 3, not a power of two",
            ),
            (
                "- lane=1 -> ^(1,0) where out dims are: [d (size 2)]",
                "rank_mismatch",
                "the image at character {} has rank 2, the output rank 1",
            ),
            (
                "- lane=1 -> (^2) where out dims are: [d (size 2)]",
                "out_of_domain",
                "the coordinate at character {} is 2; it must be in [0, 2)",
            ),
        ],
    ),
    "strides": (
        ["strides", "numpy", "(4,8)", "{}"],
        [
            ("^", "bad_syntax", "expected an index at character {}"),
            ("(8,^x)", "bad_syntax", "expected an index at character {}"),
            ("(8,1^", "bad_syntax", "expected ',' or ')' at character {}"),
            ("8^:1", "bad_syntax", "expected the end of the text at character {}"),
            ("(^99999999999999999999,1)", "overflow", "the number at character {} overflows"),
        ],
    ),
    "oneDNN's tags": (
        ["strides", "onednn", "{}", "(2,3,4,5)"],
        [
            ("^", "bad_syntax", "expected the letter of a dimension at character {}"),
            ("n^@hw", "bad_syntax", "expected a block or the end of the tag at character {}"),
            ("nchw16^", "bad_syntax", "expected the lowercase letter of one of the tag's dimensions at character {}"),
            ("nchw16^C", "bad_syntax", "expected the lowercase letter of one of the tag's dimensions at character {}"),
            ("nchw^w", "bad_syntax", "the letter at character {} is already used"),
            ("ab^d", "bad_syntax", "the letter at character {} skips an earlier letter"),
            ("aBcd^1b", "bad_syntax", "the block at character {} must have a size of 2 or more"),
            ("^ABCD16b", "bad_syntax", "the dimension at character {} is a capital letter, but has no block"),
        ],
    ),
    "XLA's tiles": (
        ["strides", "xla", "{}", "(3,5)"],
        [
            ("^1,0", "bad_syntax", "expected '{{' at character {}"),
            ("{1,0^", "bad_syntax", "expected ',', ':' or '}}' at character {}"),
            ("{1,0}^x", "bad_syntax", "expected the end of the text at character {}"),
            ("{1,0:^X(2)}", "bad_syntax", "expected T, L, E, S or '}}' at character {}"),
            ("{1,0:T^2)}", "bad_syntax", "expected '(' before the tile at character {}"),
            ("{1,0:T(^x)}", "bad_syntax", "expected an extent of the tile or '*' at character {}"),
            ("{1,0:T(8,128^", "bad_syntax", "expected ',' or ')' in the tile at character {}"),
            ("{1,0:T(^0)}", "bad_extent", "the extent at character {} is 0; it must be at least 1"),
            ("{1,^1}", "bad_argument", "the dimension at character {} does not exist or is already named"),
            ("{1,^2}", "bad_argument", "dimension 0 is not named, but the greater one at character {} is"),
        ],
    ),
    "HLO shardings": (
        ["sharding", "hlo", "{}", "(8,8)"],
        [
            ("^devices=[2,2]<=[4]", "bad_syntax", "expected '{{' before the sharding at character {}"),
            (
                "{^device=[2,2]<=[4]}",
                "bad_syntax",
                "expected replicated, maximal, manual, unknown, unreduced or devices= at character {}",
            ),
            (
                "{devices=[2,2]<=[4]^",
                "bad_syntax",
                "expected '}}' at character {}; only the placement of a sharding is read",
            ),
            (
                "{devices=[2,2]<=[4] ^last_tile_dim_replicat}",
                "bad_syntax",
                "expected '}}' at character {}; only the placement of a sharding is read",
            ),
            (
                "{devices=[2,2]<=[4] last_tile_dims={^foo}}",
                "bad_syntax",
                "expected replicated, manual or unreduced at character {}",
            ),
            ("{devices=[2,^0]<=[4]}", "bad_extent", "the number at character {} is 0; it must be at least 1"),
            ("{maximal device=^-1}", "out_of_domain", "the device at character {} is -1; device numbers start at 0"),
            (
                "{^replicate}",
                "bad_syntax",
                "expected replicated, maximal, manual, unknown, unreduced or devices= at character {}",
            ),
            ("{maximal^}", "bad_syntax", "expected device= at character {}"),
            ("{devices=[2,2^}", "bad_syntax", "expected ',' or ']' after the tiles at character {}"),
            # v2: steps through a reshaped, transposed count
            ("{devices=[2,2]^<=[5]}", "size_mismatch", "the list at character {} has 5 devices; expected 4, the number of tiles"),
            ("{devices=[2,2]<=[2,2]T(0,^0)}", "bad_argument", "the order at character {} names dimension 0 twice"),
            (
                "{devices=[2,2]<=[2,2]T(^2,1)}",
                "bad_argument",
                "the order at character {} names dimension 2, which does not exist",
            ),
            # v1: a list
            ("{devices=[2,2]^0,1,2}", "size_mismatch", "the list at character {} has 3 devices; expected 4, the number of tiles"),
            ("{devices=[2,2]0,^-1,2,3}", "out_of_domain", "the device at character {} is -1; device numbers start at 0"),
            ("{devices=[2,2]0,2,1,^5}", "none", "the device list is not a product of steps: character {} breaks the pattern"),
        ],
    ),
    "Shardy": (
        ["sharding", "sdy", "{}", '<["x"=2, "y"=4]>', "(64,128)"],
        [
            ("<@^, []>", "bad_syntax", "expected the name of the mesh at character {}"),
            ('<@mesh, [{"x"}, {"y":^1)2}]>', "bad_syntax", "expected '(' and the places before the sub-axis at character {}"),
            ("<@mesh, [{}, {}], ^replicate={}>", "bad_syntax", "expected replicated= or unreduced= at character {}"),
            ('^[{"x"}]', "bad_syntax", "expected '<' before the sharding at character {}"),
            ('<@mesh ^[{"x"}]>', "bad_syntax", "expected ',' after the mesh at character {}"),
            ('<@mesh, [{"x"}, {^y}]>', "bad_syntax", "expected the name of a mesh axis in quotes at character {}"),
            ('<@mesh, [{"x}]>^', "bad_syntax", "expected the quote that ends the name at character {}"),
            ('<@mesh, [{"x"}, {"y"}^', "bad_syntax", "expected ',' or ']' after the dimension at character {}"),
            ('<@mesh, [{"x"}, {^"z"}]>', "unknown_axis", "the mesh has no axis of the name at character {}"),
            (
                '<@mesh, [{"x"}, {^"y":(1)3}]>',
                "bad_argument",
                "the sub-axis at character {} does not divide the 4 places of its axis",
            ),
            ('<@mesh, [{"x"}, {^"x"}]>', "bad_argument", "the places of the mesh axis at character {} are already named"),
            (
                '<@mesh, [{"x"}, {}], replicated={^"x"}>',
                "bad_argument",
                "the places of the mesh axis at character {} are already named",
            ),
        ],
    ),
    "meshes": (
        ["sharding", "alpa", "RR", "{}", "(8,4)"],
        [
            ("^", "bad_syntax", "expected a mesh, <[\"x\"=2]>, Mesh('x': 2) or (2,4), at character {}"),
            ("^2", "bad_syntax", "expected a mesh, <[\"x\"=2]>, Mesh('x': 2) or (2,4), at character {}"),
            ("(2,^", "bad_syntax", "expected the size of the axis at character {}"),
            ('<["x"=2]^', "bad_syntax", "expected '>' after the mesh at character {}"),
            ('<["x"^:2]>', "bad_syntax", "expected '=' after the name of the axis at character {}"),
            ('<["x"=4], device_ids=[0,^x]>', "bad_syntax", "expected the number of a device at character {}"),
            ("Mesh('x' ^2)", "bad_syntax", "expected ':' after the name of the axis at character {}"),
            ("Mesh(^x: 2)", "bad_syntax", "expected the name of a mesh axis in quotes at character {}"),
            ("Mesh('x': ^0)", "bad_extent", "the number at character {} is 0; it must be at least 1"),
            (
                '<["x"=4], device_ids=[0,2,1,^5]>',
                "none",
                "the device list is not a product of steps: device 5 at character {} breaks the pattern",
            ),
        ],
    ),
    "PartitionSpec": (
        ["sharding", "jax", "{}", "Mesh('x': 2, 'y': 4)", "(4,16)"],
        [
            ("^", "bad_syntax", "expected P( at character {}"),
            ("P('x', unreduced={^'z'})", "unknown_axis", "the mesh has no axis of the name at character {}"),
            ("P('x'^", "bad_syntax", "expected ',' or ')' after the entry at character {}"),
            ("P(^x)", "bad_syntax", "expected 'axis', ('axis', ...), None or P.UNCONSTRAINED at character {}"),
            ("P('x', ^none)", "bad_syntax", "expected 'axis', ('axis', ...), None or P.UNCONSTRAINED at character {}"),
            ("P('x)^", "bad_syntax", "expected the quote that ends the name at character {}"),
            ("PartitionSpec^s('x')", "bad_syntax", "expected '(' after P at character {}"),
            ("P('x', ^'z')", "unknown_axis", "the mesh has no axis of the name at character {}"),
            ("P('x', ^'x')", "bad_argument", "the mesh axis at character {} is already named"),
            ("P('x', 'y', None)", "rank_mismatch", "the PartitionSpec has 3 entries, the shape 2 dimensions"),
        ],
    ),
    "DTensor's placements": (
        ["sharding", "dtensor", "{}", "(2,2)", "(8,8)"],
        [
            ("[Shard(0)^", "bad_syntax", "expected ',' or ']' after the placement at character {}"),
            ("[Shard(0), ^Shrad(1)]", "bad_syntax", "expected Shard, Replicate, Partial or _StridedShard at character {}"),
            ("[Shard(^)]", "bad_syntax", "expected the number of a dimension at character {}"),
            ("[Shard(0), Shard(^99)]", "bad_argument", "the dimension at character {} is 99, more than any tensor has"),
            ("[_StridedShard(0, split_factor=^0)]", "bad_extent", "the number at character {} is 0; it must be at least 1"),
            ("[Partial(^sums)]", "bad_syntax", "expected sum, avg, product, max or min at character {}"),
            ("[_StridedShard(0, ^split=2)]", "bad_syntax", "expected the split factor at character {}"),
            ("[Shard(0), Shard(1)]^)", "bad_syntax", "expected the end of the text at character {}"),
        ],
    ),
    "SBP": (
        ["sharding", "sbp", "{}", "(2,2)", "(8,8)"],
        [
            ("(S(0)^", "bad_syntax", "expected ',' or ')' after the placement at character {}"),
            ("(S(0), ^Q)", "bad_syntax", "expected S(dim), B or P(sum) at character {}"),
            ("(S ^0, B)", "bad_syntax", "expected '(' and a dimension at character {}"),
            ("^", "bad_syntax", "expected S(dim), B or P(sum) at character {}"),
            ("(S(^x), B)", "bad_syntax", "expected the number of a dimension at character {}"),
            ("(S(0^, B)", "bad_syntax", "expected ')' after the dimension at character {}"),
            ("(S(0), P(^mean))", "bad_syntax", "expected sum, max or min at character {}"),
            ("S(0) ^B", "bad_syntax", "expected the end of the text at character {}"),
        ],
    ),
    "Alpa": (
        ["sharding", "alpa", "{}", "(2,4)", "(8,4)"],
        [
            ("^X0R", "bad_syntax", "expected R, or S and mesh axes, at character {}"),
            ("S^R", "bad_syntax", "expected the number of a mesh axis at character {}"),
            ("^s0R", "bad_syntax", "expected R, or S and mesh axes, at character {}"),
            ("S0^,R", "bad_syntax", "expected R, or S and mesh axes, at character {}"),
            ("S^2R", "unknown_axis", "character {} names an axis that the mesh, of 2 axes, does not have"),
            ("S0S^0", "bad_argument", "the mesh axis at character {} is already named"),
            ("RR^,", "bad_syntax", "expected R, or S and mesh axes, at character {}"),
        ],
    ),
}


def unmarked(marked):
    """The text without its ^, and where that stood; −1 where there is none."""
    return marked.replace("^", ""), marked.find("^")


def requests():
    for reader, (request, rows) in MISREAD.items():
        for marked, code, sentence in rows:
            text, place = unmarked(marked)
            argument = request.index("{}") - 1
            yield reader, [word.replace("{}", text) for word in request], argument, text, place, code, sentence.format(place)


class Misread(unittest.TestCase):
    def test_alone(self):
        """The sentence on standard output; the text, the caret, and the sentence again on standard error."""
        for reader, words, argument, text, place, code, sentence in requests():
            with self.subTest(reader=reader, text=text):
                done = run(*words)
                status, begins = (1, "none: ") if code == "none" else (2, f"error: {code}: ")
                begins += f"argument {argument}: "
                self.assertEqual((done.stdout[: len(begins)], done.returncode), (begins, status))
                said, _, meant = done.stdout[len(begins) : -1].partition("; did you mean ")
                self.assertEqual(said, sentence)
                caret = [] if place < 0 else [" " * place + "^"]
                said += meant and f"; did you mean {meant}"
                self.assertEqual(done.stderr.split("\n")[: 2 + len(caret)], [text, *caret, said])

    def test_in_a_batch(self):
        rows = list(requests())
        answers = batch(["; ".join(words) for _, words, *_ in rows])
        for (reader, _, argument, text, _, code, sentence), answer in zip(rows, answers):
            with self.subTest(reader=reader, text=text):
                begins = "none: " if code == "none" else f"error: {code}: "
                self.assertTrue(answer.startswith(f"{begins}argument {argument}: {sentence}"), answer)

    def test_enough_texts(self):
        for reader, (_, rows) in MISREAD.items():
            with self.subTest(reader):
                self.assertGreaterEqual(len(rows), 2 if reader == "linear or coordinate" else 5)


if __name__ == "__main__":
    main()
