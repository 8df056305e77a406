#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sampling/token_constraint.h"
#include "text/token.h"

namespace pleiad {

/// A passage of a reply that its sink judges (see Passage), from the token that began it on, and
/// what is needed to write it again behind that token.
struct PassageTries {
  /// The first one included.
  static constexpr int kMost = 3;
  /// A passage of more tokens is written once: keys and values that windows have passed are kept
  /// for so many.
  static constexpr std::int64_t kMostTokens = 1024;

  /// Of the reply, as far as a place of it.
  struct Counts {
    std::int64_t generated = 0;
    std::int64_t forced = 0;
    std::int64_t n_steps = 0;
    std::int64_t n_computed = 0;  // of prompt and reply, in these steps and before
  };
  /// The first try, complete: where no other one is better it counts.
  struct First {
    std::vector<text::TokenId> tokens;
    std::shared_ptr<sampling::TokenConstraint> constraint;  // behind it; may be null
    Counts counts;                                          // likewise
  };

  std::int64_t position = 0;  // of the token that began it, in prompt and reply
  std::unique_ptr<sampling::TokenConstraint> constraint;  // behind that token; may be null
  Counts begun;                                           // likewise
  std::vector<text::TokenId> tokens;  // of the try that is written, and before them that token
  bool had_choice = false;            // the try: another one may differ from it
  int n_tries = 1;
  std::optional<First> first;  // once another one is written
};

}  // namespace pleiad
