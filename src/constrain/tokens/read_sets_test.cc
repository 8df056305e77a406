// What sets remember of what reading made of them, and how they are found.

#include "constrain/tokens/read_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "constrain/tokens/hash_index.h"

namespace pleiad::constrain {
namespace {

TEST(SteadyMemory, RunsStayWhereTheyAreUntilAllAreGivenUp) {
  SteadyMemory<std::uint32_t> memory(20'000);
  std::vector<std::span<std::uint32_t>> runs;
  for (std::size_t n = 0; n < 400; ++n) {
    runs.push_back(memory.add(n % 7 == 0 ? 100 * n : n));
    std::ranges::fill(runs.back(), static_cast<std::uint32_t>(n));
  }
  for (std::size_t n = 0; n < runs.size(); ++n) {
    EXPECT_EQ(runs[n].size(), n % 7 == 0 ? 100 * n : n);
    EXPECT_TRUE(std::ranges::all_of(runs[n], [n](std::uint32_t each) { return each == n; })) << n;
  }
  const std::size_t bytes = memory.memory_bytes();
  memory.clear();
  const std::size_t kept = memory.memory_bytes();
  EXPECT_LE(kept, 20'000 * sizeof(std::uint32_t) + bytes / 100);
  for (std::size_t i = 0; i < 10; ++i) memory.add(100);
  EXPECT_EQ(memory.memory_bytes(), kept) << "what was given up is used again";
}

TEST(HashIndex, FindsWhatWasAddedWhereHashesAreAlike) {
  constexpr HashIndex::Id kMany = 1'000;
  HashIndex index;
  for (const int round : {1, 2}) {
    SCOPED_TRACE(round);
    EXPECT_EQ(index.find(0, [](HashIndex::Id) { return true; }), HashIndex::kNone);
    // Three of each hash, and all beside each other.
    const auto hash_of = [](HashIndex::Id id) { return static_cast<std::uint64_t>(id / 3) << 32U; };
    for (HashIndex::Id id = 0; id < kMany; ++id) index.add(hash_of(id), id);
    EXPECT_EQ(index.size(), static_cast<std::size_t>(kMany));
    for (HashIndex::Id id = 0; id < kMany; ++id) {
      EXPECT_EQ(index.find(hash_of(id), [id](HashIndex::Id each) { return each == id; }), id);
      EXPECT_EQ(index.find(hash_of(id), [](HashIndex::Id) { return false; }), HashIndex::kNone);
    }
    index.clear();
    EXPECT_EQ(index.size(), 0U);
  }
}

/// Reading 'a' leads from each set to the next, round and round; others read what is below 'd' too.
class Ring final : public ReadSets {
 public:
  Ring(Id n, std::size_t most_remembered) : ReadSets(most_remembered), n_(n) {}

  void add_with_one_symbol() { add_set(Facts(), symbol_of('a')); }
  void add() {
    ReadMemory memory = new_memory();
    memory.add_edge(symbol_of('a'), symbol_of('a'));
    memory.add_edge(symbol_of('b'), symbol_of('c'));
    add_set(Facts(), memory);
  }
  std::size_t n_found() const { return n_found_; }

  bool has_room() const override { return true; }
  void spend_walk(std::uint64_t) override {}

 private:
  Id find_after(Id from, Symbol symbol) override {
    ++n_found_;
    if (symbol == symbol_of('a')) return (from + 1) % n_;
    const bool reads = symbol > symbol_of('a') && symbol < symbol_of('d');
    return reads && only_symbol(from) == kSymbols ? from : kDead;
  }

  Id n_;
  std::size_t n_found_ = 0;
};

void expect_ring(Ring& ring, ReadSets::Id n) {
  for (ReadSets::Id from = 0; from < n; ++from) {
    EXPECT_EQ(ring.read(from, symbol_of('a')), (from + 1) % n);
    const bool has_more = ring.only_symbol(from) == kSymbols;
    EXPECT_EQ(ring.read(from, symbol_of('c')), has_more ? from : ReadSets::kDead);
    EXPECT_EQ(ring.read(from, symbol_of('d')), ReadSets::kDead);
    EXPECT_EQ(ring.read(from, kEnd), ReadSets::kDead);
  }
}

TEST(ReadSets, OfOneSymbolAloneRememberItWithoutARow) {
  Ring ring(3, 2);
  ring.add_with_one_symbol();
  ring.add();
  ring.add_with_one_symbol();
  expect_ring(ring, 3);
  const std::size_t n_found = ring.n_found();
  EXPECT_EQ(n_found, 4U) << "'a' thrice, and 'c' once";
  EXPECT_EQ(ring.after(0), nullptr);
  EXPECT_EQ(ring.n_symbols(0), 1U);
  std::vector<std::size_t> apart;
  for (std::size_t at = 0; at < kSymbols; at = apart.back()) {
    apart.push_back(ring.next_apart(0, static_cast<Symbol>(at)));
  }
  EXPECT_EQ(apart, (std::vector<std::size_t>{'a', 'b', kSymbols}));

  const ReadSets::Id* const all = ring.after_all(0);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all[symbol_of('a')], 1);
  EXPECT_EQ(std::count(all, all + kSymbols, ReadSets::kDead), kSymbols - 1);
  EXPECT_EQ(ring.after(0), all);
  EXPECT_EQ(ring.after_all(2), nullptr) << "two are remembered";
  expect_ring(ring, 3);
  EXPECT_EQ(ring.n_found(), n_found);
}

TEST(ReadSets, BeyondWhatIsRememberedAreReadAgain) {
  Ring ring(2, 1);
  ring.add();
  ring.add();
  expect_ring(ring, 2);
  EXPECT_EQ(ring.after(1), nullptr);
  EXPECT_EQ(ring.next_apart(1, symbol_of('x')), std::size_t{symbol_of('y')});
  const std::size_t n_found = ring.n_found();
  expect_ring(ring, 2);
  EXPECT_EQ(ring.n_found(), n_found + 4) << "the second one's";
}

}  // namespace
}  // namespace pleiad::constrain
