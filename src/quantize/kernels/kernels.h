#pragma once

#include <cstddef>

namespace pleiad::quantize {

/// One row, as the kernels see it. They include no header with code in it, so that
/// nothing compiled for one instruction set is called by another.
struct RowJob {
  const float* values = nullptr;      // [n_values]
  const float* importance = nullptr;  // [n_values], or null: all alike
  std::size_t n_values = 0;           // a multiple of the type's block size
  bool search = false;
  float divisor = 1.0F;  // nvfp4, nvfp4_packed: block scales are multiplied with it
  float scale = 1.0F;    // f8_e4m3: values are divided by it
  std::byte* out = nullptr;
  std::byte* block_scales = nullptr;  // nvfp4_packed: [n_values / 16]
};

/// The encoders of one instruction set. All sets give the same bits.
struct Kernels {
  using Encode = void (*)(const RowJob&);

  const char* isa = "";
  Encode f16 = nullptr;
  Encode bf16 = nullptr;
  Encode f8_e4m3 = nullptr;
  Encode q8_0 = nullptr;
  Encode q4_0 = nullptr;
  Encode q4_1 = nullptr;
  Encode q5_0 = nullptr;
  Encode q5_1 = nullptr;
  Encode q4_k = nullptr;
  Encode q5_k = nullptr;
  Encode q6_k = nullptr;
  Encode nvfp4 = nullptr;
  Encode nvfp4_packed = nullptr;
};

Kernels baseline_kernels();
Kernels avx2_kernels();
Kernels avx512_kernels();

}  // namespace pleiad::quantize
