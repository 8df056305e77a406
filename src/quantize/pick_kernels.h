#pragma once

#include <vector>

#include "quantize/kernels/kernels.h"

namespace pleiad::quantize {

/// The encoders of the widest instruction set that this machine has.
Kernels best_kernels();

/// All that it can run, for comparing them.
std::vector<Kernels> usable_kernels();

}  // namespace pleiad::quantize
