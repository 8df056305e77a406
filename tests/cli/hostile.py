"""What somebody puts into names, metadata and replies to reach the reader's terminal."""
import pathlib
import re
import struct

from harness import DEMO

# The clipboard, the title, a question that the terminal answers by typing, colours, the same with
# characters of C1, text that reads backwards, an end of line that is none.
HOSTILE = ("\x1b]52;c;ZXZpbA==\x07\x1b]0;title\x07\x1bP+q544e\x1b\\\x1b[6n\x1b[8m\u009b31m"
           "\u009d52;c;ZXZpbA==\u009c\u202eevil\u202c\u2066x\u2069\x05\x08\x7f\rover\u2028")
# File names and headers are bytes: CSI and OSC of eight bits.
HOSTILE_BYTES = HOSTILE.encode() + b"\x9b31m\x9d0;title\x9c"
STRING = 8
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


def is_unsafe(character):
    code = ord(character)
    return (code < 0x20 and character not in "\t\n" or 0x7F <= code < 0xA0
            or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 or code in (0x2028, 0x2029))


def unsafe(output):
    """What of the program's output a terminal must not be sent; an end of line may be CR LF, and at
    a terminal CR CR LF."""
    text = re.sub("\r{1,2}\n", "\n", output.decode("utf-8", "surrogateescape"))
    return sorted({ascii(c) for c in text if is_unsafe(c) or 0xDC80 <= ord(c) <= 0xDCFF})


def string(text):
    encoded = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


class Gguf:
    """The demo model's file, to be changed and written."""

    def __init__(self, path=DEMO):
        self.data = pathlib.Path(path).read_bytes()
        n_tensors, n_keys = struct.unpack_from("<QQ", self.data, 8)
        self.at = 24
        self.keys = [self.key() for _ in range(n_keys)]
        self.tensors = [self.tensor() for _ in range(n_tensors)]
        self.weights = self.data[self.at + -self.at % 32:]

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def skip(self, kind):
        if kind == STRING:
            self.take(self.number("<Q"))
        elif kind == 9:
            of, n = self.number("<I"), self.number("<Q")
            for _ in range(n):
                self.skip(of)
        else:
            self.take(SIZES[kind])

    def key(self):
        name, kind, begin = self.take(self.number("<Q")), self.number("<I"), self.at
        self.skip(kind)
        return name, kind, self.data[begin:self.at]

    def tensor(self):
        name, begin = self.take(self.number("<Q")), self.at
        self.take(8 * self.number("<I") + 12)
        return name, self.data[begin:self.at]

    def set(self, name, text):
        """A string among the metadata, in the place of what has its name."""
        entry = (name.encode(), STRING, string(text))
        at = next((i for i, key in enumerate(self.keys) if key[0] == entry[0]), len(self.keys))
        self.keys[at:at + 1] = [entry]
        return self

    def add_tensor(self, name):
        """A float that lies behind all others."""
        name = name if isinstance(name, bytes) else name.encode()
        self.tensors.append((name, struct.pack("<IQIQ", 1, 8, 0, len(self.weights))))
        self.weights += bytes(32)
        return self

    def rename_tensor(self, index, name):
        self.tensors[index] = (name.encode(), self.tensors[index][1])
        return self

    def write(self, path):
        head = b"GGUF" + struct.pack("<IQQ", 3, len(self.tensors), len(self.keys))
        for name, kind, value in self.keys:
            head += string(name) + struct.pack("<I", kind) + value
        for name, rest in self.tensors:
            head += string(name) + rest
        pathlib.Path(path).write_bytes(head + bytes(-len(head) % 32) + self.weights)
        return path
