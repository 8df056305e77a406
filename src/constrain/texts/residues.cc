#include "constrain/texts/residues.h"

#include <algorithm>
#include <limits>

namespace pleiad::constrain {

Residues::Residues(const Step& step)
    : units_(step.units), n_fraction_(static_cast<std::size_t>(step.digits)) {
  // With so many more digits that each residue can be made up for, only what the step has beside
  // its factors 2 and 5 counts, and these are gone by then too.
  std::uint32_t odd = units_;
  std::size_t n_twos = 0;
  std::size_t n_fives = 0;
  for (; odd % 2 == 0; odd /= 2) ++n_twos;
  for (; odd % 5 == 0; odd /= 5) ++n_fives;
  const std::size_t most = std::max({n_twos, n_fives, n_fraction_});
  Power power{.residue = 1 % units_, .value = 1};
  for (std::size_t i = 0; i <= most || powers_.back().value < units_; ++i) {
    powers_.push_back(power);
    power.residue = static_cast<std::uint32_t>(std::uint64_t{power.residue} * 10 % units_);
    power.value = std::min(power.value * 10, std::uint64_t{1} << 40U);
  }
}

std::uint32_t Residues::next(std::uint32_t residue, std::uint32_t digit) {
  return known_as(static_cast<std::uint32_t>((std::uint64_t{residue} * 10 + digit) % units_));
}

std::optional<std::uint32_t> Residues::wanted_behind(std::uint32_t wanted, std::size_t index,
                                                     std::uint32_t digit) const {
  if (index >= n_fraction_) return wanted == digit ? std::optional(0U) : std::nullopt;
  const Power& power = powers_[n_fraction_ - index - 1];
  const std::uint64_t read = std::uint64_t{digit} * power.residue % units_;
  const std::uint64_t left = (wanted + units_ - read) % units_;
  return left < power.value ? std::optional(static_cast<std::uint32_t>(left)) : std::nullopt;
}

/// So many digits that make a multiple of the residue.
std::optional<std::uint32_t> Residues::wanted(std::uint32_t residue, std::size_t n_digits) const {
  const Power& power = powers_[n_digits];
  const std::uint64_t passed = std::uint64_t{residue} * power.residue % units_;
  const std::uint64_t left = (units_ - passed) % units_;
  return left < power.value ? std::optional(static_cast<std::uint32_t>(left)) : std::nullopt;
}

/// The first residue that asks for the same.
std::uint32_t Residues::known_as(std::uint32_t residue) {
  const auto [known, is_new] = known_.try_emplace(residue, residue);
  if (is_new) {
    constexpr std::uint32_t kImpossible = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> asked;
    for (std::size_t n_digits = n_fraction_; n_digits < powers_.size(); ++n_digits) {
      asked.push_back(wanted(residue, n_digits).value_or(kImpossible));
    }
    known->second = first_.try_emplace(std::move(asked), residue).first->second;
  }
  return known->second;
}

}  // namespace pleiad::constrain
