#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "constrain/symbol.h"
#include "constrain/tokens/character_levels.h"
#include "constrain/tokens/node_endings.h"
#include "constrain/tokens/plain_characters.h"
#include "constrain/tokens/token_levels.h"
#include "text/vocabulary.h"

namespace pleiad::text {
class Tokenizer;
}

namespace pleiad::constrain {

/// All tokens of a vocabulary as trees of what they are spelled with. Made once
/// per model and shared; never changes.
///
/// Ordinary pieces are paths of bytes, control tokens single symbols. Tokens that
/// end a reply stand for kEnd alone. Unused pieces are left out: a reply that has a
/// form to keep never needs one.
///
/// Nearly all tokens consist of plain characters. They are in trees by what kinds of characters
/// they have: small letters, all letters, those with blanks before them and so on. Nodes know what
/// kinds stand below them, so that whoever may read all of these, or none of some that each token
/// has, takes or leaves a subtree, and mostly a tree, as a whole. The last tree has the other
/// tokens: quotes, escapes, parts of characters.
class TokenTrie {
 public:
  /// What a walk looks at for each node, and so in little memory.
  struct Node {
    std::uint32_t next = 0;         // its next sibling, or what follows the whole subtree
    std::uint32_t first_token = 0;  // see first_token()
    Symbol symbol = 0;
    std::uint16_t depth = 0;
  };

  /// `end_tokens`: what ends a reply, at least one.
  TokenTrie(const text::Vocabulary& vocabulary, std::span<const text::TokenId> end_tokens);
  /// Of its vocabulary; the tokenizer outlives the trie.
  TokenTrie(const text::Tokenizer& tokenizer, std::span<const text::TokenId> end_tokens);

  /// How text is cut into these tokens; null where nobody said.
  const text::Tokenizer* tokenizer() const { return tokenizer_; }
  std::size_t vocab_size() const { return vocab_size_; }
  /// In symbols, of the longest token.
  std::size_t longest() const { return longest_; }
  bool has(text::Tag tag) const { return has_symbol_[symbol_of(tag)]; }
  std::size_t memory_bytes() const;

  // Nodes lie in preorder, one tree behind the other: children follow their parent, and the
  // next sibling (or what follows the whole subtree) is at next(node).
  std::span<const Node> nodes() const { return nodes_; }
  std::uint32_t n_nodes() const { return static_cast<std::uint32_t>(nodes_.size()); }
  /// The last is that of the tokens that are not plain.
  std::span<const std::uint32_t> roots() const { return roots_; }
  Symbol symbol(std::uint32_t node) const { return nodes_[node].symbol; }
  std::uint32_t depth(std::uint32_t node) const { return nodes_[node].depth; }
  std::uint32_t next(std::uint32_t node) const { return nodes_[node].next; }
  bool has_children(std::uint32_t node) const { return nodes_[node].next != node + 1; }
  /// The child of roots()[tree] with the symbol; the root where there is none.
  std::uint32_t child_of_root(std::size_t tree, Symbol symbol) const {
    return root_children_[tree * kSymbols + symbol];
  }
  /// What characters are below the node; with kNotPlain where that is not told.
  KindSet kinds_below(std::uint32_t node) const { return below_[node].kinds; }
  /// What characters come next below the node; with kNotPlain where that is not told.
  KindSet kinds_next(std::uint32_t node) const { return below_[node].kinds_next; }
  /// The kinds that each token below the node, not those that end there, has below it.
  KindSet kinds_of_each(std::uint32_t node) const { return below_[node].kinds_of_each; }
  /// Whether a ',' is below the node; whether a '[' or '{' with a ',' below it is, or a '"' with
  /// one.
  bool has_comma_below(std::uint32_t node) const { return below_[node].has_comma; }
  bool has_array_below(std::uint32_t node) const { return below_[node].has_array; }
  bool has_quote_below(std::uint32_t node) const { return below_[node].has_quote; }
  /// Whether a symbol with which names end, '"' or ':', is the node's or below it.
  bool may_end_name(std::uint32_t node, Symbol end) const {
    return end == symbol_of('"') ? below_[node].may_end_string : below_[node].has_colon;
  }
  /// Whether a token at the node or below it may end a string, and behind a ',' hold more than
  /// white space and the begin of another string.
  bool may_hold_item_behind_string(std::uint32_t node) const { return below_[node].may_hold_item; }
  /// Tokens that may hold a whole name with this end, and a ',' before it.
  std::span<const text::TokenId> tokens_with_names(Symbol end) const {
    return end == symbol_of('"') ? with_quoted_names_ : with_names_;
  }
  /// On the way to any node below it, at most.
  std::uint32_t characters_below(std::uint32_t node) const { return below_[node].characters; }

