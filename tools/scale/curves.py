"""What a step of one replica costs, from measured curves (tools/scale/calibrate.py)."""
import bisect
import itertools
import json


class CurveError(Exception):
    pass


class Curve:
    """Straight between measured points, and on beyond the last two."""

    def __init__(self, points):
        self.xs = [x for x, _ in points]
        self.ys = [y for _, y in points]

    def __call__(self, x):
        if len(self.xs) == 1:
            return self.ys[0]
        at = min(max(bisect.bisect_left(self.xs, x), 1), len(self.xs) - 1)
        x0, x1, y0, y1 = self.xs[at - 1], self.xs[at], self.ys[at - 1], self.ys[at]
        return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


class StepCosts:
    """Seconds of a step.

    generation: [(streams, seconds of a step in which each gets a token)], contexts short
    prompts: [(rows, seconds to the first token of a prompt of so many tokens)], at most max_rows of them
    context_seconds: more for each generated token, for each token of its context
    prompt_context_seconds: more for each row of a prompt, for each token before it
    request_seconds: of what no step holds: connection, JSON, tokens to text, until the client has the first one
    capacity_tokens: that its cache holds, running requests included
    """

    def __init__(self, generation, prompts, context_seconds=0.0, prompt_context_seconds=0.0, request_seconds=0.0,
                 capacity_tokens=0, max_rows=512):
        self.generation = Curve(generation)
        self.prompts = Curve(prompts)
        self.context_seconds = context_seconds
        self.prompt_context_seconds = prompt_context_seconds
        self.request_seconds = request_seconds
        self.capacity_tokens = capacity_tokens
        self.max_rows = max_rows
        first = self.prompts(1)
        more = [max(self.prompts(n) - first, 0.0) for n in range(1, max_rows + 1)]
        self._rows = [0.0, *itertools.accumulate(more, max)]  # rises, whatever was measured
        self._alone = [self.generation(max(n, 1)) for n in range(max_rows + 2)]

    def of_streams(self, n_streams, contexts):
        """contexts: tokens of all their contexts together."""
        return self._alone[n_streams] + contexts * self.context_seconds

    def of_rows(self, n_rows):
        """What rows of prompts add to a step that computes others."""
        return self._rows[n_rows]

    def of_step(self, n_streams, contexts, prompt_parts):
        """prompt_parts: (rows, tokens before them, whether the prompt ends with them) of each prompt."""
        rows = sum(part[0] for part in prompt_parts)
        ends = sum(part[2] for part in prompt_parts)
        if n_streams + ends == 0:
            seconds = self.prompts(rows)
        elif n_streams == 0:
            seconds = self.prompts(rows) + self._alone[ends] - self._alone[1]
        else:
            # The row of an end goes on to its logits, as that of a stream does.
            seconds = self._alone[n_streams + ends] + self.of_rows(rows) + contexts * self.context_seconds
        before = sum(n * (done + n / 2) for n, done, _ in prompt_parts)
        return seconds + before * self.prompt_context_seconds

    def rows_within(self, seconds):
        """Rows of prompts that add no more than so much to a step."""
        return max(bisect.bisect_right(self._rows, seconds) - 1, 0)

    def end_seconds(self, n_streams):
        """What a step with streams takes longer because a prompt ends in it."""
        return self._alone[n_streams + 1] - self._alone[n_streams]


def _points(path, found, name):
    rows = found.get(name)
    good = isinstance(rows, list) and rows and all(
        isinstance(row, list) and len(row) == 2 and all(isinstance(v, (int, float)) for v in row) and min(row) > 0
        for row in rows)
    if not good or any(a[0] >= b[0] for a, b in zip(rows, rows[1:])):
        raise CurveError(f"{path}: {name}: expected a list of [number, seconds] with rising numbers, found "
                         f"{json.dumps(rows)[:60]}; tools/scale/calibrate.py writes such files")
    return rows


def load_curves(path):
    """StepCosts of a file that calibrate.py wrote; raises CurveError."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        raise CurveError(f"{path}: expected measured curves as JSON: {error}") from error
    if not isinstance(found, dict):
        raise CurveError(f"{path}: expected an object with generation and prompts, found {json.dumps(found)[:60]}")
    numbers = {}
    for name in ("context_seconds", "prompt_context_seconds", "request_seconds", "capacity_tokens"):
        numbers[name] = found.get(name, 0)
        if not isinstance(numbers[name], (int, float)) or numbers[name] < 0:
            raise CurveError(f"{path}: {name}: expected a number of at least 0, found {json.dumps(numbers[name])[:60]}")
    return StepCosts(_points(path, found, "generation"), _points(path, found, "prompts"), **numbers)
