#!/usr/bin/env python3
"""Makes the documents of tests/golden/media/documents: PDF by reportlab or by hand, DOCX by
python-docx, with what that library has no words for put into its parts.

    pip install -r tools/documents/requirements.txt
    python tools/documents/make_documents.py tests/golden/media/documents

A number behind the folder makes long.pdf of so many full pages as well, to measure with.
The result is the same at every run, with these versions.
"""

import io
import sys
import zipfile
from pathlib import Path

import docx
from PIL import Image, ImageDraw
from reportlab import rl_config
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas

rl_config.invariant = 1  # no dates, no random numbers


def new_canvas(**options) -> tuple[io.BytesIO, canvas.Canvas]:
    file = io.BytesIO()
    return file, canvas.Canvas(file, pagesize=A4, **options)


def columns() -> bytes:
    """Two pages of text: a heading over two columns, the right one drawn first; then figures."""
    file, page = new_canvas()
    page.setFont("Helvetica-Bold", 18)
    page.drawString(72, 760, "A report on two columns")
    page.setFont("Helvetica", 11)
    for x, name in ((320, "right"), (72, "left")):
        for line in range(6):
            page.drawString(x, 720 - 16 * line, f"The {name} column, line {line + 1}.")
    page.showPage()
    page.setFont("Helvetica", 11)
    page.drawString(72, 760, "The second page has Gr\u00fc\u00dfe and 42 \u20ac.")
    page.showPage()
    page.save()
    return file.getvalue()


