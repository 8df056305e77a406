#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "constrain/symbol.h"
#include "text/vocabulary.h"

namespace pleiad::constrain {

/// All tokens of a vocabulary as a tree of what they are spelled with. Made once
/// per model and shared; never changes.
///
/// Ordinary pieces are paths of bytes, control tokens single symbols. Tokens that
/// end a reply stand for kEnd alone. Unused pieces are left out: a reply that has a
/// form to keep never needs one.
class TokenTrie {
 public:
  /// `end_tokens`: what ends a reply, at least one.
  TokenTrie(const text::Vocabulary& vocabulary, std::span<const text::TokenId> end_tokens);

  std::size_t vocab_size() const { return vocab_size_; }
  /// In symbols, of the longest token.
  std::size_t longest() const { return longest_; }
  bool has(text::Tag tag) const { return has_symbol_[symbol_of(tag)]; }
  std::size_t memory_bytes() const;

  // Nodes lie in preorder: the root is 0, children follow their parent, and the
  // next sibling (or what follows the whole subtree) is at next(node).
  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  Symbol symbol(std::uint32_t node) const { return nodes_[node].symbol; }
  std::uint32_t depth(std::uint32_t node) const { return nodes_[node].depth; }
  std::uint32_t next(std::uint32_t node) const { return nodes_[node].next; }
  bool has_children(std::uint32_t node) const { return nodes_[node].next != node + 1; }
  /// Tokens that end at the node.
  std::span<const text::TokenId> tokens(std::uint32_t node) const {
    const std::uint32_t begin = nodes_[node].first_token;
    const std::uint32_t end =
        node + 1 < n_nodes() ? nodes_[node + 1].first_token : static_cast<std::uint32_t>(n_listed_);
    return {tokens_.data() + begin, end - begin};
  }

  /// How a token is spelled; empty where it is never allowed.
  std::span<const Symbol> spelling(text::TokenId token) const;

 private:
  struct Node {
    std::uint32_t next = 0;
    std::uint32_t first_token = 0;
    Symbol symbol = 0;
    std::uint16_t depth = 0;
  };

  void spell(const text::Vocabulary& vocabulary, std::span<const text::TokenId> end_tokens);
  void build();

  std::size_t vocab_size_ = 0;
  std::size_t longest_ = 0;
  std::size_t n_listed_ = 0;
  std::vector<bool> has_symbol_;
  std::vector<Node> nodes_;
  std::vector<text::TokenId> tokens_;  // in order of their nodes
  std::vector<Symbol> arena_;
  std::vector<std::uint32_t> starts_;  // [vocab_size + 1], into arena_
};

}  // namespace pleiad::constrain
