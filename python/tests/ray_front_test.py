"""The front of pleiad.ray, without Ray: before replicas that follow a script, and before one with a server."""

import asyncio
import contextlib
import json
import os

import pytest

from pleiad.ray.front import Front, TooManyWait, _names
from pleiad.ray.messages import Head, ReplicaGone, Request
from pleiad.ray.replica import Replica


class Client:
    """Asks an ASGI application as a server of HTTP does."""

    def __init__(self, front, method="POST", path="/v1/chat/completions", body=b"{}", client="127.0.0.1", headers=()):
        self.scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": b"",
            "headers": [(b"content-type", b"application/json"), *headers],
            "client": (client, 4711),
        }
        self._front = front
        self._body = json.dumps(body).encode() if not isinstance(body, bytes) else body
        self._given = False
        self._gone = asyncio.Event()
        self.status, self.headers, self.parts, self.ended = 0, {}, [], False
        self.on_part = lambda: None

    def leave(self):
        self._gone.set()

    async def _receive(self):
        if not self._given:
            self._given = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        if message["type"] == "http.response.start":
            assert not self.status
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            assert self.status and not self.ended
            self.parts.append(message["body"])
            self.ended = not message.get("more_body")
            self.on_part()

    async def ask(self):
        await asyncio.wait_for(self._front(self.scope, self._receive, self._send), 60)
        return b"".join(self.parts)


HEAD = [("content-type", "application/json"), ("content-length", "4")]
STREAM = [("content-type", "text/event-stream; charset=utf-8")]


class Replicas:
    """Stands for several: each answer is what a script says, an error among it."""

    def __init__(self, *answers):
        self.answers, self.requests, self.n_closed = list(answers), [], 0

    async def __call__(self, request, names):
        self.requests.append((request, names))
        try:
            for part in self.answers[len(self.requests) - 1]:
                if isinstance(part, Exception):
                    raise part
                yield part
        finally:
            self.n_closed += 1


def _asked(replicas, **options):
    async def run():
        client = Client(Front(replicas), **options)
        await client.ask()
        return client

    client = asyncio.run(run())
    assert replicas.n_closed == len(replicas.requests)
    return client


def test_an_answer_is_passed_on_as_it_is():
    client = _asked(Replicas([Head(200, HEAD, "r1"), b"ab", b"cd"]))
    assert (client.status, client.parts, client.ended) == (200, [b"abcd"], True)
    assert client.headers == {"content-type": "application/json", "content-length": "4", "x-pleiad-replica": "r1"}


def test_a_stream_is_passed_on_part_by_part():
    client = _asked(Replicas([Head(200, STREAM, "r1"), b"data: 1\n\n", b"data: 2\n\n"]))
    assert client.parts == [b"data: 1\n\n", b"data: 2\n\n", b""] and client.ended


GONE = ReplicaGone("r1 died")


@pytest.mark.parametrize(
    "first",
    [[GONE], [Head(200, HEAD, "r1"), GONE], [Head(200, HEAD, "r1"), b"ab", GONE], [Head(200, STREAM, "r1"), GONE]],
)
def test_another_replica_answers_where_nothing_was_passed_on(first):
    replicas = Replicas(first, [Head(200, HEAD, "r2"), b"abcd"])
    client = _asked(replicas)
    assert (client.status, client.parts, client.headers["x-pleiad-replica"]) == (200, [b"abcd"], "r2")
    assert replicas.requests[0] == replicas.requests[1]


@pytest.mark.parametrize(
    ("path", "content_type", "last"),
    [
        ("/v1/chat/completions", "text/event-stream", b'data: {"error": {"message": '),
        ("/v1/messages", "text/event-stream", b'event: error\ndata: {"type": "error", '),
        ("/api/chat", "application/x-ndjson", b'{"error": "'),
    ],
)
def test_a_stream_that_breaks_off_ends_with_an_error(path, content_type, last):
    replicas = Replicas([Head(200, [("content-type", content_type)], "r1"), b"some", GONE])
    client = _asked(replicas, path=path)
    assert client.parts[0] == b"some" and client.parts[1].startswith(last) and client.ended
    assert len(replicas.requests) == 1  # what was passed on cannot be taken back


def test_replicas_that_all_die():
    replicas = Replicas([GONE], [GONE], [GONE])
    client = _asked(replicas)
    assert client.status == 502 and json.loads(client.parts[0])["error"]["code"] == "replica_gone"


