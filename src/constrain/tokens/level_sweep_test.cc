// Whole trees of tokens level by level, beside the same tokens read one by one.

#include "constrain/tokens/level_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "constrain/tokens/dense_vocabulary_test_data.h"
#include "constrain/tokens/thread_sets.h"

namespace pleiad::constrain {
namespace {

constexpr Symbol kLastByte = 0xFF;

/// Texts in which "ab" does not stand, up to a quote.
struct TextsWithoutWord {
  StateId text;
  StateId behind_a;
  Automaton automaton;

  TextsWithoutWord() {
    text = automaton.add_state();
    behind_a = automaton.add_state();
    const StateId end = automaton.add_state();
    automaton.set_final(end);
    for (const StateId from : {text, behind_a}) {
      automaton.add_edge(from, symbol_of('"'), end);
      automaton.add_edge(from, symbol_of('a'), behind_a);
      add_range(from, symbol_of(' '), symbol_of('!'));
      add_range(from, symbol_of('#'), symbol_of('`'));
      add_range(from, from == text ? symbol_of('b') : symbol_of('c'), kLastByte);
    }
    EXPECT_TRUE(automaton.finish(text));
  }

  void add_range(StateId from, Symbol first, Symbol last) {
    automaton.add_edge(from, Edge{.first = first, .last = last, .target = text});
  }
};

bool reads(ReadSets& sets, ReadSets::Id from, std::span<const Symbol> symbols) {
  for (const Symbol symbol : symbols) {
    from = sets.read(from, symbol);
    if (from == ReadSets::kDead) return false;
  }
  return true;
}

std::vector<text::TokenId> sorted(std::vector<text::TokenId> tokens) {
  std::ranges::sort(tokens);
  return tokens;
}

std::uint32_t characters_in(std::span<const Symbol> symbols) {
  std::uint32_t n = 0;
  for (; !symbols.empty(); ++n) symbols = symbols.subspan(plain_character_of(symbols)->n_bytes);
  return n;
}

/// Beside what reading each token of each tree gives that has more than so many characters.
void expect_exact_sweeps(ReadSets& sets, ReadSets::Id start, std::uint32_t longer_than = 0) {
  const TokenTrie& trie = *dense().trie;
  LevelSweep sweep(trie, sets);
  for (std::size_t tree = 0; tree + 1 < trie.roots().size(); ++tree) {
    SCOPED_TRACE(tree);
    std::vector<text::TokenId> allowed;
    std::vector<text::TokenId> others;
    const std::uint32_t root = trie.roots()[tree];
    for (const text::TokenId token :
         trie.tokens_in(trie.first_token(root), trie.first_token(trie.next(root)))) {
      if (characters_in(trie.spelling(token)) <= longer_than) continue;
      (reads(sets, start, trie.spelling(token)) ? allowed : others).push_back(token);
    }
    const TokenLevels levels(trie, root, longer_than);
    ASSERT_TRUE(sweep.sweep(levels, start));
    EXPECT_EQ(sorted(sweep.tokens(true)), sorted(allowed));
    EXPECT_EQ(sorted(sweep.tokens(false)), sorted(others));
    EXPECT_EQ(sweep.n_allowed(), allowed.size());
    EXPECT_EQ(sweep.n_left_out(), others.size());
    if (longer_than > 0) continue;  // others may be below these
    std::vector<text::TokenId> below;
    std::uint32_t behind = 0;
    for (const std::uint32_t node : sweep.nodes_left_out()) {
      EXPECT_GE(node, behind) << "it is below another";
      behind = trie.next(node);
      const auto tokens = trie.tokens_in(trie.first_token(node), trie.first_token(behind));
      below.insert(below.end(), tokens.begin(), tokens.end());
    }
    EXPECT_EQ(sorted(below), sorted(others));
  }
}

TEST(LevelSweep, FindsWhatReadingEachTokenDoes) {
  const TextsWithoutWord texts;
  ThreadSets sets(texts.automaton);
  sets.make_room();
  expect_exact_sweeps(sets, sets.begin(texts.text, {}));
  expect_exact_sweeps(sets, sets.begin(texts.behind_a, {}));
}

TEST(LevelSweep, FindsTheSameOfLongTokensAlone) {
  const TextsWithoutWord texts;
  ThreadSets sets(texts.automaton);
  sets.make_room();
  for (const std::uint32_t longer_than : {1, 2, 3, 4, 8, 16}) {
    expect_exact_sweeps(sets, sets.begin(texts.text, {}), longer_than);
    expect_exact_sweeps(sets, sets.begin(texts.behind_a, {}), longer_than);
  }
}

TEST(LevelSweep, IsGivenUpWhereARuleMayEndOnTheWay) {
  Automaton automaton;
  const StateId start = automaton.add_state();
  const StateId letters = automaton.add_state();
  const StateId end = automaton.add_state();
  automaton.set_final(letters);
  automaton.set_final(end);
  automaton.add_edge(letters,
                     Edge{.first = symbol_of('a'), .last = symbol_of('z'), .target = letters});
  const StateId behind = automaton.add_state();
  automaton.add_edge(behind, symbol_of('"'), end);
  automaton.add_call(start, Rule{letters}, behind);
  ASSERT_TRUE(automaton.finish(start));
  ThreadSets sets(automaton);
  sets.make_room();
  LevelSweep sweep(*dense().trie, sets);
  EXPECT_FALSE(sweep.sweep(dense().trie->levels(0), sets.begin(letters, {})));
}

}  // namespace
}  // namespace pleiad::constrain
