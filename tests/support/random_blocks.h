#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "tensor/dtype.h"

namespace pleiad::testing_support {

/// Blocks of a GGUF type with random quants and with scales such that the
/// values are of about the given size.
std::vector<std::byte> random_blocks(DType type, std::size_t n_elements, float size,
                                     std::mt19937& random);

}  // namespace pleiad::testing_support
