"""HTTP/1.1 over plain sockets: connections that are kept, or broken in the middle."""
import asyncio
import json
import socket
import struct
import urllib.parse


class Response:
    def __init__(self, status, headers):
        self.status = status
        self.headers = headers
        self.body = b""

    def json(self):
        return json.loads(self.body)


class Connection:
    """One client's; opened when it is needed."""

    def __init__(self, url, seconds=300):
        place = urllib.parse.urlsplit(url)
        self.host, self.port, self.name = place.hostname, place.port, place.netloc
        self.seconds = seconds
        self.reader = self.writer = None

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection(self.host, self.port, limit=1 << 22)

    async def close(self):
        if self.writer:
            self.writer.close()
            self.reader = self.writer = None

    def reset(self):
        """Leaves at once, with a RST."""
        if self.writer:
            self.writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.writer.transport.abort()
            self.reader = self.writer = None

    def head(self, method, path, length, keep, headers=()):
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.name}", *headers]
        if length is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {length}"]
        if not keep:
            lines.append("Connection: close")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    async def write(self, data):
        if self.writer is None:
            await self.open()
        self.writer.write(data)
        await self.writer.drain()

    async def send(self, method, path, body=None, keep=True, headers=()):
        payload = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        length = None if body is None else len(payload)
        await self.write(self.head(method, path, length, keep, headers) + payload)

    async def read_head(self):
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip().lower()
        return Response(int(lines[0].split()[1]), headers)

    async def pieces(self, response):
        """Of the body, as they come."""
        if response.headers.get("transfer-encoding") == "chunked":
            while True:
                size = int(await self.reader.readline(), 16)
                data = await self.reader.readexactly(size + 2)
                if size == 0:
                    break
                yield data[:-2]
        elif "content-length" in response.headers:
            yield await self.reader.readexactly(int(response.headers["content-length"]))
        else:
            yield await self.reader.read()
        if response.headers.get("connection") == "close":
            await self.close()

    async def _request(self, method, path, body, keep, headers):
        await self.send(method, path, body, keep, headers)
        response = await self.read_head()
        async for piece in self.pieces(response):
            response.body += piece
        if not keep:
            await self.close()
        return response

    async def request(self, method, path, body=None, keep=True, headers=()):
        """One answer, whole. A connection that was kept may be closed by the server meanwhile: once more."""
        kept = self.writer is not None
        try:
            return await asyncio.wait_for(self._request(method, path, body, keep, headers), self.seconds)
        except (ConnectionError, asyncio.IncompleteReadError):
            await self.close()
            if not kept:
                raise
            return await asyncio.wait_for(self._request(method, path, body, keep, headers), self.seconds)
