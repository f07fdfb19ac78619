# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fields and the address: new layouts are drawn as the library has them, mistakes are told as the library tells them."""

import random
import urllib.parse

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import support
from agreement import Agreement
from cases import CASES, Case

FIRST = CASES[0]

BAD_LAYOUTS = """
|(|(8|(8)|(8)(|(8):|(8):(|(8):(1|8|8:|8:1@|8:1@1ane|8:1 x|8:1 +|8:1 + [|8:1 + [2|8:1 + [2:1|8:1 + [2:1,
8:1 + 5 x|8:1 + 5@|8:1 + x@lane
(8,2):(1)|(8):(1,2)|(8,):(1,2)|(8,2:(1,2)|(8,2):(1,2|(8|2):(1|2)|x|S|S[8:1|S[(8):(1)|S[(8):(1)] + R|S[(8):(1)] + R[2:1 + 5@m
0:1|-8:1|(8,0):(1,1)|8:1 + [0:1]|8:1 + [-1:1]|8:9223372036854775808|8:99999999999999999999999|(4294967296,4294967296):(1,1)
8:9223372036854775807|8:1@abcdefghijklmnop|8:1 + 1@a + 1@a|8:1 + 1@a + 2@b + 1@a
2:1@a + 1@b + 1@c + 1@d + 1@e + 1@f + 1@g + 1@h + 1@i
(2,2):(9223372036854775807,-9223372036854775807)|(2,2):(-9223372036854775807,-9223372036854775807)|2:1 + 9223372036854775807@m
2:-1 + -9223372036854775808@m|1:1 + -9223372036854775808@m|2:9223372036854775807
1:0 + [2:9223372036854775807, 2:1]|2:-9223372036854775808
swizzle|swizzle<|swizzle<3|swizzle<3,4|swizzle<3,4,3|swizzle<3,4,3>|swizzle<3,4,3>(|swizzle<3,4,3>(8:1
swizzle<3,4,3>(8:1) x|swizzle<3,4,2>(8:1)
swizzle<-1,4,3>(8:1)|swizzle<3,59,3>(8:1)|swizzle<3,4,3>/3(8:1)|swizzle<3,4,3>/32(8:1)|swizzle<3,4,3>@(8:1)
swizzle<3,4,3>/(8:1)|swizzel<3,4,3>(8:1)
swizzle<99999999999,4,3>(8:1)|8:1@lane + [2:1@lane] + [2:1@lane]
8:- 1|8:--1|(8:1)|8:1)|1:1,|8::1|8:1@_|8:1@.a|"8:1"
(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1):(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0)|1:0 + [1:0,1:0,1:0,1:0,1:0,1:0,1:0,1:0,1:0]
"""
BAD_SHAPES = "|(|(8|8,|8x|8,16x2|8x16,2|(8,16|(8,,)|(8 16)|x|(0)|(8,-2)|0|(4294967296,4294967296)|8)|((8))|[8]|9223372036854775808"
INJECTION = """</script></title></pre></noscript></style><script>hit=1</script><img src=x onerror="hit=1">' onmouseover='hit=1' """


