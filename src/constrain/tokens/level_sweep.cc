#include "constrain/tokens/level_sweep.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace pleiad::constrain {
namespace {

/// Nodes that are read at once.
constexpr std::size_t kBlock = 64;
/// In after_, for ReadMemory::kUnknown and kDead.
constexpr std::size_t kBeforeSets = 2;
/// So many symbols are read that were not before; what needs more is given up.
constexpr std::size_t kMostFound = 2'000;

/// Fewer tokens than one of so many are looked for; of more each is written down, and then the next
/// one over it where it is not wanted.
constexpr std::size_t kFew = 16;

std::size_t place_of(ReadSets::Id id) {
  return static_cast<std::size_t>(id + static_cast<ReadSets::Id>(kBeforeSets));
}

/// Whether plain text may have it.
bool is_plain(Symbol symbol) {
  return symbol >= kAsciiSymbols || kinds_of_ascii()[symbol] != kKinds;
}

constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;

/// Calls add(i, eight) for the bytes i to i + 7, the first in the lowest bits; beyond the last they
/// are 0.
template <typename Add>
void for_each_eight(std::span<const std::uint8_t> bytes, Add add) {
  static_assert(std::endian::native == std::endian::little, "bytes are looked at as they lie");
  std::uint64_t eight = 0;
  std::size_t i = 0;
  for (; i + sizeof(eight) <= bytes.size(); i += sizeof(eight)) {
    std::memcpy(&eight, bytes.data() + i, sizeof(eight));
    add(i, eight);
  }
  if (i == bytes.size()) return;
  eight = 0;
  std::memcpy(&eight, bytes.data() + i, bytes.size() - i);
  add(i, eight);
}

/// Copies those of `from` whose byte in `is` is `wanted`; `to` has room for one more.
void copy_where(std::span<const std::uint8_t> is, std::uint8_t wanted, const text::TokenId* from,
                text::TokenId* to) {
  const std::uint8_t* const bytes = is.data();
  const std::size_t n = is.size();
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to[at] = from[i];
    at += bytes[i] == wanted ? 1 : 0;
  }
}

}  // namespace

LevelSweep::LevelSweep(const TokenTrie& trie, ReadSets& sets)
    : trie_(trie),
      sets_(sets),
      dead_(kSymbols, ReadSets::kDead),
      unknown_(kSymbols, ReadMemory::kUnknown) {
  for (std::size_t tree = 0; tree + 1 < trie.roots().size(); ++tree) {
    most_inner_ = std::max(most_inner_, trie.levels(tree).inner.size());
  }
}

std::size_t LevelSweep::memory_bytes() const {
  return (dead_.capacity() + unknown_.capacity()) * sizeof(Id) +
         after_.capacity() * sizeof(const Id*) + is_allowed_.capacity() +
         (reached_ == nullptr ? 0 : (most_inner_ + 1) * sizeof(Id));
}

void LevelSweep::begin(const TokenLevels& levels) {
  levels_ = &levels;
  after_.assign(kBeforeSets, unknown_.data());
  after_.back() = dead_.data();
  after_.resize(kBeforeSets + sets_.n_sets(), unknown_.data());
  n_found_ = 0;
  is_allowed_.resize(levels_->tokens.size());
}

bool LevelSweep::sweep(const TokenLevels& levels, Id start) {
  begin(levels);
  const std::span<const TokenLevels::Node> inner = levels_->inner;
  const std::span<const TokenLevels::Node> leaves = levels_->leaves;
  if (reached_ == nullptr) reached_ = std::make_unique_for_overwrite<Id[]>(most_inner_ + 1);
  Id* const reached = reached_.get();
  reached[0] = start;
  const Id* parent = reached;
  for (std::size_t first = 0; first < inner.size(); first += kBlock) {
    const auto block = inner.subspan(first, std::min(kBlock, inner.size() - first));
    parent = read_block(block, parent, reached + 1 + first);
    if (parent == nullptr) return false;
  }
  std::array<Id, kBlock> ids;
  std::uint8_t* allowed = is_allowed_.data();  // the next token's
  parent = reached;
  for (std::size_t first = 0; first < leaves.size(); first += kBlock) {
    const auto block = leaves.subspan(first, std::min(kBlock, leaves.size() - first));
    parent = read_block(block, parent, ids.data());
    if (parent == nullptr) return false;
    for (std::size_t i = 0; i < block.size(); ++i) {
      allowed[i] = ids[i] != ReadSets::kDead ? 1 : 0;
    }
    allowed += block.size();
  }
  for (const std::uint32_t node : levels_->ends) {
    *allowed++ = reached[node] != ReadSets::kDead ? 1 : 0;
  }
  n_allowed_ = 0;
  for_each_eight(is_allowed_, [&](std::size_t, std::uint64_t eight) {
    n_allowed_ += eight * kOnes >> 56U;  // their sum
  });
  find_deepest();
  return true;
}

