#include "constrain/tokens/character_levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "constrain/tokens/dense_vocabulary_test_data.h"

namespace pleiad::constrain {
namespace {

/// How many characters the symbols are; 0 where they end amid one.
std::uint32_t characters_of(std::span<const Symbol> symbols) {
  std::uint32_t n = 0;
  while (!symbols.empty()) {
    const auto character = plain_character_of(symbols);
    if (!character) return 0;
    symbols = symbols.subspan(character->n_bytes);
    ++n;
  }
  return n;
}

TEST(CharacterLevels, HaveEachNodeThatGoesOnByItsCharacters) {
  const TokenTrie& trie = *dense().trie;
  std::size_t n_nodes = 0;
  for (std::size_t tree = 0; tree + 1 < trie.roots().size(); ++tree) {
    const std::uint32_t root = trie.roots()[tree];
    const CharacterLevels levels(trie, root);
    std::vector<std::vector<std::uint32_t>> expected(trie.characters_below(root) + 2);
    std::vector<Symbol> path;
    for (std::uint32_t node = root + 1; node < trie.next(root); ++node) {
      path.resize(trie.depth(node) - 1);
      path.push_back(trie.symbol(node));
      const std::uint32_t n = characters_of(path);
      if (n > 0 && trie.has_children(node)) expected[n].push_back(node);
    }
    for (std::uint32_t n = 0; n < expected.size(); ++n) {
      std::vector<std::uint32_t> found;
      for (const CharacterLevels::Node& each : levels.at(n)) {
        found.push_back(each.node);
        EXPECT_EQ(each.kinds_next, trie.kinds_next(each.node));
      }
      EXPECT_EQ(found, expected[n]) << n << " characters in tree " << tree;
      n_nodes += found.size();
    }
  }
  EXPECT_GT(n_nodes, 500U);
}

}  // namespace
}  // namespace pleiad::constrain
