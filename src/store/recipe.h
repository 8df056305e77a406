#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "store/model_entry.h"

namespace pleiad::store {

/// `over` laid over `base`: a system prompt, messages and each parameter replace the
/// old ones (all `stop`s together), licenses are added.
Recipe merge(const Recipe& base, const Recipe& over);

/// The recipe with its parameters in order, or Error with everything that is wrong: a
/// parameter, a message's role or content, text that is not UTF-8, too much of it.
Recipe checked(Recipe recipe);

/// [{"role": "user", "content": "Hi"}]: roles system, user and assistant. What is wrong
/// is told in `problems` and left out.
Json check_messages(const Json& messages, std::vector<std::string>& problems);

}  // namespace pleiad::store
