#pragma once

#include <cstdint>
#include <filesystem>

#include "model/gemma4/config.h"
#include "tensor/dtype.h"

namespace pleiad::testing_support {

enum class SyntheticFamily : std::uint8_t {
  e_series,
  e_series_unshared,  // every layer owns keys and values; 64 per-layer columns
  mixture_of_experts,
};

/// A small configuration whose matrices all have rows of a multiple of 256
/// elements, so that every block type fits; but for narrow per-layer inputs.
gemma4::Config synthetic_config(SyntheticFamily family);

/// Writes a GGUF file of that configuration with random weights: matrices of
/// `type`, or F32 where a row is no whole number of its blocks. With `decoded`, the same values are
/// written as F32, decoded by the scalar truth.
void write_synthetic_model(const std::filesystem::path& path, SyntheticFamily family, DType type,
                           bool decoded, unsigned seed);

}  // namespace pleiad::testing_support
