#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "constrain/replies/grammar.h"

namespace pleiad::constrain {

/// A reply that has one form or the other, whichever it begins with: held to both until a token
/// comes that one of them does not take.
class EitherReply final : public sampling::TokenConstraint {
 public:
  /// Of one vocabulary.
  EitherReply(std::unique_ptr<GrammarConstraint> first, std::unique_ptr<GrammarConstraint> second)
      : first_(std::move(*first)), second_(std::move(*second)) {}

  void prepare() override;
  bool allowed_next(std::span<std::uint64_t> allowed) override;
  std::vector<std::int32_t> forced_next(std::size_t most) override;
  void accept(std::int32_t token) override;
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<EitherReply>(*this);
  }

 private:
  std::optional<GrammarConstraint> first_, second_;  // empty: not that one
  std::vector<std::uint64_t> of_second_;
};

}  // namespace pleiad::constrain
