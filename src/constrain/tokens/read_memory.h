#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "constrain/symbol.h"

namespace pleiad::constrain {

/// What reading each symbol makes of a set, as far as it was found out: once for all symbols that
/// no edge of the set tells apart.
class ReadMemory {
 public:
  using Id = std::int32_t;
  static constexpr Id kDead = -1;
  static constexpr Id kUnknown = -2;

  /// False: it remembers nothing.
  bool is_kept() const { return after_ != nullptr; }
  /// From now on, in `after`, [kSymbols], which is of any value and outlives this: all is dead but
  /// what edges read.
  void keep(Id* after) {
    after_ = after;
    std::fill_n(after_, kSymbols, kDead);
    cut(0);
    cut(kSymbols);
  }
  /// An edge of the set; before anything is remembered.
  void add_edge(Symbol first, Symbol last) {
    if (!is_kept()) return;
    tell_apart(first, last);
    std::fill(after_ + first, after_ + last + 1, kUnknown);
  }
  /// These symbols and others may lead to different sets.
  void tell_apart(Symbol first, Symbol last) {
    cut(first);
    cut(std::size_t{last} + 1);
  }

  /// That are not dead, as far as it is known.
  std::uint32_t n_symbols() const {
    if (!is_kept()) return kSymbols;
    std::size_t n = 0;
    for (std::size_t first = 0; first < kSymbols;) {
      const std::size_t end = next_apart(static_cast<Symbol>(first));
      if (after_[first] != kDead) n += end - first;
      first = end;
    }
    return static_cast<std::uint32_t>(n);
  }
  /// What reading each symbol makes, where it is kept; it stays where it is.
  const Id* all() const { return after_; }
  void remember(Symbol symbol, Id reached) {
    std::size_t first = symbol;
    while (!is_cut(first)) --first;
    std::fill(after_ + first, after_ + next_apart(symbol), reached);
  }

  /// The first symbol behind this one that may lead elsewhere than it does, or kSymbols.
  std::size_t next_apart(Symbol symbol) const {
    std::size_t word = (std::size_t{symbol} + 1) / 64;
    std::uint64_t left = cuts_[word] & ~std::uint64_t{0} << ((symbol + 1U) % 64);
    while (left == 0) left = cuts_[++word];  // the last is cut
    return 64 * word + static_cast<std::size_t>(std::countr_zero(left));
  }

 private:
  static constexpr std::size_t kWords = (kSymbols + 64) / 64;

  void cut(std::size_t at) { cuts_[at / 64] |= std::uint64_t{1} << (at % 64); }
  bool is_cut(std::size_t at) const { return (cuts_[at / 64] >> (at % 64) & 1) != 0; }

  Id* after_ = nullptr;  // [kSymbols], or null
  /// Where the symbols begin that differ from the one before.
  std::array<std::uint64_t, kWords> cuts_ = {};
};

}  // namespace pleiad::constrain
