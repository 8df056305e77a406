"""What the clients of a soak do: each function one kind of visit, checked by what comes back."""
import asyncio
import json
import random

from http11 import Connection

WORDS = ("one two three four five six seven eight nine ten red green blue open close read write file "
         "line error build test value return string number").split()


class Wrong(Exception):
    """An answer that is not what it should be."""


def questions():
    """The demo model's skills, greedy: short answers that are known."""
    return ([f"Count from 1 to {n}" for n in range(3, 13)] + [f"Spell the word {w}" for w in WORDS[:10]]
            + [f"What is {n} + {n + 3}?" for n in range(1, 11)])


def messages(text):
    return [{"role": "user", "content": text}]


class Client:
    """One after the other, over one connection while it is kept."""

    def __init__(self, url, seed, known, counts, seconds):
        self.url = url
        self.rng = random.Random(seed)
        self.known = known    # question -> answer
        self.counts = counts  # kind -> requests
        self.connection = Connection(url, seconds)  # an answer that takes longer is wrong

    async def visit(self, kind):
        await KINDS[kind][1](self, kind)

    def count(self, kind):
        self.counts[kind] = self.counts.get(kind, 0) + 1

    async def ask(self, kind, method, path, body=None, expected=200, headers=()):
        self.count(kind)
        keep = self.rng.random() < 0.7
        response = await self.connection.request(method, path, body, keep, headers)
        wanted = expected if isinstance(expected, tuple) else (expected,)
        if response.status not in wanted:
            raise Wrong(f"{method} {path}: {response.status} instead of {expected}: {response.body[:200]!r}")
        return response

    async def lines(self, kind, path, body):
        """The lines of a stream that hold JSON."""
        response = await self.ask(kind, "POST", path, body | {"stream": True})
        for line in response.body.decode().split("\n"):
            line = line.removeprefix("data: ").strip()
            if line.startswith("{"):
                yield json.loads(line)

    def question(self):
        return self.rng.choice(list(self.known))

    def compare(self, kind, question, text):
        if text != self.known[question]:
            raise Wrong(f"{kind}: {question!r} gave {text!r} instead of {self.known[question]!r}")


def choices(line):
    return line.get("choices") or [{}]


async def ollama_chat(client, kind):
    question = client.question()
    body = {"model": "demo", "messages": messages(question), "options": {"temperature": 0, "num_predict": 60}}
    if client.rng.random() < 0.5:
        text = "".join([line["message"]["content"] async for line in client.lines(kind, "/api/chat", body)])
    else:
        text = (await client.ask(kind, "POST", "/api/chat", body | {"stream": False})).json()["message"]["content"]
    client.compare(kind, question, text)


async def ollama_generate(client, kind):
    question = client.question()
    body = {"model": "demo", "prompt": question, "options": {"temperature": 0, "num_predict": 60}}
    client.compare(kind, question, "".join([line["response"] async for line in
                                            client.lines(kind, "/api/generate", body)]))


async def openai_chat(client, kind):
    question = client.question()
    body = {"model": "demo", "messages": messages(question), "temperature": 0, "max_tokens": 60}
    if client.rng.random() < 0.5:
        text = "".join([choices(line)[0].get("delta", {}).get("content") or "" async for line in
                        client.lines(kind, "/v1/chat/completions", body)])
    else:
        answer = (await client.ask(kind, "POST", "/v1/chat/completions", body)).json()
        text = answer["choices"][0]["message"]["content"]
    client.compare(kind, question, text)


async def openai_completion(client, kind):
    body = {"model": "demo", "prompt": client.question(), "max_tokens": 8, "temperature": 1, "seed": 1}
    await client.ask(kind, "POST", "/v1/completions", body)


async def openai_response(client, kind):
    """A conversation of two turns, which are deleted."""
    first = client.question()
    body = {"model": "demo", "input": first, "temperature": 0, "max_output_tokens": 60}
    one = (await client.ask(kind, "POST", "/v1/responses", body)).json()
    client.compare(kind, first, "".join(part["text"] for item in one["output"] if item["type"] == "message"
                                        for part in item["content"]))
    two = (await client.ask(kind, "POST", "/v1/responses",
                            body | {"input": client.question(), "previous_response_id": one["id"]})).json()
    await client.ask(kind, "GET", f"/v1/responses/{one['id']}")
    for made in (one, two):
        await client.ask(kind, "DELETE", f"/v1/responses/{made['id']}")
    await client.ask(kind, "GET", f"/v1/responses/{two['id']}", expected=404)


