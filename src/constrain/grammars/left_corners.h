#pragma once

#include <cstdint>
#include <vector>

#include "constrain/grammars/rule_machines.h"

namespace pleiad::constrain::grammars {

/// Which rules may begin with which, before anything is read.
struct LeftCorners {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Of each rule: the number of its loop, which has all rules that begin with each other; kNone
  /// where it never begins with itself.
  std::vector<std::uint32_t> loop_of;
  std::vector<std::vector<std::uint32_t>> loops;  // their rules
  /// Of each rule of a loop: where the rules of the loop go on that began with it.
  std::vector<std::vector<std::uint32_t>> backs;
  /// Of each rule: greater than that of the rules of other loops that begin with it.
  std::vector<std::uint32_t> ranks;
};

/// The machines may jump over every call of a rule that gives the empty text. Adds nothing where
/// the budget is spent.
LeftCorners find_left_corners(const RuleMachines& machines, GrammarBudget& budget);

/// All states that jumps lead to from these, and these; sorted.
std::vector<std::uint32_t> with_jumps(const RuleMachines& machines,
                                      std::vector<std::uint32_t> states, GrammarBudget& budget);

}  // namespace pleiad::constrain::grammars
