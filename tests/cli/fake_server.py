"""Small servers that speak as Ollama or as OpenAI do, honest unless they are told to be otherwise.

A word is a token, a template has ten; a token takes some milliseconds, and prompts what they are told to.
"""
import http.server
import json
import threading
import time

TEMPLATE = 10
SECOND = 1_000_000_000
TOKEN = 0.004  # seconds


def n_tokens(prompt):
    return TEMPLATE + len(prompt.split())


class Fake:
    """What is behind the API; tests change what they need."""
    KEY = None  # clients must send it
    answers_as = None  # the model that answers say they are from

    def __init__(self):
        self.loaded = {}  # name -> context length
        self.seen = set()
        self.n_chats = 0
        self.lock = threading.Lock()

    def load(self, model, context):
        self.loaded[model] = context

    def length(self, wanted):
        """Tokens of an answer."""
        return wanted

    def thoughts(self, n_generated):
        """Tokens of it that are thoughts, told as such."""
        return 0

    def hidden(self):
        """Tokens that are counted and never shown."""
        return 0

    def cached(self, prompt):
        """Tokens that came from the cache, and are told."""
        return 0

    def prompt_seconds(self, prompt):
        return n_tokens(prompt) * 1e-6

    def load_seconds(self):
        return 0

    def answer(self, prompt, wanted):
        """(pieces, thoughts, facts) of one answer."""
        with self.lock:
            self.n_chats += 1
            n = self.length(wanted)
            thoughts = self.thoughts(n)
            facts = {"prompt": n_tokens(prompt), "cached": self.cached(prompt),
                     "prompt_s": self.prompt_seconds(prompt), "load_s": self.load_seconds(),
                     "generated": n + self.hidden(), "reason": "length" if n == wanted else "stop"}
            self.seen.add(prompt)
        facts["generated_s"] = facts["generated"] * TOKEN
        facts["pieces"] = n
        return ["word "] * (n - thoughts), ["hm "] * thoughts, facts


class Handler(http.server.BaseHTTPRequestHandler):
    """Routes; one connection for one request."""

    def log_message(self, *_):
        pass

    @property
    def fake(self):
        return self.server.fake

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")

    def reply(self, value, status=200):
        text = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def lines(self, values, facts=None):
        """With `facts`, in the time of such an answer."""
        self.send_response(200)
        self.end_headers()
        begin = time.monotonic() + (facts["prompt_s"] if facts else 0)
        for i, value in enumerate(values):
            at = begin + min(i, facts["pieces"] - 1) * TOKEN if facts else 0
            time.sleep(max(0, at - time.monotonic()))
            self.wfile.write(value.encode() + b"\n")

    def do_GET(self):
        self.route("GET")

    def do_POST(self):
        self.route("POST")

    def route(self, method):
        if self.fake.KEY and self.headers.get("Authorization") != f"Bearer {self.fake.KEY}":
            return self.reply({"error": {"message": "who are you?"}}, 401)
        handler = getattr(self, method + self.path.replace("/", "_").replace(".", "_"), None)
        return handler() if handler else self.reply({"error": "not found"}, 404)


class OllamaHandler(Handler):
    def GET_api_version(self):
        self.reply({"version": "0.99"})

    def GET_api_tags(self):
        self.reply({"models": [{"name": "a:latest"}, {"name": "b:latest"}]})

    def GET_api_ps(self):
        self.reply({"models": [{"name": name, "context_length": context}
                               for name, context in self.fake.loaded.items()]})

    def POST_api_generate(self):
        body = self.body()
        if body.get("keep_alive") == 0:
            self.fake.loaded.pop(body["model"], None)
        else:
            self.fake.load(body["model"] + ":latest", body.get("options", {}).get("num_ctx", 4096))
        self.reply({"done": True})

    def POST_api_chat(self):
        body = self.body()
        pieces, thoughts, facts = self.fake.answer(body["messages"][0]["content"],
                                                   body["options"]["num_predict"])
        lines = [{"message": {"content": "", "thinking": text}} for text in thoughts]
        lines += [{"message": {"content": text}} for text in pieces]
        last = {"message": {"content": ""}, "done": True, "done_reason": facts["reason"],
                "prompt_eval_count": facts["prompt"], "eval_count": facts["generated"],
                "prompt_eval_duration": int(facts["prompt_s"] * SECOND),
                "eval_duration": int(facts["generated_s"] * SECOND),
                "load_duration": int(facts["load_s"] * SECOND)}
        if facts["cached"] is not None:
            last["prompt_eval_cached_count"] = facts["cached"]
        if self.fake.answers_as:
            last["model"] = self.fake.answers_as
        self.lines([json.dumps(line) for line in [*lines, last]], facts)


class OpenAiHandler(Handler):
    EXTRAS = True  # fields that OpenAI does not have are taken
    USAGE = True
    TIMINGS = False

    def GET_v1_models(self):
        self.reply({"data": [{"id": "a", "owned_by": "someone"}]})

    def POST_v1_chat_completions(self):
        body = self.body()
        if not self.EXTRAS and "ignore_eos" in body:
            return self.reply({"error": {"message": "unknown field"}}, 400)
        pieces, thoughts, facts = self.fake.answer(body["messages"][0]["content"],
                                                   body["max_tokens"])
        deltas = [{"reasoning_content": text} for text in thoughts]
        deltas += [{"content": text} for text in pieces]
        chunks = [{"choices": [{"delta": delta}]} for delta in deltas]
        chunks.append({"choices": [{"delta": {}, "finish_reason": facts["reason"]}]})
        if self.USAGE:
            chunks.append({"choices": [], "usage": {
                "prompt_tokens": facts["prompt"], "completion_tokens": facts["generated"],
                "prompt_tokens_details": {"cached_tokens": facts["cached"]}}})
        if self.TIMINGS:
            chunks[-1]["timings"] = {"prompt_ms": facts["prompt_s"] * 1000,
                                     "predicted_ms": facts["generated_s"] * 1000}
        return self.lines(["data: " + json.dumps(chunk) + "\n" for chunk in chunks]
                          + ["data: [DONE]"], facts)


class LlamaHandler(OpenAiHandler):
    TIMINGS = True

    def GET_props(self):
        self.reply({"build_info": "b1234", "default_generation_settings": {"n_ctx": 4096}})


class Running:
    """A server on a free port while the `with` block runs."""

    def __init__(self, fake, handler=OllamaHandler):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.server.fake = fake
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def sleep_for_ever():
    time.sleep(60)
