"""Trains the demo model on a CPU; the text is made while training.

The learning rate follows the clock: warm-up, constant, then a linear decay that ends with
--minutes. There are two optimizers, Muon for the hidden matrices and AdamW for the rest. A
moving average of the weights is kept; that is what evaluate.py and export_gguf.py use.

    python train.py --tokenizer tokenizer.json --out run.pt --minutes 50
    python train.py --tokenizer tokenizer.json --start run.pt --out run2.pt --minutes 10
"""

import argparse
import json
import time

import torch
import torch._inductor.config
from tokenizers import Tokenizer

from batches import Batches
from model import make_model, sliding_mask


class Threads:
    """Chooses one or two threads, whichever is faster while other programs use the machine."""

    def __init__(self):
        self.speed = {1: 0.0, 2: 0.0}
        self.now, self.steps = 2, 0
        torch._inductor.config.cpp.dynamic_threads = True
        torch.set_num_threads(2)

    def measured(self, tokens_per_second):
        """Tell the speed of a step and choose the threads of the next one."""
        self.steps += 1
        if self.steps == 1:                          # the first step compiled, for two threads
            self.now = 1
        else:
            old = self.speed[self.now]
            self.speed[self.now] = 0.6 * old + 0.4 * tokens_per_second if old else tokens_per_second
            best = max(self.speed, key=self.speed.get)
            self.now = 3 - best if self.steps % 40 == 20 else best
        torch.set_num_threads(self.now)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--start", help="continue from this checkpoint")
    parser.add_argument("--minutes", type=float, default=50)
    parser.add_argument("--decay", type=float, default=0.5, help="share of the time for the decay")
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--tokens", type=int, default=4096, help="tokens in a batch")
    parser.add_argument("--batches", type=int, default=1, help="batches in a step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--options", default="{}", help="JSON: arguments of make_dialogue")
    parser.add_argument("--early", type=float, default=0.15, help="share of the time with few tools")
    args = parser.parse_args()
    threads = Threads()
    tokenizer = Tokenizer.from_file(args.tokenizer)
    model = make_model(tokenizer.get_vocab_size())
    seen = 0
    if args.start:
        saved = torch.load(args.start)
        model.load_state_dict(saved["weights"])
        seen = saved["tokens"]
    model.train()
    average = {k: v.clone() for k, v in model.state_dict().items()}
    matrices = [p for n, p in model.named_parameters() if p.ndim == 2 and "embed" not in n]
    others = [p for n, p in model.named_parameters() if p.ndim != 2 or "embed" in n]
    muon = torch.optim.Muon(matrices, lr=args.lr, weight_decay=0.02, adjust_lr_fn="match_rms_adamw")
    adam = torch.optim.AdamW(others, lr=args.lr, weight_decay=0.0, betas=(0.9, 0.98), fused=True)
    if args.start and "muon" in saved:
        muon.load_state_dict(saved["muon"])
        adam.load_state_dict(saved["adam"])
    options = json.loads(args.options)
    batches = Batches(tokenizer, args.seed, args.tokens, options=options)
    body, window = model.model, model.config.sliding_window

    @torch.compile(dynamic=True)
    def forward(ids, mask):
        masks = {"full_attention": None, "sliding_attention": mask}
        return body(input_ids=ids, attention_mask=masks, use_cache=False).last_hidden_state

    def loss_of(ids, targets, scale):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = forward(ids, sliding_mask(ids.shape[1], window))
            own = targets >= 0
            logits = model.lm_head(hidden[own]).float()
        logits = 30 * torch.tanh(logits / 30)
        loss = torch.nn.functional.cross_entropy(logits, targets[own], reduction="sum") / scale
        right = (logits.argmax(-1) == targets[own]).float().mean()
        return loss, right

    def save():
        torch.save({"weights": model.state_dict(), "average": average, "tokens": seen,
                    "muon": muon.state_dict(), "adam": adam.state_dict()}, args.out)

    start = None                                      # set after the first step, which compiles
    step, shown, saved_at, losses, rights = 0, 0.0, 0.0, [], []
    while True:
        if start is None and step == 1:
            start = time.time()
        minute = (time.time() - start) / 60 if start else 0
        done = minute / args.minutes
        if done >= 1:
            break
        rate = args.lr * min(1, (step + 1) / (20 if args.start else 100)) * min(1, (1 - done) / args.decay)
        for group in muon.param_groups + adam.param_groups:
            group["lr"] = rate
        if not args.start:
            batches.options = {**options, "tool_share": 0.1} if done < args.early else options
        began = time.time()
        parts = [batches.next() for _ in range(args.batches)]
        total = sum(int((t >= 0).sum()) for _, t in parts)
        for ids, targets in parts:
            loss, right = loss_of(ids, targets, total)
            loss.backward()
            losses.append(loss.item())
            rights.append(right.item())
            seen += ids.numel()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        muon.step()
        adam.step()
        muon.zero_grad()
        adam.zero_grad()
        keep = min(0.997, step / (step + 20))
        with torch.no_grad():
            for k, v in model.state_dict().items():
                average[k].lerp_(v, 1 - keep)
        step += 1
        threads.measured(sum(ids.numel() for ids, _ in parts) / (time.time() - began))
        if minute - shown > 0.5:
            print(f"{minute:6.1f} min  step {step}  {seen / 1e6:.2f} M tokens  loss "
                  f"{sum(losses) / len(losses) * args.batches:.4f}  right {sum(rights) / len(rights):.4f}  "
                  f"rate {rate:.5f}  tokens/s " + " ".join(f"{v:.0f}" for v in threads.speed.values()), flush=True)
            shown, losses, rights = minute, [], []
        if minute - saved_at > 2:
            save()
            saved_at = minute
    save()


if __name__ == "__main__":
    main()