/// Writes what reading makes of the parent of each node, whose parents begin at `from`; gives where
/// those behind them begin, or null where that is to be given up.
const LevelSweep::Id* LevelSweep::read_block(std::span<const TokenLevels::Node> nodes,
                                             const Id* from, Id* to) {
  constexpr TokenLevels::Node kSymbol = (1U << TokenLevels::kSymbolBits) - 1;
  // As if all were known: nearly always it is.
  const Id* const* const after = after_.data() + kBeforeSets;
  const Id* parent = from;
  Id least = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    parent += nodes[i] >> TokenLevels::kSymbolBits;
    to[i] = after[*parent][nodes[i] & kSymbol];
    least = std::min(least, to[i]);
  }
  if (least != ReadMemory::kUnknown) return parent;
  parent = from;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    parent += nodes[i] >> TokenLevels::kSymbolBits;
    const auto symbol = static_cast<Symbol>(nodes[i] & kSymbol);
    to[i] = after_[place_of(*parent)][symbol];
    if (to[i] == ReadMemory::kUnknown) to[i] = find(*parent, symbol);
    if (to[i] == ReadMemory::kUnknown) return nullptr;
  }
  return parent;
}

/// Of all that plain text may lead to from the sets from which some was read.
void LevelSweep::find_deepest() {
  deepest_ = 0;
  for (std::size_t row = kBeforeSets; row < after_.size(); ++row) {
    if (after_[row] == unknown_.data()) continue;
    const auto from = static_cast<Id>(row - kBeforeSets);
    for (std::size_t symbol = 0; symbol < kFirstTag;) {
      const std::size_t apart = sets_.next_apart(from, static_cast<Symbol>(symbol));
      const Id to = after_[row][symbol];
      while (to >= 0 && symbol < apart && !is_plain(static_cast<Symbol>(symbol))) ++symbol;
      if (to >= 0 && symbol < apart) deepest_ = std::max(deepest_, sets_.facts(to).deepest);
      symbol = apart;
    }
  }
}

/// What reading the symbol makes of a set from which none was read in this sweep, or not this one.
/// kUnknown where that is to be given up.
LevelSweep::Id LevelSweep::find(Id from, Symbol symbol) {
  const Id* const after = sets_.after_all(from);
  const bool has_ended = sets_.facts(from).behind_end != 0;
  if (++n_found_ > kMostFound || after == nullptr || has_ended) return ReadMemory::kUnknown;
  after_[place_of(from)] = after;
  const Id to = sets_.read(from, symbol);
  after_.resize(kBeforeSets + sets_.n_sets(), unknown_.data());
  return to;
}

/// Calls add(i) for each of the tree's tokens that is allowed, or that is not, in their order.
template <typename Add>
void LevelSweep::for_each(bool allowed, Add add) const {
  for_each_eight(is_allowed_, [&](std::size_t first, std::uint64_t eight) {
    if (!allowed) eight ^= kOnes >> 8 * (8 - std::min<std::size_t>(8, is_allowed_.size() - first));
    for (; eight != 0; eight &= eight - 1) {
      add(first + static_cast<std::size_t>(std::countr_zero(eight)) / 8);
    }
  });
}

std::vector<text::TokenId> LevelSweep::tokens(bool allowed) const {
  const std::size_t n = allowed ? n_allowed() : n_left_out();
  std::vector<text::TokenId> out(n + 1);
  text::TokenId* const to = out.data();
  const text::TokenId* const ids = levels_->ids.data();
  if (n < is_allowed_.size() / kFew) {
    for_each(allowed, [ids, at = to](std::size_t i) mutable { *at++ = ids[i]; });
  } else {
    copy_where(is_allowed_, allowed ? 1 : 0, ids, to);
  }
  out.resize(n);
  return out;
}

std::vector<std::uint32_t> LevelSweep::nodes_left_out() const {
  std::vector<std::uint32_t> tokens;
  for_each(false, [&](std::size_t i) { tokens.push_back(levels_->tokens[i]); });
  std::ranges::sort(tokens);
  std::vector<std::uint32_t> out;
  for (const std::uint32_t token : tokens) {
    if (!out.empty() && token < trie_.first_token(trie_.next(out.back()))) continue;
    out.push_back(trie_.node_of(token, out.empty() ? 0 : out.back()));
  }
  return out;
}

}  // namespace pleiad::constrain
