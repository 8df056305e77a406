#pragma once

#include <vector>

#include "sampling/kernels/kernels.h"

namespace pleiad::sampling {

/// The loops of the widest instruction set that this machine has.
Kernels best_kernels();

/// All that it can run, for comparing them.
std::vector<Kernels> usable_kernels();

}  // namespace pleiad::sampling
