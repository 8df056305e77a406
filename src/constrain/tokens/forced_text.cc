#include "constrain/tokens/forced_text.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "text/tokenizer.h"

namespace pleiad::constrain {
namespace {

using Bytes = std::span<const Symbol>;
using Tokens = std::vector<text::TokenId>;

/// The child with that symbol.
std::optional<std::uint32_t> child_of(const TokenTrie& trie, std::uint32_t node, Symbol symbol) {
  for (std::uint32_t child = node + 1; child < trie.next(node); child = trie.next(child)) {
    if (trie.symbol(child) == symbol) return child;
  }
  return std::nullopt;
}

bool has_child_in(const TokenTrie& trie, std::uint32_t node, const SymbolSet& symbols) {
  for (std::uint32_t child = node + 1; child < trie.next(node); child = trie.next(child)) {
    if (symbols.test(trie.symbol(child))) return true;
  }
  return false;
}

/// Whether a piece begins with all of the text and goes on as it may behind it.
bool goes_on_behind(const TokenTrie& trie, Bytes text, const SymbolSet& next) {
  return std::ranges::any_of(trie.roots(), [&](std::uint32_t root) {
    std::optional<std::uint32_t> node = root;
    for (std::size_t i = 0; node && i < text.size(); ++i) node = child_of(trie, *node, text[i]);
    return node && has_child_in(trie, *node, next);
  });
}

/// The tokenizer's, as far as they spell the bytes as these are.
Tokens cut(const TokenTrie& trie, Bytes bytes) {
  std::string text;
  for (const Symbol symbol : bytes) text += static_cast<char>(symbol);
  Tokens out = trie.tokenizer()->encode_text(text);
  std::size_t at = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Bytes spelling = trie.spelling(out[i]);
    const Bytes left = bytes.subspan(at);
    if (spelling.empty() || spelling.size() > left.size() ||
        !std::ranges::equal(spelling, left.first(spelling.size()))) {
      out.resize(i);
      break;
    }
    at += spelling.size();
  }
  return out;
}

/// What the cuts of all texts begin with that are these bytes and go on with one of `next`. Merging
/// knows no far places: where no piece reaches over the end of the bytes they are cut as they would
/// be alone, and where one does, so is what stands before it.
Tokens cut_before(const TokenTrie& trie, Bytes bytes, const SymbolSet& next) {
  Tokens out = cut(trie, bytes);
  const std::size_t longest = std::min(bytes.size(), trie.longest() - 1);
  for (std::size_t n = 1; n <= longest && !out.empty(); ++n) {
    if (!goes_on_behind(trie, bytes.last(n), next)) continue;
    const Tokens before = cut(trie, bytes.first(bytes.size() - n));
    out.erase(std::ranges::mismatch(out, before).in1, out.end());
  }
  return out;
}

std::size_t n_bytes(const TokenTrie& trie, std::span<const text::TokenId> tokens) {
  std::size_t n = 0;
  for (const text::TokenId token : tokens) n += trie.spelling(token).size();
  return n;
}

}  // namespace

Tokens forced_tokens(const TokenTrie& trie, const ForcedText& text, std::size_t most) {
  const bool can_cut = trie.tokenizer() && trie.tokenizer()->cuts_by_what_is_near();
  const Bytes all = text.symbols;
  Tokens out;
  for (std::size_t at = 0; at < all.size() && out.size() < most;) {
    if (all[at] >= kFirstTag) {
      const auto tokens = trie.tokens_of(all[at]);
      if (tokens.empty()) break;
      out.push_back(tokens.front());
      ++at;
      continue;
    }
    if (!can_cut) break;
    const Bytes rest = all.subspan(at);
    const auto tag = std::ranges::find_if(rest, [](Symbol symbol) { return symbol >= kFirstTag; });
    const Bytes bytes = rest.first(static_cast<std::size_t>(tag - rest.begin()));
    const Tokens tokens =
        bytes.size() == rest.size() ? cut_before(trie, bytes, text.next) : cut(trie, bytes);
    out.insert(out.end(), tokens.begin(), tokens.end());
    if (n_bytes(trie, tokens) < bytes.size()) break;
    at += bytes.size();
  }
  out.resize(std::min(out.size(), most));
  return out;
}

}  // namespace pleiad::constrain
