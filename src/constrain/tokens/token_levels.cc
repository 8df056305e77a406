#include "constrain/tokens/token_levels.h"

#include <numeric>

#include "base/check.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {
namespace {

/// The nodes below the root, level by level.
std::vector<std::uint32_t> by_level(const TokenTrie& trie, std::uint32_t root) {
  const std::uint32_t end = trie.next(root);
  std::vector<std::uint32_t> at(trie.longest() + 2, 0);  // where each level goes on
  for (std::uint32_t node = root + 1; node < end; ++node) ++at[trie.depth(node) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<std::uint32_t> out(end - root - 1);
  for (std::uint32_t node = root + 1; node < end; ++node) out[at[trie.depth(node)]++] = node;
  return out;
}

}  // namespace

TokenLevels::TokenLevels(const TokenTrie& trie, std::uint32_t root) {
  std::vector<std::uint32_t> ended;  // the tokens of `ends`
  std::uint32_t n_parents = 0;       // the last node's, the root being the first
  std::uint32_t inner_parent = 1;    // the last one's of `inner`
  std::uint32_t leaf_parent = 1;     // of `leaves`
  for (const std::uint32_t node : by_level(trie, root)) {
    CHECK(trie.symbol(node) < 1U << kSymbolBits);
    if (trie.depth(node) == trie.depth(node - 1) + 1) ++n_parents;  // the first child of its parent
    const auto behind = [&](std::uint32_t& parent) {
      const Node made = (n_parents - parent) << kSymbolBits | trie.symbol(node);
      parent = n_parents;
      return made;
    };
    const bool is_inner = trie.has_children(node);
    if (is_inner) inner.push_back(behind(inner_parent));
    for (std::uint32_t token = trie.first_token(node); token < trie.first_token(node + 1);
         ++token) {
      if (is_inner) {
        ends.push_back(static_cast<std::uint32_t>(inner.size()));
        ended.push_back(token);
      } else {
        leaves.push_back(behind(leaf_parent));
        tokens.push_back(token);
      }
    }
  }
  tokens.insert(tokens.end(), ended.begin(), ended.end());
  ids.reserve(tokens.size());
  for (const std::uint32_t token : tokens) ids.push_back(trie.token(token));
  for (std::vector<std::uint32_t>* list : {&inner, &leaves, &ends, &tokens}) list->shrink_to_fit();
}

}  // namespace pleiad::constrain
