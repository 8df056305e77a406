#include "constrain/token_trie.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/check.h"
#include "text/stream_decoder.h"

namespace pleiad::constrain {
namespace {

/// Longer pieces than any tokenizer has; they would make depths overflow.
constexpr std::size_t kLongestPiece = 1024;

}  // namespace

TokenTrie::TokenTrie(const text::Vocabulary& vocabulary,
                     std::span<const text::TokenId> end_tokens) {
  CHECK(!end_tokens.empty());
  vocab_size_ = vocabulary.size();
  has_symbol_.assign(kSymbols, false);
  spell(vocabulary, end_tokens);
  build();
}

std::span<const Symbol> TokenTrie::spelling(text::TokenId token) const {
  CHECK(token >= 0 && static_cast<std::size_t>(token) < vocab_size_, "token {}", token);
  const auto index = static_cast<std::size_t>(token);
  return {arena_.data() + starts_[index], starts_[index + 1] - starts_[index]};
}

std::size_t TokenTrie::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + tokens_.capacity() * sizeof(text::TokenId) +
         arena_.capacity() * sizeof(Symbol) + starts_.capacity() * sizeof(std::uint32_t);
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

void TokenTrie::build() {
  for (std::size_t i = 0; i < vocab_size_; ++i) {
    if (starts_[i] != starts_[i + 1]) tokens_.push_back(static_cast<text::TokenId>(i));
  }
  n_listed_ = tokens_.size();
  std::sort(tokens_.begin(), tokens_.end(), [&](text::TokenId left, text::TokenId right) {
    const auto a = spelling(left);
    const auto b = spelling(right);
    const auto order =
        std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
    return order == 0 ? left < right : order < 0;
  });
  nodes_.push_back({});
  std::vector<std::uint32_t> path = {0};  // the nodes of the last token, the root first
  std::span<const Symbol> last;
  for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
    const auto symbols = spelling(tokens_[i]);
    std::size_t common = 0;
    while (common < last.size() && common < symbols.size() && last[common] == symbols[common]) {
      ++common;
    }
    for (; path.size() > common + 1; path.pop_back()) nodes_[path.back()].next = n_nodes();
    for (std::size_t at = common; at < symbols.size(); ++at) {
      path.push_back(n_nodes());
      nodes_.push_back({.next = 0,
                        .first_token = i,
                        .symbol = symbols[at],
                        .depth = static_cast<std::uint16_t>(at + 1)});
    }
    longest_ = std::max(longest_, symbols.size());
    last = symbols;
  }
  for (const std::uint32_t node : path) nodes_[node].next = n_nodes();
  nodes_.shrink_to_fit();
}

}  // namespace pleiad::constrain
