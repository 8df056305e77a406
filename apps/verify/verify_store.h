#pragma once

#include "apps/common/environment.h"

namespace pleiad::apps {

/// Reads all of our own store and says what in it is not what its name says. Returns the exit
/// status: 1 where something is wrong.
int verify_store(const Environment& environment, bool json);

}  // namespace pleiad::apps