async def anthropic_messages(client, kind):
    question = client.question()
    body = {"model": "demo", "messages": messages(question), "temperature": 0, "max_tokens": 60}
    if client.rng.random() < 0.5:
        text = "".join([line.get("delta", {}).get("text", "") async for line in
                        client.lines(kind, "/v1/messages", body)])
    else:
        answer = (await client.ask(kind, "POST", "/v1/messages", body)).json()
        text = "".join(part["text"] for part in answer["content"])
    client.compare(kind, question, text)


async def new_prompt(client, kind):
    """What nobody asked before, so that what is cached makes room."""
    text = " ".join(client.rng.choice(WORDS) for _ in range(client.rng.randint(40, 250)))
    body = {"model": "demo", "messages": messages(text), "stream": False,
            "options": {"temperature": 1, "num_predict": 4, "seed": client.rng.randint(1, 10**9)}}
    await client.ask(kind, "POST", "/api/chat", body)


async def constrained(client, kind):
    """A schema that is new each time, so that what is made of it is not kept for ever."""
    name = "f" + str(client.rng.randint(0, 10**9))
    schema = {"type": "object", "properties": {name: {"type": "integer", "maximum": 99}}, "required": [name]}
    body = {"model": "demo", "messages": messages("Count from 1 to 5"), "stream": False, "format": schema,
            "options": {"temperature": 0, "num_predict": 60}}
    text = (await client.ask(kind, "POST", "/api/chat", body)).json()["message"]["content"]
    if list(json.loads(text)) != [name]:
        raise Wrong(f"{kind}: {text!r} is not as the schema wants it")


async def embedding(client, kind):
    path, field = client.rng.choice([("/api/embed", "embeddings"), ("/v1/embeddings", "data")])
    answer = (await client.ask(kind, "POST", path, {"model": "demo", "input": client.question()})).json()
    if len(answer[field]) != 1:
        raise Wrong(f"{path}: {len(answer[field])} embeddings for one text")


async def look(client, kind):
    path = client.rng.choice(["/api/version", "/api/version", "/api/ps", "/api/tags", "/v1/models", "/health",
                              "/metrics", "/", "/openapi.json"])
    await client.ask(kind, "GET", path)


async def count_tokens(client, kind):
    body = {"model": "demo", "messages": messages(client.question())}
    if (await client.ask(kind, "POST", "/v1/messages/count_tokens", body)).json()["input_tokens"] < 1:
        raise Wrong("no tokens were counted")


BAD = [
    ("POST", "/api/chat", b'{"model":"demo","messages":[', 400),
    ("POST", "/api/chat", {"model": "demo", "messages": "text"}, 400),
    ("POST", "/api/chat", {"model": "nope", "messages": []}, 404),
    ("POST", "/api/generate", {"model": "demo", "prompt": "a", "options": {"num_ctx": 1e300}}, 400),
    ("POST", "/api/generate", b"[" * 5000, 400),
    ("POST", "/v1/chat/completions", {"model": "demo", "messages": messages("a"), "top_logprobs": 21}, 400),
    ("POST", "/v1/chat/completions", {"model": "nope", "messages": messages("a")}, 404),
    ("POST", "/v1/messages", {"model": "demo", "messages": messages("a")}, 400),
    ("POST", "/v1/responses", {"model": "demo", "input": "a", "previous_response_id": "resp_no"}, (400, 404)),
    ("POST", "/v1/embeddings", b"\xff\xfe", 400),
    ("POST", "/api/show", {"model": "../../etc/passwd"}, (400, 404)),
    ("GET", "/no/such/route", None, 404),
    ("DELETE", "/api/chat", None, 405),
]


async def bad_request(client, kind):
    method, path, body, status = client.rng.choice(BAD)
    await client.ask(kind, method, path, body, status)


async def long_bad_body(client, kind):
    """Over 16 KiB, so that a worker reads it."""
    body = b'{"model":"demo","messages":[],"x":[' + b"{}," * 20_000 + b"{]}"
    await client.ask(kind, "POST", "/api/chat", body, 400)


