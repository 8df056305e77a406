#!/usr/bin/env python3
"""scripts/setup on systems that are not this one: made-up /etc/os-release files, and package
managers that only write down how they were called."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SETUP = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "setup"
DEBIAN_12 = "ID=debian\nVERSION_ID=\"12\"\n"
DEBIAN_13 = "ID=debian\nVERSION_ID=\"13\"\n"
UBUNTU = "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n"
MINT = "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22\"\n"
FEDORA = "ID=fedora\nVERSION_ID=42\n"
ROCKY = "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\nVERSION_ID=\"10.0\"\n"
ARCH = "ID=arch\n"
VOID = "ID=void\n"
TOOLS = ("bash", "env", "id")


class SetupTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        for tool in TOOLS:
            (self.programs / tool).symlink_to(subprocess.check_output(["which", tool], text=True).strip())
        self.pretend("id", "echo 0")

    def pretend(self, name, action):
        """A program of that name that writes down its arguments and does so."""
        path = self.programs / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{self.programs}/bash\n"
                        f"printf '%s\\n' \"{name} $*\" >>{self.folder}/calls\n{action}\n")
        path.chmod(0o755)

    def setup(self, system, *arguments):
        release = self.folder / "os-release"
        release.write_text(system)
        return subprocess.run([SETUP, *arguments], capture_output=True, text=True, check=False,
                              env={"PATH": str(self.programs), "PLEIAD_OS_RELEASE": str(release)})

    def listed(self, system, purpose):
        done = self.setup(system, purpose, "--list")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def calls(self, program):
        path = self.folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if line.startswith(program + " ")]

    def test_every_system_has_its_own_names_for_the_build(self):
        for system, names in {DEBIAN_12: ["g++", "libfmt-dev", "prometheus-cpp-dev", "libseccomp-dev"],
                              UBUNTU: ["g++", "libfmt-dev", "prometheus-cpp-dev", "libseccomp-dev"],
                              FEDORA: ["gcc-c++", "fmt-devel", "libprometheus-cpp-devel", "libseccomp-devel"],
                              ARCH: ["gcc", "fmt", "nlohmann-json", "libseccomp"]}.items():
            with self.subTest(system=system):
                listed = self.listed(system, "build")
                self.assertLessEqual({*names, "ccache", "mold"}, set(listed))
                self.assertEqual(len(listed), len(set(listed)))

    def test_names_of_an_ancestor_serve_its_descendants(self):
        for purpose in ("build", "test", "package"):
            self.assertEqual(self.listed(MINT, purpose), self.listed(UBUNTU, purpose))
            self.assertEqual(self.listed(ROCKY, purpose), self.listed(FEDORA, purpose))

    def test_only_the_runtime_of_clang_differs_between_two_releases_of_debian(self):
        old, new = set(self.listed(DEBIAN_12, "avx512")), set(self.listed(DEBIAN_13, "avx512"))
        self.assertEqual((old - new, new - old), ({"libclang-rt-14-dev"}, {"libclang-rt-dev"}))

    def test_ubuntu_calls_chromium_otherwise(self):
        debian, ubuntu = set(self.listed(DEBIAN_13, "test")), set(self.listed(UBUNTU, "test"))
        self.assertEqual(debian - ubuntu, {"chromium", "chromium-driver"})
        self.assertEqual(ubuntu - debian, {"chromium-browser", "chromium-chromedriver"})

    def test_tests_need_what_the_build_needs(self):
        for system in (DEBIAN_12, UBUNTU, FEDORA, ARCH):
            build, test = self.listed(system, "build"), self.listed(system, "test")
            self.assertEqual(test[:len(build)], build)
            self.assertGreater(len(test), len(build))

    def test_the_python_package_needs_what_the_build_needs_and_a_python(self):
        for system, names in ((DEBIAN_12, {"python3-dev", "python3-pip", "python3-venv"}),
                              (UBUNTU, {"python3-dev", "python3-pip", "python3-venv"}),
                              (FEDORA, {"python3-devel", "python3-pip"}), (ARCH, {"python", "python-pip"})):
            needed, build = self.listed(system, "python"), self.listed(system, "build")
            self.assertEqual(set(needed) - set(build), names)
            self.assertLessEqual(set(build), set(needed))

    def test_every_system_has_the_shells_that_completion_is_tried_in(self):
        for system in (DEBIAN_12, UBUNTU, FEDORA, ARCH):
            self.assertLessEqual({"bash-completion", "zsh", "fish", "mandoc"}, set(self.listed(system, "test")))
            self.assertNotIn("zsh", self.listed(system, "build"))

    def test_debian_and_its_descendants_have_a_registry_to_test_with(self):
        for system in (DEBIAN_12, DEBIAN_13, UBUNTU, MINT):
            self.assertIn("docker-registry", self.listed(system, "test"))
            self.assertNotIn("docker-registry", self.listed(system, "build"))

    def test_what_builds_for_windows_is_debians_alone(self):
        for system in (DEBIAN_12, DEBIAN_13, UBUNTU, MINT):
            self.assertLessEqual({"g++-mingw-w64-x86-64-posix", "wine64", "googletest", "libcli11-dev"}, set(self.listed(system, "windows")))
            self.assertNotIn("wine64", self.listed(system, "test"))
        for system, name in ((FEDORA, "fedora"), (ARCH, "arch")):
            done = self.setup(system, "windows")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(f"windows: expected Debian or a system that comes of it, found {name}", done.stderr)

    def test_only_what_is_missing_is_installed(self):
        self.pretend("dpkg-query", "[ \"${!#}\" = mold ] || echo installed")
        self.pretend("apt-get", "")
        done = self.setup(DEBIAN_12, "build")
        self.assertEqual((done.returncode, done.stdout), (0, "setup: installing mold\n"))
        self.assertEqual(self.calls("apt-get"), ["apt-get update -qq",
                                                 "apt-get install -y -qq --no-install-recommends mold"])

    def test_nothing_is_said_or_done_where_nothing_is_missing(self):
        self.pretend("dpkg-query", "echo installed")
        self.pretend("apt-get", "exit 1")
        done = self.setup(DEBIAN_12)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.calls("apt-get"), [])

    def test_fedora_installs_with_dnf(self):
        self.pretend("rpm", "[ \"${!#}\" != json-devel ]")
        self.pretend("dnf", "")
        self.assertEqual(self.setup(FEDORA, "build").returncode, 0)
        self.assertEqual(self.calls("dnf"), ["dnf install --assumeyes --quiet "
                                             "--setopt=install_weak_deps=False json-devel"])

    def test_arch_installs_with_pacman_and_names_what_it_has_not(self):
        self.pretend("pacman", "[ \"$1\" != --deptest ] || [[ $2 != ninja && $2 != prometheus-cpp* ]]")
        done = self.setup(ARCH, "build")
        self.assertEqual(done.returncode, 0)
        self.assertIn("prometheus-cpp-git", done.stderr)
        self.assertEqual([call for call in self.calls("pacman") if "--sync" in call],
                         ["pacman --sync --needed --noconfirm ninja"])

    def test_an_unknown_system_is_told_and_goes_on(self):
        done = self.setup(VOID, "build")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("libfmt-dev", done.stderr)

    def test_who_is_not_root_and_has_no_sudo_is_told_the_command(self):
        self.pretend("id", "echo 1000")
        self.pretend("dpkg-query", "[ \"${!#}\" = git ] || echo installed")
        self.pretend("apt-get", "")
        done = self.setup(DEBIAN_12, "build")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "setup: please install as root: apt-get install git\n")
        self.assertEqual(self.calls("apt-get"), [])

    def test_a_failed_installation_fails(self):
        self.pretend("dpkg-query", "")
        self.pretend("apt-get", "[ \"$1\" != install ] || exit 100")
        self.assertNotEqual(self.setup(DEBIAN_12, "build").returncode, 0)

    def test_another_purpose_is_refused(self):
        done = self.setup(DEBIAN_12, "documentation")
        self.assertEqual(done.returncode, 2)
        self.assertIn("usage", done.stderr)


if __name__ == "__main__":
    unittest.main()
