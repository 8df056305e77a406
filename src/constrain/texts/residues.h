#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "constrain/texts/decimal.h"

namespace pleiad::constrain {

/// Whether numbers are multiples of a step, digit by digit. Whole parts behind which the same
/// digits make multiples have one residue: behind 1200 and 300 these are the same where multiples
/// of 1000 are asked for, so that there are 4 of them and not 1000.
class Residues {
 public:
  /// Before the first digit.
  static constexpr std::uint32_t kNone = 0;

  explicit Residues(const Step& step);

  /// Of the whole part with one more digit.
  std::uint32_t next(std::uint32_t residue, std::uint32_t digit);
  /// Whether the whole part is a multiple.
  bool is_multiple(std::uint32_t residue) const { return wanted(residue, n_fraction_) == 0U; }

  /// The digits that a fraction has to have behind the whole part, as a number, modulo the step;
  /// nothing where none makes a multiple.
  std::optional<std::uint32_t> wanted_fraction(std::uint32_t residue) const {
    return wanted(residue, n_fraction_);
  }
  /// What of these is left where `digit` is at place `index`; nothing where none makes a multiple.
  std::optional<std::uint32_t> wanted_behind(std::uint32_t wanted, std::size_t index,
                                             std::uint32_t digit) const;

 private:
  struct Power {
    std::uint32_t residue = 0;  // of 10^i
    std::uint64_t value = 0;    // 10^i, or more than every residue
  };

  std::optional<std::uint32_t> wanted(std::uint32_t residue, std::size_t n_digits) const;
  std::uint32_t known_as(std::uint32_t residue);

  std::uint32_t units_;
  std::size_t n_fraction_;     // digits of fractions, all of which are written or 0
  std::vector<Power> powers_;  // by exponent; behind the last one nothing new is asked
  std::map<std::vector<std::uint32_t>, std::uint32_t> first_;  // by what may come behind it
  std::unordered_map<std::uint32_t, std::uint32_t> known_;
};

}  // namespace pleiad::constrain
