"""What one clone has compiled with clang and precompiled headers, another one finds; and a header that
changed is compiled again (cmake/cached-clang)."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

LAUNCHER = pathlib.Path(__file__).resolve().parent.parent / "cmake" / "cached-clang"
CLANG, CCACHE = shutil.which("clang++"), shutil.which("ccache")


@unittest.skipUnless(CLANG and CCACHE, "no clang++ or no ccache here")
class CompilerCache(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def clone(self, name, number):
        """A clone whose header, and that which it includes, give a number to main()."""
        build = self.folder / name / "build"
        build.mkdir(parents=True, exist_ok=True)
        (build.parent / "number.h").write_text(f"#pragma once\ninline int number() {{ return {number}; }}\n")
        (build / "headers.hxx").write_text('#include "number.h"\n')
        (build / "headers.hxx.cxx").write_text("/* its headers */\n")
        (build / "unit.cc").write_text("int main() { return number(); }\n")
        return build

    def run_in(self, build, *arguments):
        """Through the launcher, with the variables that cmake/CompilerCache.cmake sets; the words of the log."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("CCACHE_")} | {
            "CCACHE_DIR": str(self.folder / "cache"), "CCACHE_LOGFILE": str(log),
            "CCACHE_BASEDIR": str(build.parent), "CCACHE_NOHASHDIR": "1", "CCACHE_DEPEND": "1",
            "CCACHE_PCH_EXTSUM": "1", "PWD": str(build),
            "CCACHE_SLOPPINESS": "pch_defines,time_macros,include_file_mtime,include_file_ctime"}
        subprocess.run([LAUNCHER, CCACHE, CLANG, f"-I{build.parent}", "-g1",
                        f"-ffile-prefix-map={build.parent}/=", *arguments],
                       cwd=build, env=environment, check=True)
        return log.read_text() if log.exists() else ""

    def compile(self, build):
        """As CMake's rules for Ninja do; (what the program returns, whether the cache had it)."""
        header = build / "headers.hxx"
        self.run_in(build, "-Winvalid-pch", "-Xclang", "-emit-pch", "-Xclang", "-include", "-Xclang", str(header),
                    "-x", "c++-header", "-MD", "-MT", "headers.hxx.pch", "-MF", "headers.hxx.pch.d",
                    "-o", "headers.hxx.pch", "-c", str(build / "headers.hxx.cxx"))
        log = self.run_in(build, "-Winvalid-pch", "-Xclang", "-include-pch", "-Xclang", f"{header}.pch",
                          "-Xclang", "-include", "-Xclang", str(header), "-MD", "-MT", "unit.o", "-MF", "unit.o.d",
                          "-o", "unit.o", "-c", str(build / "unit.cc"))
        found = re.findall(r"Result: (direct_cache_hit|preprocessed_cache_hit|cache_miss)", log)
        self.assertEqual(len(found), 1, log)
        subprocess.run([CLANG, "unit.o", "-o", "unit"], cwd=build, check=True)
        return subprocess.run([build / "unit"], check=False).returncode, found[0] != "cache_miss"

    def test_a_second_clone_finds_what_the_first_compiled(self):
        self.assertEqual(self.compile(self.clone("one", 3)), (3, False))
        self.assertEqual(self.compile(self.clone("elsewhere/two", 3)), (3, True))

    def test_a_changed_header_is_compiled_again_and_a_former_one_found_again(self):
        build = self.clone("one", 3)
        self.assertEqual(self.compile(build), (3, False))
        self.assertEqual(self.compile(self.clone("one", 4)), (4, False))
        self.assertEqual(self.compile(self.clone("two", 4)), (4, True))
        self.assertEqual(self.compile(self.clone("one", 3)), (3, True))

    def test_other_flags_are_another_header(self):
        build = self.clone("one", 3)
        self.compile(build)
        before = (build / "headers.hxx.pch.sum").read_text()
        self.run_in(build, "-O1", "-Xclang", "-emit-pch", "-Xclang", "-include", "-Xclang", str(build / "headers.hxx"),
                    "-x", "c++-header", "-MD", "-MT", "headers.hxx.pch", "-MF", "headers.hxx.pch.d",
                    "-o", "headers.hxx.pch", "-c", str(build / "headers.hxx.cxx"))
        self.assertNotEqual((build / "headers.hxx.pch.sum").read_text(), before)

    def test_a_header_that_does_not_compile_leaves_no_sum(self):
        build = self.clone("one", 3)
        self.compile(build)
        (build.parent / "number.h").write_text("int number( {\n")
        with self.assertRaises(subprocess.CalledProcessError):
            self.compile(build)
        self.assertFalse((build / "headers.hxx.pch.sum").exists())


if __name__ == "__main__":
    unittest.main()
