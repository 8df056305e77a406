#!/usr/bin/env python3
"""scripts/check-portable on small programs that are portable but for one thing."""
import pathlib
import subprocess
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "check-portable"
PORTABLE = ("-pie", "-fPIE", "-Wl,-z,relro,-z,now")


@unittest.skipUnless(subprocess.run(["uname", "-m"], capture_output=True, text=True).stdout == "x86_64\n",
                     "the portable program is for x86-64")
class PortableCheckTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def build(self, *flags, source="int main(void) { return 0; }"):
        (self.folder / "program.c").write_text(source)
        program = self.folder / "program"
        subprocess.run(["gcc", "-O1", self.folder / "program.c", "-o", program, *flags],
                       check=True, capture_output=True)
        return program

    def check(self, program, version="9.9"):
        return subprocess.run([CHECK, program, version], capture_output=True, text=True, check=False)

    def refused(self, program, words, version="9.9"):
        done = self.check(program, version)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(words, done.stderr)

    def test_what_needs_glibc_alone_passes_and_is_described(self):
        done = self.check(self.build(*PORTABLE))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^program: needs libc\.so\.6; symbols up to GLIBC_2\.\d+\n$")

    def test_a_newer_symbol_is_named_with_its_version(self):
        source = ("#include <sys/random.h>\n"
                  "int main(void) { char c; return getrandom(&c, 1, 0) != 1; }")
        done = self.check(self.build(*PORTABLE, source=source), "2.24")
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs GLIBC_2.25, newer than 2.24, for getrandom", done.stderr)

    def test_versions_are_compared_as_numbers(self):
        self.assertEqual(self.check(self.build(*PORTABLE), "2.100").returncode, 0)
        self.assertEqual(self.check(self.build(*PORTABLE), "2.3").returncode, 1)

    def test_another_library_is_named(self):
        source = "int answer(void) { return 0; }"
        (self.folder / "other.c").write_text(source)
        subprocess.run(["gcc", "-shared", "-fPIC", self.folder / "other.c", "-o", self.folder / "libother.so"],
                       check=True)
        program = self.build(*PORTABLE, f"-L{self.folder}", "-lother",
                             source="int answer(void); int main(void) { return answer(); }")
        self.refused(program, "needs libother.so")

    def test_a_path_to_libraries_is_refused(self):
        self.refused(self.build(*PORTABLE, "-Wl,-rpath,/somewhere"), "a path to libraries")

    def test_what_lies_at_a_fixed_address_is_refused(self):
        self.refused(self.build("-no-pie", "-Wl,-z,relro,-z,now"), "not position-independent")

    def test_tables_that_stay_writable_are_refused(self):
        self.refused(self.build("-pie", "-fPIE", "-Wl,-z,relro,-z,lazy"), "no -z now")
        self.refused(self.build("-pie", "-fPIE", "-Wl,-z,norelro,-z,now"), "not made read-only")

    def test_an_executable_stack_is_refused(self):
        self.refused(self.build(*PORTABLE, "-Wl,-z,execstack"), "stack is executable")

    def test_without_glibc_there_are_no_names_of_hosts(self):
        self.refused(self.build("-static-pie", "-Wl,-z,relro,-z,now"), "no library at all")

    def test_what_is_no_program_fails(self):
        (self.folder / "text").write_text("hello")
        self.assertNotEqual(self.check(self.folder / "text").returncode, 0)


if __name__ == "__main__":
    unittest.main()
