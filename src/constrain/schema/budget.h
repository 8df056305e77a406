#pragma once

#include <algorithm>
#include <cstddef>

#include "constrain/texts/pattern.h"

namespace pleiad::constrain {

/// What the schemas of one request may cost together, in time and in memory. What may take more of
/// either than the schema is long is charged here, by what it looks at, copies or makes; what looks
/// at members by name does so in an index (Keywords, SchemaDocument::member).
class SchemaBudget {
 public:
  /// A second's work or so; a step keeps some tens of bytes at most.
  static constexpr std::size_t kSteps = 2'000'000;

  explicit SchemaBudget(std::size_t steps = kSteps, std::size_t pattern_work = kPatternWork)
      : steps_(steps), left_(steps), pattern_work_(pattern_work) {}

  /// One of `n` equal parts of what is left, for one of several schemas: a dear one leaves
  /// something for the others.
  SchemaBudget part(std::size_t n) const { return SchemaBudget(left_ / n, pattern_work_ / n); }
  /// Pays for what was taken from a part.
  void pay_for(const SchemaBudget& before, const SchemaBudget& after) {
    left_ -= std::min(left_, before.left_ - after.left_);
    pattern_work_ -= std::min(pattern_work_, before.pattern_work_ - after.pattern_work_);
  }

  /// What something cost once, for having it again. False where so much is not left.
  bool pay_again(const SchemaBudget& before, const SchemaBudget& after) {
    const std::size_t work = before.pattern_work_ - after.pattern_work_;
    const bool enough = spend(before.left_ - after.left_) && work <= pattern_work_;
    pattern_work_ -= std::min(pattern_work_, work);
    return enough;
  }

  /// False where that many are not left; then none are.
  bool spend(std::size_t steps) {
    const bool enough = steps <= left_;
    left_ -= std::min(steps, left_);
    ran_out_ = ran_out_ || !enough;
    return enough;
  }
  /// Whether more was asked for than there was, in steps or in patterns.
  bool ran_out() const { return ran_out_ || pattern_work_ == 0; }
  std::size_t left() const { return left_; }
  std::size_t spent() const { return steps_ - left_; }
  /// Of pattern_dfa().
  std::size_t& pattern_work() { return pattern_work_; }
  std::size_t pattern_work() const { return pattern_work_; }

 private:
  std::size_t steps_;
  std::size_t left_;
  std::size_t pattern_work_;
  bool ran_out_ = false;
};

}  // namespace pleiad::constrain
