"""Ollama's chat over plain sockets: cheap enough to hold a thousand streams."""
import asyncio
import json
import time
import urllib.parse


class Answer:
    def __init__(self):
        self.text = ""
        self.final = {}
        self.error = None
        self.started = time.monotonic()
        self.arrivals = []  # of the parts that hold text

    @property
    def first_token(self):
        return self.arrivals[0] - self.started if self.arrivals else None

    @property
    def gaps(self):
        return [b - a for a, b in zip(self.arrivals, self.arrivals[1:])]


async def chat(url, body, on_part=None):
    """POST /api/chat, streamed; never raises for what the server answers."""
    answer = Answer()
    place = urllib.parse.urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=1 << 22)
    try:
        payload = json.dumps(body | {"stream": True}).encode()
        writer.write((f"POST /api/chat HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n"
                      f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n").encode()
                     + payload)
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head.split()[1])
        chunked = b"transfer-encoding: chunked" in head.lower()
        async for line in _lines(reader, chunked):
            part = json.loads(line)
            if "error" in part:
                answer.error = (status, part["error"])
                break
            text = part["message"].get("content", "")
            if text:
                answer.arrivals.append(time.monotonic())
                answer.text += text
            if on_part:
                on_part(part)
            if part["done"]:
                answer.final = part
    finally:
        writer.close()
    if not answer.final and answer.error is None:
        answer.error = (status, "the stream ended without a final part")
    return answer


async def _lines(reader, chunked):
    rest = b""
    while True:
        if chunked:
            size = int((await reader.readline()).strip() or b"0", 16)
            data = await reader.readexactly(size + 2)
            rest += data[:-2]
        else:
            data = await reader.read(1 << 16)
            size = len(data)
            rest += data
        *lines, rest = rest.split(b"\n")
        for line in lines:
            if line.strip():
                yield line
        if size == 0:
            if rest.strip():
                yield rest
            return


async def get(url, path):
    """GET, as text."""
    place = urllib.parse.urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=1 << 22)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode())
        return (await reader.read()).split(b"\r\n\r\n", 1)[1].decode()
    finally:
        writer.close()
