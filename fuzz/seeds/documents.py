"""Documents, and what the processes that read media say of them."""

import io
import struct
import zipfile

from seeds.gguf import u32, u64


def media_answer_seeds() -> dict[str, bytes]:
    def message(kind: int, numbers: tuple = (0,) * 6, n_bytes: int = 0, confined: int = 0) -> bytes:
        return (u64(0x504C454941442131) + u32(kind) + u32(confined) + b"".join(map(u32, numbers))
                + u64(n_bytes))

    # 640 x 480 at a budget of 70 soft tokens is 432 x 336: 9 x 7 tokens.
    good = (640, 480, 432, 336, 70, 63)
    size = 432 * 336 * 3
    ready, refused, picture, failure, sound, video = 1, 2, 3, 4, 5, 6
    sound_head = u32(44100) + u32(2) + b"MP3".ljust(48, b"\0")

    def video_head(has_sound: int = 0, total: int = 100) -> bytes:
        return struct.pack("<dq", 12.5, total) + u32(3) + u32(has_sound) + b"H.264".ljust(48, b"\0")

    heard = message(sound, n_bytes=4000) + sound_head
    return {
        "sound": b"\0" + heard + b"s",
        "sound_of_hours": b"\0" + message(sound, n_bytes=1 << 40) + sound_head + b"s",
        "sound_of_few_samples": b"\0" + message(sound, n_bytes=8) + sound_head + struct.pack("<ff", 1, float("nan")),
        "video": b"\0" + message(video, good, 3 * size) + video_head() + b"v",
        "video_with_sound": b"\x80" + message(video, good, 3 * size) + video_head(1) + heard + b"s",
        "video_of_a_billion_frames": b"\0" + message(video, good, 3 * size) + video_head(0, 10**9) + b"v",
        "ready": b"\0" + message(ready, confined=3),
        "not_confined": b"\0" + message(refused, n_bytes=4) + b"why?",
        "picture": b"\0" + message(picture, good, size) + b"p",
        "picture_of_another_budget": b"\1" + message(picture, good, size) + b"p",
        "picture_that_is_cut_off": b"\0" + message(picture, good, size),
        "more_bytes_than_pixels": b"\0" + message(picture, good, (1 << 64) - 1) + b"p",
        "larger_than_asked_for": b"\0" + message(picture, (640, 480, 48000, 48000, 70, 63), size) + b"p",
        "no_pixels": b"\0" + message(picture, (0, 0, 0, 0, 70, 0)) + b"p",
        "too_many_pixels": b"\x40" + message(picture, good, size) + b"p",
        "failure": b"\0" + message(failure, n_bytes=13) + b"is no picture",
        "failure_with_controls": b"\0" + message(failure, n_bytes=6) + b"\x1b[1m\n\xff",
        "failure_without_end": b"\0" + message(failure, n_bytes=1 << 40) + b"is",
        "failure_without_text": b"\0" + message(failure),
        "another_begin": b"\0" + bytes(48),
    }


def document_text_seeds() -> dict[str, bytes]:
    return {
        "utf8": "Gr\u00fc\u00dfe, \u4e16\u754c\n".encode(),
        "utf8_with_mark": "\ufefftext".encode(),
        "utf8_cut": "\u00e4\u00f6 \u4e16".encode()[:-1],
        "utf16_little": "\ufefftext \U0001f642".encode("utf-16-le"),
        "utf16_big": "\ufefftext \U0001f642".encode("utf-16-be"),
        "utf16_half_a_pair": b"\xff\xfe\x3d\xd8a\0b",
        "windows_1252": "caf\u00e9 \u20ac \u201cx\u201d".encode("cp1252"),
        "ends_of_lines": b"a\r\nb\rc\fd\ve",
        "controls": b"\x1b[31mred\x7f\xc2\x9b",
        "binary": b"a\0b",
        "pdf": b"%PDF-1.7\n",
        "pdf_behind": b"x\0%PDF-1.7\n",
        "zip": b"PK\3\4",
        "html": b"<?xml version='1.0'?><!-- <x> -->\n<!DOCTYPE html><p>x",
        "pages": b"3-7,9, 12-",
        "no_pages": b"7-3,,99999999999",
    }


