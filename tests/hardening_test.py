#!/usr/bin/env python3
"""The optimized program has what turns a fault into an end: PROGRAM is the first argument."""
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def read_elf(what):
    return subprocess.run(["readelf", "--wide", what, PROGRAM], capture_output=True, text=True, check=True).stdout


class HardeningTest(unittest.TestCase):
    def imported(self):
        names = re.findall(r"UND (\w+)", read_elf("--dyn-syms"))
        self.assertGreater(len(names), 100)
        return names

    def test_its_addresses_are_new_in_every_process(self):
        self.assertRegex(read_elf("--file-header"), r"Type: +DYN \(Position-Independent Executable")

    def test_what_is_on_the_stack_is_not_executed(self):
        self.assertRegex(read_elf("--program-headers"), r"GNU_STACK .* RW +0x")

    def test_its_tables_of_addresses_are_read_only_once_it_runs(self):
        self.assertIn("GNU_RELRO", read_elf("--program-headers"))
        self.assertRegex(read_elf("--dynamic"), r"FLAGS_1\) .*NOW")

    def test_no_segment_can_be_written_and_executed(self):
        self.assertNotRegex(read_elf("--program-headers"), r"LOAD .* RWE ")

    def test_arrays_on_the_stack_have_canaries(self):
        self.assertIn("__stack_chk_fail", self.imported())

    def test_copies_know_the_size_of_their_target(self):
        self.assertTrue([name for name in self.imported() if re.fullmatch(r"__(mem|str|f?read|v?snprintf)\w*_chk", name)])

    def test_containers_check_their_index(self):
        self.assertTrue([name for name in self.imported() if "glibcxx_assert_fail" in name])


if __name__ == "__main__":
    unittest.main()
