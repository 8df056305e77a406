#include "constrain/tokens/token_trie.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>

#include "constrain/constrain_test_data.h"

namespace pleiad::constrain {
namespace {

TEST(TokenTrie, HoldsEveryTokenWhereItsSpellingLeads) {
  const TestVocabulary& test = test_vocabulary();
  const TokenTrie& trie = *test.trie;
  std::vector<Symbol> path;
  std::vector<bool> seen(trie.vocab_size(), false);
  for (std::uint32_t node = 0; node < trie.n_nodes(); ++node) {
    if (trie.depth(node) == 0) continue;
    path.resize(trie.depth(node) - 1);
    path.push_back(trie.symbol(node));
    for (const text::TokenId token : trie.tokens(node)) {
      const auto spelling = trie.spelling(token);
      EXPECT_TRUE(std::ranges::equal(spelling, path))
          << test.pieces[static_cast<std::size_t>(token)];
      EXPECT_FALSE(seen[static_cast<std::size_t>(token)]);
      seen[static_cast<std::size_t>(token)] = true;
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], !trie.spelling(static_cast<text::TokenId>(i)).empty()) << test.pieces[i];
  }
}

TEST(TokenTrie, SkipsWholeSubtrees) {
  const TokenTrie& trie = *test_vocabulary().trie;
  for (std::uint32_t node = 0; node < trie.n_nodes(); ++node) {
    std::uint32_t behind = node + 1;
    while (behind < trie.n_nodes() && trie.depth(behind) > trie.depth(node)) ++behind;
    EXPECT_EQ(trie.next(node), behind);
    EXPECT_EQ(trie.has_children(node), behind > node + 1);
  }
}

TEST(TokenTrie, FindsTheNodeOfATokenFromAnyNodeBefore) {
  const TokenTrie& trie = *test_vocabulary().trie;
  for (std::uint32_t node = 0; node < trie.n_nodes(); ++node) {
    for (std::uint32_t token = trie.first_token(node); token < trie.first_token(node + 1);
         ++token) {
      for (const std::uint32_t since : {0U, node / 2, node - std::min(node, 1U), node}) {
        EXPECT_EQ(trie.node_of(token, since), node) << since;
      }
    }
  }
}

TEST(TokenTrie, SpellsPiecesAsTheyAreRead) {
  const TestVocabulary& test = test_vocabulary();
  const auto spelling = [&](const char* piece) {
    const auto symbols = test.trie->spelling(test.vocabulary->find(piece));
    return std::vector<Symbol>(symbols.begin(), symbols.end());
  };
  EXPECT_THAT(spelling("\xE2\x96\x81world"), testing::ElementsAre(' ', 'w', 'o', 'r', 'l', 'd'));
  EXPECT_THAT(spelling("<0xF0>"), testing::ElementsAre(0xF0));
  EXPECT_THAT(spelling("<|\"|>"), testing::ElementsAre(symbol_of(text::Tag::quote)));
  EXPECT_THAT(spelling("<turn|>"), testing::ElementsAre(kEnd));
  EXPECT_THAT(spelling("<unused1>"), testing::IsEmpty());
  EXPECT_EQ(test.trie->longest(), 48U);
}

}  // namespace
}  // namespace pleiad::constrain
