#include "constrain/tokens/level_sweep.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

namespace pleiad::constrain {
namespace {

/// So many symbols are read that were not before; what needs more is given up.
constexpr std::size_t kMostFound = 2'000;
/// Fewer tokens than one of so many are looked for one by one.
constexpr std::size_t kFew = 64;

/// Whether plain text may have it.
bool is_plain(Symbol symbol) {
  return symbol >= kAsciiSymbols || kinds_of_ascii()[symbol] != kKinds;
}

}  // namespace

LevelSweep::LevelSweep(const TokenTrie& trie, ReadSets& sets)
    : trie_(trie),
      sets_(sets),
      dead_(kSymbols, ReadSets::kDead),
      unknown_(kSymbols, ReadMemory::kUnknown) {}

std::size_t LevelSweep::memory_bytes() const {
  return (dead_.capacity() + unknown_.capacity()) * sizeof(Id) +
         after_.capacity() * sizeof(const Id*) + is_allowed_.capacity();
}

void LevelSweep::begin(std::size_t tree) {
  levels_ = &trie_.levels(tree);
  after_.assign(1, dead_.data());
  after_.resize(sets_.n_sets() + 1, unknown_.data());
  n_found_ = 0;
  is_allowed_.resize(levels_->tokens.size());
}

bool LevelSweep::sweep(std::size_t tree, Id start) {
  begin(tree);
  const std::size_t n_inner = levels_->inner.size();
  const auto reached = std::make_unique_for_overwrite<Id[]>(n_inner + 1);  // by the root, `inner`
  reached[0] = start;
  if (!read_each(levels_->inner, reached.get(),
                 [at = reached.get()](Id to) mutable { *++at = to; })) {
    return false;
  }
  std::uint8_t* allowed = is_allowed_.data();  // the next token's
  const auto add = [&allowed](Id to) { *allowed++ = to != ReadSets::kDead ? 1 : 0; };
  if (!read_each(levels_->leaves, reached.get(), add)) return false;
  for (const std::uint32_t node : levels_->ends) add(reached[node]);
  n_allowed_ = std::reduce(is_allowed_.begin(), is_allowed_.end(), std::size_t{0});
  find_deepest();
  return true;
}

/// Calls add(set) for what reading makes of the parent of each node, whose parents begin at `from`;
/// false where that is to be given up.
template <typename Add>
bool LevelSweep::read_each(std::span<const TokenLevels::Node> nodes, const Id* from, Add add) {
  const Id* const* after = after_.data() + 1;
  for (const TokenLevels::Node node : nodes) {
    constexpr TokenLevels::Node kSymbol = (1U << TokenLevels::kSymbolBits) - 1;
    from += node >> TokenLevels::kSymbolBits;
    Id to = after[*from][node & kSymbol];
    if (to == ReadMemory::kUnknown) {
      to = find(*from, static_cast<Symbol>(node & kSymbol));
      if (to == ReadMemory::kUnknown) return false;
      after = after_.data() + 1;
    }
    add(to);
  }
  return true;
}

/// Of all that plain text may lead to from the sets from which some was read.
void LevelSweep::find_deepest() {
  deepest_ = 0;
  for (std::size_t row = 1; row < after_.size(); ++row) {
    if (after_[row] == unknown_.data()) continue;
    for (Symbol symbol = 0; symbol < kFirstTag; ++symbol) {
      const Id to = after_[row][symbol];
      if (to < 0 || !is_plain(symbol)) continue;
      deepest_ = std::max(deepest_, sets_.facts(to).deepest);
    }
  }
}

/// What reading the symbol makes of a set from which none was read in this sweep, or not this one.
/// kUnknown where that is to be given up.
LevelSweep::Id LevelSweep::find(Id from, Symbol symbol) {
  const Id* const after = sets_.after(from);
  const bool has_ended = sets_.facts(from).behind_end != 0;
  if (++n_found_ > kMostFound || after == nullptr || has_ended) return ReadMemory::kUnknown;
  after_[static_cast<std::size_t>(from) + 1] = after;
  const Id to = sets_.read(from, symbol);
  after_.resize(sets_.n_sets() + 1, unknown_.data());
  return to;
}

/// Calls add(token) for each of TokenTrie::tokens_in() that is allowed, or that is not.
template <typename Add>
void LevelSweep::for_each(bool allowed, Add add) const {
  const std::uint8_t wanted = allowed ? 1 : 0;
  const std::uint8_t* const first = is_allowed_.data();
  const std::uint8_t* const end = first + is_allowed_.size();
  for (const std::uint8_t* at = first; at < end; ++at) {
    at = static_cast<const std::uint8_t*>(
        std::memchr(at, wanted, static_cast<std::size_t>(end - at)));
    if (at == nullptr) return;
    add(levels_->tokens[static_cast<std::size_t>(at - first)]);
  }
}

std::vector<text::TokenId> LevelSweep::tokens(bool allowed) const {
  const std::size_t n = allowed ? n_allowed() : n_left_out();
  std::vector<text::TokenId> out(n + 1);
  std::size_t at = 0;
  if (n < is_allowed_.size() / kFew) {
    for_each(allowed, [&](std::uint32_t token) { out[at++] = trie_.token(token); });
  } else {
    for (std::size_t i = 0; i < is_allowed_.size(); ++i) {
      out[at] = trie_.token(levels_->tokens[i]);
      at += (is_allowed_[i] != 0) == allowed ? 1 : 0;
    }
  }
  out.resize(n);
  return out;
}

std::vector<std::uint32_t> LevelSweep::nodes_left_out() const {
  std::vector<std::uint32_t> tokens;
  for_each(false, [&](std::uint32_t token) { tokens.push_back(token); });
  std::ranges::sort(tokens);
  std::vector<std::uint32_t> out;
  for (const std::uint32_t token : tokens) {
    if (!out.empty() && token < trie_.first_token(trie_.next(out.back()))) continue;
    out.push_back(trie_.node_of(token));
  }
  return out;
}

}  // namespace pleiad::constrain
