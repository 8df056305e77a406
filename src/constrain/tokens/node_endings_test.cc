#include "constrain/tokens/node_endings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "constrain/tokens/dense_vocabulary_test_data.h"

namespace pleiad::constrain {
namespace {

bool may_be(const TextEnding::One& one, Symbol symbol) {
  if (symbol >= kAsciiSymbols) return one.is_beyond_ascii;
  return (one.ascii.words[symbol / 64] >> (symbol % 64) & 1) != 0;
}

/// Whether a text ends so, symbol by symbol.
bool ends_so(const TextEnding& ending, const std::vector<Symbol>& text) {
  for (std::size_t i = 0; i < ending.last.size(); ++i) {
    const bool is_there = i < text.size();
    if (!is_there && !ending.last[i].is_none) return false;
    if (is_there && !may_be(ending.last[i], text[text.size() - 1 - i])) return false;
  }
  return true;
}

std::vector<std::uint32_t> nodes_with(const TextEnding& ending) {
  const TokenTrie& trie = *dense().trie;
  std::vector<std::uint32_t> out;
  std::vector<Symbol> path;
  for (std::uint32_t node = 1; node < trie.roots().back(); ++node) {
    if (trie.depth(node) == 0) continue;
    path.resize(trie.depth(node) - 1);
    path.push_back(trie.symbol(node));
    if (ends_so(ending, path)) out.push_back(node);
  }
  return out;
}

TextEnding::One one_of(std::string_view characters, bool is_beyond_ascii, bool is_none) {
  TextEnding::One out = {{}, is_beyond_ascii, is_none};
  for (const char c : characters) out.ascii.add(AsciiSet::of_range(symbol_of(c), symbol_of(c)));
  return out;
}

TEST(NodeEndings, FindAllNodesWhoseLastSymbolsAreSo) {
  const NodeEndings endings(*dense().trie);
  std::mt19937 random(3);
  std::size_t n_found = 0;
  for (int i = 0; i < 200; ++i) {
    TextEnding ending;
    ending.last.fill(TextEnding::any());
    ending.last[0] = one_of("ab", false, false);
    for (std::size_t at = 1; at < ending.last.size(); ++at) {
      if (random() % 3 == 0) continue;
      ending.last[at] = one_of(std::string_view("abZ7- ").substr(random() % 4, 1 + random() % 3),
                               random() % 2 == 0, random() % 2 == 0);
    }
    std::vector<std::uint32_t> found;
    ASSERT_TRUE(endings.add_nodes(ending, 100'000, found));
    std::ranges::sort(found);
    EXPECT_EQ(found, nodes_with(ending)) << i;
    n_found += found.size();
  }
  EXPECT_GT(n_found, 1'000U);
}

TEST(NodeEndings, GiveUpWhereNodesAreMoreThanAreAskedFor) {
  const NodeEndings endings(*dense().trie);
  TextEnding ending;
  ending.last.fill(TextEnding::any());
  ending.last[0] = one_of("a", false, false);
  const std::size_t n = nodes_with(ending).size();
  std::vector<std::uint32_t> found;
  EXPECT_FALSE(endings.add_nodes(ending, n - 1, found));
  found.clear();
  EXPECT_TRUE(endings.add_nodes(ending, n, found));
  EXPECT_EQ(found.size(), n);
}

}  // namespace
}  // namespace pleiad::constrain
