#pragma once

#include <vector>

#include "media/kernels/kernels.h"

namespace pleiad::media {

/// Of all instruction sets of this machine; the widest comes last.
std::vector<Kernels> usable_kernels();

/// The widest set's.
Kernels best_kernels();

}  // namespace pleiad::media
