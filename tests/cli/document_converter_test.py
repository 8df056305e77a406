"""The process that reads documents, as the program starts it of its own file, and as anybody else might."""
import os
import subprocess
import unittest

from harness import PROGRAM, ROOT, ProgramTest, run

DOCUMENTS = ROOT / "tests" / "golden" / "media" / "documents"
LIMITS = [str(2 << 30), "60"]
FAILED = 121  # src/media/documents/process/run_converter.h


class DocumentConverterTest(ProgramTest):
    def convert(self, document, what, *arguments):
        done = subprocess.run([PROGRAM, "document-converter", what, *LIMITS, *arguments], input=document, env={},
                              capture_output=True, timeout=60, check=False)
        confined, _, errors = done.stderr.partition(b"\n")
        self.assertRegex(confined, rb"^confined [0-7]$")
        return done.returncode, done.stdout, errors

    def test_becomes_a_program_that_reads_pdf(self):
        document = (DOCUMENTS / "numbered.pdf").read_bytes()
        status, text, _ = self.convert(document, "program", "/usr/bin/pdftotext", "-", "-")
        self.assertEqual(status, 0)
        self.assertEqual(text.count(b"\f"), 12)
        self.assertIn(b"Page 12, line 2: nothing is lost here.", text)

    def test_converts_documents_of_word_and_pages(self):
        status, text, errors = self.convert((DOCUMENTS / "report.docx").read_bytes(), "docx")
        if status == FAILED and b"built without" in errors:
            self.skipTest("built without libzip and libxml2")
        self.assertEqual((status, errors), (0, b""))
        self.assertIn("Gr\u00fc\u00dfe | 42 | \u20ac\n".encode(), text)
        self.assertEqual(self.convert(b"<h1>x</h1><p>y", "html"), (0, b"text\n# x\n\ny\n", b""))
        status, text, errors = self.convert(b"PK\3\4", "docx")
        self.assertEqual((status, text), (FAILED, b""))
        self.assertIn(b"is a damaged ZIP file", errors)

    def test_is_nothing_for_people(self):
        for words in ([], ["html", *LIMITS], ["--help"]):
            done = subprocess.run([PROGRAM, "document-converter", *words], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("document-converter is what pleiad starts by itself", done.stderr)
        self.assertNotIn("document-converter", run("help")[1])
        self.assertNotIn("document-converter", run("complete", "pleiad", "d")[1])


if __name__ == "__main__":
    os.environ.pop("PLEIAD_ISA", None)
    unittest.main()
