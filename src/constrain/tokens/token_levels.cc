#include "constrain/tokens/token_levels.h"

#include <numeric>

#include "base/check.h"
#include "constrain/tokens/token_trie.h"

namespace pleiad::constrain {
namespace {

/// What there is below a root, by its nodes, the root being 0.
struct Tree {
  std::vector<std::uint32_t> parents;
  std::vector<bool> is_wanted;    // it has tokens that are
  std::vector<bool> leads_on;     // nodes with such are below it
  std::vector<bool> leads_there;  // it has such, or does
};

Tree look_at(const TokenTrie& trie, std::uint32_t root, std::uint32_t longer_than) {
  const std::size_t n_nodes = trie.next(root) - root;
  Tree out = {std::vector<std::uint32_t>(n_nodes), std::vector<bool>(n_nodes),
              std::vector<bool>(n_nodes), std::vector<bool>(n_nodes)};
  std::vector<std::uint32_t> path(trie.longest() + 1, 0);          // by depth
  std::vector<std::uint32_t> n_characters(trie.longest() + 1, 0);  // to each of these
  for (std::uint32_t at = 1; at < n_nodes; ++at) {
    const std::uint32_t node = root + at;
    const std::uint32_t depth = trie.depth(node);
    const bool ends_character = (trie.kinds_below(node) & kNotPlain) == 0;
    path[depth] = at;
    n_characters[depth] = n_characters[depth - 1] + (ends_character ? 1 : 0);
    out.parents[at] = path[depth - 1];
    out.is_wanted[at] = !trie.tokens(node).empty() && n_characters[depth] > longer_than;
  }
  for (std::uint32_t at = static_cast<std::uint32_t>(n_nodes) - 1; at > 0; --at) {
    out.leads_there[at] = out.is_wanted[at] || out.leads_on[at];
    if (out.leads_there[at]) out.leads_on[out.parents[at]] = true;
  }
  return out;
}

/// The nodes below the root that lead to wanted ones, level by level.
std::vector<std::uint32_t> by_level(const TokenTrie& trie, std::uint32_t root, const Tree& tree) {
  const std::uint32_t end = trie.next(root);
  std::vector<std::uint32_t> at(trie.longest() + 2, 0);  // where each level goes on
  for (std::uint32_t node = root + 1; node < end; ++node) {
    if (tree.leads_there[node - root]) ++at[trie.depth(node) + 1];
  }
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<std::uint32_t> out(at.back());
  for (std::uint32_t node = root + 1; node < end; ++node) {
    if (tree.leads_there[node - root]) out[at[trie.depth(node)]++] = node;
  }
  return out;
}

}  // namespace

TokenLevels::TokenLevels(const TokenTrie& trie, std::uint32_t root, std::uint32_t longer_than) {
  const Tree tree = look_at(trie, root, longer_than);
  std::vector<std::uint32_t> ended;  // the tokens of `ends`
  std::uint32_t n_parents = 0;       // the last node's, the root being the first
  std::uint32_t inner_parent = 1;    // the last one's of `inner`
  std::uint32_t leaf_parent = 1;     // of `leaves`
  std::uint32_t last_parent = 0;     // of the node before; the first has none before it
  for (const std::uint32_t node : by_level(trie, root, tree)) {
    CHECK(trie.symbol(node) < 1U << kSymbolBits);
    const std::uint32_t parent_of_node = tree.parents[node - root];
    if (n_parents == 0 || parent_of_node != last_parent) ++n_parents;
    last_parent = parent_of_node;
    const auto behind = [&](std::uint32_t& parent) {
      const Node made = (n_parents - parent) << kSymbolBits | trie.symbol(node);
      parent = n_parents;
      return made;
    };
    const bool is_inner = tree.leads_on[node - root];
    if (is_inner) inner.push_back(behind(inner_parent));
    if (!tree.is_wanted[node - root]) continue;
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
