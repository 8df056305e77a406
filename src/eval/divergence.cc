#include "eval/divergence.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "sampling/softmax.h"

namespace pleiad::eval {

text::TokenId top_token(std::span<const float> logits) {
  return static_cast<text::TokenId>(std::max_element(logits.begin(), logits.end()) -
                                    logits.begin());
}

TokenComparison RowComparison::compare(std::span<const float> reference,
                                       std::span<const float> judged, text::TokenId target) {
  CHECK(reference.size() == judged.size() && target >= 0 &&
        static_cast<std::size_t>(target) < judged.size());
  weights_.resize(reference.size());
  const float largest = sampling::max_value(reference);
  const double sum = sampling::exp_weights(reference, largest, 1.0, weights_);
  const double reference_norm = sampling::log_sum_exp(reference);
  const double judged_norm = sampling::log_sum_exp(judged);
  double expected = 0;  // of log(P / Q), but for the norms
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    expected += weights_[i] * (double{reference[i]} - double{judged[i]});
  }
  const auto place = static_cast<std::size_t>(target);
  TokenComparison result;
  result.divergence = std::max(0.0, expected / sum + (judged_norm - reference_norm));
  result.reference = std::exp(double{reference[place]} - reference_norm);
  result.judged = std::exp(double{judged[place]} - judged_norm);
  result.same_top = top_token(reference) == top_token(judged);
  return result;
}

void DivergenceSummary::add(const TokenComparison& token) {
  const double difference = token.judged - token.reference;
  divergence_.add(token.divergence);
  same_top_.add(token.same_top ? 1 : 0);
  difference_.add(difference);
  squared_difference_.add(difference * difference);
  bound_sum_ += token.bound;
  values_.push_back(static_cast<float>(token.divergence));
  sorted_ = false;
}

void DivergenceSummary::end_window() {
  for (GroupedMean* mean : {&divergence_, &same_top_, &difference_, &squared_difference_}) {
    mean->end_group();
  }
}

double DivergenceSummary::bound() const {
  return divergence_.count() == 0 ? 0 : bound_sum_ / static_cast<double>(divergence_.count());
}

double DivergenceSummary::quantile(double share) const {
  if (!sorted_) std::sort(values_.begin(), values_.end());
  sorted_ = true;
  return eval::quantile(values_, share);
}

}  // namespace pleiad::eval
