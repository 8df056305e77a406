"""The programs Codex and Claude Code themselves, one turn each, on the demo model.

They are hundreds of megabytes, so `scripts/test-long programs` gets them; without CODEX_PROGRAM and
CLAUDE_CODE_PROGRAM there is nothing to try here, and recorded/ has what they send. Their own instructions and tools
are longer than the demo model's context, so they get short ones, by settings of theirs.
"""
import json
import os
import subprocess

import pytest
from questions import COUNTED

COUNT = "Count from 1 to 10"
SYSTEM = "You are a helpful assistant."


def program(variable):
    if not os.environ.get(variable):
        pytest.skip(f"{variable} names no program (scripts/test-long programs)")
    return os.environ[variable]


def run(command, folder, environment):
    """stdout of a program that finds nothing of its user's."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder)} | environment
    done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_codex(server, greedy, tmp_path):
    (tmp_path / "instructions.md").write_text(SYSTEM)
    settings = [f"model_instructions_file={tmp_path}/instructions.md", "include_permissions_instructions=false",
                "include_environment_context=false", "include_collaboration_mode_instructions=false"]
    command = [program("CODEX_PROGRAM"), "exec", "--oss", "--local-provider", "ollama", "-m", greedy,
               "--skip-git-repo-check", "--disable", "multi_agent", "--disable", "goals"]
    for setting in settings:
        command += ["-c", setting]
    told = run([*command, COUNT], tmp_path,
               {"CODEX_HOME": str(tmp_path), "CODEX_OSS_BASE_URL": server.url + "/v1"})
    assert told.strip() == COUNTED


def test_claude_code(server, greedy, tmp_path):
    told = run([program("CLAUDE_CODE_PROGRAM"), "-p", "--bare", "--tools", "", "--system-prompt", SYSTEM,
                "--output-format", "json", COUNT], tmp_path,
               {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_AUTH_TOKEN": "none", "ANTHROPIC_MODEL": greedy,
                "ANTHROPIC_DEFAULT_HAIKU_MODEL": greedy})
    answer = json.loads(told)
    assert not answer["is_error"] and answer["result"] == COUNTED
    assert answer["usage"]["output_tokens"] > 0
