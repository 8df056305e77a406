#!/usr/bin/env python3
"""Trains a small tokenizer built like Gemma's and encodes a corpus with it.

    make_tokenizer.py [--out tests/golden/text]

Writes tokenizer.json (Hugging Face), gguf_tokenizer.json (the same vocabulary as
the arrays of a GGUF file) and corpus.jsonl: {text | base64, ids: plain text,
control_ids: control tokens read from the text}, as the `tokenizers` package
encodes it. Texts that are not UTF-8 cannot be given to that package; their ids are
put together from the parts that are and one byte piece for each byte that is not.
Everything is made up here, from a fixed seed.
"""

import argparse
import base64
import json
import pathlib
import random

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

CONTROL = {
    0: "<pad>", 1: "<eos>", 2: "<bos>", 3: "<unk>", 4: "<mask>",
    46: "<|tool>", 47: "<tool|>", 48: "<|tool_call>", 49: "<tool_call|>",
    50: "<|tool_response>", 51: "<tool_response|>", 52: '<|"|>', 98: "<|think|>",
    100: "<|channel>", 101: "<channel|>", 105: "<|turn>", 106: "<turn|>",
}
USER_DEFINED_IN_GGUF = {48, 49, 50, 51, 52, 100, 101}
LATE_CONTROL = ["<|image>", "<|audio>", "<|image|>", "<|audio|>", "<image|>", "<audio|>", "<|video|>"]
FIRST_BYTE = 238
N_NEWLINES = 4
N_SPACES = 6

WORDS = {
    "english": "the of and to in a is that it was for on are as with his they be at one have this from or had by hot word but what some we can out other were all there when up use your how said an each she which do their time if will way about many then them write would like so these her long make thing see him two has look more day could go come did number sound no most people my over know water than call first who may down side been now find any new work part take get place made live where after back little only round man year came show every good me give our under name very through just form sentence great think say help low line differ turn cause much mean before move right boy old too same tell does set three want air well also play small end put home read hand port large spell add even land here must big high such follow act why ask men change went light kind off need house picture try us again animal point mother world near build self earth father",
    "german": "der die und in den von zu das mit sich des auf für ist im dem nicht ein Die eine als auch es an werden aus er hat dass sie nach wird bei einer Der um am sind noch wie einem über einen Das so Sie zum war haben nur oder aber vor zur bis mehr durch man sein wurde größer Straße müssen können schön Übung Äpfel",
    "french": "le de un être et à il avoir ne je son que se qui ce dans en du elle au pour pas que vous par sur faire plus dire me on mon lui nous comme mais pouvoir avec tout y aller voir bien où sans tu ou leur homme si deux mari moi vouloir te femme venir quand grand celui notre élève façade garçon naïve œuvre",
    "spanish": "el la de que y a en un ser se no haber por con su para como estar tener le lo todo pero más hacer o poder decir este ir otro ese si me ya ver porque dar cuando él muy sin vez mucho saber qué sobre mi alguno mismo yo también hasta año señor niño corazón",
    "russian": "и в не на я быть он с что а по это она этот к но они мы весь который из у то за свой что весь год от так о для ты же все тот мочь вы человек такой его сказать только или ещё бы себя один как уже до время если сам когда другой вот говорить наш мой знать стать",
    "greek": "και το να του η της με που την από για τα είναι των σε ο οι στο θα τη στην τον τους δεν τις ένα μια ότι ή στη στον μας αυτό όπως αλλά",
    "arabic": "في من على أن إلى عن مع هذا كان التي الذي ما لا هو هذه كل بعد بين قال ذلك عند لم يوم غير قبل حتى إذا ليس منذ أي أو ثم",
    "hebrew": "של את על לא הוא כי זה עם היא אני או גם כל אם יש אל אבל מה",
    "hindi": "के में की है और से का को पर यह ने एक कि हैं भी नहीं लिए हो जो कर तो ही था वह इस",
    "thai": "และ ที่ ของ ใน เป็น ได้ มี ไม่ จะ การ ว่า ให้ กับ นี้ ความ คน",
    "chinese": "的 一 是 不 了 人 我 在 有 他 这 中 大 来 上 国 个 到 说 们 为 子 和 你 地 出 道 也 时 年 得 就 那 要 下 以 生 会 自 着 去 之 过 家 学 对 可 她 里 后 小 么 心 多 天 而 能 好 都 然 没 日 于 起 还 发 成 事 只 作 当 想 看 文 无 开 手 十 用 主 行 方 又 如 前 所 本 见 经 头 面 公 同 三 已 老 从 动 两 长",
    "japanese": "の に は を た が で て と し れ さ ある いる も する から な こと として い や など なっ ない この ため その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり より による ず なり られる において 日本 東京 言葉 カタカナ テスト",
    "korean": "이 그 저 것 수 등 들 및 에 는 을 를 가 의 로 으로 한다 있다 하다 되다 않다 없다 사람 우리 나라 말 일 때 년",
}
CODE = """int main(int argc, char** argv) {\n    for (int i = 0; i < 10; ++i) {\n        printf("%d\\n", i);\n    }\n    return 0;\n}\n
def f(x):\n    if x is None:\n        raise ValueError("x")\n    return [y ** 2 for y in x if y > 0]\n
\t<div class="a">\n\t\t<p>text</p>\n\t</div>\n
SELECT name, COUNT(*) FROM users WHERE id >= 42 GROUP BY name;\n
fn main() -> Result<(), Error> {\n    let x = vec![1, 2, 3];\n    println!("{:?}", x);\n}\n
{"key": [1, 2.5, true, null], "nested": {"a": "b"}}\n
#include <vector>\ntemplate <typename T>\nclass Foo final : public Bar<T> {};\n
$ git commit -m 'x' && make -j8 | tee log.txt\nhttps://example.com/a/b?c=d&e=f#g\n"""
EMOJI = "😀😁😂🤣😃👍👋🏽👩‍👩‍👧‍👦❤️🔥🚀🇩🇪✨"


