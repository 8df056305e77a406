#!/usr/bin/env python3
"""Markdown as the page shows it: what is built from a model's text, and what never is."""
import json
import random
import unittest

from fake_server import FakeServer
from harness import BrowserTest

RENDER = """
const {MarkdownView} = await import("/assets/markdown_view.js");
const root = document.createElement("div");
const view = new MarkdownView(root);
for (const text of texts) view.update(text);
"""
DOCUMENT = """# Title

A paragraph with **bold**, *italic*, `code` and [a link](https://example.org/a_(b)).
Its second line.

- one
  - two
- three

  a paragraph of three

1. first
   ```js
   const a = "<b>";
   ```
2. second

> quoted
> - with a list

| a | b |
|:-:|--:|
| 1 | `x\\|y` |

---
~~gone~~ <https://example.org> https://example.org/x. mailto
"""


class ModuleTest(BrowserTest):
    """The page's modules, called in the page itself, below its policy."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = FakeServer()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.browser.open(f"{self.server.address}/")

    def js(self, body, **values):
        """What the async function `body` returns."""
        names = ", ".join(values)
        script = f"return (async ({names}) => {{{body}}})(...arguments)"
        return self.browser.run(script, *values.values())


class MarkdownTest(ModuleTest):
    def render(self, *texts):
        """The nodes after each text in turn, without what only styles and buttons need."""
        html = self.js(RENDER + "return root.innerHTML", texts=texts)
        for extra in (' target="_blank" rel="noopener noreferrer"', ' data-level="1"', ' data-level="2"',
                      ' tabindex="0"', ' class="to-left"', ' role="group" aria-label="Table"'):
            html = html.replace(extra, "")
        return html

    def expect(self, text, html):
        self.assertEqual(self.render(text), html, text)

    def test_inline_marks(self):
        for text, html in [
            ("**bold** and *italic* and ***both***", "<p><strong>bold</strong> and <em>italic</em> and <em><strong>both</strong></em></p>"),
            ("__bold__ _italic_ snake_case_name", "<p><strong>bold</strong> <em>italic</em> snake_case_name</p>"),
            ("*a **b** c*", "<p><em>a <strong>b</strong> c</em></p>"),
            ("*foo**bar*", "<p><em>foo**bar</em></p>"),
            ("**「字」**字", "<p><strong>「字」</strong>字</p>"),
            ("2 * 3 * 4 and **kwargs", "<p>2 * 3 * 4 and **kwargs</p>"),
            ("~~gone~~ ~not~", "<p><del>gone</del> ~not~</p>"),
            ("`a*b*` ``c`d`` `open", "<p><code>a*b*</code> <code>c`d</code> `open</p>"),
            (r"\*not\* \# \\ \a", r"<p>*not* # \ \a</p>"),
            ("one\ntwo<br>three", "<p>one<br>two<br>three</p>"),
        ]:
            with self.subTest(text):
                self.expect(text, html)

    def test_links_lead_to_http_https_and_mail_alone(self):
        for text, html in [
            ("[a](https://x.org/p?q=1)", '<p><a href="https://x.org/p?q=1">a</a></p>'),
            ('[a *b*](http://x.org "title")', '<p><a href="http://x.org/">a <em>b</em></a></p>'),
            ("[w](https://x.org/a_(b))", '<p><a href="https://x.org/a_(b)">w</a></p>'),
            ("[mail](mailto:a@x.org)", '<p><a href="mailto:a@x.org">mail</a></p>'),
            ("see https://x.org/a), yes", '<p>see <a href="https://x.org/a">https://x.org/a</a>), yes</p>'),
            ("**https://x.org/**", '<p><strong><a href="https://x.org/">https://x.org/</a></strong></p>'),
            ("<https://x.org>", '<p><a href="https://x.org/">https://x.org</a></p>'),
            ("[a](javascript:alert(1))", "<p>a</p>"),
            ("[a](JaVaScRiPt:alert(1))", "<p>a</p>"),
            ("[a](java\tscript:alert(1))", "<p>[a](java\tscript:alert(1))</p>"),
            ("[a](&#106;avascript:alert(1))", "<p>a</p>"),
            ("[a](data:text/html,<script>alert(1)</script>)", "<p>[a](data:text/html,&lt;script&gt;alert(1)&lt;/script&gt;)</p>"),
            ("[a](vbscript:x) [b](file:///etc/passwd) [c](blob:x) [d](//x.org) [e](/api/delete)", "<p>a b c d e</p>"),
            ("<javascript:alert(1)>", "<p>&lt;javascript:alert(1)&gt;</p>"),
            ("[[a](https://x.org)](https://y.org)", '<p><a href="https://y.org/">a</a></p>'),
        ]:
            with self.subTest(text):
                self.expect(text, html)

    def test_links_open_elsewhere_and_tell_nothing(self):
        link = self.js(RENDER + "const a = root.querySelector('a'); return [a.target, a.rel]", texts=["[a](https://x.org)"])
        self.assertEqual(link, ["_blank", "noopener noreferrer"])

    def test_pictures_are_links_so_that_no_other_host_is_asked(self):
        self.expect("![a cat](https://x.org/cat.png)", '<p><a href="https://x.org/cat.png">a cat (picture)</a></p>')

    def test_blocks(self):
        for text, html in [
            ("# One\n## Two ##\n####### no", "<h3>One</h3><h4>Two</h4><p>####### no</p>"),
            ("a\n\nb", "<p>a</p><p>b</p>"),
            ("a\n---\nb", "<p>a</p><hr><p>b</p>"),
            ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
            ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
            ("1. a\n  - b\n2. c", "<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>"),
            ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
            ("text\n* a\n* b", "<p>text</p><ul><li>a</li><li>b</li></ul>"),
            ("- **a**\n  text", "<ul><li><strong>a</strong><br>text</li></ul>"),
            ("> a\n> > b\n\nc", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote><p>c</p>"),
            ("> a\nlazy", "<blockquote><p>a<br>lazy</p></blockquote>"),
            ("- [x] done\n- [ ] open", '<ul><li class="task"><input type="checkbox" disabled="" checked="" aria-label="done">done</li>'
                                       '<li class="task"><input type="checkbox" disabled="" aria-label="to do">open</li></ul>'),
            ("a | b\n--|:-:\n1 | 2\n3", '<div class="table"><table><thead><tr><th>a</th><th class="to-center">b</th></tr></thead>'
                                        '<tbody><tr><td>1</td><td class="to-center">2</td></tr>'
                                        '<tr><td>3</td><td class="to-center"></td></tr></tbody></table></div>'),
            ("a | b\nno table", "<p>a | b<br>no table</p>"),
        ]:
            with self.subTest(text):
                self.expect(text, html)

    def code(self, text):
        return self.js(RENDER + "return [...root.querySelectorAll('.code')].map((code) => "
                                "[code.querySelector('span').textContent, code.querySelector('code').textContent])", texts=[text])

    def test_code_is_kept_to_the_letter(self):
        for text, expected in [
            ("```py\nif a:\n\tb  \n```\nafter", [["py", "if a:\n\tb  "]]),
            ("~~~\n```\n~~~", [["code", "```"]]),
            ("````md\n```\nx\n```\n````", [["md", "```\nx\n```"]]),
            ("1. a\n   ```\n     x\n   ```", [["code", "  x"]]),
            ("```\nunfinished\n", [["code", "unfinished\n"]]),
            ("```html\n<script>alert(1)</script>\n```", [["html", "<script>alert(1)</script>"]]),
        ]:
            with self.subTest(text):
                self.assertEqual(self.code(text), expected)

    def test_the_copy_button_copies_the_code(self):
        copied = self.js(RENDER + """
            document.body.append(root);
            let copied = null;
            Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => { copied = text; }}});
            root.querySelector(".code button").click();
            return copied;""", texts=["```\na < b\n\n```"])
        self.assertEqual(copied, "a < b\n")

    def test_markup_in_a_reply_is_text(self):
        for text in ["<script>window.hit = 1</script>", "<img src=x onerror=window.hit=1>", "<svg/onload=window.hit=1>",
                     "a <iframe src=javascript:window.hit=1></iframe>", "<a href='javascript:window.hit=1'>x</a>",
                     "| <img src=x onerror=window.hit=1> |\n|--|\n| <script>window.hit=1</script> |",
                     "- <img src=x onerror=window.hit=1>", "# <style>*{display:none}</style>",
                     "[<img src=x onerror=window.hit=1>](https://x.org)", "![x](x\" onerror=\"window.hit=1)",
                     "[x](https://x.org/\"onmouseover=\"window.hit=1)", "```<img onerror=window.hit=1 src=x>\nx\n```",
                     "`<img src=x onerror=window.hit=1>`", "&lt;script&gt;window.hit=1&lt;/script&gt;",
                     "<details open ontoggle=window.hit=1>", "<math><mtext></form><form><mglyph><style></math><img src onerror=window.hit=1>"]:
            with self.subTest(text):
                found = self.js(RENDER + """
                    document.body.append(root);
                    await new Promise((resolve) => setTimeout(resolve, 5));
                    const allowed = new Set("P H3 H4 H5 H6 HR BR UL OL LI INPUT BLOCKQUOTE DIV TABLE THEAD TBODY TR TH TD FIGURE FIGCAPTION SPAN PRE CODE STRONG EM DEL A BUTTON".split(" "));
                    const strange = [...root.querySelectorAll("*")].filter((node) => !node.closest("svg.icon"))
                      .filter((node) => !allowed.has(node.tagName) || [...node.attributes].some(({name}) => name.startsWith("on")));
                    return [window.hit ?? null, strange.map((node) => node.outerHTML)];""", texts=[text])
                self.assertEqual(found, [None, []])

    def test_a_growing_text_ends_as_the_whole_one(self):
        for seed in range(3):
            chance = random.Random(seed)
            cuts = sorted(chance.sample(range(len(DOCUMENT)), 60)) + [len(DOCUMENT)]
            self.assertEqual(self.render(*[DOCUMENT[:cut] for cut in cuts]), self.render(DOCUMENT))

    def test_any_text_is_shown_and_nothing_is_lost(self):
        chance = random.Random(4)
        pieces = ["*", "**", "_", "`", "```", "\n", "\n\n", "- ", "1. ", "> ", "#", "|", "--|--", "[", "](", ")", "<", "a", "b c", " ", "    ",
                  "https://x.y", "~~", "\\", "![", "é", "\t", "---"]
        texts = ["".join(chance.choice(pieces) for _ in range(chance.randint(1, 60))) for _ in range(1500)]
        lost = self.js("""
            const {MarkdownView} = await import("/assets/markdown_view.js");
            return texts.filter((text) => {
              const root = document.createElement("div");
              new MarkdownView(root).update(text);
              const letters = (value) => (value.match(/[bcé]/g) ?? []).join("");
              // The word after a fence is its language; an address is shown by its words.
              return !/```|~~~|\\]\\(|!\\[/.test(text) && letters(root.textContent) !== letters(text);
            })""", texts=texts)
        self.assertEqual(lost, [])

    def test_hostile_text_does_not_hang_the_page(self):
        size = 20000
        for text in ["*a " * size, "a* " * size, "[" * size, "](" * size, "`" * size, "` `` " * size, "> " * size, "- " * size,
                     "**a " * size + "b** " * size, "|" * size + "\n" + "|-" * size, "<" * size, "![[" * size, "_*" * size,
                     "1. " * size, "\\" * size, "https://" * size, "~~" * size, "a|" * size, "#" * size, " " * size + "a"]:
            with self.subTest(text[:12]):
                self.assertTrue(self.js(RENDER + "return root.childNodes.length > 0", texts=[text]))

    def test_selected_code_stays_selected_while_it_grows(self):
        same = self.js("""
            const {MarkdownView} = await import("/assets/markdown_view.js");
            const root = document.createElement("div");
            const view = new MarkdownView(root);
            view.update("a\\n\\n```\\none");
            const [paragraph, figure] = root.childNodes;
            view.update("a\\n\\n```\\none\\ntwo");
            return [root.childNodes[0] === paragraph, root.childNodes[1] === figure, root.querySelector("code").textContent];""")
        self.assertEqual(same, [True, True, "one\ntwo"])


class StreamTest(ModuleTest):
    """Lines of JSON that come in pieces."""

    def read(self, *pieces):
        return self.js("""
            const {readValues} = await import("/assets/ndjson.js");
            const stream = new ReadableStream({start(controller) {
              for (const piece of pieces) controller.enqueue(new Uint8Array(piece));
              controller.close();
            }});
            const values = [];
            try {
              for await (const value of readValues(stream)) values.push(value);
            } catch (error) {
              values.push(error.name);
            }
            return values;""", pieces=[list(piece) for piece in pieces])

    def test_lines_cut_anywhere_are_put_together(self):
        lines = [{"message": {"content": "Grüße, 世界 🌍"}}, {"a": [1, 2]}, {"done": True}]
        whole = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
        self.assertEqual(self.read(*[whole[at:at + 1] for at in range(len(whole))]), lines)
        self.assertEqual(self.read(whole), lines)

    def test_the_last_line_needs_no_end(self):
        self.assertEqual(self.read(b'{"a":1}\r\n\n{"b"', b":2}"), [{"a": 1}, {"b": 2}])

    def test_a_line_that_is_not_json_is_an_error(self):
        self.assertEqual(self.read(b'{"a":1}\n<html>\n'), [{"a": 1}, "SyntaxError"])


if __name__ == "__main__":
    unittest.main()
