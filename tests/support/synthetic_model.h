#pragma once

#include <cstdint>
#include <filesystem>

#include "model/gemma4/config.h"
#include "tensor/dtype.h"

namespace pleiad::testing_support {

enum class SyntheticFamily : std::uint8_t { e_series, mixture_of_experts };

/// A small configuration whose matrices all have rows of a multiple of 256
/// elements, so that every block type fits.
gemma4::Config synthetic_config(SyntheticFamily family);

/// Writes a GGUF file of that configuration with random weights: matrices of
/// `type`. With `decoded`, the same values are written as F32, decoded by the
/// scalar truth.
void write_synthetic_model(const std::filesystem::path& path, SyntheticFamily family, DType type,
                           bool decoded, unsigned seed);

}  // namespace pleiad::testing_support
