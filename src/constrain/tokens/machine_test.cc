#include "constrain/tokens/machine.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "sampling/token_constraint.h"

namespace pleiad::constrain {
namespace {

TEST(SymbolSet, ARangeIsAddedWithItsEnds) {
  for (const auto& [first, last] : {std::pair<Symbol, Symbol>{0, 0},
                                    {0, kSymbols - 1},
                                    {5, 12},
                                    {5, 13},
                                    {kSymbols - 1, kSymbols - 1},
                                    {60, 200},
                                    {kSymbols - 20, kSymbols - 1}}) {
    SymbolSet set;
    set.set(3);
    add_range(set, first, last);
    for (std::size_t symbol = 0; symbol < kSymbols; ++symbol) {
      EXPECT_EQ(set.test(symbol), symbol == 3 || (symbol >= first && symbol <= last)) << symbol;
    }
  }
}

/// So many ways to read an 'a', then another: flat ones, whose places are all different.
Automaton many_ways(std::size_t n_ways) {
  Automaton automaton;
  const StateId start = automaton.add_state();
  const StateId end = automaton.add_state();
  automaton.set_final(end);
  for (std::size_t i = 0; i < n_ways; ++i) {
    const StateId way = automaton.add_state();
    automaton.add_edge(start, symbol_of('a'), way);
    automaton.add_edge(way, symbol_of('a'), end);
  }
  EXPECT_TRUE(automaton.finish(start));
  return automaton;
}

TEST(Machine, MoreWaysAtOnePlaceThanThereMayBeAreGivenUp) {
  for (const std::size_t n : {Machine::kMostThreads, Machine::kMostThreads + 1}) {
    const Automaton automaton = many_ways(n);
    Machine machine(automaton, Automaton::kMaxDepth);
    Threads threads;
    Threads next;
    machine.begin({.state = automaton.start()}, threads);
    if (n > Machine::kMostThreads) {
      EXPECT_THROW(machine.read(threads, symbol_of('a'), next), sampling::ConstraintError);
    } else {
      machine.read(threads, symbol_of('a'), next);
      EXPECT_EQ(next.list.size(), n);
      machine.read(next, symbol_of('a'), threads);
      EXPECT_TRUE(threads.reached_bottom);
    }
  }
}

/// '[' and ']' around as many of the same, in so many kinds that nothing tells apart.
Automaton brackets_of_kinds(std::size_t n_kinds) {
  Automaton automaton;
  const StateId start = automaton.add_state();
  for (std::size_t i = 0; i < n_kinds; ++i) {
    const StateId kind = automaton.add_state();
    const StateId inside = automaton.add_state();
    const StateId end = automaton.add_state();
    automaton.add_choice(start, {kind});
    automaton.add_edge(kind, symbol_of('['), inside);
    automaton.add_call(inside, {start}, inside);
    automaton.add_edge(inside, symbol_of(']'), end);
    automaton.set_final(end);
  }
  EXPECT_TRUE(automaton.finish(start));
  return automaton;
}

/// A machine behind what it has read.
struct Reading {
  explicit Reading(const Automaton& automaton, std::uint32_t max_depth = Automaton::kMaxDepth)
      : machine(automaton, max_depth) {
    machine.begin({.state = automaton.start()}, threads);
  }

  void read(char c) {
    machine.read(threads, symbol_of(c), next);
    std::swap(threads, next);
  }

  Machine machine;
  Threads threads;
  Threads next;
};

TEST(Machine, WaysThatDifferInTheirStacksAloneAreOne) {
  const Automaton automaton = brackets_of_kinds(7);
  Reading reading(automaton);
  for (const char c : std::string(50, '[') + std::string(49, ']')) {
    reading.read(c);
    ASSERT_LE(reading.threads.list.size(), 14U);
    EXPECT_FALSE(reading.threads.reached_bottom);
  }
  reading.read(']');
  EXPECT_TRUE(reading.threads.reached_bottom);
  EXPECT_TRUE(reading.threads.list.empty());
}

// A hundred kinds at each bracket: three visits each, and a frame that is joined.
TEST(Machine, WhatStacksTakeIsCounted) {
  const Automaton automaton = brackets_of_kinds(100);
  Reading reading(automaton);
  for (int level = 0; level < 3; ++level) {
    reading.machine.allow_steps(100'000);
    reading.read('[');
    EXPECT_GT(100'000 - reading.machine.steps_left(), 600U) << level;
  }
  reading.machine.allow_steps(500);
  EXPECT_THROW(reading.read('['), sampling::ConstraintError);
  reading.machine.allow_steps(Machine::kAnySteps);
  reading.read('[');
  EXPECT_EQ(reading.threads.list.size(), 200U);
}

TEST(Machine, StacksAreAsDeepAsTheyMayBe) {
  const Automaton automaton = brackets_of_kinds(3);
  for (const std::uint32_t depth : {1U, 5U}) {
    Reading reading(automaton, depth);
    for (std::uint32_t level = 0; level <= depth; ++level) {
      reading.read('[');
      EXPECT_TRUE(reading.threads.alive()) << level;
    }
    reading.read('[');
    EXPECT_FALSE(reading.threads.alive()) << depth;
  }
}

}  // namespace
}  // namespace pleiad::constrain
