"""Pages of a PDF as small pictures: whole, bounded, and no more than was asked for."""
import base64
import struct

import pytest
from documents import GOLDEN, pdf


def encoded(data):
    return base64.b64encode(data).decode()


def pages(http, data, **more):
    return http.post("/api/pages", json={"document": encoded(data)} | more)


def size_of(page):
    """Of the picture, as its own header has it."""
    png = base64.b64decode(page["png"])
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and png[12:16] == b"IHDR"
    return struct.unpack(">II", png[16:24])


def test_pages_of_a_pdf(http):
    numbered = (GOLDEN / "numbered.pdf").read_bytes()
    answer = pages(http, numbered)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["total_pages"] == 12 and [page["number"] for page in told["pages"]] == list(range(1, 13))
    for page in told["pages"]:
        assert size_of(page) == (page["width"], page["height"]) == (336, 432)
        assert page["aspect"] == pytest.approx(595.276 / 841.89, abs=0.01)
    assert len({page["png"] for page in told["pages"]}) == 12  # each has its number on it
    some = pages(http, numbered, pages="11-,3", limit=2).json()
    assert [page["number"] for page in some["pages"]] == [3, 11]
    assert some["pages"][0]["png"] == told["pages"][2]["png"]


def test_a_page_with_nothing_on_it_has_no_picture(http):
    told = pages(http, (GOLDEN / "scans.pdf").read_bytes()).json()
    assert ["png" in page for page in told["pages"]] == [True, True, False, True]
    assert told["warnings"] == ["document: page 3 is blank"]


@pytest.mark.parametrize("data, more, words", [
    (b"name,age\nAda,36\n", {}, "is no PDF"),
    (b"\x7fELF\2\1\1\0", {}, "is not a document"),
    (pdf(), {"pages": "2"}, "no page 2"),
    (pdf(), {"pages": "x"}, "expected pages"),
    (pdf(), {"limit": 13}, "limit"),
    ((GOLDEN / "locked.pdf").read_bytes(), {}, "needs a password"),
    (b"%PDF-1.7\nnothing", {}, "cannot be read"),
])
def test_what_cannot_be_drawn_is_a_400_that_says_why(http, data, more, words):
    answer = pages(http, data, **more)
    assert answer.status_code == 400, answer.text
    assert words in answer.json()["error"]
    assert answer.json()["field"] in ("document", "limit")


def test_a_pdf_that_would_act_is_a_page_and_nothing_else(http):
    told = pages(http, (GOLDEN / "acting.pdf").read_bytes()).json()
    assert told["total_pages"] == 1 and "png" in told["pages"][0]
