"""Completion in the shells themselves: bash, zsh and fish are started, and asked as by the Tab key."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import pexpect

from harness import DEMO, PROGRAM, ProgramTest, run


class Shell(ProgramTest):
    """A home with two models, and the program as `pleiad` on the path."""

    def setUp(self):
        super().setUp()
        bin_folder, models = self.folder / "bin", self.folder / "models"
        bin_folder.mkdir()
        models.mkdir()
        (bin_folder / "pleiad").symlink_to(PROGRAM)
        shutil.copy(DEMO, models / "small.gguf")
        work = self.folder / "work"
        (work / "folder").mkdir(parents=True)
        (work / "chat.json").touch()
        (work / "two words.json").touch()
        self.env = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(self.folder),
                    "PLEIAD_MODELS": str(self.folder / "own"), "OLLAMA_MODELS": "/none", "HF_HUB_CACHE": "/none",
                    "PLEIAD_MODEL_FOLDERS": str(models), "PLEIAD_HOST": "127.0.0.1:1", "TERM": "dumb",
                    "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": str(self.folder / "config")}
        self.work = work
        done = subprocess.run([PROGRAM, "create", "gemma4:small", "-f", "-"], input="FROM small\n", text=True,
                              capture_output=True, env=self.env, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def need(self, program):
        if not shutil.which(program):
            self.skipTest(f"no {program} here; scripts/setup brings it")


class Questions:
    """What has to be offered, whichever shell asks."""

    def test_commands(self):
        offered = self.offered("pleiad ")
        self.assertLessEqual({"run", "serve", "list", "help", "completion"}, offered)
        self.assertFalse({"man", "complete"} & offered)
        self.assertEqual(self.offered("pleiad qu"), {"quantize"})
        self.assertEqual(self.offered("pleiad help qu"), {"quantize"})
        self.assertEqual(self.offered("pleiad completion "), {"bash", "zsh", "fish"})

    def test_options(self):
        offered = self.offered("pleiad run --")
        self.assertLessEqual({"--seed", "--think", "--temperature", "--ctx", "--kv-type"}, offered)
        self.assertEqual(self.offered("pleiad run demo --hide"), {"--hide-thinking"})
        self.assertIn("--keep-alive", self.offered("pleiad serve --k"))

    def test_models_and_files(self):
        offered = self.offered("pleiad run ")
        self.assertLessEqual({"demo", "small", "chat.json"}, offered)
        self.assertEqual(self.offered("pleiad run --seed 1 sm"), {"small"})
        self.assertEqual(self.offered("pleiad rm gemma4:s"), {self.behind_a_colon("gemma4:small")})
        self.assertEqual(self.offered("pleiad run demo "), set())
        self.assertEqual(self.offered("pleiad run --chat ch"), {"chat.json"})
        self.assertEqual(self.offered("pleiad run demo --file ch"), {"chat.json"})
        self.assertEqual(self.offered("pleiad run demo --chat=ch"), {self.behind_an_equals("--chat=chat.json")})

    def test_values(self):
        self.assertEqual(self.offered("pleiad run --kv-type "), {"bf16", "f16", "f32", "q4_0", "q8_0"})
        self.assertEqual(self.offered("pleiad serve --log-level=w"), {self.behind_an_equals("--log-level=warn")})
        self.assertEqual(self.offered("pleiad run demo --think=h"), {self.behind_an_equals("--think=high")})
        self.assertEqual(self.offered("pleiad fit --model e2b,e"), {"e2b,e2b", "e2b,e4b"})
        self.assertIn("q4_k_m", self.offered("pleiad quantize small out.gguf --type q4"))
        self.assertEqual(self.offered("pleiad run --pages-as "), {"auto", "image", "text"})
        self.assertEqual(self.offered("pleiad run --pages "), set())
        self.assertEqual(self.offered("pleiad run --seed "), set())

    def behind_a_colon(self, word):
        return word

    def behind_an_equals(self, word):
        return word


# Calls what `complete` has registered as bash does: with the line, the point, and the words cut
# at COMP_WORDBREAKS.
ASK_BASH = r"""
source "$SCRIPT"
[[ $(complete -p pleiad) == "complete -F _pleiad pleiad" ]] || exit 3
COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_TYPE=9 COMP_KEY=9
mapfile -t COMP_WORDS < <(printf '%s' "$WORDS")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_pleiad pleiad "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


