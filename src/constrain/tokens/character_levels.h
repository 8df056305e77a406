#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "constrain/tokens/plain_characters.h"

namespace pleiad::constrain {

class TokenTrie;

/// The nodes of a tree of plain tokens by how many characters lead to them: where a text leads to
/// the same place whatever its first characters are, a walk begins behind these.
class CharacterLevels {
 public:
  struct Node {
    std::uint32_t node = 0;
    KindSet kinds_next = 0;  // TokenTrie::kinds_next() of it
  };

  CharacterLevels() = default;
  CharacterLevels(const TokenTrie& trie, std::uint32_t root);

  /// The nodes to which exactly so many characters lead, from 1 on, and behind which others come,
  /// in order.
  std::span<const Node> at(std::uint32_t n_characters) const {
    if (n_characters + 1 >= starts_.size()) return {};
    return std::span(nodes_).subspan(starts_[n_characters],
                                     starts_[n_characters + 1] - starts_[n_characters]);
  }

  std::size_t memory_bytes() const {
    return nodes_.capacity() * sizeof(Node) + starts_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<Node> nodes_;            // level by level
  std::vector<std::uint32_t> starts_;  // of each, from level 0 on, which is empty; then their end
};

}  // namespace pleiad::constrain
