"""Documents that are made to hurt whoever reads them, and good ones beside them."""
import io
import pathlib
import zipfile
import zlib

GOLDEN = pathlib.Path(__file__).parents[2] / "tests/golden/media/documents"
FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
PAGE = (b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R"
        b" /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> %s >>")
WORD = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
RELATIONS = ("<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
             f"<Relationship Id='r' Target='word/document.xml' Type='{OFFICE}'/></Relationships>")


def stream(data, entries=b""):
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def pdf(text=b"BT /F 12 Tf 20 150 Td (A page with words enough.) Tj ET", *, catalogue=b"", page=b"",
        pages=b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", contents=None, form=b"null", further=()):
    """One page. `form` is what the page's contents may draw as /X; further objects have numbers from 7."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R %s >>" % catalogue, pages, PAGE % page,
               contents or stream(text), FONT, form, *further]
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def packed_twice(text, times):
    """So many times the text, packed and packed again: a thousandth, and a thousandth of that where it repeats."""
    packer = zlib.compressobj(1)
    once = b"".join(packer.compress(text) for _ in range(times)) + packer.flush()
    return stream(zlib.compress(once, 9), b"/Filter [/FlateDecode /FlateDecode]")


def endless_pdf():
    """A page that draws a form ten times, which draws another one ten times, and so on: 10^12 words in all."""
    entries = b"/Type /XObject /Subtype /Form /BBox [0 0 300 200] /Resources << /Font << /F 5 0 R >> /XObject << /X %s >> >>"
    forms = [stream(b"/X Do " * 10, entries % (b"%d 0 R" % (n + 1))) for n in range(6, 17)]
    forms.append(stream(b"BT /F 12 Tf 20 150 Td (word) Tj ET", entries % b"null"))
    return pdf(b"/X Do " * 10, form=forms[0], further=forms[1:])


ACTING_TEXT = b"BT /F 12 Tf 20 150 Td (What is seen does nothing at all.) Tj ET /X Do"


def acting_pdf(url, path):
    """Opened, printed, pressed or closed it would run JavaScript, open `url`, send a form there, start a program
    that makes the file `path`, and show another file."""
    script = b"app.launchURL\\('%s/script', true\\); this.submitForm\\('%s/form'\\);" % (url, url)
    return pdf(
        catalogue=b"/OpenAction 7 0 R /AA << /WC 7 0 R /WP 8 0 R >> /Names << /JavaScript << /Names [(a) 7 0 R] >>"
                  b" /EmbeddedFiles << /Names [(b) 10 0 R] >> >> /URI << /Base (%s/) >>"
                  b" /AcroForm << /XFA 11 0 R /Fields [] >>" % url,
        page=b"/AA << /O 8 0 R /C 9 0 R >> /Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 300 200] /Border [0 0 0] /A 9 0 R >>"
             b" << /Type /Annot /Subtype /FileAttachment /Rect [0 0 9 9] /F 2 /FS 10 0 R >>]",
        form=stream(b"", b"/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8"
                         b" /ColorSpace /DeviceGray /F << /FS /URL /F (%s/picture) >>" % url),
        text=ACTING_TEXT,
        further=[b"<< /S /JavaScript /JS (%s) >>" % script,
                 b"<< /S /Launch /F (/usr/bin/touch) /Unix << /F (/usr/bin/touch) /P (%s) >>"
                 b" /Win << /F (touch) /P (%s) >> >>" % (path, path),
                 b"<< /S /URI /URI (%s/link) /Next [7 0 R 8 0 R << /S /SubmitForm /F (%s/form) >>"
                 b" << /S /GoToR /F (/etc/passwd) /D [0 /Fit] >>] >>" % (url, url),
                 b"<< /Type /Filespec /FS /URL /F (%s/attached) >>" % url,
                 stream(b"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'><submit target='%s/xfa'/></xdp:xdp>" % url)])


def docx(body, **others):
    """A document of Word with this XML as its body, and further parts, "a__b" being "a/b"."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("_rels/.rels", RELATIONS)
        archive.writestr("word/document.xml", body)
        for name, content in others.items():
            archive.writestr(name.replace("__", "/"), content)
    return file.getvalue()


def paragraphs(text):
    return f"<w:document {WORD}><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"


def bomb_docx(mebibytes):
    """A body of so many MiB of blanks."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    block = b" " * (1 << 20)
    head, tail = paragraphs("x").encode().split(b"x</w:t>")
    parts = [head, *[block] * mebibytes, b"x</w:t>" + tail]
    crc = size = 0
    packed = b""
    for part in parts:
        crc, size = zlib.crc32(part, crc), size + len(part)
        packed += packer.compress(part)
    packed += packer.flush()
    return with_packed_part(docx("<x/>"), b"word/document.xml", packed, crc, size)


def with_packed_part(archive, name, packed, crc, size):
    """The archive with another, packed content of one of its parts, whose lengths are told rightly."""
    source = zipfile.ZipFile(io.BytesIO(archive))
    local, central, offsets = b"", b"", 0
    for info in source.infolist():
        data = source.read(info)
        found = info.filename.encode()
        body, how, sum_of, length = ((packed, 8, crc, size) if found == name
                                     else (data, 0, zlib.crc32(data), len(data)))
        common = (20).to_bytes(2, "little") + bytes(2) + how.to_bytes(2, "little") + bytes(4)
        common += sum_of.to_bytes(4, "little") + len(body).to_bytes(4, "little") + length.to_bytes(4, "little")
        common += len(found).to_bytes(2, "little") + bytes(2)
        central += (b"PK\1\2" + (20).to_bytes(2, "little") + common + bytes(10) + offsets.to_bytes(4, "little")
                    + found)
        local += b"PK\3\4" + common + found + body
        offsets = len(local)
    n = len(source.infolist()).to_bytes(2, "little")
    return (local + central + b"PK\5\6" + bytes(4) + n + n + len(central).to_bytes(4, "little")
            + len(local).to_bytes(4, "little") + bytes(2))


def hostile():
    """Names of what hurts, the documents, and what has to be said of them; None: they may be read as well."""
    good = (GOLDEN / "numbered.pdf").read_bytes()
    laughs = "<!DOCTYPE w [<!ENTITY a 'ha'>" + "".join(
        f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefghi", "bcdefghij")) + "]><w>&j;</w>"
    return {
        "cut": (good[:len(good) // 2], None),
        "noise": (b"%PDF-1.7\n" + bytes(range(256)) * 40, "is a PDF that cannot be read"),
        "pages within themselves": (pdf(pages=b"<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Count 3 >>"), None),
        "a million pages": ((GOLDEN / "claiming.pdf").read_bytes(), "is a PDF without pages"),
        "locked": ((GOLDEN / "locked.pdf").read_bytes(), "password"),
        "a form that draws itself": (pdf(b"/X Do", form=stream(
            b"/X Do /X Do", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>")),
            None),
        "arrays without end": (pdf(catalogue=b"/A " + b"[" * 200_000), None),
        "a picture of many pixels": (pdf(b"/X Do", form=stream(
            b"\0", b"/Type /XObject /Subtype /Image /Width 4000 /Height 4000 /BitsPerComponent 8"
                   b" /ColorSpace /DeviceRGB")), None),
        "a bomb of blanks": (pdf(contents=packed_twice(b" " * (1 << 20), 64)), None),
        "a large page": (pdf(page=b"/MediaBox [0 0 1e9 1e9]"), None),
        "a bomb of Word's": (bomb_docx(160), "unpack"),
        "many parts": (docx(paragraphs("x"), **{f"a{i}": "" for i in range(10_500)}), "parts"),
        "laughs": (docx(laughs), "document type"),
        "a nest of Word's": (docx("<w>" * 100_000), None),
        "a nest": (b"<html>" + b"<div><table><tr><td>" * 50_000, None),
        "old Word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "save it as DOCX or PDF"),
        "a program": (b"\x7fELF" + bytes(500), "is not a document"),
        "nothing": (b"", "no bytes"),
    }
