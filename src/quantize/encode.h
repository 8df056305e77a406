#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/dtype.h"

namespace pleiad::quantize {

/// How values are rounded. nearest: the plain rule of the format, its scale from
/// the largest value and every element to the nearest code. search: the scales
/// and codes of least weighted squared error among candidates, of which the
/// plain rule's is one, so that a block is never worse than nearest. Single numbers
/// (f32, f16, bf16, f8_e4m3) are always rounded to the nearest, ties to even.
enum class Rounding : std::uint8_t { nearest, search };

/// What all rows of a tensor are encoded with.
struct EncodeOptions {
  DType type = DType::q8_0;
  Rounding rounding = Rounding::search;
  /// NVFP4 (both layouts) and f8_e4m3: what every stored value is multiplied with
  /// after decoding (SideScales::tensor_scale, or a row's of row_scales). For the
  /// other types it must be 1.
  float tensor_scale = 1.0F;
  /// NVFP4: the reciprocal of tensor_scale where a file stores that instead
  /// (weight_global_scale); 0: computed as 1 / tensor_scale, which may differ from
  /// it in the last bit.
  float tensor_divisor = 0.0F;
  /// How much the squared error of each column counts, [cols], not negative; empty:
  /// all alike.
  std::span<const float> importance = {};
};

/// Encodes one row: values.size() is a multiple of the type's block size. Writes
/// row_bytes(type, cols) bytes to `out`, and for nvfp4_packed the E4M3 scale of
/// every 16 columns, [cols / 16], to `block_scales`. Deterministic: the same bits
/// with any instruction set. Values must be finite; those beyond what the type can
/// hold become the largest that it can (see largest_value).
void encode_row(const EncodeOptions& options, std::span<const float> values, std::byte* out,
                std::byte* block_scales = nullptr);

/// The largest magnitude that a value of the type may have without being cut off,
/// with tensor scale 1; infinity for f32.
float largest_value(DType type);

/// The divisor that makes best use of NVFP4's range, 6 * 448 / largest, as
/// compressed-tensors computes it; 1 where all values are zero. The tensor scale is
/// its reciprocal.
float nvfp4_tensor_divisor(float largest_magnitude);

/// The tensor scales that make best use of the range: 1 / nvfp4_tensor_divisor, and
/// largest / 448; 1 where all values are zero.
float nvfp4_tensor_scale(float largest_magnitude);
float fp8_tensor_scale(float largest_magnitude);

}  // namespace pleiad::quantize
