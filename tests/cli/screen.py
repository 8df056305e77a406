"""What a terminal shows: as much of one as the program makes use of. Wraps at the right edge as xterm
does (the cursor waits there), gives wide characters two columns, joins marks to what is before them."""
import re
import unicodedata

SEQUENCE = re.compile(r"\x1b\[(\??[0-9;]*)([A-Za-z])")


def width(character):
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class Screen:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.above = []  # lines that have scrolled off
        self.lines = [[""] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.unknown = []  # sequences that the program should not send
        self.modes = set()

    def feed(self, text):
        at = 0
        while at < len(text):
            found = SEQUENCE.match(text, at)
            if found:
                self.obey(found[1], found[2])
                at = found.end()
                continue
            self.put(text[at])
            at += 1
        return self

    def put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.feed_line()
        elif character == "\a":
            pass
        elif ord(character) < 0x20:
            self.unknown.append(character)
        elif width(character) == 0:
            line, at = self.lines[self.row], max(self.column - 1, 0)
            line[at - 1 if line[at] is None else at] += character
        else:
            if self.column + width(character) > self.columns:
                self.column = 0
                self.feed_line()
            self.lines[self.row][self.column] = character
            if width(character) == 2:
                self.lines[self.row][self.column + 1] = None
            self.column += width(character)

    def feed_line(self):
        if self.row + 1 < self.rows:
            self.row += 1
            return
        self.above.append(self.lines.pop(0))
        self.lines.append([""] * self.columns)

    def obey(self, parameters, last):
        n = int(parameters) if parameters.isdigit() else 1
        if last == "A":
            self.row = max(self.row - n, 0)
        elif last == "C":
            self.column = min(self.column + n, self.columns - 1)
        elif last == "K":
            self.lines[self.row][self.column:] = [""] * (self.columns - self.column)
        elif last == "J" and parameters in ("", "0"):
            self.obey("", "K")
            for row in range(self.row + 1, self.rows):
                self.lines[row] = [""] * self.columns
        elif last == "J":
            self.lines = [[""] * self.columns for _ in range(self.rows)]
        elif last == "H":
            self.row = self.column = 0
        elif last in "hl":
            (self.modes.add if last == "h" else self.modes.discard)(parameters)
        elif last != "m":
            self.unknown.append(parameters + last)

    @staticmethod
    def text_of(line):
        return "".join(" " if cell == "" else cell or "" for cell in line).rstrip()

    def shown(self):
        """The lines of the screen, without blank ones at its end."""
        lines = [self.text_of(line) for line in self.lines]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def all(self):
        return [self.text_of(line) for line in self.above] + self.shown()
