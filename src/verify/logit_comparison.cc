#include "verify/logit_comparison.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace pleiad::verify {
namespace {

/// ln of the sum of exp(logits).
double log_sum_exp(std::span<const float> logits) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

std::ptrdiff_t best(std::span<const float> logits) {
  return std::ranges::max_element(logits) - logits.begin();
}

}  // namespace

void LogitComparison::add(std::span<const float> reference, std::span<const float> found) {
  CHECK(!reference.empty() && reference.size() == found.size(), "{} and {} logits",
        reference.size(), found.size());
  const std::int64_t row = n_rows++;
  if (!std::ranges::all_of(found, [](float v) { return std::isfinite(v); })) {
    ++n_not_finite;
    if (first_other_best < 0) first_other_best = row;
    return;
  }
  const double reference_sum = log_sum_exp(reference);
  const double found_sum = log_sum_exp(found);
  double divergence = 0;
  for (std::size_t token = 0; token < reference.size(); ++token) {
    const double expected = reference[token];
    const double value = found[token];
    const double difference = std::fabs(expected - value);
    if (difference > largest_difference) {
      largest_difference = difference;
      largest_row = row;
      largest_token = static_cast<std::int64_t>(token);
    }
    divergence +=
        std::exp(expected - reference_sum) * ((expected - reference_sum) - (value - found_sum));
  }
  divergence = std::max(divergence, 0.0);  // rounding
  const std::int64_t n_before = row - n_not_finite;
  mean_kl += (divergence - mean_kl) / static_cast<double>(n_before + 1);
  if (worst_kl_row < 0 || divergence > worst_kl) {
    worst_kl = divergence;
    worst_kl_row = row;
  }
  if (best(reference) == best(found)) {
    ++n_same_best;
  } else if (first_other_best < 0) {
    first_other_best = row;
  }
}

}  // namespace pleiad::verify
