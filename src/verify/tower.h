#pragma once

#include <vector>

#include "model/checkpoint.h"
#include "verify/findings.h"

namespace pleiad::verify {

/// What is to be said of a vision tower beyond its single values: factors of soft tokens that
/// are zero, clip bounds that let one value through, a projector file that cannot be used.
void judge_tower(const Checkpoint& checkpoint, std::vector<Finding>& findings);

}  // namespace pleiad::verify
