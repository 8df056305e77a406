#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/vocabulary.h"

namespace pleiad::constrain {

class TokenTrie;

/// A tree of plain tokens, its nodes level by level: all of one depth in their order, then all of
/// the next, those with children apart from the leaves. What reading makes of them is found in
/// three plain loops, each from its parent's: some nanoseconds a node, where a walk that may leave
/// a subtree takes ten to twenty. But all nodes are looked at.
struct TokenLevels {
  /// A node: how far its parent is behind that of the node before it, then what it reads.
  using Node = std::uint32_t;
  static constexpr unsigned kSymbolBits = 8;

  TokenLevels() = default;
  /// Those of the tokens below the root that have more than so many characters.
  TokenLevels(const TokenTrie& trie, std::uint32_t root, std::uint32_t longer_than = 0);

  std::size_t memory_bytes() const {
    return (inner.capacity() + leaves.capacity()) * sizeof(Node) +
           (ends.capacity() + tokens.capacity()) * sizeof(std::uint32_t) +
           ids.capacity() * sizeof(text::TokenId);
  }

  std::vector<Node> inner;   // with children, without the root, which is the parent of the first
  std::vector<Node> leaves;  // one for each of their tokens
  std::vector<std::uint32_t> ends;  // those of `inner`, from 1 on, at which tokens end
  /// The tokens of the leaves, then those of `ends`, by their places in TokenTrie::tokens_in().
  std::vector<std::uint32_t> tokens;
  std::vector<text::TokenId> ids;  // what these are
};

}  // namespace pleiad::constrain
