#pragma once

#include <span>

namespace pleiad::sampling {

/// exp(x) for x <= 0, within 1e-15 relative down to -708. Only additions,
/// multiplications and bits, hence the same result on every machine, which the
/// exp of the C library does not promise.
double exp_nonpositive(double x);

/// The largest value; -infinity when there is none. No NaN among them.
float max_value(std::span<const float> values);

/// weights[i] = exp((values[i] - max) / temperature), for max >= values[i] and
/// temperature > 0. Returns their sum, added up in an order that depends on the
/// size only.
double exp_weights(std::span<const float> values, float max, double temperature,
                   std::span<double> weights);

/// log(sum(exp(values))): what turns logits into log-probabilities.
double log_sum_exp(std::span<const float> values);

}  // namespace pleiad::sampling
