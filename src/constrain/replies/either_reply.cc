#include "constrain/replies/either_reply.h"

#include <utility>

namespace pleiad::constrain {

void EitherReply::prepare() {
  if (first_) first_->prepare();
  if (second_) second_->prepare();
}

bool EitherReply::allowed_next(std::span<std::uint64_t> allowed) {
  if (!first_) return second_->allowed_next(allowed);
  if (!second_) return first_->allowed_next(allowed);
  of_second_.resize(allowed.size());
  first_->allowed_next(allowed);
  second_->allowed_next(of_second_);
  for (std::size_t i = 0; i < allowed.size(); ++i) allowed[i] |= of_second_[i];
  return true;
}

std::vector<std::int32_t> EitherReply::forced_next(std::size_t most) {
  if (first_ && second_) return {};
  return (first_ ? first_ : second_)->forced_next(most);
}

void EitherReply::accept(std::int32_t token) {
  if (first_ && second_) {
    if (!first_->allows(token)) {
      first_.reset();
    } else if (!second_->allows(token)) {
      second_.reset();
    }
  }
  if (first_) first_->accept(token);
  if (second_) second_->accept(token);
}

}  // namespace pleiad::constrain