def prose(rng, n_words):
    out = []
    while len(out) < n_words:
        language = rng.choice(list(WORDS))
        words = WORDS[language].split()
        sentence = [rng.choice(words) for _ in range(rng.randint(3, 14))]
        glue = "" if language in ("chinese", "japanese", "thai") else " "
        text = glue.join(sentence)
        out.append(text[0].upper() + text[1:] + rng.choice([". ", "! ", "? ", ", ", "。", ".\n", ".\n\n", " – "]))
    return out


def train_merges(rng):
    """BPE on words, so that no piece spans a space except runs of spaces."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split("\n", "isolated"),
            pre_tokenizers.Split("▁", "merged_with_next"),
            pre_tokenizers.Split("😀", "isolated"),  # stays a rare character
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=3000, special_tokens=["<unk>"], limit_alphabet=520, show_progress=False, min_frequency=2
    )
    text = prose(rng, 6000) + [CODE] * 12 + [EMOJI] * 2
    tokenizer.train_from_iterator(text, trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return [piece for piece in model["vocab"] if piece != "<unk>" and "\n" not in piece], model["merges"]


def all_merges(pieces, order):
    """As transformers derives merges from a SentencePiece model: every way to cut a
    piece into two pieces, pieces in the order of their rank."""
    known = set(pieces)
    rank = {piece: i for i, piece in enumerate(pieces)}
    merges = []
    for piece in order:
        cuts = [(piece[:i], piece[i:]) for i in range(1, len(piece)) if piece[:i] in known and piece[i:] in known]
        merges += sorted(cuts, key=lambda cut: (rank[cut[0]], rank[cut[1]]))
    return merges


def build_vocabulary(rng):
    learned, _ = train_merges(rng)
    vocabulary = {id: piece for id, piece in CONTROL.items()}
    id = 107
    for length in range(1, N_NEWLINES + 1):
        vocabulary[id] = "\n" * length
        id += 1
    for length in range(2, N_SPACES + 1):
        vocabulary[id] = "▁" * length
        id += 1
    for byte in range(256):
        vocabulary[FIRST_BYTE + byte] = f"<0x{byte:02X}>"
    for low in range(FIRST_BYTE):
        vocabulary.setdefault(low, f"<unused{low}>")
    taken = set(vocabulary.values())
    long_first = [piece for piece in learned if len(piece) > 1 and piece not in taken]
    characters = sorted({piece for piece in learned if len(piece) == 1} | set("▁\t\r"))
    id = FIRST_BYTE + 256
    for piece in long_first + LATE_CONTROL + characters:
        if piece in taken:
            continue
        taken.add(piece)
        vocabulary[id] = piece
        id += 1
    pieces = [vocabulary[i] for i in range(len(vocabulary))]
    order = [p for p in pieces if len(p) > 1 and not p.startswith("<")] + [p for p in long_first if p.startswith("<")]
    merges = all_merges([p for p in pieces if p not in CONTROL.values() and p not in LATE_CONTROL], order)
    return pieces, merges


def build_tokenizer(pieces, merges):
    tokenizer = Tokenizer(
        models.BPE(
            vocab={piece: id for id, piece in enumerate(pieces)},
            merges=merges,
            fuse_unk=True,
            byte_fallback=True,
            unk_token="<unk>",
        )
    )
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous", invert=False)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    special = [*CONTROL.values(), *LATE_CONTROL]
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in special])
    return tokenizer


def corpus(rng):
    yield ""
    yield from ["a", " ", "  ", "\n", "\r\n", "\t", "\0", "▁", "<0x0A>", "�", "a b", " a", "a ", "é", "e\u0301"]
    for run in (" ", "\n", "\t", "\r\n", "a", "ab", "the", " the", "🙂", "語", "▁", "=", "-", "\u00a0", "\u3000", "\n ", " \n"):
        for count in (2, 3, 4, 5, 6, 7, 8, 9, 13, 31, 64, 200):
            yield run * count
    for language, words in WORDS.items():
        yield words
        yield words.replace(" ", "")
        yield words.replace(" ", "\n\n")
    yield from CODE.split("\n\n")
    yield CODE
    yield CODE.replace("\n", "\r\n")
    yield EMOJI * 3
    yield "".join(chr(c) for c in range(0x20, 0x250))
    yield "".join(chr(c) for c in range(1, 0x20))
    yield "𝕬𝖇𝖈 ﷽ ﬁ Ⅷ ½ ㋿ 𠮷 \u202e\u200b\ufeff x\U000e0001y \U0010ffff \uffff"
    yield "def f():\n\treturn  1\n\n\n\n\n\nx   =    2     # c\n" * 3
    yield "a\n\n\n\n\n\n\n\n\nb\r\n\r\n\r\nc \n \n d"
    control = [*CONTROL.values(), *LATE_CONTROL]
    for text in control:
        yield text
        yield f"a {text} b\n{text}{text}\n"
        yield text[:-1]
    yield "<|turn>user\nHello<turn|>\n<|turn>model\n<|channel>thought\n<channel|>Hi<turn|>\n"
    yield '<|tool_call>call:f{a:<|"|>x<|"|>}<tool_call|><|tool_response>'
    yield "<<|turn>> <|turn|> <turn> <|<|turn>"
    yield "<unused5><unused237> <0x41><0xe2>"
    for _ in range(150):
        yield "".join(prose(rng, rng.randint(1, 5)))
    everything = [c for words in WORDS.values() for c in words] + list(EMOJI + CODE) + list(" \n\t\r") * 20
    for _ in range(150):
        yield "".join(rng.choice(everything) for _ in range(rng.randint(1, 120)))
    for _ in range(60):
        yield "".join(rng.choice([*control, " ", "\n", "a", "the ", "<", "|>"]) for _ in range(rng.randint(2, 14)))
    yield "".join(prose(rng, 100))


def broken_corpus(rng):
    yield b"\xff"
    yield b"\xe2\x82"
    yield b"a\xe2\x82 b"
    yield b"the \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 end"
    yield bytes(range(256))
    for _ in range(40):
        text = bytearray("".join(prose(rng, 2)).encode())
        for _ in range(rng.randint(1, 6)):
            text[rng.randrange(len(text))] = rng.randrange(256)
        yield bytes(text)
    for _ in range(20):
        yield rng.randbytes(rng.randint(1, 60))


def encode_broken(encode, data):
    ids = []
    while data:
        try:
            return ids + encode(data.decode())
        except UnicodeDecodeError as error:
            ids += encode(data[: error.start].decode())
            bad = data[error.start : error.end]
            ids += [FIRST_BYTE + byte for byte in bad]
            data = data[error.end :]
    return ids


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    root = pathlib.Path(__file__).resolve().parents[3]
    parser.add_argument("--out", type=pathlib.Path, default=root / "tests/golden/text")
    out = parser.parse_args().out
    rng = random.Random(20260401)

    pieces, merges = build_vocabulary(rng)
    tokenizer = build_tokenizer(pieces, merges)
    spec = json.loads(tokenizer.to_str(pretty=False))
    text = json.dumps(spec, ensure_ascii=False, separators=(",", ":"))
    (out / "tokenizer.json").write_text(text)
    tokenizer = Tokenizer.from_str(text)

    control = {id for id, piece in enumerate(pieces) if piece in [*CONTROL.values(), *LATE_CONTROL]}
    types = [
        6 if FIRST_BYTE <= id < FIRST_BYTE + 256
        else 4 if id in USER_DEFINED_IN_GGUF
        else 2 if id == 3
        else 3 if id in control
        else 1
        for id in range(len(pieces))
    ]
    gguf = {"tokens": pieces, "token_type": types, "merges": [" ".join(merge) for merge in merges]}
    (out / "gguf_tokenizer.json").write_text(json.dumps(gguf, ensure_ascii=False, separators=(",", ":")))

    def plain(text):
        tokenizer.encode_special_tokens = True
        return tokenizer.encode(text, add_special_tokens=False).ids

    def with_control(text):
        tokenizer.encode_special_tokens = False
        return tokenizer.encode(text, add_special_tokens=False).ids

    count = 0
    with (out / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for text in corpus(rng):
            line = {"text": text, "ids": plain(text)}
            both = with_control(text)
            if both != line["ids"]:
                line["control_ids"] = both
            assert tokenizer.decode(line["ids"], skip_special_tokens=False) == text.replace("▁", " "), text
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
        for data in broken_corpus(rng):
            line = {"base64": base64.b64encode(data).decode(), "ids": encode_broken(plain, data)}
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
            count += 1
    sizes = {path.name: path.stat().st_size for path in out.glob("*") if path.is_file()}
    print(f"{len(pieces)} pieces, {len(merges)} merges, {count} texts; {sizes}")


if __name__ == "__main__":
    main()
