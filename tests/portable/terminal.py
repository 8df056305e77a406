#!/usr/bin/env python3
"""A chat at a terminal: terminal.py COMMAND..., which starts `pleiad run demo --temperature 0`. With a known
terminal the line is edited and the last one comes back; with --unknown as the first argument lines are
read alone."""
import sys

import pexpect

UP = "\x1b[A"


def main():
    arguments = sys.argv[1:]
    unknown = arguments[0] == "--unknown"
    command, *rest = arguments[1:] if unknown else arguments
    chat = pexpect.spawn(command, rest, encoding="utf-8", timeout=60, dimensions=(24, 100))
    chat.expect_exact(">>> ")
    chat.sendline("Count from 1 to 5")
    chat.expect_exact("1, 2, 3, 4, 5")
    chat.expect_exact(">>> ")
    if not unknown:
        chat.send("Grüße")
        chat.expect_exact("Grüße")
        chat.send("\x15" + UP)  # Ctrl-U: away with the line
        chat.expect_exact("Count from 1 to 5")
        chat.send("\x7f6\r")  # Backspace
        chat.expect_exact("1, 2, 3, 4, 5, 6")
        chat.expect_exact(">>> ")
    chat.sendline("/bye")
    chat.expect(pexpect.EOF)
    chat.close()
    if chat.exitstatus != 0:
        sys.exit(f"terminal: expected status 0, found {chat.exitstatus}, {chat.signalstatus}")


main()
