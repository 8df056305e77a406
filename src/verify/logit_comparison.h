#pragma once

#include <cstdint>
#include <span>

namespace pleiad::verify {

/// How far logits are from reference ones.
struct LogitComparison {
  std::int64_t n_rows = 0;
  double largest_difference = 0;
  std::int64_t largest_row = -1;
  std::int64_t largest_token = -1;
  /// Kullback-Leibler divergence of the found distribution from the reference's, in
  /// nats: sum over tokens of p_ref * (ln p_ref - ln p_found).
  double mean_kl = 0;
  double worst_kl = 0;
  std::int64_t worst_kl_row = -1;
  std::int64_t n_same_best = 0;        // rows whose most likely token is the reference's
  std::int64_t first_other_best = -1;  // the first row where it is not
  std::int64_t n_not_finite = 0;       // rows with a logit of ours that is NaN or infinite

  /// Adds the next row. `reference` holds finite values, as many as `found`.
  void add(std::span<const float> reference, std::span<const float> found);
};

}  // namespace pleiad::verify
