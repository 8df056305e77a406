"""What the trainings of the demo's towers have in common: their optimizers and rates, a step, the running average, checkpoints.

A checkpoint has "average" (the weights of the tower, and the text model's rows where it is asked) and "heads" (those that help the
tower to learn, where it has any). Under torchrun several processes train together: each has its own pictures or sounds, and
steps with the mean of all gradients, which waits for the others once a step; two threads of one process do so a thousand times.
"""

import contextlib
import os
import time

import torch
import torch.distributed as dist

WARM_UP = 40                                         # steps


def join():
    """(number of this process, how many there are), after which they find each other."""
    if "WORLD_SIZE" not in os.environ:
        return 0, 1
    dist.init_process_group("gloo")
    return dist.get_rank(), dist.get_world_size()


def threads():
    """How many a process may have: OMP_NUM_THREADS, or one."""
    return int(os.environ.get("OMP_NUM_THREADS", 1))


class Training:
    """Of a tower, of heads that help it and of the text model's rows, where there are any.

    lr is the rate of the tower and its heads, row_lr and projection_lr those of the rows and of what makes soft tokens (where there is a
    text model; else the projection stays). out is where checkpoints go.
    """

    def __init__(self, tower, text, out, lr, row_lr, projection_lr, heads=None):
        self.tower, self.text, self.heads, self.out = tower, text, heads, out
        self.rank, self.n_processes = (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)
        named = [(n, p) for m in (tower, heads) if m for n, p in m.named_parameters() if p.requires_grad]
        is_matrix = lambda n, p: p.ndim == 2 and "layers" in n
        projection = [p for n, p in named if "embedding_projection" in n]
        matrices = [p for n, p in named if is_matrix(n, p)]
        others = [p for n, p in named if not is_matrix(n, p) and "embedding_projection" not in n]
        self.optimizers = [(torch.optim.Muon(matrices, lr=lr, weight_decay=0.02, adjust_lr_fn="match_rms_adamw"), lr),
                           (torch.optim.AdamW(others, lr=lr, weight_decay=0.0, betas=(0.9, 0.98), fused=True), lr)]
        self.groups = [matrices + others]            # whose gradients are clipped together
        if text:
            self.optimizers += [(torch.optim.Adam([text.rows], betas=(0.9, 0.98)), row_lr),
                                (torch.optim.Adam(projection, betas=(0.9, 0.98)), projection_lr)]
            self.groups += [[text.rows], projection]
        self.step_number, self.saved_at = 0, time.time()
        self.average = self.copy()

    def weights(self):
        """By name; tensors that share their memory with what is trained."""
        return {**self.tower.state_dict(), **({"rows": self.text.rows.data} if self.text else {})}

    def copy(self):
        return {name: value.clone() for name, value in self.weights().items()}

    @torch.no_grad()
    def put(self, values):
        """Takes values as weights. Rows that nobody asks for, or that values lack, are left."""
        for name, value in self.weights().items():
            if name != "rows" or name in values:
                value.copy_(values[name])

    def start_from(self, checkpoint=None, ideal=None):
        """Takes the average (and heads) of a checkpoint, then the projection and rows of an ideal tower; either may be None."""
        if checkpoint:
            saved = torch.load(checkpoint)
            self.put(saved["average"])
            if self.heads:
                self.heads.load_state_dict(saved["heads"])
        if ideal:
            saved = torch.load(ideal)
            projection = next(name for name in self.weights() if "embedding_projection" in name)
            self.put(self.weights() | {projection: saved["projection"], "rows": saved["rows"]})
        self.average = self.copy()

    def save(self):
        """At every moment the file is whole."""
        self.saved_at = time.time()
        if self.rank == 0:
            heads = {"heads": self.heads.state_dict()} if self.heads else {}
            torch.save({"average": self.average, **heads}, self.out + ".part")
            os.replace(self.out + ".part", self.out)

    @contextlib.contextmanager
    def averaged(self):
        """Within it the average stands in the place of the weights."""
        kept = self.copy()
        self.put(self.average)
        yield
        self.put(kept)

    def agreed(self, done):
        """The first process's share of the training that is done; the others' clocks may differ."""
        if self.n_processes > 1:
            done = torch.tensor([done], dtype=torch.float64)
            dist.broadcast(done, 0)
            done = done.item()
        return done

    def step(self, loss, done, decay):
        """A step along the loss's gradient; done: the share of the training before it, at whose end the rates decay for a share of decay."""
        loss.backward()
        if self.n_processes > 1:
            self.share_gradients()
        scale = min(1, (self.step_number + 1) / WARM_UP) * min(1, (1 - done) / decay + 0.01)
        for group in self.groups:
            torch.nn.utils.clip_grad_norm_(group, 1.0)
        for optimizer, rate in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * scale
            optimizer.step()
            optimizer.zero_grad()
        keep = min(0.99, self.step_number / (self.step_number + 20))
        with torch.no_grad():
            for name, value in self.weights().items():
                self.average[name].lerp_(value, 1 - keep)
        self.step_number += 1

    def share_gradients(self):
        """Gives every process the mean of all gradients; now and then also the first's weights, which rounding could part."""
        every = [p for group in self.groups for p in group]
        for p in every:
            if p.grad is None:                       # of a head that no picture here asked
                p.grad = torch.zeros_like(p)
            if self.step_number % 100 == 0:
                dist.broadcast(p.data, 0)
        flat = torch.cat([p.grad.flatten() for p in every])
        dist.all_reduce(flat)
        for p, mean in zip(every, flat.div_(self.n_processes).split([p.numel() for p in every])):
            p.grad.copy_(mean.view_as(p))
