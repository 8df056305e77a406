#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "constrain/tokens/text_ending.h"

namespace pleiad::constrain {

class TokenTrie;

/// The nodes of plain tokens by the last symbols on the way to each: where text leads on unless it
/// ends in some ways, only nodes where it does are looked at.
class NodeEndings {
 public:
  NodeEndings() = default;
  explicit NodeEndings(const TokenTrie& trie);

  /// Adds all nodes to which a text leads that ends so, the last symbol being of ASCII; false, and
  /// only some, where they are more than `most_nodes` or too many are looked at.
  bool add_nodes(const TextEnding& ending, std::size_t most_nodes,
                 std::vector<std::uint32_t>& nodes) const;

  std::size_t memory_bytes() const {
    return nodes_.capacity() * sizeof(Node) + starts_.capacity() * sizeof(std::uint32_t);
  }

 private:
  struct Node {
    std::uint32_t before = 0;  // the symbols before the last two, the nearest in the highest byte
    std::uint32_t node = 0;
  };

  std::vector<Node> nodes_;            // by their last symbol, then by the one before, then these
  std::vector<std::uint32_t> starts_;  // [kAsciiSymbols * kCodes + 1], of each two
};

}  // namespace pleiad::constrain
