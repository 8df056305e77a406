#!/usr/bin/env python3
"""tools/scale: the simulator does what the engine does."""
import pathlib
import sys
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent / "tools" / "scale"
sys.path.insert(0, str(TOOLS))
import arrivals  # noqa: E402
from cluster import simulate as run  # noqa: E402
from curves import StepCosts  # noqa: E402
from planner import StepPlanner  # noqa: E402
from prefix_tree import PrefixTree  # noqa: E402
from replica import Job, Replica  # noqa: E402
from routing import POLICIES, RoutingOptions  # noqa: E402
from text import Text, length, shared_pages  # noqa: E402
from workloads import WORKLOADS, Session, Turn, first_request, make_sessions  # noqa: E402

# A step takes 10 ms and 1 ms for each stream more, a row of a prompt 1 ms.
COSTS = StepCosts([(1, 0.010), (32, 0.041)], [(1, 0.010), (512, 0.521)])


def text(*segments):
    made = Text()
    for segment, n in segments:
        made.append(segment, n)
    return made


def keep(tree, of):
    """All of a text goes into a tree."""
    node = tree.root
    for key in [*of.pages, *([of.rest] if of.rest else [])]:
        node = tree.insert(node, key, 0)


def session(start, *turns, think=1.0):
    """turns: (new segments, tokens of the answer)."""
    return Session(start, [Turn(list(new), 1000 + 10 * i, n, think if i else 0.0) for i, (new, n) in enumerate(turns)])


class Texts(unittest.TestCase):
    def test_pages_are_equal_as_far_as_texts_are(self):
        one, other = text((1, 100), (2, 60)), text((1, 100), (3, 60))
        self.assertEqual([length(key) for key in one.pages], [64, 64])
        self.assertEqual(length(one.rest), 32)
        self.assertEqual(one.pages[0], other.pages[0])
        self.assertNotEqual(one.pages[1], other.pages[1])
        self.assertEqual(shared_pages(one.chains, other.chains), 1)

    def test_how_it_grew_does_not_matter(self):
        grown = text((1, 100))
        grown.append(2, 200)
        self.assertEqual(grown.chains, text((1, 100), (2, 200)).chains)


class Trees(unittest.TestCase):
    def test_a_beginning_is_found_to_the_token(self):
        tree = PrefixTree(100)
        keep(tree, text((1, 100), (2, 60)))
        self.assertEqual(tree.find(text((1, 100), (2, 60), (4, 5)), 164)[0], 160)
        self.assertEqual(tree.find(text((1, 100), (3, 60)), 159)[0], 100)
        self.assertEqual(tree.find(text((1, 100), (2, 60)), 159)[0], 159)  # the last token is computed
        self.assertEqual(tree.find(text((3, 100)), 99)[0], 0)

    def test_a_few_tokens_of_a_first_page_are_not_worth_a_copy(self):
        tree = PrefixTree(100)
        keep(tree, text((1, 15), (2, 60)))
        keep(tree, text((5, 16), (6, 60)))
        self.assertEqual(tree.find(text((1, 15), (3, 60)), 74)[0], 0)
        self.assertEqual(tree.find(text((5, 16), (7, 60)), 75)[0], 16)

    def test_a_page_that_ends_sooner_gives_way(self):
        tree = PrefixTree(100)
        keep(tree, text((1, 70)))
        keep(tree, text((1, 70), (2, 30)))
        self.assertEqual(tree.n_pages, 2)
        keep(tree, text((1, 70)))  # is the beginning of one that is there
        self.assertEqual(tree.n_pages, 2)

    def test_the_leaf_that_was_used_least_recently_goes_first(self):
        tree = PrefixTree(4)
        keep(tree, text((1, 128)))
        keep(tree, text((2, 128)))
        tree.find(text((1, 128)), 128)
        keep(tree, text((3, 64)))
        self.assertEqual(tree.find(text((1, 128)), 128)[0], 128)
        self.assertEqual(tree.find(text((2, 128)), 128)[0], 64)
        self.assertEqual((tree.n_pages, tree.n_evicted), (4, 1))

    def test_what_a_sequence_holds_stays(self):
        tree = PrefixTree(2)
        keep(tree, text((1, 128)))
        tree.hold(tree.find(text((1, 128)), 128)[1])
        self.assertIsNone(tree.insert(tree.root, text((2, 64)).pages[0], 0))
        self.assertEqual(tree.find(text((1, 128)), 128)[0], 128)


