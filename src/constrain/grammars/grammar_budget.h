#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "constrain/schema/budget.h"

namespace pleiad::constrain::grammars {

/// What a grammar may cost to compile, in time and in memory: a step is a state or a transition
/// that is made, or looked at.
class GrammarBudget {
 public:
  /// Half a second's work or so.
  static constexpr std::size_t kSteps = 6'000'000;

  explicit GrammarBudget(std::size_t steps = kSteps) : left_(steps) {}

  /// False where that many are not left; then none are.
  bool spend(std::size_t steps) {
    const bool enough = steps <= left_;
    left_ -= std::min(steps, left_);
    return enough;
  }
  /// What a grammar cost once, for having it again: whether a request may have it does not depend
  /// on what is kept. False where so much is not left.
  bool pay_again(const GrammarBudget& before, const GrammarBudget& after) {
    const bool has_schemas = schemas_.pay_again(before.schemas_, after.schemas_);
    return spend(before.left_ - after.left_) && has_schemas;
  }
  /// What is left, as a key: with the same a grammar costs the same.
  std::string state() const {
    return fmt::format("{} {} {}", left_, schemas_.left(), schemas_.pattern_work());
  }
  bool is_spent() const { return left_ == 0; }
  std::size_t left() const { return left_; }
  /// Of the schemas, the free texts and the regular expressions in grammars.
  SchemaBudget& schemas() { return schemas_; }

 private:
  std::size_t left_;
  SchemaBudget schemas_;
};

/// As text; a larger grammar is refused.
inline constexpr std::size_t kMaxGrammarBytes = 256U << 10;

}  // namespace pleiad::constrain::grammars
