#include "tensor/decode.h"

#include <array>
#include <cstring>

#include "base/check.h"
#include "tensor/blocks.h"
#include "tensor/float16.h"
#include "tensor/float8.h"

namespace pleiad {
namespace {

void decode_block(const blocks::Q8_0& block, float* out) {
  const float scale = f32_from_f16(block.scale);
  for (int i = 0; i < 32; ++i) out[i] = scale * static_cast<float>(block.quants[i]);
}

void decode_block(const blocks::Q4_0& block, float* out) {
  const float scale = f32_from_f16(block.scale);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>((block.quants[i] & 0xF) - 8);
    out[i + 16] = scale * static_cast<float>((block.quants[i] >> 4) - 8);
  }
}

void decode_block(const blocks::Q4_1& block, float* out) {
  const float scale = f32_from_f16(block.scale);
  const float minimum = f32_from_f16(block.minimum);
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * static_cast<float>(block.quants[i] & 0xF) + minimum;
    out[i + 16] = scale * static_cast<float>(block.quants[i] >> 4) + minimum;
  }
}

/// Bit `i` of a little-endian bit field, as 16 or 0.
int fifth_bit(const std::uint8_t* bits, int i) { return ((bits[i / 8] >> (i % 8)) & 1) << 4; }

void decode_block(const blocks::Q5_0& block, float* out) {
  const float scale = f32_from_f16(block.scale);
  for (int i = 0; i < 16; ++i) {
    const int low = (block.quants[i] & 0xF) | fifth_bit(block.high_bits, i);
    const int high = (block.quants[i] >> 4) | fifth_bit(block.high_bits, i + 16);
    out[i] = scale * static_cast<float>(low - 16);
    out[i + 16] = scale * static_cast<float>(high - 16);
  }
}

void decode_block(const blocks::Q5_1& block, float* out) {
  const float scale = f32_from_f16(block.scale);
  const float minimum = f32_from_f16(block.minimum);
  for (int i = 0; i < 16; ++i) {
    const int low = (block.quants[i] & 0xF) | fifth_bit(block.high_bits, i);
    const int high = (block.quants[i] >> 4) | fifth_bit(block.high_bits, i + 16);
    out[i] = scale * static_cast<float>(low) + minimum;
    out[i + 16] = scale * static_cast<float>(high) + minimum;
  }
}

struct ScaleAndMinimum {
  int scale;
  int minimum;
};

/// The 6-bit pair of group 0..7 of a Q4_K or Q5_K block.
ScaleAndMinimum group_scale(const std::uint8_t* bytes, int group) {
  if (group < 4) return {bytes[group] & 63, bytes[group + 4] & 63};
  return {(bytes[group + 4] & 0xF) | ((bytes[group - 4] >> 6) << 4),
          (bytes[group + 4] >> 4) | ((bytes[group] >> 6) << 4)};
}

void decode_block(const blocks::Q4_K& block, float* out) {
  const float scale = f32_from_f16(block.scale);
  const float minimum_scale = f32_from_f16(block.minimum_scale);
  for (int group = 0; group < 8; ++group) {
    const ScaleAndMinimum pair = group_scale(block.scales, group);
    const float step = scale * static_cast<float>(pair.scale);
    const float minimum = minimum_scale * static_cast<float>(pair.minimum);
    for (int i = 0; i < 32; ++i) {
      const int nibble = (block.quants[group / 2 * 32 + i] >> (group % 2 * 4)) & 0xF;
      out[group * 32 + i] = step * static_cast<float>(nibble) - minimum;
    }
  }
}

void decode_block(const blocks::Q5_K& block, float* out) {
  const float scale = f32_from_f16(block.scale);
  const float minimum_scale = f32_from_f16(block.minimum_scale);
  for (int group = 0; group < 8; ++group) {
    const ScaleAndMinimum pair = group_scale(block.scales, group);
    const float step = scale * static_cast<float>(pair.scale);
    const float minimum = minimum_scale * static_cast<float>(pair.minimum);
    for (int i = 0; i < 32; ++i) {
      const int nibble = (block.quants[group / 2 * 32 + i] >> (group % 2 * 4)) & 0xF;
      const int quant = nibble | (((block.high_bits[i] >> group) & 1) << 4);
      out[group * 32 + i] = step * static_cast<float>(quant) - minimum;
    }
  }
}

void decode_block(const blocks::Q6_K& block, float* out) {
  const float scale = f32_from_f16(block.scale);
  for (int half = 0; half < 2; ++half) {
    for (int group = 0; group < 4; ++group) {
      for (int i = 0; i < 32; ++i) {
        const int low = (block.low_bits[half * 64 + group % 2 * 32 + i] >> (group / 2 * 4)) & 0xF;
        const int high = (block.high_bits[half * 32 + i] >> (group * 2)) & 3;
        const int group_scale = block.scales[half * 8 + group * 2 + i / 16];
        out[half * 128 + group * 32 + i] =
            scale * static_cast<float>(group_scale) * static_cast<float>((low | (high << 4)) - 32);
      }
    }
  }
}

