#include "engine/form_ahead.h"

#include <exception>
#include <memory>
#include <utility>

namespace pleiad {

FormAhead::~FormAhead() {
  if (order_) preparer_.wait_for(*order_);
}

void FormAhead::begin() {
  if (constraint_ == nullptr) return;
  // Whoever asks for the reply owns it.
  const std::shared_ptr<sampling::TokenConstraint> shared(std::shared_ptr<void>(), constraint_);
  order_ = preparer_.order(shared, false);
}

void FormAhead::wait() {
  const ConstraintPreparer::OrderPtr order = std::exchange(order_, nullptr);
  if (!order) return;
  preparer_.wait_for(*order);
  if (const std::exception_ptr failure = preparer_.outcome(*order)->failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace pleiad
