#pragma once

#include <memory>
#include <optional>

#include "constrain/replies/grammar.h"

namespace pleiad::constrain {

/// A reply of any text in which calls may stand: each call has the form of the grammar, which
/// begins with the token that opens it. Outside of calls every token may come.
class OpenReply final : public sampling::TokenConstraint {
 public:
  explicit OpenReply(std::shared_ptr<Grammar> call) : call_(std::move(call)) {}

  void prepare() override;
  bool allowed_next(std::span<std::uint64_t> allowed) override;
  std::vector<std::int32_t> forced_next(std::size_t most) override;
  void accept(std::int32_t token) override;
  std::unique_ptr<sampling::TokenConstraint> copy() const override {
    return std::make_unique<OpenReply>(*this);
  }

 private:
  std::shared_ptr<Grammar> call_;
  std::optional<GrammarConstraint> open_;  // the call that was begun
};

}  // namespace pleiad::constrain
