#pragma once

#include <algorithm>
#include <cstddef>

#include "constrain/pattern.h"

namespace pleiad::constrain {

/// What the schemas of one request may cost together, in time and in memory. Whatever takes more of
/// either than the schema is long is charged here, by what it looks at, copies or makes.
class SchemaBudget {
 public:
  /// A second's work or so; a step keeps some tens of bytes at most.
  static constexpr std::size_t kSteps = 2'000'000;

  explicit SchemaBudget(std::size_t steps = kSteps, std::size_t pattern_work = kPatternWork)
      : steps_(steps), left_(steps), pattern_work_(pattern_work) {}

  /// Half of it, for one of several schemas: a dear one leaves something for the others.
  SchemaBudget half() const { return SchemaBudget(left_ / 2, pattern_work_ / 2); }
  /// Pays for what half() was spent on since.
  void pay_for(const SchemaBudget& half) {
    pattern_work_ -= pattern_work_ / 2 - half.pattern_work_;
    left_ -= half.spent();
  }

  /// False where that many are not left; then none are.
  bool spend(std::size_t steps) {
    const bool enough = steps <= left_;
    left_ -= std::min(steps, left_);
    return enough;
  }
  std::size_t left() const { return left_; }
  std::size_t spent() const { return steps_ - left_; }
  /// Of pattern_dfa().
  std::size_t& pattern_work() { return pattern_work_; }

 private:
  std::size_t steps_;
  std::size_t left_;
  std::size_t pattern_work_;
};

}  // namespace pleiad::constrain
