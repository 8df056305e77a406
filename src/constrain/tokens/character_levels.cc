#include "constrain/tokens/character_levels.h"

#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {
namespace {

/// Calls add(node, n_characters) for each node below the root that ends a character and has others
/// below it.
template <typename Add>
void for_each_begin(const TokenTrie& trie, std::uint32_t root, Add add) {
  std::vector<std::uint32_t> n_characters(trie.longest() + 1, 0);  // at each depth
  for (std::uint32_t node = root + 1; node < trie.next(root); ++node) {
    const std::uint32_t depth = trie.depth(node);
    const bool is_amid_character = (trie.kinds_below(node) & kNotPlain) != 0;
    n_characters[depth] = n_characters[depth - 1] + (is_amid_character ? 0 : 1);
    if (!is_amid_character && trie.has_children(node)) add(node, n_characters[depth]);
  }
}

}  // namespace

CharacterLevels::CharacterLevels(const TokenTrie& trie, std::uint32_t root)
    : starts_(trie.characters_below(root) + 2, 0) {
  for_each_begin(trie, root, [&](std::uint32_t, std::uint32_t n) { ++starts_[n + 1]; });
  for (std::size_t n = 1; n < starts_.size(); ++n) starts_[n] += starts_[n - 1];
  nodes_.resize(starts_.back());
  std::vector<std::uint32_t> next = starts_;
  for_each_begin(trie, root, [&](std::uint32_t node, std::uint32_t n) {
    nodes_[next[n]++] = {node, trie.kinds_next(node)};
  });
}

}  // namespace pleiad::constrain
