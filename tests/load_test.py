#!/usr/bin/env python3
"""tools/load: what leaks is told from what is noise, and /proc is read right."""
import asyncio
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools" / "load"))
import picture_stall  # noqa: E402
import process  # noqa: E402
import trend  # noqa: E402
from http11 import Connection  # noqa: E402
from summary import summary  # noqa: E402

TIMES = [5.0 * i for i in range(240)]  # 20 minutes
MIB = 1 << 20


def curve(of):
    """Around 80 MiB, with the noise of an allocator."""
    rng = random.Random(7)
    return [80 * MIB + rng.uniform(-3, 3) * MIB + of(i / 239) for i in range(240)]


def verdict(values):
    return trend.judge("resident", TIMES, values, trend.resident_limit(values)).verdict


class Trends(unittest.TestCase):
    def test_noise_is_flat(self):
        self.assertEqual(verdict(curve(lambda share: 0)), "flat")

    def test_a_slow_leak_is_found(self):
        self.assertEqual(verdict(curve(lambda share: 6 * MIB * share)), "growing")

    def test_a_leak_among_large_peaks_is_found(self):
        values = curve(lambda share: 8 * MIB * share)
        values[::10] = [value + 60 * MIB for value in values[::10]]
        self.assertEqual(verdict(values), "growing")

    def test_peaks_alone_are_flat(self):
        values = curve(lambda share: 0)
        values[200:210] = [200 * MIB] * 10
        self.assertEqual(verdict(values), "flat")

    def test_what_rises_once_and_stays_is_flat(self):
        self.assertEqual(verdict(curve(lambda share: 20 * MIB if share > 0.25 else 0)), "flat")

    def test_a_leak_that_begins_late_is_found(self):
        self.assertEqual(verdict(curve(lambda share: max(0, share - 0.4) * 40 * MIB)), "growing")

    def test_what_falls_is_flat(self):
        self.assertEqual(verdict(curve(lambda share: -30 * MIB * share)), "flat")

    def test_a_descriptor_for_each_minute_is_found(self):
        values = [30 + random.Random(i).randint(-5, 5) + i // 12 for i in range(240)]
        self.assertEqual(trend.judge("descriptors", TIMES, values, trend.DESCRIPTORS).verdict, "growing")

    def test_few_samples_tell_nothing(self):
        self.assertEqual(trend.judge("threads", TIMES[:19], [9] * 19, trend.THREADS).verdict, "undecided")

    def test_at_rest_nothing_may_be_left(self):
        self.assertEqual(trend.judge_rest(sample(descriptors=7), sample(descriptors=7)), [])
        self.assertEqual(trend.judge_rest(sample(descriptors=7), sample(descriptors=6, threads=13)), [])
        left = trend.judge_rest(sample(descriptors=7), sample(descriptors=8))
        self.assertEqual(left, ["descriptors at rest: 7 after the warm-up, 8 at the end"])
        self.assertEqual(len(trend.judge_rest(sample(threads=13), sample(threads=14))), 1)


def sample(seconds=0.0, phase="load", resident=80 * MIB, descriptors=7, threads=13):
    return process.Sample(seconds, phase, 0, resident, resident, descriptors, threads, 1.0)


def soak(samples, **changes):
    args = types.SimpleNamespace(requests=1000, minutes=20, at_most=90, warm_up=3, clients=4, flags=[],
                                 answers_only=False)
    fields = {"args": args, "samples": samples, "before": sample(), "after": sample(), "loaded": 1000,
              "seconds": 1200, "wrong": {}, "examples": {}, "counts": {"chat": 1000}}
    return types.SimpleNamespace(**(fields | changes))


class Summary(unittest.TestCase):
    def statuses(self, one, status=0):
        lines, result = summary(one, status, "pleiad")
        return result, "\n".join(lines)

    def flat(self):
        return [sample(t) for t in TIMES]

    def test_flat_and_right_is_0(self):
        result, text = self.statuses(soak(self.flat()))
        self.assertEqual(result, 0)
        self.assertIn("verdict: flat", text)
        self.assertIn("a leak of 4194 bytes for each request would have been seen", text)

    def test_growth_is_1(self):
        leaking = [sample(t, resident=80 * MIB + int(t * 10_000)) for t in TIMES]
        self.assertEqual(self.statuses(soak(leaking))[0], 1)

    def test_only_what_was_sampled_under_load_counts(self):
        warming = [sample(t - 2000, phase="warm-up", resident=int(t * 100_000)) for t in TIMES]
        self.assertEqual(self.statuses(soak(warming + self.flat()))[0], 0)

    def test_wrong_answers_are_1_and_named(self):
        result, text = self.statuses(soak(self.flat(), wrong={"chat": 3}, examples={"chat": "gave 'x'"}))
        self.assertEqual(result, 1)
        self.assertIn("WRONG: chat: 3 went wrong, the first: gave 'x'", text)

    def test_a_server_that_ends_badly_is_1(self):
        for status in (66, -11, None):
            self.assertEqual(self.statuses(soak(self.flat()), status)[0], 1)

    def test_too_few_requests_are_1(self):
        self.assertEqual(self.statuses(soak(self.flat(), loaded=999))[0], 1)

    def test_too_short_is_2(self):
        self.assertEqual(self.statuses(soak(self.flat()[:5]))[0], 2)

    def test_under_a_sanitizer_answers_alone_count(self):
        leaking = soak([sample(t, resident=80 * MIB + int(t * 10_000)) for t in TIMES], after=sample(descriptors=99))
        leaking.args.answers_only = True
        self.assertEqual(self.statuses(leaking)[0], 0)
        self.assertEqual(self.statuses(leaking, 66)[0], 1)


GREEDY = """
import os, sys, threading, time
held = bytearray(b"x" * (50 << 20))
files = [open("/dev/null") for _ in range(20)]
for _ in range(5): threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
print("ready", len(os.listdir("/proc/self/fd")) - 1, flush=True)
sys.stdin.read()
"""


class Samples(unittest.TestCase):
    def test_what_a_process_holds_is_seen(self):
        with subprocess.Popen([sys.executable, "-c", GREEDY], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as child:
            open_there = int(child.stdout.readline().split()[1])
            one = process.sample(child.pid, 1, "load", 5)
            child.stdin.close()
        self.assertEqual(one.threads, 6)
        self.assertEqual(one.descriptors, open_there)
        self.assertGreaterEqual(one.descriptors, 23)
        self.assertGreater(one.anonymous, 50 << 20)
        self.assertGreaterEqual(one.resident, one.anonymous)
        self.assertEqual(len(one.row()), len(process.Sample.header()))
        with self.assertRaises(OSError):
            process.sample(child.pid, 1, "load", 5)

    def test_a_server_that_cannot_start_is_told(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(RuntimeError, "did not start"):
            process.Server("/bin/false", os.path.join(folder, "x"), [])


class PictureStalls(unittest.TestCase):
    def test_gaps_are_those_that_reach_into_the_time(self):
        streams = [[0.0, 1.0, 1.5, 4.0], [2.0, 2.25], [3.0]]
        self.assertEqual(picture_stall.gaps(streams, 1.2, 2.1), [0.5, 2.5, 0.25])
        self.assertEqual(picture_stall.gaps(streams, 5, 6), [])

    def test_pictures_are_pngs_of_their_size_and_differ(self):
        one, two = picture_stall.png(50, 20, 1), picture_stall.png(50, 20, 2)
        self.assertNotEqual(one, two)
        self.assertEqual(one, picture_stall.png(50, 20, 1))
        self.assertEqual(struct.unpack(">II", one[16:24]), (50, 20))
        at, kinds, data = 8, [], b""
        while at < len(one):
            n = struct.unpack(">I", one[at:at + 4])[0]
            kind, content = one[at + 4:at + 8], one[at + 8:at + 8 + n]
            self.assertEqual(struct.unpack(">I", one[at + 8 + n:at + 12 + n])[0], zlib.crc32(kind + content))
            kinds.append(kind)
            data += content if kind == b"IDAT" else b""
            at += 12 + n
        self.assertEqual(kinds, [b"IHDR", b"IDAT", b"IEND"])
        self.assertEqual(len(zlib.decompress(data)), 20 * (1 + 50 * 3))


class Connections(unittest.IsolatedAsyncioTestCase):
    """Against a server that answers as it is told."""

    async def asyncSetUp(self):
        self.answers, self.opened = [], 0

        async def serve(reader, writer):
            self.opened += 1
            try:
                while await reader.readuntil(b"\r\n\r\n"):
                    answer = self.answers.pop(0)
                    writer.write(answer or b"")
                    if answer is None or b"connection: close" in answer.lower():
                        break
            except (asyncio.IncompleteReadError, asyncio.CancelledError):
                pass
            writer.close()

        self.server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.connection = Connection("http://127.0.0.1:%d" % self.server.sockets[0].getsockname()[1])

    async def asyncTearDown(self):
        await self.connection.close()
        self.server.close()
        await self.server.wait_closed()

    async def test_a_kept_connection_has_its_answers_in_order(self):
        self.answers = [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
                        b"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"]
        one = await self.connection.request("GET", "/")
        two = await self.connection.request("GET", "/")
        self.assertEqual((one.status, one.body, two.status, two.body), (200, b"hi", 404, b"abcde"))
        self.assertEqual(self.opened, 1)

    async def test_what_the_server_closes_is_opened_anew(self):
        ok = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
        self.answers = [ok + b"Connection: close\r\n\r\n", ok + b"\r\n", None, ok + b"\r\n"]
        for _ in range(3):  # the third finds a kept connection that is closed without an answer
            self.assertEqual((await self.connection.request("GET", "/")).status, 200)
        self.assertEqual(self.opened, 3)

    async def test_a_new_connection_without_an_answer_is_an_error(self):
        self.answers = [None]
        with self.assertRaises((ConnectionError, EOFError)):
            await self.connection.request("GET", "/")


if __name__ == "__main__":
    unittest.main()
