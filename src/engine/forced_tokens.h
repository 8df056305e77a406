#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/session.h"
#include "sampling/token_constraint.h"
#include "text/token.h"

namespace pleiad {

/// What comes next in a reply without the model being asked.
struct ForcedTokens {
  std::vector<text::TokenId> tokens;  // none of them ends the reply
  std::optional<text::TokenId> end;   // the stop token by which the reply ends behind them
};

/// Of a reply that may have `most` more tokens: what its constraint (may be null) forces, up to the
/// first token that the options prefer or suppress: of that, and of what follows, the model is
/// asked. Nothing where the options ask for one token at a time. May throw ConstraintError.
ForcedTokens forced_tokens(sampling::TokenConstraint* constraint, const GenerationOptions& options,
                           std::int64_t most);

/// Steps that forced tokens saved: of a reply whose tokens took `n_steps` behind its prompt. One by
/// one each token takes a step, but for the last where no stop token had to be seen behind it.
std::int64_t saved_steps(std::int64_t n_tokens, FinishReason reason, std::int64_t n_steps);

}  // namespace pleiad