class Fields(Agreement):
    def setUp(self):
        made = support.library.ask("page", support.browser.path("fields.html"), FIRST.layout, FIRST.shape, "", *FIRST.options())
        self.assertIsInstance(made, int, made)
        support.browser.open("fields.html")

    def tearDown(self):
        self.assertEqual(support.browser.complaints(), [])

    def message(self):
        return support.browser.js(
            "const m = document.getElementById('message'); return m.hidden ? null :"
            "[document.getElementById('said').textContent, document.getElementById('place').textContent]"
        )

    def picture(self):
        return support.browser.js("return document.querySelector('main').innerHTML")

    def enter(self, case):
        support.browser.fill(access="", color="", rows="", columns="", width="1", vector="1")
        support.browser.fill(layout=case.layout, shape=case.shape, width=case.width)
        support.browser.fill(color=case.color, rows=case.rows, columns=case.columns)
        support.browser.fill(access=case.access, vector=case.vector)

    def test_one_page_draws_all_layouts_in_turn(self):
        for case in CASES:
            with self.subTest(case.name):
                self.enter(case)
                self.assertIsNone(self.message())
                shown = support.browser.read()
                self.agree(case, shown)
                if case.access:
                    self.banks_agree(case, shown)

    def test_random_layouts(self):
        r = random.Random(4)
        drawn = 0
        while drawn < 80:
            iters = [(r.randint(1, 4), r.randint(-6, 8), r.choice(["m", "m", "lane", "reg", "zz"])) for _ in range(r.randint(0, 4))]
            text = f"({','.join(str(n) for n, _, _ in iters)}):({','.join(f'{s}@{a}' for _, s, a in iters)})"
            if r.random() < 0.4:
                text += (
                    " + ["
                    + ", ".join(
                        f"{r.randint(1, 3)}:{r.randint(-3, 5)}@{r.choice(['m', 'lane', 'cta'])}" for _ in range(r.randint(1, 3))
                    )
                    + "]"
                )
            for axis in r.sample(["m", "lane", "warp"], r.choice([0, 0, 1, 2])):
                text += f" + {r.randint(-9, 40)}@{axis}"
            if r.random() < 0.3:
                bits = r.randint(0, 2)
                base = r.randint(0, 2)
                shift, width = r.choice([-1, 1]) * r.randint(bits, 3), 2 ** r.randint(0, base)
                text = f"swizzle<{bits},{base},{shift}>{r.choice(['', '@lane'])}/{width}({text})"
            size = 1
            for n, _, _ in iters:
                size *= n
            d = next(d for d in (r.randint(1, size) for _ in range(999)) if size % d == 0)
            shape = r.choice([f"({size})", f"({d},{size // d})", f"({d},1,{size // d})"])
            case = Case(text, text, shape)
            if support.library.ask("check", "layout", text) is not None:
                continue
            with self.subTest(text, shape=shape):
                support.browser.fill(layout=text, shape=shape)
                self.assertIsNone(self.message())
                self.agree(case, support.browser.read())
            drawn += 1

    def test_typing(self):
        field = support.browser.driver.find_element(By.ID, "layout")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("S[(8,2):(2@laneid,1)] + R[2:4@warpid] + 5@warpid")
        self.assertIn("the shape has 128 elements, the layout 16", self.message()[0])
        field = support.browser.driver.find_element(By.ID, "shape")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("(8,2)")
        self.assertIsNone(self.message())
        self.agree(CASES[-1], support.browser.read())

    def mistakes(self, field, texts, kind):
        before = self.picture()
        for text in texts:
            with self.subTest(text):
                code, position, told = support.library.ask("check", kind, text)
                support.browser.fill(**{field: text})
                said, place = self.message()
                self.assertIn(f": {told}. ", said)
                self.assertEqual(self.picture(), before)
                self.assertEqual(
                    support.browser.js("return [...document.querySelectorAll('[aria-invalid]')].map((e) => e.id)"), [field]
                )
                if "character" in told and code != "rank_mismatch":
                    line, caret = place.split("\n")
                    self.assertEqual((line, caret.index("^")), (text, position))

    def test_mistakes_in_a_layout(self):
        texts = [text for line in BAD_LAYOUTS.strip("\n").split("\n") for text in line.split("|") if text]
        self.mistakes("layout", ["", "(8|2):(1|2)", "|"] + texts, "layout")
        support.browser.fill(layout=FIRST.layout)
        self.assertIsNone(self.message())
        self.agree(FIRST, support.browser.read())

    def test_every_beginning_and_every_wrong_character(self):
        texts = [FIRST.layout[:n] for n in range(len(FIRST.layout))] + [
            "swizzle<3,4,3>@smem/2((8,64):(64@smem,1@smem) + 8@smem)"[:n] for n in range(54)
        ]
        texts += [FIRST.layout[:n] + c + FIRST.layout[n + 1 :] for n in range(len(FIRST.layout)) for c in ")(x9@: "]
        texts = [text for text in texts if support.library.ask("check", "layout", text)]
        self.assertGreater(len(texts), 300)
        self.mistakes("layout", texts, "layout")

    def test_mistakes_in_a_shape(self):
        self.mistakes("shape", BAD_SHAPES.split("|"), "shape")

    def test_mistakes_in_an_access(self):
        self.mistakes("access", ["8", "8:", "(8:1", "8:1@", "0:1", "8:1 x"], "access")
        support.browser.fill(access="", vector="x")
        self.assertIsNone(self.message())  # no access, no vector
        for field, text, said in [
            ("vector", "x", "Elements a lane: expected a number"),
            ("width", "0", "Bytes an element: a swizzle whose lowest bit is 0 splits elements of 0 bytes"),
            ("width", "1.5", "Bytes an element: expected the end"),
        ]:
            support.browser.fill(access="32:1", vector="1", width="1")
            self.assertIsNone(self.message())
            support.browser.fill(**{field: text})
            self.assertIn(said, self.message()[0])

    def test_a_place_for_what_is_no_layout(self):
        for text, place in [("(8,0,3):(1,1,1)", 3), ("8:1 + [2:1, 0:4]", 12), ("(4,8):(1@lane,9223372036854775807)", 3)]:
            support.browser.fill(layout=text)
            self.assertEqual(self.message()[1], f"{text}\n{' ' * place}^")

    def test_what_cannot_be_drawn_is_said_and_the_picture_stays(self):
        before = self.picture()
        for layout, shape, said in [
            ("(8,16):(16,1)", "(8,8)", "the shape has 64 elements, the layout 128"),
            ("(512,512):(512,1)", "(512,512)", "at most 65536 cells"),
            ("1152921504606846976:1", "1152921504606846976", "at most 65536 cells"),
            ("2:1 + [1000000:2]", "2", "at most 131072 points"),
            ("2:1 + [1000:1@a, 1000:1@b]", "2", "at most 131072 points"),
            ("1:0 + [60000:1, 60000:1, 60000:1]", "1", "at most 131072 points"),
            ("64:1 + [4096:1@a]", "64", "at most 131072 points"),
        ]:
            with self.subTest(layout):
                support.browser.fill(layout=layout, shape=shape)
                self.assertIn(said, self.message()[0])
                self.assertEqual(self.picture(), before)
                support.browser.fill(layout=FIRST.layout, shape=FIRST.shape)
                self.assertIsNone(self.message())

    def test_a_view_that_cannot_be_drawn_leaves_the_others(self):
        note = "return [...document.querySelectorAll('.note')].map((e) => e.closest('section').id + ' ' + e.textContent)"
        support.browser.fill(layout="(2,2):(1152921504606846976@lane,1@reg)", shape="(2,2)")
        self.assertIsNone(self.message())
        self.assertEqual(support.browser.js(note), ["hardware Not drawn: a picture has at most 65536 cells."])
        self.assertEqual(len(support.browser.read()["logical"][0]["cells"]), 4)
        support.browser.js("document.querySelector('#logical .c').click(); document.querySelector('#logical .c').click()")
        support.browser.fill(layout="512:1", shape="(512,1,1)")
        self.assertEqual(support.browser.js(note), ["logical Not drawn: a picture has at most 256 panels."])
        self.assertEqual(len(support.browser.read()["hardware"][0]["cells"]), 512)
        support.browser.fill(layout="(3,21845):(1@gpuid,1)", shape="(3,21845)")  # 3 panels of 86 lines of 256
        self.assertEqual(support.browser.js(note), ["hardware Not drawn: a picture has at most 65536 cells."])
        support.browser.fill(layout="512:1", shape="(512,1,1)")
        for access, vector in [
            ("32:1", 3),
            ("32:1", 0),
            ("128:1", 1),
            ("32:17", 1),
            ("32:1 + -1@m", 1),
            ("(32,2):(1,32)", 2),
            ("(4,2):(1,1)", 2),
            ("32:1", 32),
            ("(8,3):(3,1)", 3),
            ("(8,2):(1,1@lane)", 1),
            ("32:1 + 3@lane", 1),
        ]:
            truth = support.library.ask("banks", "512:1", access, vector, 1)
            support.browser.fill(access=access, vector=vector)
            self.assertIsNone(self.message())
            self.assertEqual(support.browser.js(note)[1], f"banks Not drawn: {truth['message']}.")
        support.browser.fill(access="32:1 + [2:1]", vector=1)
        self.assertIn("the access has replicas", support.browser.js(note)[1])
        support.browser.fill(access="(32,1):(1,7@lane) + 0@warp", vector=1)
        self.assertEqual(len(support.browser.js(note)), 1)
        support.browser.fill(layout="512:1 + [2:512]", access="32:1")
        self.assertIn("an element has copies in this memory", support.browser.js(note)[1])

    def test_the_place_in_a_long_text(self):
        text = "(" + ",".join(["2"] * 12) + "):(" + ",".join(f"{n}@lane" for n in range(11)) + ",1@1ane) + 5@warp + 6@cta + 7@gpuid"
        support.browser.fill(layout=text)
        line, caret = self.message()[1].split("\n")
        self.assertEqual(line[caret.index("^") :][:4], "1ane")
        self.assertIn(line[1:-1], text)
        self.assertLessEqual(len(line), 82)

    def test_rows_and_columns_are_two_axes(self):
        choose = """const select = document.getElementById(arguments[0]); select.value = arguments[1];
                    select.dispatchEvent(new Event('input', {bubbles: true}));"""
        grid = "return [document.getElementById('rows').value, document.getElementById('columns').value]"
        support.browser.js(choose, "rows", "reg")
        self.assertEqual(support.browser.js(grid), ["reg", ""])
        self.agree(Case("", FIRST.layout, FIRST.shape, "", "reg"), support.browser.read())
        support.browser.js(choose, "columns", "reg")
        self.assertEqual(support.browser.js(grid), ["", "reg"])
        support.browser.js(choose, "rows", "warp")
        self.agree(Case("", FIRST.layout, FIRST.shape, "", "warp", "reg"), support.browser.read())
        support.browser.open("fields.html", "#rows=lane&columns=lane")
        self.assertEqual(support.browser.js(grid), ["lane", ""])

    # ---- the address ------------------------------------------------------------------------------------------------------------
    def address(self):
        return support.browser.js("return new Promise((ok) => setTimeout(() => ok(location.href), 300))")

    def test_the_address_keeps_all_that_was_entered(self):
        case = next(case for case in CASES if case.name == "swizzled rows of 128 bytes")
        self.enter(case)
        support.browser.js("document.querySelector('#lanes [data-value=\"3\"]').click()")
        before, address = self.picture(), self.address()
        support.browser.open("fields.html", "#" + address.split("#", 1)[1])
        self.assertEqual(self.picture(), before)
        self.agree(case, support.browser.read())
        self.assertEqual(self.address(), address)
        self.enter(FIRST)
        support.browser.js(
            "document.querySelector('#logical').dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))"
        )
        self.assertNotIn("#", self.address())

    def test_an_address_typed_by_hand(self):
        layout = urllib.parse.quote("(4,4):(4@reg,1@lane) + [2:1@warp]")
        support.browser.open("fields.html", f"#layout={layout}&shape=(4,4)&color=warp&rows=reg&value=1")
        self.agree(Case("", "(4,4):(4@reg,1@lane) + [2:1@warp]", "(4,4)", "warp", "reg"), support.browser.read())
        self.assertEqual(
            support.browser.js("return document.getElementById('picked').textContent"), "Highlighted: warp 1. Escape clears."
        )
        support.browser.js("location.hash = 'layout=16:1@lane&shape=16'")
        self.assertEqual(
            support.browser.js(
                "return new Promise((ok) => setTimeout(() => ok(document.querySelectorAll('#logical .c').length), 50))"
            ),
            16,
        )

    def test_a_mistake_in_the_address(self):
        for fragment in [
            "#layout=(8",
            "#layout=8:1",
            "#shape=",
            "#%",
            "#%E0%A4%A",
            "#layout=%00",
            "#layout",
            "#=&&=",
            "#" + "x" * 20000,
            "#value=9999999999999999999&lane=1",
            "#value=abc",
            "#value=12345",
            "#value=-1",
            "#lane=0",
            "#color=nothing&rows=&columns=constructor",
            "#cells=__proto__",
        ]:
            with self.subTest(fragment[:40]):
                support.browser.open("fields.html", fragment)
                self.agree(FIRST, support.browser.read())
                self.assertEqual(support.browser.js("return document.querySelectorAll('.lit, [aria-selected]').length"), 0)
                self.assertEqual(self.message() is None, not fragment.startswith(("#layout", "#shape")))

    def test_no_text_becomes_markup(self):
        page = support.library.ask(
            "page", support.browser.path("title.html"), FIRST.layout, FIRST.shape, INJECTION, *FIRST.options()
        )
        self.assertIsInstance(page, int)
        support.browser.open("title.html")
        count = support.browser.js("return document.querySelectorAll('img, script').length")
        self.assertEqual(count, 1)
        self.assertEqual(support.browser.js("return document.getElementById('title').textContent"), INJECTION)
        self.assertEqual(support.browser.driver.title.strip(), INJECTION.strip())
        for field in ("layout", "shape", "access", "vector", "width"):
            for text in (INJECTION, "8:1@lane" + INJECTION, "<svg onload=window.hit=1>"):
                support.browser.fill(layout=FIRST.layout, shape=FIRST.shape, access="32:1", vector="1", width="1")
                support.browser.fill(**{field: text})
                self.assertIsNotNone(self.message())
            support.browser.open("title.html", f"#{field}={urllib.parse.quote(INJECTION)}&access=32:1")
        support.browser.open("title.html", "#" + INJECTION)
        self.assertEqual(
            support.browser.js("return [window.hit ?? 0, document.querySelectorAll('img, script, svg').length]"), [0, 1]
        )