def test_too_many_requests():
    client = _asked(Replicas([TooManyWait("too many")]))
    assert client.status == 503 and client.headers["retry-after"] == "1"
    client = _asked(Replicas([TooManyWait("too many")]), path="/v1/messages")
    assert json.loads(client.parts[0])["error"]["type"] == "overloaded_error"


def test_bodies_that_are_held_are_bounded():
    async def run():
        replicas = Replicas([Head(200, HEAD, "r1"), b"abcd"], [Head(200, HEAD, "r1"), b"abcd"])
        front = Front(replicas, most_held_bytes=1000)
        for _ in range(2):  # what an answer held is free again, and so is what was refused
            large = Client(front, body=b"x" * 1001)
            assert "1000 bytes" in (await large.ask()).decode()
            assert large.status == 503 and large.headers["retry-after"] == "1"
            small = Client(front, body=b"x" * 1000)
            await small.ask()
            assert small.status == 200

    asyncio.run(run())


def test_a_body_that_does_not_come():
    async def run():
        client = Client(Front(Replicas(), body_seconds=0.01))
        client._given = True
        await client.ask()
        assert client.status == 408

    asyncio.run(run())


def test_mistakes_are_not_hidden():
    with pytest.raises(ZeroDivisionError):
        _asked(Replicas([ZeroDivisionError()]))


def test_refused_requests_reach_nobody():
    replicas = Replicas()
    assert _asked(replicas, path="/api/pull").status == 501
    assert _asked(replicas, body=b"x" * ((64 << 20) + 1)).status == 413


def test_who_asks_is_told_to_the_server():
    def forwarded(client, headers=()):
        replicas = Replicas([Head(200, HEAD, "r1"), b"abcd"])
        _asked(replicas, client=client, headers=headers)
        return [value for name, value in replicas.requests[0][0].headers if name == "x-forwarded-for"]

    assert forwarded("127.0.0.1") == forwarded("::1") == []
    assert forwarded("192.0.2.7") == ["192.0.2.7"]
    assert forwarded("127.0.0.1", [(b"X-Forwarded-For", b"192.0.2.9")]) == ["192.0.2.9"]
    assert forwarded("not-an-address") == ["not-an-address"]


def test_behind_a_proxy_nobody_is_of_this_machine():
    async def run():
        replicas = Replicas([Head(200, HEAD, "r1"), b"abcd"])
        await Client(Front(replicas, behind_proxy=True)).ask()
        assert ("x-forwarded-for", "127.0.0.1") in replicas.requests[0][0].headers

    asyncio.run(run())


def test_headers_that_go_to_the_server():
    given = [
        ("Connection", "X-Hop, close"),
        ("X-Hop", "1"),
        ("Proxy-Connection", "close"),
        ("Authorization", "Bearer schlüssel"),
    ]
    raw = [(name.encode(), value.encode()) for name, value in given] + [(b"x-old", b"\xfc")]
    replicas = Replicas([Head(200, HEAD, "r1"), b"abcd"])
    _asked(replicas, headers=raw)
    found = replicas.requests[0][0].headers
    assert found == [("content-type", "application/json"), ("authorization", "Bearer schlüssel"), ("x-old", "ü")]


@pytest.mark.parametrize("depth", [60, 900, 980, 5000])
def test_deep_bodies_go_to_the_server(depth):
    replicas = Replicas([Head(400, HEAD, "r1"), b"abcd"])
    assert _asked(replicas, body=b'{"messages": ' + b'{"a": ' * depth + b"1" + b"}" * (depth + 1)).status == 400


def test_what_is_too_deep_has_no_names():
    value = 1
    for _ in range(5000):
        value = {"a": value}
    assert _names(Request("POST", "/v1/chat/completions", [], b""), {"messages": [value]}) == ()


def test_keys_have_beginnings_of_their_own():
    def names(key):
        replicas = Replicas([Head(200, HEAD, "r1"), b"abcd"])
        _asked(replicas, body={"messages": [{"role": "user", "content": "What is known of rivers? " * 50}]}, headers=[(b"authorization", key)])
        return replicas.requests[0][1]

    assert names(b"Bearer a") == names(b"Bearer a") != names(b"Bearer b")


