#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace pleiad::sampling {

/// Which tokens may come next, so that a reply has a form that was asked for.
class TokenConstraint {
 public:
  virtual ~TokenConstraint() = default;

  /// Fills `allowed`, a bit a token ([(vocab_size + 63) / 64] words), and returns
  /// true; false where every token may come now. At least one bit is set.
  virtual bool allowed_next(std::span<std::uint64_t> allowed) = 0;

  /// The token that was chosen; one that allowed_next() allowed.
  virtual void accept(std::int32_t token) = 0;
};

}  // namespace pleiad::sampling