def quadrants(size: tuple[int, int]) -> Image.Image:
    """Red, green; blue, white."""
    picture = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(picture)
    width, height = size
    draw.rectangle((0, 0, width // 2 - 1, height // 2 - 1), fill=(255, 0, 0))
    draw.rectangle((width // 2, 0, width - 1, height // 2 - 1), fill=(0, 255, 0))
    draw.rectangle((0, height // 2, width // 2 - 1, height - 1), fill=(0, 0, 255))
    return picture


def scans() -> bytes:
    """Text, a scan with a stamp, nothing, a scan that lies and is turned clockwise to be read."""
    file, page = new_canvas()
    page.drawString(72, 700, "The first page has words enough to be read.")
    page.showPage()
    picture = ImageReader(quadrants((60, 84)))
    page.drawImage(picture, 0, 0, A4[0], A4[1])
    page.drawString(280, 20, "Seite 2")
    page.showPage()
    page.showPage()
    page.setPageRotation(90)
    page.drawImage(picture, 0, 0, A4[1], A4[0])
    page.showPage()
    page.save()
    return file.getvalue()


def numbered(n_pages: int, n_lines: int) -> bytes:
    file, page = new_canvas(pageCompression=1)
    for number in range(1, n_pages + 1):
        for line in range(n_lines):
            page.drawString(72, 780 - 16 * line, f"Page {number}, line {line + 1}: nothing is lost here.")
        page.showPage()
    page.save()
    return file.getvalue()


def encrypted(**passwords) -> bytes:
    from reportlab.lib.pdfencrypt import StandardEncryption

    file, page = new_canvas(encrypt=StandardEncryption(canPrint=0, canCopy=0, strength=128, **passwords))
    page.drawString(72, 700, "Whoever has no password may read this.")
    page.showPage()
    page.save()
    return file.getvalue()


def pdf_of(objects: list[bytes], trailer: bytes = b"") -> bytes:
    """A PDF of these objects, numbered from 1; the first one is the catalogue."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


def acting() -> bytes:
    """A page whose document would run JavaScript, start a program, open an address, send a form, and
    read another file, as soon as it is opened and where it is pressed."""
    return pdf_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R /OpenAction 6 0 R /AA << /WC 6 0 R >>"
            b" /Names << /JavaScript << /Names [(a) 6 0 R] >> >> /URI << /Base (http://127.0.0.1:9/) >> >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /AA << /O 7 0 R >>"
            b" /Resources << /Font << /F 5 0 R >> /XObject << /X 11 0 R >> >>"
            b" /Annots [8 0 R 9 0 R 10 0 R] >>",
            stream(b"BT /F 12 Tf 20 150 Td (What is seen does nothing at all.) Tj ET /X Do"),
            FONT,
            b"<< /S /JavaScript /JS (app.launchURL\\('http://127.0.0.1:9/js', true\\); this.submitForm\\('http://127.0.0.1:9/'\\);) >>",
            b"<< /S /Launch /F (/bin/sh) /Unix << /F (/bin/sh) >> >>",
            b"<< /Type /Annot /Subtype /Link /Rect [0 0 300 200] /A << /S /URI /URI (http://127.0.0.1:9/link) >> >>",
            b"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /GoToR /F (/etc/passwd) /D [0 /Fit] >> >>",
            b"<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 9 9] /FS << /Type /Filespec /F (/etc/passwd) >> >>",
            # A picture whose bytes are said to be in another file.
            stream(b"", b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8"
                        b" /ColorSpace /DeviceGray /F (/etc/passwd)"),
        ]
    )


def claiming(n_pages: int) -> bytes:
    """One page that says that there are so many."""
    return pdf_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count %d >>" % n_pages,
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
            stream(b"BT /F 12 Tf 20 150 Td (There is one page and no other one.) Tj ET"),
            FONT,
        ]
    )


def page_breaks() -> bytes:
    """Two pages whose font says that some letters are form feeds."""
    to_unicode = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"2 beginbfrange <20> <7A> <0020> <7B> <7E> <007B> endbfrange\n"
        b"1 beginbfchar <7C> <0041000C0042> endbfchar endcmap end end"
    )
    text = b"BT /F 12 Tf 20 150 Td (Page %d has a break | within its own words.) Tj ET"
    return pdf_of(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents 5 0 R /Resources << /Font << /F 7 0 R >> >> >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 200] /Contents 6 0 R /Resources << /Font << /F 7 0 R >> >> >>",
            stream(text % 1),
            stream(text % 2),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 8 0 R >>",
            stream(to_unicode),
        ]
    )


FOOTNOTES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> By a note at the foot.</w:t></w:r></w:p></w:footnote>
</w:footnotes>"""

NOTED = """<w:r><w:footnoteReference w:id="2"/></w:r>"""
TRACKED = (
    """<w:del w:id="9" w:author="A"><w:r><w:delText>deleted</w:delText></w:r></w:del>"""
    """<w:moveFrom w:id="8" w:author="A"><w:r><w:t>moved away</w:t></w:r></w:moveFrom>"""
    """<w:ins w:id="7" w:author="A"><w:r><w:t xml:space="preserve"> and inserted</w:t></w:r></w:ins>"""
    """<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"""
)


def report() -> bytes:
    """A document of Word with one of each that is read, and of some that are left out."""
    document = docx.Document()
    document.add_heading("Report", 0)
    document.add_heading("What was found", 1)
    document.add_paragraph("Everything is proved.NOTED")
    document.add_paragraph("Kept wordsTRACKED.")
    document.add_heading("Lists", 2)
    for words in ("one", "two"):
        document.add_paragraph(words, style="List Bullet")
    document.add_paragraph("deeper", style="List Bullet 2")
    for words in ("first", "second"):
        document.add_paragraph(words, style="List Number")
    document.add_paragraph("Line one\nline two\twith a tab")
    table = document.add_table(rows=2, cols=3)
    for row, words in enumerate((("Name", "Sum", "Unit"), ("Gr\u00fc\u00dfe", "42", "\u20ac"))):
        for cell, word in zip(table.rows[row].cells, words):
            cell.text = word
    picture = io.BytesIO()
    quadrants((20, 20)).save(picture, "PNG")
    picture.seek(0)
    document.add_picture(picture)
    document.add_paragraph("The end & <more>.")
    file = io.BytesIO()
    document.save(file)
    return with_parts(file.getvalue())


def with_parts(package: bytes) -> bytes:
    """Puts in what python-docx cannot say, and takes dates out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename == "word/document.xml":
                text = data.decode()
                text = text.replace("NOTED</w:t></w:r>", "</w:t></w:r>" + NOTED)
                text = text.replace("TRACKED.</w:t></w:r>", "</w:t></w:r>" + TRACKED)
                data = text.encode()
            if item.filename in ("docProps/core.xml", "docProps/thumbnail.jpeg", "docProps/app.xml"):
                continue
            new.writestr(zipfile.ZipInfo(item.filename, (2020, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
        new.writestr(zipfile.ZipInfo("word/footnotes.xml", (2020, 1, 1, 0, 0, 0)), FOOTNOTES, zipfile.ZIP_DEFLATED)
    return out.getvalue()


FILES = {
    "columns.pdf": columns,
    "scans.pdf": scans,
    "numbered.pdf": lambda: numbered(12, 2),
    "locked.pdf": lambda: encrypted(userPassword="open", ownerPassword="own"),
    "restricted.pdf": lambda: encrypted(userPassword="", ownerPassword="own"),
    "acting.pdf": acting,
    "claiming.pdf": lambda: claiming(1_000_000),
    "missing.pdf": lambda: claiming(4),
    "pageless.pdf": lambda: pdf_of([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"]),
    "page_breaks.pdf": page_breaks,
    "report.docx": report,
}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        (folder / name).write_bytes(make())
    if len(sys.argv) > 2:
        (folder / "long.pdf").write_bytes(numbered(int(sys.argv[2]), 45))


main()
