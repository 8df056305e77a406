#pragma once

#include "engine/constraint_preparer.h"
#include "sampling/token_constraint.h"

namespace pleiad {

/// The form of one reply, worked out by another thread while the model computes what it is for.
/// Between begin() and wait() nobody else may use the constraint, which lives longer than this.
class FormAhead {
 public:
  /// Without a constraint nothing is ever done.
  FormAhead(ConstraintPreparer& preparer, sampling::TokenConstraint* constraint)
      : preparer_(preparer), constraint_(constraint) {}
  /// Waits for what is in work.
  ~FormAhead();
  FormAhead(const FormAhead&) = delete;
  FormAhead& operator=(const FormAhead&) = delete;

  void begin();
  /// Until it is done; throws what the work threw. Returns at once where nothing was begun.
  void wait();

 private:
  ConstraintPreparer& preparer_;
  sampling::TokenConstraint* constraint_;
  ConstraintPreparer::OrderPtr order_;  // null: nothing is in work
};

}  // namespace pleiad
