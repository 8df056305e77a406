#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "constrain/texts/dfa.h"

namespace pleiad::constrain {

/// Of a denied automaton beside another one: from where a text still leads on that this accepts and
/// the denied one does not. What was found somewhere, as the word of a pattern, is found for ever;
/// behind that nothing has to be looked at.
class DeniedPlaces {
 public:
  /// `dfa` as trim() leaves it. What may be where there are more than `most` pairs of their states
  /// is not worked out: then every place may lead on.
  DeniedPlaces(const Dfa& dfa, const Dfa& denied, std::size_t most);

  /// `state` of the one, `place` of the denied one.
  bool may_end(std::uint32_t state, std::uint32_t place) const;

  /// That were looked at.
  std::size_t n_pairs() const { return pairs_.size(); }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  static std::uint64_t key_of(const Pair& pair) {
    return (std::uint64_t{pair.first} << 32U) | pair.second;
  }
  std::uint32_t id_of(const Pair& pair);
  /// Adds what follows a pair; whether something follows that the denied one has no way for.
  bool follow(std::uint32_t id);

  const Dfa& dfa_;
  const Dfa& denied_;
  std::vector<Pair> pairs_;
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;
  std::vector<std::vector<std::uint32_t>> before_;  // of each pair those that lead to it
  std::vector<bool> may_end_;
  bool is_known_ = true;
};

}  // namespace pleiad::constrain
