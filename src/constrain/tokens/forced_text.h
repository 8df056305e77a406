#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "constrain/symbol.h"
#include "constrain/syntax.h"
#include "constrain/tokens/token_trie.h"
#include "sampling/token_constraint.h"
#include "text/token.h"

namespace pleiad::constrain {

/// Text that a form leaves no choice of.
struct ForcedText {
  /// So much is looked at, in so many steps of a Machine or a grammars::Parser: some milliseconds'
  /// work. What follows is found when that has come.
  static constexpr std::size_t kMostSymbols = 1024;
  static constexpr std::uint64_t kMostSteps = 100'000;

  Symbols symbols;  // kEnd is the last, if it is there
  SymbolSet next;   // what may come behind them, and perhaps more
};

/// What has to come behind a place. `reader` is a Machine or a grammars::Parser, at whose places
/// can_go_on() says whether a symbol may be read there. Where it gives up, and where the steps end,
/// so does the text, and nothing is thrown; then it may take any number of steps again.
template <typename Reader, typename Place>
ForcedText forced_text(Reader& reader, const Place& place) {
  ForcedText text;
  Place at;
  Place next;
  const Place* from = &place;
  reader.allow_steps(ForcedText::kMostSteps);
  try {
    while (text.symbols.size() < ForcedText::kMostSymbols) {
      const auto symbol = reader.only_symbol(*from);
      if (!symbol) break;
      reader.read(*from, *symbol, next);
      if (!next.can_go_on()) break;
      text.symbols.push_back(*symbol);
      std::swap(at, next);
      from = &at;
      if (*symbol == kEnd) break;
    }
    if (!text.symbols.empty()) text.next = reader.symbols(*from);
  } catch (const sampling::ConstraintError&) {
    text.next.set();
  }
  reader.allow_steps(Reader::kAnySteps);
  return text;
}

/// Its tokens, `most` of them at most: control tokens as they are, other text as the tokenizer cuts
/// it whatever comes behind. Where a piece may go on behind the text, so that another cut is the
/// tokenizer's, only what all these cuts begin with is forced. Without a tokenizer in the trie, or
/// with one that a place far away means something to, no text is cut.
std::vector<text::TokenId> forced_tokens(const TokenTrie& trie, const ForcedText& text,
                                         std::size_t most);

}  // namespace pleiad::constrain
