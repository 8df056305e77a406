#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace pleiad::testing_support {

/// How far logits are from those expected, [n_rows, vocab_size]; in units of the
/// expected logits' root mean square.
struct LogitErrors {
  double relative_rms = 0;
  std::int64_t same_best = 0;  // rows whose largest logit is the expected one
};

inline LogitErrors compare_logits(std::span<const float> found, std::span<const float> expected,
                                  std::int64_t vocab_size) {
  LogitErrors errors;
  if (found.size() != expected.size()) return {INFINITY, -1};
  double squares = 0;
  double total = 0;
  const auto n = static_cast<std::size_t>(vocab_size);
  for (std::size_t at = 0; at < found.size(); at += n) {
    for (std::size_t i = at; i < at + n; ++i) {
      const double difference = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
      squares += difference * difference;
      total += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
    }
    const auto best = [&](std::span<const float> values) {
      const auto row = values.subspan(at, n);
      return std::max_element(row.begin(), row.end()) - row.begin();
    };
    errors.same_best += best(found) == best(expected);
  }
  errors.relative_rms = std::sqrt(squares / total);
  return errors;
}

}  // namespace pleiad::testing_support
