#pragma once

#include <cstdint>

#include "apps/run/chat_state.h"
#include "store/model_entry.h"

namespace pleiad::apps {

/// Takes over what a model's Modelfile says: parameters, and with `conversation` the system
/// turn and the messages that a conversation begins with. Throws Error where a
/// parameter does not fit the model.
void apply_recipe(ChatState& state, const store::Recipe& recipe, std::size_t vocab_size,
                  bool conversation);

/// The system turn that it says; "": none.
std::string recipe_system(const store::Recipe& recipe);

/// Its num_ctx, as far as the model supports it; 0 where it does not say.
std::int64_t recipe_context_length(const store::Recipe& recipe, std::int64_t supported);

}  // namespace pleiad::apps