DEEP = b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@pytest.mark.parametrize("body", [b"", b"[1]", b"{", DEEP, b"\xff\xfe"])
def test_bodies_that_are_not_json_go_to_the_server(body):
    replicas = Replicas([Head(400, HEAD, "r1"), b"abcd"])
    assert _asked(replicas, body=body).status == 400
    assert replicas.requests[0][0].body == body and replicas.requests[0][1] == ()


# A replica behind it.


@contextlib.asynccontextmanager
async def _replica(**settings):
    replica = Replica(["demo"], threads=1, pin=False, settings=settings, name="r1")
    try:
        yield replica
    finally:
        replica.close()
        replica.close()
        assert not replica._folder.path.exists()


QUESTION = {"model": "demo", "messages": [{"role": "user", "content": "Count from 1 to 5"}], "temperature": 0}


def test_a_server_behind_the_front():
    async def run():
        async with _replica(strict_fields=True) as replica:
            front = Front(replica.ask)
            answer = json.loads(await Client(front, body=QUESTION).ask())
            assert answer["choices"][0]["message"]["content"] == "1, 2, 3, 4, 5"
            client = Client(front, body={**QUESTION, "stream": True})
            lines = (await client.ask()).decode().split("\n\n")
            assert client.headers["content-type"].startswith("text/event-stream")
            texts = [json.loads(line[6:])["choices"][0]["delta"].get("content", "") for line in lines[:-2]]
            assert "".join(texts) == "1, 2, 3, 4, 5" and lines[-2:] == ["data: [DONE]", ""]
            refused = Client(front, body={**QUESTION, "colour": "red"})
            assert "colour" in json.loads(await refused.ask())["error"]["message"] and refused.status == 400
            models = Client(front, "GET", "/v1/models", b"")
            assert json.loads(await models.ask())["data"][0]["id"] == "demo:latest"
            # Without a key nobody of another machine is let in.
            stranger = Client(front, body=QUESTION, client="192.0.2.7")
            await stranger.ask()
            assert stranger.status == 403
            await replica.check_health()
            about = await replica.about()
            assert about["pid"] == os.getpid() and "pleiad_answers_running" in about["metrics"]
            replica._server.close(0)
            with pytest.raises(Exception, match=r"connect|/health"):
                await replica.check_health()

    asyncio.run(run())


def test_a_key_beyond_ascii(tmp_path):
    keys = tmp_path / "keys"
    keys.write_text("schlüssel\n")
    keys.chmod(0o600)

    async def run():
        async with _replica(api_key_file=str(keys)) as replica:
            for key, status in (("schlüssel", 200), ("schlussel", 401)):
                header = (b"authorization", f"Bearer {key}".encode())
                client = Client(Front(replica.ask), "GET", "/v1/models", b"", "192.0.2.7", [header])
                await client.ask()
                assert client.status == status

    asyncio.run(run())


def test_a_server_that_ends_is_gone():
    async def run():
        async with _replica() as replica:
            replica._server.close(0)
            client = Client(Front(replica.ask), body=QUESTION)
            assert json.loads(await client.ask())["error"]["code"] == "replica_gone" and client.status == 502

    asyncio.run(run())


class _NoServer:
    """In the place of pleiad.Server: the test itself listens on the socket."""

    def __init__(self, *models, **settings):
        pass

    def close(self, grace_seconds=None):
        pass


@pytest.mark.parametrize("begun", [False, True])
def test_who_leaves_ends_the_answer(monkeypatch, begun):
    monkeypatch.setattr("pleiad.ray.replica.Server", _NoServer)
    part = b"data: 1\n\n"

    async def run():
        async with _replica() as replica:
            client = Client(Front(replica.ask), body=QUESTION)
            client.on_part = client.leave
            closed = asyncio.Event()

            async def endless(reader, writer):
                await reader.readuntil(b"\r\n\r\n")
                if begun:
                    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                    writer.write(head + b"%x\r\n%b\r\n" % (len(part), part))
                else:
                    client.leave()
                while await reader.read(1024):
                    pass
                writer.close()
                closed.set()

            async with await asyncio.start_unix_server(endless, replica._socket):
                await client.ask()
                assert client.parts == ([part] if begun else []) and not client.ended
                # That its connection ends is what a server takes for the end of whoever asked.
                await asyncio.wait_for(closed.wait(), 60)

    asyncio.run(run())
