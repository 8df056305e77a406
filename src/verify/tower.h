#pragma once

#include <vector>

#include "model/checkpoint.h"
#include "verify/findings.h"

namespace pleiad::verify {

/// What is to be said of towers beyond their single values: factors of soft tokens that are zero,
/// scales of queries that are none, clip bounds that let one value through, a tower or a projector
/// file that cannot be used.
void judge_towers(const Checkpoint& checkpoint, std::vector<Finding>& findings);

}  // namespace pleiad::verify
