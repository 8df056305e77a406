#pragma once

#include <span>
#include <vector>

#include "eval/statistics.h"
#include "text/token.h"

namespace pleiad::eval {

/// Two models' predictions of one token: P of the reference, Q of the model that is judged.
struct TokenComparison {
  double divergence = 0;  // KL(P || Q) in nats
  double bound = 0;       // what it may be more, where P was not known whole
  double reference = 0;   // probability of the token that came, by P
  double judged = 0;      // by Q
  bool same_top = false;  // both find the same token likeliest (the first of equals)
};

/// Compares rows of logits; keeps its memory from one row to the next.
class RowComparison {
 public:
  /// Rows of the same size without NaN; `target` is the token that came.
  TokenComparison compare(std::span<const float> reference, std::span<const float> judged,
                          text::TokenId target);

 private:
  std::vector<double> weights_;
};

/// The likeliest token, the first of equals.
text::TokenId top_token(std::span<const float> logits);

/// What is told of many comparisons.
class DivergenceSummary {
 public:
  void add(const TokenComparison& token);
  /// Tokens that follow belong to another window.
  void end_window();

  const GroupedMean& divergence() const { return divergence_; }
  const GroupedMean& same_top() const { return same_top_; }
  const GroupedMean& squared_difference() const { return squared_difference_; }
  const GroupedMean& difference() const { return difference_; }
  /// The mean of what the divergences may be more.
  double bound() const;
  /// At most as many values as tokens: quantile(0.99) is what 99 % of them stay below.
  double quantile(double share) const;

 private:
  GroupedMean divergence_;
  GroupedMean same_top_;            // 0 or 1
  GroupedMean difference_;          // judged - reference probability of the token that came
  GroupedMean squared_difference_;  // its square
  double bound_sum_ = 0;
  mutable std::vector<float> values_;
  mutable bool sorted_ = true;
};

}  // namespace pleiad::eval
