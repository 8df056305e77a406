#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"

namespace pleiad::sampling {

/// What was asked for cannot be enforced at a bounded cost: this reply cannot go on.
class ConstraintError : public Error {
 public:
  using Error::Error;
};

/// Which tokens may come next, so that a reply has a form that was asked for. All calls may throw
/// ConstraintError; the constraint is of no use then.
class TokenConstraint {
 public:
  virtual ~TokenConstraint() = default;

  /// Works out what allowed_next() will say, which then has little left to do. Whoever wraps
  /// another constraint passes it on. Any thread may call it while nobody else uses the constraint.
  virtual void prepare() {}

  /// Fills `allowed`, a bit a token ([(vocab_size + 63) / 64] words), and returns
  /// true; false where every token may come now. At least one bit is set.
  virtual bool allowed_next(std::span<std::uint64_t> allowed) = 0;

  /// Tokens that come next whatever the model thinks, in their order and `most` of them at most;
  /// none where it has a choice. Each is one that allowed_next() would allow at its place, which
  /// may allow others too: of the spellings of a text that is compelled this is the one to take.
  /// The place stays where it is: accept() is told of these tokens as of others.
  virtual std::vector<std::int32_t> forced_next(std::size_t /*most*/) { return {}; }

  /// The token that was chosen; one that allowed_next() allowed.
  virtual void accept(std::int32_t token) = 0;

  /// Another one at the same place, for the reply to be gone on with from here once more. Neither
  /// changes the other.
  virtual std::unique_ptr<TokenConstraint> copy() const = 0;
};

/// Owns a constraint, or none; a copy owns a copy. For constraints that wrap others.
class OwnedConstraint {
 public:
  explicit OwnedConstraint(std::unique_ptr<TokenConstraint> owned) : owned_(std::move(owned)) {}
  OwnedConstraint(const OwnedConstraint& other)
      : owned_(other.owned_ ? other.owned_->copy() : nullptr) {}
  OwnedConstraint& operator=(const OwnedConstraint&) = delete;

  explicit operator bool() const { return owned_ != nullptr; }
  TokenConstraint* operator->() const { return owned_.get(); }

 private:
  std::unique_ptr<TokenConstraint> owned_;
};

}  // namespace pleiad::sampling
