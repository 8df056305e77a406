#include "constrain/tokens/token_trie.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "base/check.h"
#include "text/stream_decoder.h"
#include "text/tokenizer.h"

namespace pleiad::constrain {
namespace {

/// Longer pieces than any tokenizer has; they would make depths overflow.
constexpr std::size_t kLongestPiece = 1024;

/// Of so many characters at most the plain tokens are kept for each length: 2 MB.
constexpr std::size_t kMostLengths = 64;

constexpr KindSet kSmallLetters = KindSet{1} << kSmallLetterKind;
constexpr KindSet kLetters = kSmallLetters | KindSet{1} << kCapitalLetterKind;
constexpr KindSet kBlank = KindSet{1} << kBlankKind;
constexpr KindSet kLong = KindSet{1} << kLongKind;

/// A token of plain characters is in the first tree that may have all of its kinds.
constexpr KindSet kTrees[] = {kSmallLetters,
                              kLetters,
                              kAllKinds & ~(kBlank | kLong),
                              kSmallLetters | kBlank,
                              kLetters | kBlank,
                              kAllKinds & ~kLong,
                              kLetters | kLong,
                              kLetters | kLong | kBlank,
                              kAllKinds};
constexpr std::size_t kPlainTrees = std::size(kTrees);

std::string bytes_of(std::span<const Symbol> spelling) {
  std::string out;
  for (const Symbol symbol : spelling) out += symbol < kFirstTag ? static_cast<char>(symbol) : '\0';
  return out;
}

/// Whether a quoted name may begin and end behind a ','.
bool may_hold_quoted_name(const std::string& token) {
  const std::size_t quote = token.find('"', token.find(','));
  if (quote == std::string::npos) return false;
  return token.back() == '"' ? token.size() > quote + 1
                             : token.find("\":", quote + 1) < token.size();
}

/// The same of one without quotes, which a ':' ends.
bool may_hold_name(const std::string& token) {
  for (std::size_t at = token.find(','); at < token.size(); at = token.find(',', at + 1)) {
    const std::size_t end = token.find_first_of(":,\"", at + 1);
    if (end < token.size() && end > at + 1 && token[end] == ':') return true;
  }
  return false;
}

/// See TokenTrie::may_hold_item_behind_string().
bool holds_item_behind_string(const std::string& token) {
  const std::size_t comma = token.find(',', token.find('"'));
  const std::size_t next = token.find_first_not_of(" \n\t", std::min(comma, token.size() - 1) + 1);
  if (comma == std::string::npos || next == std::string::npos) return false;
  return token[next] != '"' || token.find_first_of("\",", next + 1) != std::string::npos;
}

}  // namespace

TokenTrie::TokenTrie(const text::Vocabulary& vocabulary,
                     std::span<const text::TokenId> end_tokens) {
  CHECK(!end_tokens.empty());
  vocab_size_ = vocabulary.size();
  has_symbol_.assign(kSymbols, false);
  spell(vocabulary, end_tokens);
  sort_tokens();
  std::uint32_t first = 0;
  for (std::size_t tree = 0; tree <= kPlainTrees; ++tree) {
    const auto end = static_cast<std::uint32_t>(
        std::ranges::partition_point(tokens_,
                                     [&](text::TokenId token) {
                                       return plain_[static_cast<std::size_t>(token)].tree <= tree;
                                     }) -
        tokens_.begin());
    if (first == end && tree < kPlainTrees) continue;
    roots_.push_back(n_nodes());
    build(first, end);
    list_children(roots_.back());
    below_.resize(nodes_.size());
    look_for_arrays(roots_.back());
    if (tree < kPlainTrees) look_below(roots_.back());
    first = end;
  }
  look_for_marks();
  nodes_.shrink_to_fit();
  below_.shrink_to_fit();
  collect_plain_tokens();
  endings_ = NodeEndings(*this);
  for (const std::uint32_t root : roots_) {
    if (root == roots_.back()) break;
    character_levels_.emplace_back(*this, root);
    levels_.emplace_back(*this, root);
    long_levels_.emplace_back(*this, root, kShort);
  }
}

TokenTrie::TokenTrie(const text::Tokenizer& tokenizer, std::span<const text::TokenId> end_tokens)
    : TokenTrie(tokenizer.vocabulary(), end_tokens) {
  tokenizer_ = &tokenizer;
}

std::span<const text::TokenId> TokenTrie::tokens_of(Symbol symbol) const {
  const std::uint32_t root = roots_.back();
  for (std::uint32_t node = root + 1; node < next(root); node = next(node)) {
    if (this->symbol(node) == symbol) return tokens(node);
  }
  return {};
}

std::uint32_t TokenTrie::node_of(std::uint32_t token, std::uint32_t since) const {
  std::size_t step = 1;
  while (since + step < nodes_.size() && nodes_[since + step].first_token <= token) step *= 2;
  const auto nodes = std::span(nodes_).subspan(since, std::min(step + 1, nodes_.size() - since));
  const auto behind = std::ranges::upper_bound(nodes, token, {}, &Node::first_token);
  return since + static_cast<std::uint32_t>(behind - nodes.begin()) - 1;
}

std::span<const Symbol> TokenTrie::spelling(text::TokenId token) const {
  CHECK(token >= 0 && static_cast<std::size_t>(token) < vocab_size_, "token {}", token);
  const auto index = static_cast<std::size_t>(token);
  return {arena_.data() + starts_[index], starts_[index + 1] - starts_[index]};
}

std::size_t TokenTrie::memory_bytes() const {
  const std::size_t n_words = (vocab_size_ + 63) / 64;
  std::size_t level_bytes = endings_.memory_bytes();
  for (const TokenLevels& levels : levels_) level_bytes += levels.memory_bytes();
  for (const TokenLevels& levels : long_levels_) level_bytes += levels.memory_bytes();
  for (const CharacterLevels& levels : character_levels_) level_bytes += levels.memory_bytes();
  return level_bytes + nodes_.capacity() * sizeof(Node) + below_.capacity() * sizeof(Below) +
         tokens_.capacity() * sizeof(text::TokenId) + arena_.capacity() * sizeof(Symbol) +
         (starts_.capacity() + root_children_.capacity()) * sizeof(std::uint32_t) +
         plain_.capacity() * sizeof(Plain) + by_length_.capacity() * sizeof(text::TokenId) +
         (with_quoted_names_.capacity() + with_names_.capacity()) * sizeof(text::TokenId) +
         (trees_.size() + short_.size()) * n_words * sizeof(std::uint64_t);
}

std::span<const std::uint64_t> TokenTrie::plain_tokens(std::uint32_t most_characters) const {
  if (most_characters >= most_plain_characters_) return short_.back();
  if (most_characters + 1 < short_.size()) return short_[most_characters];
  return {};
}

std::span<const text::TokenId> TokenTrie::short_tokens(std::size_t tree,
                                                       std::uint32_t most_characters) const {
  const std::uint32_t first = first_token(roots_[tree]);
  const auto all = std::span(by_length_).subspan(first, first_token(roots_[tree + 1]) - first);
  const auto longer = std::ranges::partition_point(all, [&](text::TokenId token) {
    return plain_[static_cast<std::size_t>(token)].n_characters <= most_characters;
  });
  return all.first(static_cast<std::size_t>(longer - all.begin()));
}

TokenTrie::Plain TokenTrie::plain_of(std::span<const Symbol> symbols) const {
  Plain out = {0, kPlainTrees};
  KindSet kinds = 0;
  std::uint16_t n = 0;
  while (!symbols.empty()) {
    const auto character = plain_character_of(symbols);
    if (!character) return out;
    symbols = symbols.subspan(character->n_bytes);
    kinds |= KindSet{1} << character->kind;
    ++n;
  }
  out.n_characters = n;
  out.tree = static_cast<std::uint16_t>(
      std::ranges::find_if(kTrees, [&](KindSet tree) { return (kinds & ~tree) == 0; }) - kTrees);
  return out;
}

void TokenTrie::spell(const text::Vocabulary& vocabulary,
                      std::span<const text::TokenId> end_tokens) {
  std::string bytes;
  starts_.reserve(vocab_size_ + 1);
  for (std::size_t i = 0; i < vocab_size_; ++i) {
    const auto token = static_cast<text::TokenId>(i);
    starts_.push_back(static_cast<std::uint32_t>(arena_.size()));
    if (std::ranges::find(end_tokens, token) != end_tokens.end()) {
      arena_.push_back(kEnd);
      continue;
    }
    if (const auto tag = vocabulary.tag_of(token)) {
      arena_.push_back(symbol_of(*tag));
      has_symbol_[symbol_of(*tag)] = true;
      continue;
    }
    if (vocabulary.kind(token) == text::PieceKind::unused) continue;
    bytes.clear();
    append_piece_bytes(vocabulary, token, bytes);
    if (bytes.size() > kLongestPiece) continue;
    for (const char c : bytes) arena_.push_back(symbol_of(c));
  }
  starts_.push_back(static_cast<std::uint32_t>(arena_.size()));
}

/// By their trees, then by what they are spelled with.
void TokenTrie::sort_tokens() {
  plain_.assign(vocab_size_, {});
  for (std::size_t i = 0; i < vocab_size_; ++i) {
    if (starts_[i] == starts_[i + 1]) continue;
    tokens_.push_back(static_cast<text::TokenId>(i));
    plain_[i] = plain_of(spelling(tokens_.back()));
    most_plain_characters_ =
        std::max<std::uint32_t>(most_plain_characters_, plain_[i].n_characters);
  }
  std::sort(tokens_.begin(), tokens_.end(), [&](text::TokenId left, text::TokenId right) {
    const std::uint16_t left_tree = plain_[static_cast<std::size_t>(left)].tree;
    const std::uint16_t right_tree = plain_[static_cast<std::size_t>(right)].tree;
    if (left_tree != right_tree) return left_tree < right_tree;
    const auto a = spelling(left);
    const auto b = spelling(right);
    const auto order =
        std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    return order == 0 ? left < right : order < 0;
  });
}

/// A tree of tokens_[first, end).
void TokenTrie::build(std::uint32_t first, std::uint32_t end) {
  std::vector<std::uint32_t> path = {n_nodes()};  // the nodes of the last token, the root first
  nodes_.emplace_back().first_token = first;
  std::span<const Symbol> last;
  for (std::uint32_t i = first; i < end; ++i) {
    const auto symbols = spelling(tokens_[i]);
    std::size_t common = 0;
    while (common < last.size() && common < symbols.size() && last[common] == symbols[common]) {
      ++common;
    }
    for (; path.size() > common + 1; path.pop_back()) nodes_[path.back()].next = n_nodes();
    for (std::size_t at = common; at < symbols.size(); ++at) {
      path.push_back(n_nodes());
      Node& node = nodes_.emplace_back();
      node.first_token = i;
      node.symbol = symbols[at];
      node.depth = static_cast<std::uint16_t>(at + 1);
    }
    longest_ = std::max(longest_, symbols.size());
    last = symbols;
  }
  for (const std::uint32_t node : path) nodes_[node].next = n_nodes();
}

void TokenTrie::list_children(std::uint32_t root) {
  root_children_.resize(root_children_.size() + kSymbols, root);
  const auto children = std::span(root_children_).last(kSymbols);
  for (std::uint32_t node = root + 1; node < next(root); node = next(node)) {
    children[symbol(node)] = node;
  }
}

/// What is below the nodes of plain tokens; those amid a character keep kNotPlain.
void TokenTrie::look_below(std::uint32_t root) {
  struct Place {
    std::uint32_t node;
    KindSet kinds = 0;
    KindSet kinds_next = 0;
    KindSet kinds_of_each = kAllKinds;
    std::uint16_t characters = 0;
  };
  std::vector<Place> path = {{root}};  // the begins of characters on the way to a node
  std::vector<Symbol> symbols;
  const auto close = [&] {
    const Place place = path.back();
    path.pop_back();
    Below& below = below_[place.node];
    below.kinds = place.kinds;
    below.kinds_next = place.kinds_next;
    below.kinds_of_each = place.kinds_of_each;
    below.characters = place.characters;
    if (path.empty()) return;
    Place& above = path.back();
    const std::size_t from = depth(above.node);
    const auto character =
        plain_character_of(std::span(symbols).subspan(from, depth(place.node) - from));
    const KindSet kind = KindSet{1} << character->kind;
    above.kinds |= place.kinds | kind;
    above.kinds_next |= kind;
    above.kinds_of_each &= kind | (tokens(place.node).empty() ? place.kinds_of_each : 0);
    above.characters = std::max<std::uint16_t>(above.characters, place.characters + 1);
  };
  const std::uint32_t end = next(root);
  for (std::uint32_t node = root + 1; node < end; ++node) {
    while (depth(path.back().node) >= depth(node)) close();
    symbols.resize(depth(node) - 1);
    symbols.push_back(symbol(node));
    const auto since = std::span<const Symbol>(symbols).subspan(depth(path.back().node));
    const auto character = plain_character_of(since);
    if (character && character->n_bytes == since.size()) path.push_back({node});
  }
  while (!path.empty()) close();
}

void TokenTrie::look_for_arrays(std::uint32_t root) {
  std::vector<std::uint32_t> path = {root};
  const auto close = [&] {
    const Symbol symbol = nodes_[path.back()].symbol;
    Below& below = below_[path.back()];
    path.pop_back();
    if (path.empty()) return;
    below.may_end_string |= symbol == symbol_of('"');
    below.has_colon |= symbol == symbol_of(':');
    Below& above = below_[path.back()];
    const auto is_before_comma = [&](char c) { return symbol == symbol_of(c) && below.has_comma; };
    above.has_comma |= below.has_comma || symbol == symbol_of(',');
    above.has_array |= below.has_array || is_before_comma('[') || is_before_comma('{');
    above.has_quote |= below.has_quote || is_before_comma('"');
    above.may_end_string |= below.may_end_string;
    above.has_colon |= below.has_colon;
  };
  for (std::uint32_t node = root + 1; node < next(root); ++node) {
    while (depth(path.back()) >= depth(node)) close();
    path.push_back(node);
  }
  while (!path.empty()) close();
}

/// Tokens with a ',' that may hold names and items.
void TokenTrie::look_for_marks() {
  for (const text::TokenId token : tokens_) {
    if (std::ranges::find(spelling(token), symbol_of(',')) == spelling(token).end()) continue;
    const std::string bytes = bytes_of(spelling(token));
    if (may_hold_quoted_name(bytes)) with_quoted_names_.push_back(token);
    if (may_hold_name(bytes)) with_names_.push_back(token);
    if (holds_item_behind_string(bytes)) mark_item_behind_string(token);
  }
}

/// All nodes on its way: it has a quote, so it is in the last tree.
void TokenTrie::mark_item_behind_string(text::TokenId token) {
  std::uint32_t node = roots_.back();
  below_[node].may_hold_item = true;
  for (const Symbol symbol : spelling(token)) {
    for (++node; this->symbol(node) != symbol; node = next(node)) {
    }
    below_[node].may_hold_item = true;
  }
}

void TokenTrie::collect_plain_tokens() {
  const std::vector<std::uint64_t> none((vocab_size_ + 63) / 64, 0);
  const std::size_t most = std::min<std::size_t>(most_plain_characters_, kMostLengths);
  by_length_.assign(tokens_.begin(), tokens_.begin() + n_plain_tokens());
  std::ranges::stable_sort(by_length_, {}, [&](text::TokenId token) {
    const Plain plain = plain_[static_cast<std::size_t>(token)];
    return std::pair(plain.tree, plain.n_characters);
  });
  trees_.assign(roots_.size() - 1, none);
  for (std::size_t tree = 0; tree < trees_.size(); ++tree) {
    const std::uint32_t first = first_token(roots_[tree]);
    for (const text::TokenId token : tokens_in(first, first_token(roots_[tree + 1]))) {
      trees_[tree][static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
    }
  }
  short_.assign(most + 1, none);
  for (std::size_t i = 0; i < vocab_size_; ++i) {
    if (plain_[i].n_characters == 0) continue;
    // Those of the last are all that are longer.
    std::vector<std::uint64_t>& bits = short_[std::min<std::size_t>(plain_[i].n_characters, most)];
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  for (std::size_t n = 1; n <= most; ++n) {
    for (std::size_t i = 0; i < none.size(); ++i) short_[n][i] |= short_[n - 1][i];
  }
}

}  // namespace pleiad::constrain
