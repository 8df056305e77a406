"""Other engines' masks over the pieces of a tokenizer.json: what mask_times.py measures Pleiad's beside."""
import json
import multiprocessing
import time


class Stopwatch:
    """The smaller of what passed and of what the process computed: other programs on the machine do not count."""

    def __init__(self):
        self.processor, self.begin = time.process_time(), time.perf_counter()

    def seconds(self):
        return min(time.perf_counter() - self.begin, time.process_time() - self.processor)


class Pieces:
    """The bytes of each token, and which tokens are no text."""

    def __init__(self, tokenizer, end):
        content = json.load(open(tokenizer))
        self.ids = content["model"]["vocab"]
        self.bytes = [b""] * len(self.ids)
        for text, token in self.ids.items():
            is_byte = len(text) == 6 and text.startswith("<0x")
            self.bytes[token] = bytes([int(text[3:5], 16)]) if is_byte else text.replace("\u2581", " ").encode()
        self.special = sorted({added["id"] for added in content["added_tokens"] if added["special"]} | {end})
        self.end = end


class LlGuidance:
    """In its own defaults."""

    def __init__(self, pieces):
        import llguidance.numpy
        from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

        class Wrapped:
            eos_token_id, bos_token_id = pieces.end, None
            tokens = pieces.bytes
            special_token_ids = pieces.special

            def __call__(self, text):
                return [pieces.ids[f"<0x{byte:02X}>"] for byte in (text.encode() if isinstance(text, str) else text)]

        self.LLMatcher, self.numpy = LLMatcher, llguidance.numpy
        self.tokenizer = LLTokenizer(TokenizerWrapper(Wrapped()))
        self.mask = self.numpy.allocate_token_bitmask(1, self.tokenizer.vocab_size)

    def begin(self, question):
        """What gives a matcher for each reply."""
        start = self.LLMatcher(self.tokenizer, self.grammar(question), log_level=0)
        if start.is_error():
            raise ValueError(start.get_error())
        return start.deep_copy

    def grammar(self, question):
        if "schema" in question:
            return self.LLMatcher.grammar_from_json_schema(json.dumps(question["schema"]))
        if question["syntax"] == "lark":
            return self.LLMatcher.grammar_from_lark(question["definition"])
        if question["syntax"] == "regex":
            return self.LLMatcher.grammar_from_regex(question["definition"])
        raise ValueError(f'{question["syntax"]} is not read')

    def fill(self, matcher):
        self.numpy.fill_next_token_bitmask(matcher, self.mask, 0)

    def accept(self, matcher, token):
        return matcher.consume_token(token)


class XGrammar:
    """In its own defaults but that objects are open (strict_mode off), and on one thread."""

    def __init__(self, pieces):
        import xgrammar

        special = set(pieces.special)
        vocabulary = [b"" if token in special else piece for token, piece in enumerate(pieces.bytes)]
        info = xgrammar.TokenizerInfo(vocabulary, xgrammar.VocabType.RAW, stop_token_ids=[pieces.end])
        self.xgrammar = xgrammar
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.mask = xgrammar.allocate_token_bitmask(1, info.vocab_size)

    def begin(self, question):
        compiled = self.compiled(question)
        return lambda: self.xgrammar.GrammarMatcher(compiled)

    def compiled(self, question):
        if "schema" in question:
            return self.compiler.compile_json_schema(json.dumps(question["schema"]), strict_mode=False)
        if question["syntax"] == "gbnf":
            return self.compiler.compile_grammar(question["definition"])
        if question["syntax"] == "regex":
            return self.compiler.compile_regex(question["definition"])
        raise ValueError(f'{question["syntax"]} is not read')

    def fill(self, matcher):
        matcher.fill_next_token_bitmask(self.mask)

    def accept(self, matcher, token):
        return matcher.accept_token(token)


PEERS = {"llguidance": LlGuidance, "xgrammar": XGrammar}


def answer(peer, question, replies):
    watch = Stopwatch()
    try:
        begin = peer.begin(question)
    except Exception as error:  # their own kinds of errors have no common name
        return {"failure": str(error)[:300]}
    out = {"compile_ms": 1000 * watch.seconds(), "replies": []}
    for reply in replies:
        matcher = begin()
        times = []
        took = 0
        for token in [*reply["tokens"], None]:
            watch = Stopwatch()
            peer.fill(matcher)
            times.append(1e6 * watch.seconds())
            if token is None or not peer.accept(matcher, token):
                break
            took += 1
        out["replies"].append({"mask_us": times, "took": took, "tokens": reply["tokens"]})
    return out


def serve(name, tokenizer, end, pipe):
    peer = PEERS[name](Pieces(tokenizer, end))
    pipe.send(None)
    while True:
        pipe.send(answer(peer, *pipe.recv()))


class PeerProcess:
    """A peer in a process of its own: some abort, and some do not end."""

    def __init__(self, name, tokenizer, end, seconds):
        self.arguments, self.seconds = (name, tokenizer, end), seconds
        self.start()

    def start(self):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=serve, args=(*self.arguments, other), daemon=True)
        self.process.start()
        other.close()
        self.pipe.recv()  # it is ready

    def ask(self, question, replies):
        self.pipe.send((question, replies))
        try:
            if self.pipe.poll(self.seconds):
                return self.pipe.recv()
            failure = f"more than {self.seconds} s"
        except EOFError:
            failure = "the engine ended"
        self.process.kill()
        self.start()
        return {"failure": failure}
