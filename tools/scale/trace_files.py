"""Published traces, read as they are.

- Mooncake: a JSON object a line with timestamp (milliseconds), input_length, output_length and hash_ids, which name the
  prompt's blocks of 512 tokens;
- Azure LLM inference: CSV with TIMESTAMP, ContextTokens, GeneratedTokens;
- BurstGPT: CSV with Timestamp (seconds), Request tokens, Response tokens.

The CSV files say nothing of what prompts have in common, so nothing is. Their requests come when they came.
"""
import csv
import datetime
import itertools
import json

from workloads import Session, Turn

BLOCK_TOKENS = 512


class TraceError(Exception):
    pass


def read_trace(path, speed=1.0):
    """Sessions of one turn each, in the order of their times; raises TraceError."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            first = file.readline()
            file.seek(0)
            rows = _mooncake(path, file) if first.startswith("{") else _csv(path, file)
            rows = sorted(rows, key=lambda row: row[0])
    except (OSError, UnicodeDecodeError) as error:
        raise TraceError(f"{path}: expected a trace: {error}") from error
    if not rows:
        raise TraceError(f"{path}: no request in it")
    begin = rows[0][0]
    numbers = itertools.count(1 << 40)  # beyond the blocks' names
    sessions = []
    for seconds, blocks, n_prompt, n_reply in rows:
        new = _segments(blocks, n_prompt) or [(next(numbers), n_prompt)]
        beginning = hash(tuple(segment for segment, _ in new[:2]))
        sessions.append(Session((seconds - begin) / speed, [Turn(new, next(numbers), n_reply, 0.0)], beginning))
    return sessions


def _segments(blocks, n_prompt):
    return [(block + 1, min(BLOCK_TOKENS, n_prompt - i * BLOCK_TOKENS)) for i, block in enumerate(blocks)]


def _mooncake(path, file):
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            blocks, n_prompt, n_reply = row["hash_ids"], row["input_length"], row["output_length"]
            good = (n_prompt >= 1 and n_reply >= 0 and len(blocks) in (0, -(-n_prompt // BLOCK_TOKENS))
                    and all(isinstance(block, int) and 0 <= block < 1 << 40 for block in blocks))
            seconds = row["timestamp"] / 1000
        except (ValueError, KeyError, TypeError) as error:
            raise TraceError(f"{path}:{number}: expected timestamp, input_length, output_length and hash_ids: "
                             f"{error!r}") from error
        if not good:
            raise TraceError(f"{path}:{number}: expected a hash_id for each {BLOCK_TOKENS} tokens of input_length, "
                             f"found {len(blocks)} for {n_prompt}")
        yield seconds, blocks, n_prompt, max(n_reply, 1)


_COLUMNS = [("TIMESTAMP", "ContextTokens", "GeneratedTokens"), ("Timestamp", "Request tokens", "Response tokens")]


def _csv(path, file):
    rows = csv.DictReader(file)
    names = next((names for names in _COLUMNS if set(names) <= set(rows.fieldnames or ())), None)
    if names is None:
        raise TraceError(f"{path}: expected the columns {' or '.join(', '.join(n) for n in _COLUMNS)}, found "
                         f"{', '.join(rows.fieldnames or ['nothing'])[:100]}")
    for number, row in enumerate(rows, 2):
        try:
            seconds, n_prompt, n_reply = _seconds(row[names[0]]), int(row[names[1]]), int(row[names[2]])
        except (ValueError, TypeError) as error:
            raise TraceError(f"{path}:{number}: expected a time and two numbers of tokens: {error}") from error
        if n_prompt > 0 and n_reply > 0:  # else it failed there
            yield seconds, [], n_prompt, n_reply


def _seconds(text):
    try:
        return float(text)
    except ValueError:
        # Seven digits behind the point: more than datetime reads.
        head, _, rest = text.partition(".")
        moment = datetime.datetime.fromisoformat(head).replace(tzinfo=datetime.timezone.utc)
        return moment.timestamp() + float(f"0.{rest}" if rest.isdigit() else 0)