  /// Tokens that end at the node.
  std::span<const text::TokenId> tokens(std::uint32_t node) const {
    return tokens_in(first_token(node), first_token(node + 1));
  }
  /// The tokens of a subtree follow each other from first_token(node) to first_token(next(node)).
  std::uint32_t first_token(std::uint32_t node) const {
    return node < n_nodes() ? nodes_[node].first_token : static_cast<std::uint32_t>(tokens_.size());
  }
  text::TokenId token(std::uint32_t at) const { return tokens_[at]; }
  /// The node where the token at this place ends, which is not before `since`; found the faster the
  /// nearer it is to it.
  std::uint32_t node_of(std::uint32_t token, std::uint32_t since = 0) const;
  std::span<const text::TokenId> tokens_in(std::uint32_t first, std::uint32_t end) const {
    return {tokens_.data() + first, end - first};
  }

  std::uint32_t n_plain_tokens() const { return first_token(roots_.back()); }
  std::uint32_t most_plain_characters() const { return most_plain_characters_; }
  /// The tokens below roots()[tree], which are plain; a bit a token.
  std::span<const std::uint64_t> tree_tokens(std::size_t tree) const { return trees_[tree]; }
  /// The same tree level by level.
  const TokenLevels& levels(std::size_t tree) const { return levels_[tree]; }
  /// Those of its tokens that have more than kShort characters.
  const TokenLevels& long_levels(std::size_t tree) const { return long_levels_[tree]; }
  static constexpr std::uint32_t kShort = 8;
  /// And by its characters.
  const CharacterLevels& character_levels(std::size_t tree) const {
    return character_levels_[tree];
  }
  /// The nodes of all plain tokens.
  const NodeEndings& endings() const { return endings_; }
  /// Those of them that have at most so many characters.
  std::span<const text::TokenId> short_tokens(std::size_t tree,
                                              std::uint32_t most_characters) const;
  /// The plain tokens of at most so many characters, a bit a token; empty where these are not kept.
  std::span<const std::uint64_t> plain_tokens(std::uint32_t most_characters) const;

  /// How a token is spelled; empty where it is never allowed.
  std::span<const Symbol> spelling(text::TokenId token) const;
  /// Whether that is this symbol alone.
  bool is(text::TokenId token, Symbol symbol) const {
    const std::span<const Symbol> all = spelling(token);
    return all.size() == 1 && all.front() == symbol;
  }
  /// All tokens that are it: of control tokens and kEnd, which are not plain.
  std::span<const text::TokenId> tokens_of(Symbol symbol) const;

 private:
  /// What is below a node.
  struct Below {
    KindSet kinds = kNotPlain;
    KindSet kinds_next = kNotPlain;
    KindSet kinds_of_each = 0;
    std::uint16_t characters = 0;
    bool has_comma : 1 = false;
    bool has_array : 1 = false;
    bool has_quote : 1 = false;
    bool may_end_string : 1 = false;  // with the node,
    bool has_colon : 1 = false;       // as this,
    bool may_hold_item : 1 = false;   // and this
  };

  struct Plain {
    std::uint16_t n_characters = 0;  // 0: not plain
    std::uint16_t tree = 0;
  };

  void spell(const text::Vocabulary& vocabulary, std::span<const text::TokenId> end_tokens);
  void sort_tokens();
  void build(std::uint32_t first, std::uint32_t end);
  void list_children(std::uint32_t root);
  void look_below(std::uint32_t root);
  void look_for_arrays(std::uint32_t root);
  void look_for_marks();
  void mark_item_behind_string(text::TokenId token);
  void collect_plain_tokens();
  Plain plain_of(std::span<const Symbol> spelling) const;

  const text::Tokenizer* tokenizer_ = nullptr;
  std::size_t vocab_size_ = 0;
  std::size_t longest_ = 0;
  std::uint32_t most_plain_characters_ = 0;
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint32_t> root_children_;  // [roots, kSymbols]
  std::vector<bool> has_symbol_;
  std::vector<Node> nodes_;
  std::vector<Below> below_;                                   // of each
  std::vector<text::TokenId> tokens_;                          // in order of their nodes
  std::vector<text::TokenId> with_quoted_names_, with_names_;  // those of calls have no quotes
  std::vector<Symbol> arena_;
  std::vector<std::uint32_t> starts_;              // [vocab_size + 1], into arena_
  std::vector<Plain> plain_;                       // [vocab_size]
  std::vector<std::vector<std::uint64_t>> trees_;  // the tokens of each
  std::vector<TokenLevels> levels_;                // of each of these,
  std::vector<TokenLevels> long_levels_;           // as these,
  std::vector<CharacterLevels> character_levels_;  // as these
  NodeEndings endings_;
  std::vector<std::vector<std::uint64_t>> short_;  // those of at most [i] characters
  std::vector<text::TokenId> by_length_;           // plain ones: tree by tree, the short first
};

}  // namespace pleiad::constrain