void decode_block(const blocks::NvFp4& block, float* out) {
  for (int group = 0; group < 4; ++group) {
    const float scale = f32_from_ue4m3(block.scales[group]);
    for (int i = 0; i < 8; ++i) {
      const std::uint8_t byte = block.quants[group * 8 + i];
      out[group * 16 + i] = scale * kE2M1Values[byte & 0xF];
      out[group * 16 + i + 8] = scale * kE2M1Values[byte >> 4];
    }
  }
}

void decode_block(const blocks::NvFp4Packed& block, float* out) {
  for (int i = 0; i < 8; ++i) {
    out[2 * i] = kE2M1Values[block.quants[i] & 0xF];
    out[2 * i + 1] = kE2M1Values[block.quants[i] >> 4];
  }
}

template <typename Block>
void decode_all(const std::byte* src, std::size_t n_elements, float* out) {
  for (std::size_t done = 0; done < n_elements; done += Block::kSize, src += sizeof(Block)) {
    Block block;
    std::memcpy(&block, src, sizeof block);
    decode_block(block, out + done);
  }
}

template <typename Bits, typename Convert>
void convert_all(const std::byte* src, std::size_t n_elements, float* out, Convert convert) {
  for (std::size_t i = 0; i < n_elements; ++i) {
    Bits bits;
    std::memcpy(&bits, src + i * sizeof bits, sizeof bits);
    out[i] = convert(bits);
  }
}

}  // namespace

void decode_blocks(DType type, const std::byte* src, std::size_t n_elements, float* out) {
  if (n_elements == 0) return;
  CHECK(n_elements % static_cast<std::size_t>(traits(type).block_size) == 0, "{} elements of {}",
        n_elements, name(type));
  switch (type) {
    case DType::f32:
      std::memcpy(out, src, n_elements * sizeof(float));
      return;
    case DType::f16:
      return convert_all<std::uint16_t>(src, n_elements, out, f32_from_f16);
    case DType::bf16:
      return convert_all<std::uint16_t>(src, n_elements, out, f32_from_bf16);
    case DType::f8_e4m3:
      return convert_all<std::uint8_t>(src, n_elements, out, f32_from_e4m3);
    case DType::q8_0:
      return decode_all<blocks::Q8_0>(src, n_elements, out);
    case DType::q4_0:
      return decode_all<blocks::Q4_0>(src, n_elements, out);
    case DType::q4_1:
      return decode_all<blocks::Q4_1>(src, n_elements, out);
    case DType::q5_0:
      return decode_all<blocks::Q5_0>(src, n_elements, out);
    case DType::q5_1:
      return decode_all<blocks::Q5_1>(src, n_elements, out);
    case DType::q4_k:
      return decode_all<blocks::Q4_K>(src, n_elements, out);
    case DType::q5_k:
      return decode_all<blocks::Q5_K>(src, n_elements, out);
    case DType::q6_k:
      return decode_all<blocks::Q6_K>(src, n_elements, out);
    case DType::nvfp4:
      return decode_all<blocks::NvFp4>(src, n_elements, out);
    case DType::nvfp4_packed:
      return decode_all<blocks::NvFp4Packed>(src, n_elements, out);
  }
  CHECK(false, "dtype {}", static_cast<int>(type));
}

void decode_row(const HostTensor& tensor, std::int64_t row, float* out) {
  CHECK(row >= 0 && row < tensor.rows(), "row {} of {}", row, tensor.rows());
  const auto cols = static_cast<std::size_t>(tensor.cols());
  const auto index = static_cast<std::size_t>(row);
  const std::size_t bytes = tensor.bytes_per_row();
  CHECK((index + 1) * bytes <= tensor.data.size(), "{}: {} bytes", tensor.name, tensor.data.size());
  decode_blocks(tensor.dtype, tensor.data.data() + index * bytes, cols, out);

  const SideScales& scales = tensor.scales;
  if (!scales.block_scales.empty()) {
    const std::size_t per_row = cols / 16;
    CHECK((index + 1) * per_row <= scales.block_scales.size(), "{}: {} block scales", tensor.name,
          scales.block_scales.size());
    const std::byte* row_blocks = scales.block_scales.data() + index * per_row;
    for (std::size_t col = 0; col < cols; ++col) {
      out[col] *= f32_from_e4m3(std::to_integer<std::uint8_t>(row_blocks[col / 16]));
    }
  }
  if (!scales.row_scales.empty()) {
    CHECK(index < scales.row_scales.size(), "{}: {} row scales", tensor.name,
          scales.row_scales.size());
    for (std::size_t col = 0; col < cols; ++col) out[col] *= scales.row_scales[index];
  }
  if (scales.tensor_scale != 1.0F) {
    for (std::size_t col = 0; col < cols; ++col) out[col] *= scales.tensor_scale;
  }
}

std::vector<float> decode_tensor(const HostTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(element_count(tensor.shape)));
  for (std::int64_t row = 0; row < tensor.rows(); ++row) {
    decode_row(tensor, row, values.data() + row * tensor.cols());
  }
  return values;
}

}  // namespace pleiad