class Planning(unittest.TestCase):
    def test_a_prompt_alone_gets_the_whole_step(self):
        self.assertEqual(StepPlanner(COSTS).plan(0, 0, [900]), [512])

    def test_streams_do_not_falter(self):
        planner = StepPlanner(COSTS)
        for _ in range(10):
            rows = planner.plan(1, 0, [900])[0]
            self.assertLessEqual(COSTS.of_step(1, 0, [(rows, 0, False)]), 2.5 * COSTS.of_streams(1, 0) + 1e-3)
        self.assertGreaterEqual(rows, StepPlanner.LEAST_ROWS)

    def test_slices_grow_by_and_by(self):
        cheap = StepCosts([(1, 0.010), (32, 0.041)], [(1, 0.010), (512, 0.015)])
        planner = StepPlanner(cheap)
        grown = [planner.plan(1, 0, [9000])[0] for _ in range(12)]
        self.assertEqual(grown[:3], [16, 24, 32])
        self.assertEqual(grown[-1], 504)

    def test_prompts_share_and_the_longer_ones_get_the_rest(self):
        self.assertEqual(StepPlanner(COSTS).plan(0, 0, [100, 900]), [100, 412])

    def test_the_end_of_a_prompt_waits_where_it_costs_much(self):
        dear = StepCosts([(1, 0.010), (2, 0.030), (32, 0.7)], [(1, 0.010), (512, 0.03)])
        planner = StepPlanner(dear)
        for _ in range(9):
            planner.plan(1, 0, [9000])
        self.assertEqual(planner.plan(1, 0, [40]), [24])
        self.assertEqual(planner.plan(1, 0, [16]), [16])


class Replicas(unittest.TestCase):
    def answer(self, *jobs, capacity=10_000, max_running=32):
        gaps = []
        replica = Replica(COSTS, capacity, lambda seconds, n: gaps.append((seconds, n)), max_running)
        for job in jobs:
            replica.submit(job)
        now = 0.0
        while replica.begin(now):
            now = replica.step.end
            replica.end()
        return replica, gaps

    def test_one_answer_takes_its_prompt_and_its_steps(self):
        job = Job(text((1, 100)), 11, 2, 0.0)
        replica, gaps = self.answer(job)
        self.assertAlmostEqual(job.first_token, COSTS.prompts(100))
        self.assertAlmostEqual(job.finished, job.first_token + 10 * 0.010)
        self.assertEqual(sum(n for _, n in gaps), 10)
        self.assertEqual((replica.load, replica.claimed), (0, 0))

    def test_an_answer_is_cached_but_for_its_last_token(self):
        replica, _ = self.answer(Job(text((1, 100)), 40, 2, 0.0))
        self.assertEqual(replica.tree.find(text((1, 100), (2, 39), (3, 1), (4, 50)), 189)[0], 139)

    def test_what_another_prompt_computes_is_not_computed_twice(self):
        first, second = Job(text((1, 640), (2, 10)), 2, 5, 0.0), Job(text((1, 640), (3, 10)), 2, 6, 0.0)
        self.answer(first, second)
        self.assertEqual((first.cached, second.cached), (0, 640))

    def test_who_finds_no_memory_waits_and_is_answered(self):
        jobs = [Job(text((i, 600)), 30, 10 + i, 0.0) for i in range(4)]
        self.answer(*jobs, capacity=1280)
        self.assertTrue(all(job.finished for job in jobs))
        self.assertGreater(jobs[3].first_token, jobs[0].finished)

    def test_what_never_fits_is_told(self):
        with self.assertRaisesRegex(ValueError, "fits no cache of 640 tokens"):
            self.answer(Job(text((1, 700)), 30, 2, 0.0), capacity=640)

    def test_steps_that_have_not_begun_are_planned_anew(self):
        replica = Replica(COSTS, 10_000, lambda *_: None)
        replica.submit(Job(text((1, 16)), 40, 2, 0.0))
        replica.begin(0.0)
        replica.end()
        step = replica.begin(1.0)
        self.assertEqual(step.times, 39)
        self.assertTrue(replica.cut(1.025))
        self.assertAlmostEqual(step.end, 1.030)
        self.assertFalse(replica.cut(1.029))


