#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "quantize/encode_with.h"
#include "quantize/pick_kernels.h"
#include "tensor/decode.h"

namespace pleiad::quantize {

/// Every type that values can be encoded to.
inline constexpr DType kAllTypes[] = {DType::f32,   DType::f16,         DType::bf16, DType::f8_e4m3,
                                      DType::q8_0,  DType::q4_0,        DType::q4_1, DType::q5_0,
                                      DType::q5_1,  DType::q4_k,        DType::q5_k, DType::q6_k,
                                      DType::nvfp4, DType::nvfp4_packed};

/// A row as it comes back.
struct Encoded {
  std::vector<std::byte> data;
  std::vector<std::byte> block_scales;
  std::vector<float> values;
};

inline Encoded encode(const Kernels& kernels, const EncodeOptions& options,
                      const std::vector<float>& row) {
  Encoded encoded;
  encoded.data.resize(row_bytes(options.type, row.size()));
  if (options.type == DType::nvfp4_packed) encoded.block_scales.resize(row.size() / 16);
  encode_row_with(kernels, options, row, encoded.data.data(), encoded.block_scales.data());

  HostTensor tensor;
  tensor.name = "row";
  tensor.dtype = options.type;
  tensor.shape = {1, static_cast<std::int64_t>(row.size())};
  tensor.data = encoded.data;
  tensor.scales.block_scales = encoded.block_scales;
  tensor.scales.tensor_scale = options.tensor_scale;
  encoded.values.resize(row.size());
  decode_row(tensor, 0, encoded.values.data());
  return encoded;
}

/// The scale that a type with one for the whole tensor takes for these values.
inline float tensor_scale_for(DType type, const std::vector<float>& row) {
  float largest = 0.0F;
  for (const float x : row) largest = std::max(largest, std::abs(x));
  if (type == DType::nvfp4 || type == DType::nvfp4_packed) return nvfp4_tensor_scale(largest);
  return type == DType::f8_e4m3 ? fp8_tensor_scale(largest) : 1.0F;
}

inline std::vector<float> normal_row(std::size_t n, std::uint32_t seed, float deviation = 1.0F) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.0F, deviation);
  std::vector<float> row(n);
  for (float& x : row) x = normal(random);
  return row;
}

inline double squared_error(const std::vector<float>& row, const std::vector<float>& found,
                            std::size_t first, std::size_t n,
                            const std::vector<float>& importance = {}) {
  double sum = 0;
  for (std::size_t i = first; i < first + n; ++i) {
    const double difference = static_cast<double>(row[i]) - found[i];
    sum += (importance.empty() ? 1.0 : importance[i]) * difference * difference;
  }
  return sum;
}

}  // namespace pleiad::quantize