def pdf_output_seeds() -> dict[str, bytes]:
    info = b"Title: x\nPages: 7\nPages:  2\nPage    1 size: 595.276 x 841.89 pts (A4)\nPage    2 size: 3 x 14400 pts\n"
    return {
        "info": b"\0" + info,
        "info_of_no_size": b"\0Pages: -1\nPage 1 size: nan x inf\nPage 2 size: 1e300 x 0.1\n",
        "picture": b"\1P6\n3 2\n255\n" + bytes(range(18)),
        "picture_of_one_colour": b"\1P6\n2 2\n255\n" + b"\xff" * 12,
        "picture_cut": b"\1P6\n3 2\n255\n" + bytes(17),
        "picture_too_large": b"\1P6\n99999 99999\n255\n",
        "pages": b"\2a\n\f\fb\f",
        "converted": b"\3warning: one\nwarning: two\ntext\nhello",
        "announced": b"\3confined 6\nSyntax Error\n",
    }


def html_seeds() -> dict[str, bytes]:
    return {
        "page": b"<!doctype html><title>t</title><h1>h</h1><p>a<br>b<ul><li>x<ol start=4><li>y</ol></ul>",
        "table": b"<table><tr><th>a<td>b<tr><td><table><tr><td>c</table></table>",
        "layout_table": b"<table><tr><td>menu<td><p>" + b"w" * 600 + b"<p>x</table>",
        "unseen": b"<script>a<b</script><style>p</style><div hidden>x</div><p style='display: none'>y</p>z",
        "verbatim": b"<pre>\n a\n\n  b</pre><textarea>\tx</textarea>",
        "entities": b"&lt;&#x80;&#233;&euro;&nosuch;&#0;&#x110000;<img alt='a&amp;b'>",
        "damage": b"<p>a</div></b><td>b</tr><li>c<",
        "deep": b"<div><table><tr><td><ul><li>" * 40,
        "other_charset": b"<meta charset=shift_jis>x",
    }


def docx_seeds() -> dict[str, bytes]:
    word = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
    relations = (
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship Id='r' "
        "Target='word/document.xml' Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument'/>"
        "</Relationships>"
    )
    body = (
        f"<w:document {word}><w:body><w:p><w:pPr><w:pStyle w:val='H'/><w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/>"
        "</w:numPr></w:pPr><w:r><w:t>a</w:t><w:tab/><w:br/><w:footnoteReference w:id='2'/></w:r></w:p><w:tbl><w:tr><w:tc>"
        "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>h</w:t></w:r><w:del><w:r><w:delText>d</w:delText></w:r></w:del></w:p>"
        "</w:tc></w:tr></w:tbl></w:body></w:document>"
    )
    numbering = (
        f"<w:numbering {word}><w:abstractNum w:abstractNumId='5'><w:lvl w:ilvl='1'><w:start w:val='3'/>"
        "<w:numFmt w:val='upperRoman'/><w:lvlText w:val='%1.%2)'/></w:lvl></w:abstractNum>"
        "<w:num w:numId='1'><w:abstractNumId w:val='5'/></w:num></w:numbering>"
    )
    styles = (
        f"<w:styles {word}><w:style w:styleId='H'><w:name w:val='heading 2'/><w:basedOn w:val='H'/>"
        "<w:outlineLvl w:val='4'/></w:style></w:styles>"
    )
    notes = f"<w:footnotes {word}><w:footnote w:id='2'><w:p><w:r><w:t>n</w:t></w:r></w:p></w:footnote></w:footnotes>"

    def package(parts: dict[str, str], how: int) -> bytes:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", how) as archive:
            for name, text in parts.items():
                archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text, how)
        return file.getvalue()

    whole = {
        "_rels/.rels": relations,
        "word/document.xml": body,
        "word/numbering.xml": numbering,
        "word/styles.xml": styles,
        "word/footnotes.xml": notes,
    }
    return {
        "stored": b"\0" + package(whole, zipfile.ZIP_STORED),
        "packed": b"\0" + package(whole, zipfile.ZIP_DEFLATED),
        "other_package": b"\0" + package({"mimetype": "x"}, zipfile.ZIP_STORED),
        "cut": b"\0" + package(whole, zipfile.ZIP_STORED)[:-30],
        "body": b"\1" + body.encode(),
        "numbering": b"\1" + numbering.encode(),
        "styles": b"\1" + styles.encode(),
        "notes": b"\1" + notes.encode(),
        "laughs": b"\1<!DOCTYPE w [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><w>&b;</w>",
        "deep": b"\1" + b"<w>" * 300,
    }