class Clusters(unittest.TestCase):
    def run_with(self, policy, sessions, n=2, worth_tokens=512, **more):
        chosen = POLICIES[policy](n, RoutingOptions(worth_tokens=worth_tokens))
        return run(sessions, n, COSTS, 10_000, chosen, **more).summary()

    def test_a_turn_comes_when_the_former_one_is_answered(self):
        found = run([session(0.0, ([(1, 100)], 11), ([(2, 50)], 11), think=5.0)], 1, COSTS, 10_000,
                    POLICIES["round-robin"](1, RoutingOptions()))
        self.assertEqual(found.cached_tokens, 110)
        first = COSTS.prompts(100) + 0.1
        self.assertAlmostEqual(found.last, first + 5.0 + COSTS.prompts(51) + 0.1)

    def test_conversations_stay_where_they_are_cached(self):
        def sessions():
            return [session(i * 0.3, *[([(100 * i + k + 1, 200)], 5) for k in range(5)]) for i in range(6)]
        for policy in ("prefix-aware", "consistent-hash"):
            self.assertGreater(self.run_with(policy, sessions(), 3, worth_tokens=64)["cached_share"], 0.66, policy)
        self.assertLess(self.run_with("least-load", sessions(), 3)["cached_share"], 0.5)

    def test_replicas_of_one_core_share_it(self):
        sessions = [session(0.0, ([(i + 1, 100)], 50)) for i in range(2)]
        alone = self.run_with("round-robin", sessions)
        shared = self.run_with("round-robin", sessions, n_cores=1)
        self.assertAlmostEqual(shared["tokens_per_second"] / alone["tokens_per_second"], 0.5, delta=0.03)

    def test_what_was_sent_in_the_warm_up_is_not_counted(self):
        sessions = [session(float(i), ([(i + 1, 100)], 5)) for i in range(10)]
        self.assertEqual(self.run_with("least-load", sessions, warm_up=4.5)["requests"], 5)

    def test_the_rate_is_that_of_what_ended_in_time(self):
        sessions = [session(float(i), ([(i + 1, 100)], 5)) for i in range(10)]
        self.assertAlmostEqual(self.run_with("least-load", sessions, warm_up=4.0, until=8.0)["tokens_per_second"], 5.0)

    def test_the_same_traffic_gives_the_same(self):
        def once():
            sessions = make_sessions(WORKLOADS["small-chat"], arrivals.poisson(1.0, 20, 3), 4)
            return self.run_with("two-choices", sessions, 3)
        self.assertEqual(once(), once())


class Routing(unittest.TestCase):
    def request(self, *segments):
        return first_request(session(0.0, (segments, 5)))

    def test_a_beginning_does_not_outweigh_every_load(self):
        policy = POLICIES["prefix-aware"](3, RoutingOptions(worth_tokens=128, slack=2))
        home = policy.choose(self.request((1, 640)), [0, 0, 0])
        loads = [0, 0, 0]
        loads[home] = 1
        self.assertEqual(policy.choose(self.request((1, 640), (2, 64)), loads), home)
        loads[home] = 3
        self.assertNotEqual(policy.choose(self.request((1, 640), (3, 64)), loads), home)

    def test_the_longest_beginning_wins_among_equals(self):
        policy = POLICIES["prefix-aware"](8, RoutingOptions())
        for load in range(8):  # each replica gets a text of its own behind the same beginning
            loads = [9] * 8
            loads[load] = 0
            policy.choose(self.request((1, 64), (10 + load, 640)), loads)
        self.assertEqual(policy.choose(self.request((1, 64), (15, 640), (99, 9)), [0] * 8), 5)

    def test_hashing_moves_few_when_a_replica_comes(self):
        requests = [self.request((i, 100)) for i in range(1, 400)]
        before, after = (POLICIES["consistent-hash"](n, RoutingOptions()) for n in (10, 11))
        moved = sum(before.choose(one, [0] * 10) != after.choose(one, [0] * 11) for one in requests)
        self.assertLess(moved, 80)
        self.assertGreater(moved, 5)

    def test_hashing_spills_where_one_has_more_than_its_share(self):
        policy = POLICIES["consistent-hash"](4, RoutingOptions())
        one = self.request((1, 100))
        home = policy.choose(one, [0] * 4)
        loads = [0] * 4
        loads[home] = 9
        self.assertNotEqual(policy.choose(one, loads), home)

    def test_the_least_busy_one_is_found_wherever_it_is(self):
        policy = POLICIES["least-load"](100, RoutingOptions())
        loads = [5] * 100
        for at in (0, 57, 99):
            loads[at] = 1
            self.assertEqual(policy.choose(None, loads), at)
            loads[at] = 5

if __name__ == "__main__":
    unittest.main()
