"""Engines that say whether a schema's grammar takes a text, each in its own process.

An answer is {"failure": "..."} where the schema is refused, else {"took": [true, ...]}.
"""
import json
import subprocess
import time


def repeats_a_name(text):
    """Whether an object of a JSON text has a name twice, of which Python's reader keeps the last."""
    repeats = []
    json.loads(text, object_pairs_hook=lambda pairs: repeats.append(len(dict(pairs)) < len(pairs)))
    return any(repeats)


class Pleiad:
    """build/src/constrain/constrain_verdicts, as requests read schemas or as the standard does; in
    the order of properties that a schema has, or in any."""

    def __init__(self, program, standard, any_order=False):
        self.standard, self.any_order = standard, any_order
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, schema, texts, replies=0, begins=()):
        question = {"schema": schema, "texts": texts, "standard": self.standard, "any_order": self.any_order,
                    "replies": replies, "begins": list(begins)}
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("constrain_verdicts ended")
        return json.loads(line)


class LlGuidance:
    """llguidance over the 256 bytes as tokens, in its own defaults but for white space."""

    def __init__(self):
        import llguidance
        from llguidance import LLMatcher, LLTokenizer

        class Bytes:
            eos_token_id, bos_token_id = 256, None
            tokens = [bytes([byte]) for byte in range(256)] + [b"<end>"]
            special_token_ids = [256]

            def __call__(self, text):
                return list(text.encode() if isinstance(text, str) else text)

        from llguidance import TokenizerWrapper
        self.matcher, self.tokenizer = LLMatcher, LLTokenizer(TokenizerWrapper(Bytes()))
        self.version = getattr(llguidance, "__version__", "")

    def ask(self, schema, texts):
        begin = time.perf_counter()
        try:
            grammar = self.matcher.grammar_from_json_schema(json.dumps(schema))
            start = self.matcher(self.tokenizer, grammar, log_level=0)
        except Exception as error:  # its own kinds of errors have no common name
            return {"failure": str(error)[:300]}
        if start.is_error():
            return {"failure": start.get_error()[:300]}
        took = []
        for text in texts:
            matcher = start.deep_copy()
            tokens = list(text.encode())
            took.append(matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting())
        return {"took": took, "milliseconds": 1000 * (time.perf_counter() - begin)}


class XGrammar:
    """xgrammar over the same, in its own defaults but that objects are open (strict_mode off)."""

    def __init__(self):
        import xgrammar
        self.xgrammar = xgrammar
        vocabulary = [bytes([byte]) for byte in range(256)] + [b"<end>"]
        info = xgrammar.TokenizerInfo(vocabulary, xgrammar.VocabType.RAW, stop_token_ids=[256])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def ask(self, schema, texts):
        begin = time.perf_counter()
        try:
            grammar = self.compiler.compile_json_schema(json.dumps(schema), strict_mode=False)
        except Exception as error:
            return {"failure": str(error)[:300]}
        took = []
        for text in texts:
            matcher = self.xgrammar.GrammarMatcher(grammar)
            took.append(matcher.accept_string(text.encode()) and matcher.accept_token(256))
        return {"took": took, "milliseconds": 1000 * (time.perf_counter() - begin)}
