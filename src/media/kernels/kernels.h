#pragma once

#include <cstdint>

namespace pleiad::media {

// As the kernels see it. They include no header with code in it, so that nothing compiled for one
// instruction set is called by another. Weights have 22 fractional bits; sums are rounded and
// clipped to 8 bits.

/// A weight as two numbers of 16 bits, high * 2^11 + low: instructions multiply pairs of such
/// numbers and add them.
inline constexpr int kLowBits = 11;
/// Pixels that are multiplied at once, at most.
inline constexpr int kWeightGroup = 8;

/// Rows of pixels of 4 bytes, resampled along their width.
struct HorizontalJob {
  const std::uint8_t* const* rows =
      nullptr;                         // [n_rows]: [in_width, 4], and 31 bytes behind that are read
  std::uint8_t* const* out = nullptr;  // [n_rows]: [out_width, 4]
  int n_rows = 0;
  int in_width = 0;
  int out_width = 0;
  int n_weights = 0;                     // of a pixel: a multiple of kWeightGroup
  const std::int32_t* starts = nullptr;  // [out_width]: the first pixel that counts, even
  const std::int32_t* n_groups =
      nullptr;  // [out_width]: how many groups of kWeightGroup pixels count from there
  // [out_width, n_weights / 2, 4, 2]: those of two pixels side by side, four times; zeros behind
  // the last.
  const std::int16_t* low = nullptr;
  const std::int16_t* high = nullptr;
  /// Room for rows as pairs: [n_rows, scratch_width, 4]; scratch_width is a multiple of
  /// kWeightGroup and at least in_width + kWeightGroup.
  std::int16_t* scratch = nullptr;
  std::int64_t scratch_width = 0;
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
Kernels avx512vnni_kernels();

}  // namespace pleiad::media