class Bash(Questions, Shell):
    def setUp(self):
        super().setUp()
        self.need("bash")
        script = self.folder / "pleiad.bash"
        script.write_text(run("completion", "bash")[1])
        self.env["SCRIPT"] = str(script)

    def offered(self, line):
        words = []
        for word in line.split(" "):
            words += re.split(r"([:=]+)", word)
        done = subprocess.run(["bash", "--norc", "-c", ASK_BASH], cwd=self.work, capture_output=True, text=True,
                              env={**self.env, "LINE": line, "WORDS": "\n".join(words) + "\n"}, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {word for word in done.stdout.splitlines() if word}

    def behind_a_colon(self, word):
        return word.rsplit(":", 1)[1]

    def behind_an_equals(self, word):
        return word.rsplit("=", 1)[1]

    def test_at_a_terminal(self):
        """With readline and bash-completion's loader, as installed."""
        share = self.folder / "share"
        self.assertEqual(run("man", "--out", share)[0], 0)
        loader = pathlib.Path("/usr/share/bash-completion/bash_completion")
        if not loader.exists():
            self.skipTest("no bash-completion here; scripts/setup brings it")
        rc = self.folder / "rc"
        rc.write_text(f"source {loader}\nPS1='ready> '\nbind 'set enable-bracketed-paste off'\n"
                      "bind 'set bell-style none'\n")
        shell = pexpect.spawn("bash", ["--noprofile", "--rcfile", str(rc), "-i"], cwd=self.work, encoding="utf-8",
                              timeout=20, dimensions=(40, 200),
                              env={**self.env, "XDG_DATA_DIRS": f"{share}:/usr/share"})
        self.addCleanup(shell.close, True)
        shell.expect_exact("ready> ")
        for typed, whole in (("pleiad quan\t", "pleiad quantize "),
                             ("pleiad run --temperat\t", "pleiad run --temperature "),
                             ("pleiad rm gemma4:s\t", "pleiad rm gemma4:small"),
                             ("pleiad run demo --think=h\t", "pleiad run demo --think=high "),
                             ("pleiad run demo --chat two\t", "pleiad run demo --chat two\\ words.json "),
                             ("pleiad create x -f fol\t", "pleiad create x -f folder/"),
                             ("echo | pleiad run sma\t", "echo | pleiad run small")):
            shell.send(typed)
            shell.expect_exact(whole)
            shell.send("\x15\x0b")
            shell.sendline("")
            shell.expect_exact("ready> ")


# Completion that writes what it was offered into a file: compadd is told to say it.
ASK_ZSH = r"""
autoload -Uz compinit
compinit -D -u
compadd() {
  local -a offered
  builtin compadd -A offered "$@" 2>/dev/null
  (( $#offered )) && print -rl -- $offered >> $OFFERED
  builtin compadd "$@"
}
zle -C ask complete-word ask
ask() { _main_complete }
bindkey '^I' ask
PS1='ready> '
unsetopt beep
setopt no_auto_menu
"""


class Zsh(Questions, Shell):
    def setUp(self):
        super().setUp()
        self.need("zsh")
        share = self.folder / "share"
        self.assertEqual(run("man", "--out", share)[0], 0)
        (self.folder / ".zshrc").write_text(f"fpath=({share}/zsh/site-functions $fpath)\n{ASK_ZSH}")
        self.env |= {"ZDOTDIR": str(self.folder), "OFFERED": str(self.folder / "offered"), "TERM": "xterm"}
        self.shell = pexpect.spawn("zsh", ["-d", "-i"], cwd=self.work, encoding="utf-8", timeout=30,
                                   dimensions=(60, 200), env=self.env)
        self.addCleanup(self.shell.close, True)
        self.shell.expect_exact("ready> ")
        self.count = 0

    def offered(self, line):
        offered = self.folder / "offered"
        offered.write_text("")
        self.shell.send(line + "\t")
        # Keys are read in order: this one is read once the completion is over.
        self.count += 1
        self.shell.send("\x15")
        self.shell.sendline(f"print don''e-{self.count}")
        self.shell.expect_exact(f"done-{self.count}")
        self.shell.expect_exact("ready> ")
        return {word.removesuffix("/") for word in offered.read_text().splitlines()} - {""}

    def behind_an_equals(self, word):
        return word.split("=")[1] if word.startswith("--chat") else word

    def test_sourced_instead_of_installed(self):
        """`source <(pleiad completion zsh)` registers the same function."""
        done = subprocess.run(["zsh", "-f", "-c", "autoload -Uz compinit; compinit -D -u; "
                               "source <(pleiad completion zsh); print -r -- $_comps[pleiad]"],
                              capture_output=True, text=True, env=self.env, check=False)
        self.assertEqual((done.stdout, done.stderr), ("_pleiad\n", ""))


class Fish(Questions, Shell):
    def setUp(self):
        super().setUp()
        self.need("fish")
        script = self.folder / "pleiad.fish"
        script.write_text(run("completion", "fish")[1])
        self.env["SCRIPT"] = str(script)

    def offered(self, line):
        done = subprocess.run(["fish", "--no-config", "-c", "source $SCRIPT; complete -C $LINE"], cwd=self.work,
                              capture_output=True, text=True, env={**self.env, "LINE": line}, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {word.split("\t")[0].removesuffix("/") for word in done.stdout.splitlines()}

    def test_candidates_are_explained(self):
        done = subprocess.run(["fish", "--no-config", "-c", "source $SCRIPT; complete -C 'pleiad quan'"],
                              capture_output=True, text=True, env=self.env, check=False)
        self.assertIn("quantize\tWrite a smaller file of a model", done.stdout)


if __name__ == "__main__":
    unittest.main()
