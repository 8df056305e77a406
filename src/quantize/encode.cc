#include "quantize/encode.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "quantize/encode_with.h"
#include "quantize/pick_kernels.h"

namespace pleiad::quantize {
namespace {

constexpr float kLargestHalf = 65504.0F;
constexpr float kLargestE4M3 = 448.0F;
constexpr float kLargestE2M1 = 6.0F;

Kernels::Encode encoder(const Kernels& kernels, DType type) {
  switch (type) {
    case DType::f32:
      break;
    case DType::f16:
      return kernels.f16;
    case DType::bf16:
      return kernels.bf16;
    case DType::f8_e4m3:
      return kernels.f8_e4m3;
    case DType::q8_0:
      return kernels.q8_0;
    case DType::q4_0:
      return kernels.q4_0;
    case DType::q4_1:
      return kernels.q4_1;
    case DType::q5_0:
      return kernels.q5_0;
    case DType::q5_1:
      return kernels.q5_1;
    case DType::q4_k:
      return kernels.q4_k;
    case DType::q5_k:
      return kernels.q5_k;
    case DType::q6_k:
      return kernels.q6_k;
    case DType::nvfp4:
      return kernels.nvfp4;
    case DType::nvfp4_packed:
      return kernels.nvfp4_packed;
  }
  CHECK(false, "no encoder for dtype {}", static_cast<int>(type));
}

}  // namespace

void encode_row_with(const Kernels& kernels, const EncodeOptions& options,
                     std::span<const float> values, std::byte* out, std::byte* block_scales) {
  const DType type = options.type;
  const auto block_size = static_cast<std::size_t>(traits(type).block_size);
  CHECK(values.size() % block_size == 0, "{} values in blocks of {} ({})", values.size(),
        block_size, name(type));
  CHECK(options.importance.empty() || options.importance.size() == values.size(),
        "{} values, importance of {}", values.size(), options.importance.size());
  CHECK(type != DType::nvfp4_packed || block_scales != nullptr, "nowhere for block scales");
  CHECK(options.tensor_scale > 0.0F, "tensor scale {}", options.tensor_scale);
  if (type == DType::f32) {
    if (!values.empty()) std::memcpy(out, values.data(), values.size_bytes());
    return;
  }
  RowJob job;
  job.values = values.data();
  job.importance = options.importance.empty() ? nullptr : options.importance.data();
  job.n_values = values.size();
  job.search = options.rounding == Rounding::search;
  job.divisor =
      options.tensor_divisor != 0.0F ? options.tensor_divisor : 1.0F / options.tensor_scale;
  job.scale = options.tensor_scale;
  job.out = out;
  job.block_scales = block_scales;
  encoder(kernels, type)(job);
}

void encode_row(const EncodeOptions& options, std::span<const float> values, std::byte* out,
                std::byte* block_scales) {
  encode_row_with(best_kernels(), options, values, out, block_scales);
}

float largest_value(DType type) {
  switch (type) {
    case DType::f32:
      return std::numeric_limits<float>::infinity();
    case DType::bf16:
      return 0x1.FEp127F;
    case DType::f16:
      return kLargestHalf;
    case DType::f8_e4m3:
      return kLargestE4M3;
    case DType::q8_0:
      return 127 * kLargestHalf;
    case DType::q4_0:
      return 7 * kLargestHalf;
    case DType::q5_0:
      return 15 * kLargestHalf;
    case DType::q4_1:
    case DType::q5_1:
      return kLargestHalf;
    case DType::q4_k:
    case DType::q5_k:
      return 63 * kLargestHalf;
    case DType::q6_k:
      return 127 * 31 * kLargestHalf;
    case DType::nvfp4:
    case DType::nvfp4_packed:
      return kLargestE2M1 * kLargestE4M3;
  }
  CHECK(false, "dtype {}", static_cast<int>(type));
}

float nvfp4_tensor_divisor(float largest_magnitude) {
  constexpr float kLargest = kLargestE2M1 * kLargestE4M3;
  const float divisor = kLargest / std::fmax(largest_magnitude, std::numeric_limits<float>::min());
  return largest_magnitude > 0.0F && std::isfinite(divisor) ? divisor : 1.0F;
}

float nvfp4_tensor_scale(float largest_magnitude) {
  return 1.0F / nvfp4_tensor_divisor(largest_magnitude);
}

float fp8_tensor_scale(float largest_magnitude) {
  const float scale = largest_magnitude / kLargestE4M3;
  return scale > 0.0F ? scale : 1.0F;
}

}  // namespace pleiad::quantize
