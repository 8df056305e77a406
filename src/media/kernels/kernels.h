#pragma once

#include <cstdint>

namespace pleiad::media {

// As the kernels see it. They include no header with code in it, so that nothing compiled for one
// instruction set is called by another. Weights have 22 fractional bits; sums are rounded and
// clipped to 8 bits.

/// Instructions multiply some neighbouring numbers of a lane of 32 bits with as many others and add
/// the products: two of 16 bits, or four bytes. A weight is cut into digits of that size, the
/// lowest first: w = d0 + d1 * 2^bits + d2 * 2^(2 bits).
struct Digits {
  int taps = 2;            // pixels side by side whose products one lane adds
  int n = 2;               // of a weight
  int bits = 11;           // that a digit is worth less than the next one
  bool has_signs = false;  // all digits have a sign; else the highest alone
};
/// Numbers of 16 bits.
inline constexpr Digits kWords = {2, 2, 11, false};
/// Bytes; weights are less than 1.9 in magnitude.
inline constexpr Digits kBytes = {4, 3, 8, true};

/// Rows that kernels like to be given at once.
inline constexpr int kRowsAtOnce = 8;

/// Rows of pixels of 4 bytes, resampled along their width. Pixels are taken in groups of as many
/// as the kernel has taps.
struct HorizontalJob {
  const std::uint8_t* const* rows =
      nullptr;                         // [n_rows]: [in_width, 4], and 15 bytes behind that are read
  std::uint8_t* const* out = nullptr;  // [n_rows]: [out_width, 4]
  int n_rows = 0;
  int in_width = 0;
  int out_width = 0;
  int n_groups = 0;                      // that each pixel of the result is made of
  const std::int32_t* starts = nullptr;  // [out_width]: the first of them
  /// [out_width, n_groups, digits]: a digit of each weight of the group, side by side in 32 bits.
  const std::int32_t* weights = nullptr;
  /// Room for kRowsAtOnce rows in groups, 8 bytes for each pixel of a row and of n_groups more, at
  /// a multiple of 64.
  std::uint8_t* scratch = nullptr;
};

/// The weighted sum of rows, byte by byte. Up to 63 bytes behind the last one are read and written.
struct VerticalJob {
  const std::uint8_t* const* rows = nullptr;  // [n_rows]: [n_bytes]
  /// [n_rows in groups of as many as the kernel has taps, digits], as those of HorizontalJob.
  const std::int32_t* weights = nullptr;
  int n_rows = 0;
  int n_bytes = 0;
  std::uint8_t* out = nullptr;  // [n_bytes]
};

/// The kernels of one instruction set. They compute with integers: all sets give the same bits.
struct Kernels {
  const char* isa = "";
  Digits digits;  // of weights
  void (*horizontal)(const HorizontalJob&) = nullptr;
  void (*vertical)(const VerticalJob&) = nullptr;
};

Kernels baseline_kernels();
Kernels avx2_kernels();
Kernels avx512_kernels();
Kernels avx512vnni_kernels();

}  // namespace pleiad::media
