#include "constrain/tokens/stack_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "sampling/token_constraint.h"

namespace pleiad::constrain {
namespace {

using Stack = std::vector<StateId>;  // the topmost frame first; counters count the same

StackId pushed(StackPool& pool, const Stack& stack) {
  StackId id = StackPool::kBottom;
  for (auto at = stack.rbegin(); at != stack.rend(); ++at) id = pool.push(*at, {*at}, id);
  return id;
}

std::set<Stack> stacks_of(const StackPool& pool, StackId id) {
  if (id == StackPool::kBottom) return {{}};
  std::set<Stack> out;
  for (; id != StackPool::kBottom; id = pool.top(id).others) {
    EXPECT_EQ(pool.top(id).counter.need, pool.top(id).back);
    for (Stack stack : stacks_of(pool, pool.top(id).below)) {
      stack.insert(stack.begin(), pool.top(id).back);
      out.insert(stack);
    }
  }
  return out;
}

Stack random_stack(std::mt19937& random, std::size_t depth) {
  Stack stack(depth);
  for (StateId& back : stack) back = 1 + random() % 3;
  return stack;
}

TEST(StackPool, JoinsAreTheSetsOfBothAndEqualSetsAreOne) {
  std::mt19937 random(1);
  StackPool pool;
  for (int round = 0; round < 300; ++round) {
    const std::size_t depth = 1 + random() % 4;
    std::vector<Stack> all(1 + random() % 8);
    for (Stack& stack : all) stack = random_stack(random, depth);
    StackId set = pushed(pool, all.front());
    for (const Stack& stack : all) set = pool.join({set, pushed(pool, stack)});
    EXPECT_EQ(pool.depth(set), depth);
    EXPECT_EQ(stacks_of(pool, set), std::set<Stack>(all.begin(), all.end()));

    std::ranges::shuffle(all, random);
    const std::size_t half = all.size() / 2;
    StackId left = pushed(pool, all.front());
    StackId right = pushed(pool, all.back());
    for (std::size_t i = 0; i < all.size(); ++i) {
      StackId& part = i < half ? left : right;
      part = pool.join({pushed(pool, all[i]), part});
    }
    EXPECT_EQ(pool.join({right, left}), set);
    EXPECT_EQ(pool.join({set, left}), set);
  }
}

// Three rules that call each other forty levels deep: 3^40 stacks.
TEST(StackPool, IsAsLargeAsStacksAreDeep) {
  StackPool pool;
  StackId set = StackPool::kBottom;
  for (int level = 0; level < 40; ++level) {
    StackId next = pool.push(1, {}, set);
    for (StateId back = 2; back <= 3; ++back) next = pool.join({next, pool.push(back, {}, set)});
    set = next;
  }
  EXPECT_EQ(pool.depth(set), 40U);
  EXPECT_LE(pool.size(), 40U * 6 + 1);
}

TEST(StackPool, FramesThatCountOtherwiseAreOthers) {
  StackPool pool;
  const StackId one = pool.push(1, {1, 5}, StackPool::kBottom);
  const StackId other = pool.push(1, {1, 4}, StackPool::kBottom);
  EXPECT_NE(one, other);
  const StackId both = pool.join({one, other});
  EXPECT_EQ(pool.top(both).counter.room, 4U);
  EXPECT_EQ(pool.top(pool.top(both).others).counter.room, 5U);
}

TEST(StackPool, WhatIsUsedKeepsItsStacksWhereTheRestIsForgotten) {
  std::mt19937 random(2);
  StackPool pool;
  std::vector<StackId> sets;
  std::vector<std::set<Stack>> expected;
  for (int i = 0; i < 20; ++i) {
    StackId set = pushed(pool, random_stack(random, 5));
    for (int more = 0; more < 6; ++more) {
      set = pool.join({set, pushed(pool, random_stack(random, 5))});
    }
    if (i % 4 != 0) continue;
    sets.push_back(set);
    expected.push_back(stacks_of(pool, set));
  }
  const std::size_t before = pool.size();
  std::vector<StackId*> used;
  for (StackId& set : sets) used.push_back(&set);
  pool.use_only(used);
  EXPECT_LT(pool.size(), before);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    EXPECT_EQ(stacks_of(pool, sets[i]), expected[i]);
    EXPECT_EQ(pool.join({sets[i], pushed(pool, *expected[i].begin())}), sets[i]);
  }
}

TEST(StackPool, WhatIsForgottenCanBeMadeAgain) {
  StackPool pool;
  const StackId kept = pushed(pool, {1, 2});
  const std::size_t size = pool.size();
  const StackId before = pool.join({kept, pushed(pool, {2, 2})});
  pool.forget_since(size);
  EXPECT_EQ(pool.size(), size);
  EXPECT_EQ(pushed(pool, {1, 2}), kept);
  const StackId other = pool.join({kept, pushed(pool, {3, 1})});
  EXPECT_EQ(stacks_of(pool, other), (std::set<Stack>{{1, 2}, {3, 1}}));
  EXPECT_NE(pool.join({kept, pushed(pool, {2, 2})}), before);
}

TEST(StackPool, MakesNoSetOnTheWayToAJoin) {
  StackPool pool;
  std::vector<StackId> sets;
  for (StateId back = 1; back <= 200; ++back) sets.push_back(pool.push(back, {}, 0));
  const std::size_t before = pool.size();
  (void)pool.take_steps();
  pool.join(sets);
  EXPECT_EQ(pool.size(), before + 199);  // the last frame is one of the 200
  EXPECT_GT(pool.take_steps(), 500U);
  EXPECT_EQ(pool.take_steps(), 0U);
}

TEST(StackPool, IsToBeTidiedBeforeItIsFull) {
  StackPool pool;
  std::vector<StackId> kept;
  for (StateId back = 1; pool.size() < StackPool::kMostFrames * 2 / 3; ++back) {
    kept.push_back(pool.push(back, {}, StackPool::kBottom));
  }
  std::vector<StackId*> used;
  for (StackId& stacks : kept) used.push_back(&stacks);
  pool.use_only(used);
  EXPECT_EQ(pool.size(), kept.size() + 1);
  EXPECT_TRUE(pool.has_grown()) << "twice as much is more than there may be";
  EXPECT_GT(pool.memory_bytes(), kept.size() * sizeof(StackPool::Frame));
  used.resize(3);
  pool.use_only(used);
  EXPECT_EQ(pool.size(), 4U);
  EXPECT_FALSE(pool.has_grown());
  EXPECT_EQ(pool.top(kept[2]).back, 3U);
}

TEST(StackPool, MoreThanThereMayBeIsGivenUp) {
  StackPool pool;
  const auto fill = [&] {
    for (StateId back = 1;; ++back) pool.push(back, {}, StackPool::kBottom);
  };
  EXPECT_THROW(fill(), sampling::ConstraintError);
  EXPECT_EQ(pool.size(), StackPool::kMostFrames);
  EXPECT_EQ(pool.top(pool.push(7, {}, StackPool::kBottom)).back, 7U) << "what is there stays";
  EXPECT_THROW(pool.push(7, {}, 1), sampling::ConstraintError);
}

}  // namespace
}  // namespace pleiad::constrain
