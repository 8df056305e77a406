#pragma once

#include "apps/common/environment.h"

namespace pleiad::apps {

/// Says what of our own store no model needs, what was interrupted there and in the caches of
/// Hugging Face, and how much that frees; asks at a terminal unless `yes`, and removes it. Without
/// a terminal and without `yes` it only says so. Returns the exit status; throws Error.
int prune_store(const Environment& environment, bool yes, bool json);

}  // namespace pleiad::apps
