#pragma once

#include <cstdint>

namespace pleiad::media {

// As the kernels see it. They include no header with code in it, so that nothing compiled for one
// instruction set is called by another. Weights have 22 fractional bits; sums are rounded and
// clipped to 8 bits.

/// Rows of pixels of 4 bytes, resampled along their width. Up to 15 bytes behind the last pixel of
/// a row are read.
struct HorizontalJob {
  const std::uint8_t* const* rows = nullptr;  // [n_rows]: [in_width, 4]
  std::uint8_t* const* out = nullptr;         // [n_rows]: [out_width, 4]
  int n_rows = 0;
  int out_width = 0;
  int n_weights = 0;                     // of a pixel: a multiple of 4
  const std::int32_t* starts = nullptr;  // [out_width]: the first pixel that counts
  const std::int32_t* n_groups =
      nullptr;  // [out_width]: how many groups of 4 pixels count from there
  const std::int32_t* weights =
      nullptr;  // [out_width, n_weights, 4]: each four times, zeros behind the last
};

/// The weighted sum of rows, byte by byte. Up to 63 bytes behind the last one are read and written.
struct VerticalJob {
  const std::uint8_t* const* rows = nullptr;  // [n_rows]: [n_bytes]
  const std::int32_t* weights = nullptr;      // [n_rows]
  int n_rows = 0;
  int n_bytes = 0;
  std::uint8_t* out = nullptr;  // [n_bytes]
};

/// The kernels of one instruction set. They compute with integers: all sets give the same bits.
struct Kernels {
  const char* isa = "";
  void (*horizontal)(const HorizontalJob&) = nullptr;
  void (*vertical)(const VerticalJob&) = nullptr;
};

Kernels baseline_kernels();
Kernels avx2_kernels();
Kernels avx512_kernels();

}  // namespace pleiad::media