async def foreign_host(client, kind):
    client.count(kind)
    one = Connection(client.url)
    one.name = "evil.example"
    response = await one.request("GET", "/api/tags", keep=False)
    if response.status != 403:
        raise Wrong(f"Host of another site: {response.status} instead of 403")


GARBAGE = [b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200, b"\x00" * 500,
           b"GET / HTTP/9.9\r\n\r\n", b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
           b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"]


async def garbage(client, kind):
    """Bytes that are no request: refused or closed."""
    client.count(kind)
    one = Connection(client.url)
    await one.write(client.rng.choice(GARBAGE))
    one.writer.write_eof()
    try:
        answer = await asyncio.wait_for(one.reader.read(), client.connection.seconds)
    except ConnectionError:
        answer = b""
    await one.close()
    if answer and answer.split(b" ")[1][:1] not in (b"4", b"5"):
        raise Wrong(f"garbage was answered with {answer[:80]!r}")


async def leave(client, kind):
    """Gone in the middle: of the head, of the body, while the answer is waited for, in a stream."""
    client.count(kind)
    one = Connection(client.url)
    where = client.rng.choice(["head", "body", "long body", "waiting", "stream", "stream", "stream"])
    body = json.dumps({"model": "demo", "messages": messages("Count from 1 to 50"), "stream": where == "stream",
                       "options": {"temperature": 2, "num_predict": 400, "seed": 3}}).encode()
    path = client.rng.choice(["/api/chat", "/v1/chat/completions"])
    if where == "head":
        await one.write(one.head("POST", path, len(body), True)[:40])
    elif where == "body":
        await one.write(one.head("POST", path, len(body), True) + body[:30])
    elif where == "long body":
        await one.write(one.head("POST", path, 1_000_000, True) + b" " * 100_000)
    else:
        await one.send("POST", path, body)
        if where == "stream":
            await asyncio.wait_for(one.read_head(), client.connection.seconds)
            await asyncio.wait_for(one.reader.read(1), client.connection.seconds)
    await asyncio.sleep(client.rng.choice([0, 0, 0.02, 0.1]))
    if client.rng.random() < 0.5:
        one.reset()
    else:
        await one.close()


async def idle(client, kind):
    """A connection that does nothing for a while, then one that is let go."""
    client.count(kind)
    one = Connection(client.url)
    await one.open()
    await asyncio.sleep(client.rng.uniform(0.1, 2))
    await one.close()


async def load_and_unload(client, kind):
    """Another model: loaded by a question, unloaded while others may ask it."""
    question = client.question()
    body = {"model": "other", "messages": messages(question), "stream": False,
            "options": {"temperature": 0, "num_predict": 60}}
    answer = (await client.ask(kind, "POST", "/api/chat", body)).json()
    client.compare(kind, question, answer["message"]["content"])
    await client.ask(kind, "POST", "/api/generate", {"model": "other", "keep_alive": 0})


async def copy_and_delete(client, kind):
    name = f"copy{client.rng.randint(0, 10**9)}"
    await client.ask(kind, "POST", "/api/copy", {"source": "demo", "destination": name})
    await client.ask(kind, "POST", "/api/show", {"model": name})
    await client.ask(kind, "DELETE", "/api/delete", {"model": name})
    await client.ask(kind, "POST", "/api/show", {"model": name}, expected=404)


# kind -> (share of the visits, what it does)
KINDS = {
    "Ollama chat": (14, ollama_chat),
    "Ollama generate": (6, ollama_generate),
    "OpenAI chat": (14, openai_chat),
    "OpenAI completion": (4, openai_completion),
    "OpenAI responses": (3, openai_response),
    "Anthropic messages": (14, anthropic_messages),
    "new prompt": (4, new_prompt),
    "new schema": (2, constrained),
    "embedding": (5, embedding),
    "GET of lists, metrics, the page": (22, look),
    "tokens counted": (6, count_tokens),
    "bad request": (24, bad_request),
    "long bad body": (1, long_bad_body),
    "Host of another site": (3, foreign_host),
    "garbage": (5, garbage),
    "left in the middle": (12, leave),
    "idle connection": (1, idle),
    "model loaded and unloaded": (0.7, load_and_unload),
    "model copied and deleted": (1, copy_and_delete),
}
