"""The frozen text model, shown soft tokens and several questions about them at once.

It computes what transformers' class computes (`check`), but layers that share keys and values only
where a token is predicted. What may be trained of it are three rows of the per-layer embeddings, which
no text uses: that of the pad id, which all soft tokens have, and those of the begin- and end-of-image
ids around them. They tell the text model at each of its first layers that it is asked about a picture.
Of sounds it is the two around them alone, since pictures have that of the pad id already.
"""

import pathlib
import sys

import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "demo_model"))
import gguf_model  # noqa: E402

OPEN, CLOSE = "<bos><|turn>user\n", "<turn|>\n<|turn>model\n"
N_LAYERS, OWN, PLE = 8, 5, 32


def rms(x, w=None):
    x = x.float()
    x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
    return x if w is None else x * w


def turned(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat([-b, a], -1) * sin


def lin(x, w):
    return torch.nn.functional.linear(x.to(w.dtype), w)


def keys_values(f, w, cos, sin):
    k = turned(rms(lin(f, w["k"]), w["kn"]), cos, sin)
    return k.to(w["k"].dtype), rms(lin(f, w["v"])).to(w["k"].dtype)


def finish(h, f, k, v, ple, cos, sin, mask, w, heads=4):
    """The layer behind its keys and values: h [B, T, 256], k, v [B, S, d], mask [B, 1, T, S] (0 or -inf)."""
    b, t, _ = h.shape
    d = k.shape[-1]
    q = rms(lin(f, w["q"]).view(b, t, heads, d), w["qn"])
    q = turned(q, cos[:, :, None], sin[:, :, None]).to(k.dtype).transpose(1, 2).reshape(b, heads * t, d)
    s = (q @ k.transpose(1, 2)).view(b, heads, t, -1).float() + mask
    o = s.softmax(-1).to(v.dtype).view(b, heads * t, -1) @ v
    o = o.view(b, heads, t, d).transpose(1, 2).reshape(b, t, heads * d)
    h = h + rms(lin(o, w["o"]), w["n2"])
    f = rms(h, w["n3"])
    f = lin(torch.nn.functional.gelu(lin(f, w["gate"]), approximate="tanh") * lin(f, w["up"]), w["down"])
    h = h + rms(f, w["n4"])
    f = torch.nn.functional.gelu(lin(h, w["pg"]), approximate="tanh") * ple
    h = h + rms(lin(f, w["pp"]), w["n5"])
    return h * w["scalar"]


def own_layer(h, ple, cos, sin, mask, w):
    f = rms(h, w["n1"])
    k, v = keys_values(f, w, cos, sin)
    return finish(h, f, k, v, ple, cos, sin, mask, w), k, v


def shared_layer(h, k, v, ple, cos, sin, mask, w):
    return finish(h, rms(h, w["n1"]), k, v, ple, cos, sin, mask, w)


class TextModel(torch.nn.Module):
    """The text model of a GGUF file, shown media of a kind: "image" or "audio". pad_learns: the row of the pad id is trained, too,
    which soft tokens of all media have; by default where pictures are shown."""

    def __init__(self, path, dtype=torch.bfloat16, compiled=True, media="image", pad_learns=None):
        super().__init__()
        model = gguf_model.read(path)
        self.reference, self.tokenizer = model, gguf_model.read_tokenizer(path)
        body = model.model
        vocabulary = self.tokenizer.get_vocab()
        self.marks = {kind: (vocabulary[f"<|{kind}>"], vocabulary[f"<{kind}|>"]) for kind in ("image", "audio")}
        self.begin, self.end = self.marks[media]
        self.pad_learns = media == "image" if pad_learns is None else pad_learns
        self.rows = torch.nn.Parameter(body.embed_tokens_per_layer.weight[[0, self.begin, self.end]].detach().clone())
        self.kinds = model.config.layer_types
        self.window = model.config.sliding_window
        self.dtype = dtype
        self.take(torch.Tensor.detach)
        rope = body.rotary_emb
        self.frequency = {k: getattr(rope, k + "_inv_freq") for k in set(self.kinds)}
        self.open = self.encode(OPEN)
        self.own_layer = torch.compile(own_layer) if compiled else own_layer
        self.shared_layer = torch.compile(shared_layer) if compiled else shared_layer

    def take(self, of):
        """Takes the weights, or what `of` makes of each, in the dtypes that they are computed in."""
        body, dtype = self.reference.model, self.dtype
        self.embed = of(body.embed_tokens.weight)
        self.ple_table = of(body.embed_tokens_per_layer.weight)
        self.model_proj = of(body.per_layer_model_projection.weight).to(dtype)
        self.proj_norm = of(body.per_layer_projection_norm.weight)
        self.final = of(body.norm.weight)
        self.head = self.embed.to(dtype)
        self.layers = []
        for layer in body.layers:
            a, m = layer.self_attn, layer.mlp
            w = {"n1": layer.input_layernorm, "n2": layer.post_attention_layernorm, "n3": layer.pre_feedforward_layernorm,
                 "n4": layer.post_feedforward_layernorm, "n5": layer.post_per_layer_input_norm, "qn": a.q_norm,
                 "q": a.q_proj, "o": a.o_proj, "gate": m.gate_proj, "up": m.up_proj, "down": m.down_proj,
                 "pg": layer.per_layer_input_gate, "pp": layer.per_layer_projection}
            if not a.is_kv_shared_layer:
                w |= {"k": a.k_proj, "v": a.v_proj, "kn": a.k_norm}
            w = {n: (of(p.weight).to(dtype) if p.weight.ndim == 2 else of(p.weight)) for n, p in w.items()}
            w["scalar"] = layer.layer_scalar.detach()
            self.layers.append(w)

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def pack(self, rows, sizes, length=None, n_targets=None, media=None):
        """What `forward` is asked. rows: for each prompt a list of conversations that do not see each other, each a list of (question ids, answer ids);
        sizes: soft tokens of each of its pictures; length, n_targets: what to pad to; media: of another kind than the model's own."""
        begin, end = self.marks[media] if media else (self.begin, self.end)
        prefix = list(self.open)
        for n in sizes:
            prefix += [begin] + [-1] * n + [end]
        n_prefix, packed = len(prefix), []
        for row in rows:
            ids, own, branch, place = [], [], [], []
            for i, turns in enumerate(row):
                asked, wanted = [], []
                for a, b in turns:
                    asked += a + b
                    wanted += [-1] * len(a) + b
                ids += asked[:-1]
                own += wanted[1:]
                branch += [i] * (len(asked) - 1)
                place += range(n_prefix, n_prefix + len(asked) - 1)
            packed.append((ids, own, branch, place))
        length = length or max(len(p[0]) for p in packed)
        pad = lambda values, fill: torch.tensor([list(v) + [fill] * (length - len(v)) for v in values])
        ids, own, branch, place = (pad([p[i] for p in packed], fill) for i, fill in enumerate((0, -1, -9, n_prefix)))
        n = len(rows)
        ids = torch.cat([torch.tensor(prefix).expand(n, -1), ids], 1)
        own = torch.cat([torch.full((n, n_prefix), -1), own], 1)
        branch = torch.cat([torch.full((n, n_prefix), -1), branch], 1)
        place = torch.cat([torch.arange(n_prefix).expand(n, -1), place], 1)
        i = torch.arange(n_prefix + length)
        seen = (i[None, :] <= i[:, None])[None] & ((branch[:, None, :] == -1) | (branch[:, None, :] == branch[:, :, None]))
        near = seen & (place[:, :, None] - place[:, None, :] < self.window)
        n_targets = n_targets or int((own >= 0).sum(1).max())
        at = torch.zeros(n, n_targets, dtype=torch.long)
        truth = torch.full((n, n_targets), -1)
        which = torch.full((n, n_targets), -1)
        for r in range(n):
            where = (own[r] >= 0).nonzero()[:, 0]
            at[r, :len(where)] = where
            truth[r, :len(where)] = own[r, where]
            which[r, :len(where)] = branch[r, where]
        bias = lambda m: torch.zeros(m.shape).masked_fill_(~m, -1e9)[:, None]
        masks = {"full_attention": bias(seen), "sliding_attention": bias(near)}
        return {"ids": ids, "place": place, "masks": masks, "at": at, "truth": truth, "which": which, "n_prefix": n_prefix}

    def forward(self, soft, batch):
        """Logits [rows, targets, vocabulary]; soft [rows, all soft tokens, 256], or None for text alone."""
        ids, place, at = batch["ids"], batch["place"], batch["at"]
        b, t = ids.shape
        h = torch.nn.functional.embedding(ids.clamp(min=0), self.embed) * 16.0
        ple = torch.nn.functional.embedding(ids.clamp(min=0), self.ple_table)
        first = (ids[0] < 0)
        if soft is not None:
            h = h.index_copy(1, first.nonzero()[:, 0], soft.float())
        if self.rows is not None:
            kind = torch.zeros(t, dtype=torch.long)      # index of self.rows
            special = first | (ids[0] == self.begin) | (ids[0] == self.end)
            kind[ids[0] == self.begin] = 1
            kind[ids[0] == self.end] = 2
            spots = special.nonzero()[:, 0]
            rows = self.rows if self.pad_learns else torch.cat([self.rows[:1].detach(), self.rows[1:]])
            ple = ple.index_copy(1, spots, rows[kind[spots]].expand(b, -1, -1))
        context = rms((lin(h, self.model_proj).float() * 256 ** -0.5).view(b, t, N_LAYERS, PLE), self.proj_norm)
        ple = (context + ple.view(b, t, N_LAYERS, PLE) * PLE ** 0.5) * 2 ** -0.5
        angles = {k: torch.cat([place[..., None].float() * f] * 2, -1) for k, f in self.frequency.items()}
        cos, sin = ({k: fn(a) for k, a in angles.items()} for fn in (torch.cos, torch.sin))
        kept = {}
        for i in range(OWN):
            kind = self.kinds[i]
            h, k, v = self.own_layer(h, ple[:, :, i].contiguous(), cos[kind], sin[kind], batch["masks"][kind], self.layers[i])
            kept[kind] = (k, v)
        pick = lambda x: torch.gather(x, 1, at.view(b, -1, *[1] * (x.ndim - 2)).expand(-1, -1, *x.shape[2:]))
        h, ple = pick(h), pick(ple)
        cos, sin = {k: pick(x) for k, x in cos.items()}, {k: pick(x) for k, x in sin.items()}
        masks = {k: pick(m[:, 0].expand(b, -1, -1))[:, None] for k, m in batch["masks"].items()}
        for i in range(OWN, N_LAYERS):
            kind = self.kinds[i]
            h = self.shared_layer(h, *kept[kind], ple[:, :, i].contiguous(), cos[kind], sin[kind], masks[kind], self.layers[i])
        logits = lin(rms(h, self.final), self.head).float()
        return 30 * torch.tanh(logits / 30)


class Learner(TextModel):
    """The text model when all of its weights are trained; `refresh` before each step."""

    def __init__(self, path, dtype=torch.bfloat16, compiled=False):
        super().__init__(path, dtype, compiled)
        self.rows = None                             # they are rows of the table as others are
        self.reference.train().requires_grad_(True)

    def refresh(self):
        self.take(lambda weight: weight)

    def pack_text(self, ids, targets):
        """What `forward` is asked of text alone: ids [rows, length] and the ids [rows, length] that follow them, -1 where they are not learned."""
        n, length = ids.shape
        i = torch.arange(length)
        seen = (i[None, :] <= i[:, None])[None, None]
        near = seen & (i[:, None] - i[None, :] < self.window)
        order = (targets < 0).int().argsort(dim=1, stable=True)[:, :int((targets >= 0).sum(1).max())]
        bias = lambda m: torch.zeros(m.shape).masked_fill_(~m, -1e9)
        return {"ids": ids, "place": i.expand(n, -1), "masks": {"full_attention": bias(seen), "sliding_attention": bias(near)}, "at": order,
                "truth": targets.gather(1, order)}


def loss_of(logits, batch):
    """Losses [targets with truth], whether right, over the whole batch."""
    keep = batch["truth"] >= 0
    losses = torch.nn.functional.cross_entropy(logits[keep], batch["truth"][keep], reduction="none")
    return losses, logits.argmax(-1) == batch["truth"]


def by_question(batch, right, losses_flat):
    """(row, question, loss of its answer, whether all of it is right) of all questions."""
    keep = batch["truth"] >= 0
    full = torch.zeros(batch["truth"].shape)
    full[keep] = losses_flat
    out = []
    for r in range(keep.shape[0]):
        for q in range(int(batch["which"][r].max()) + 1):
            m = batch["which"][r] == q
            out.append((r, q, full[r][m].sum().item(), bool(right[r][m].all())))
    return out


@torch.no_grad()
def check(path, media="image"):
    """Asserts that packed questions have the logits that the reference class gives each alone."""
    text = TextModel(path, torch.float32, compiled=False, media=media)
    torch.manual_seed(0)
    soft, body = torch.randn(1, 64, 256), text.reference.model
    row = [(text.encode(q + CLOSE), text.encode(a + "<turn|>")) for q, a in (("What colour is it?", "red"), ("What is this?", "a star"))]
    batch = text.pack([[[turn] for turn in row]], [64])
    logits = text(soft, batch)[0]
    for i, (question, answer) in enumerate(row):
        ids = torch.tensor([text.open + [text.begin] + [0] * 64 + [text.end] + question + answer[:-1]])
        embeddings = body.embed_tokens(ids)
        embeddings[:, len(text.open) + 1:len(text.open) + 65] = soft
        hidden = body(inputs_embeds=embeddings, per_layer_inputs=body.get_per_layer_inputs(ids), use_cache=False).last_hidden_state
        truth = 30 * torch.tanh(text.reference.lm_head(hidden[0, -len(answer):]) / 30)
        worst = float((truth - logits[batch["which"][0] == i]).abs().max())
        assert worst < 1e-3, f"question {i} differs by {worst}"


if __name__ == "__main__":
    check(sys.argv[1], *sys.argv[2:])
