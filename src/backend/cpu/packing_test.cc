// What is packed is what the file holds, bit for bit: panels are read back here by
// the description in kernels/packed.h, value by value.

#include "backend/cpu/packing.h"

#include <bit>
#include <cmath>

#include "backend/cpu/kernels_testing.h"
#include "base/testing/sanitizers.h"
#include "tensor/blocks.h"
#include "tensor/float8.h"

namespace pleiad::cpu {
namespace {

using kernels::PackedKind;

template <typename T>
T read_at(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

float f16_at(const std::byte* at) { return f32_from_f16(read_at<std::uint16_t>(at)); }

// Bytes of one lane that lie in units of four bytes from `units` on.
template <std::size_t kSize>
void gather_units(const std::byte* units, int lane, std::uint8_t (&out)[kSize]) {
  for (std::size_t i = 0; i < kSize; ++i) {
    out[i] = read_at<std::uint8_t>(units + i / 4 * 64 + 4 * static_cast<std::size_t>(lane) + i % 4);
  }
}

template <typename Block>
float value_in(DType type, const Block& block, std::int64_t col) {
  std::vector<float> values(Block::kSize);
  decode_blocks(type, reinterpret_cast<const std::byte*>(&block), values.size(), values.data());
  return values[static_cast<std::size_t>(col)];
}

float k_value(PackedKind kind, const std::byte* step, int lane, std::int64_t col) {
  if (kind == PackedKind::q6_k) {
    blocks::Q6_K block;
    block.scale = read_at<std::uint16_t>(step + 2 * lane);
    for (int group = 0; group < 16; ++group) {
      block.scales[kernels::q6_k_first_col(group) / 16] =
          read_at<std::int8_t>(step + 64 + 16 * group + lane);
    }
    std::uint8_t units[3072 / 16];
    gather_units(step + 320, lane, units);
    for (std::size_t i = 0; i < sizeof block.low_bits; ++i) {
      // Sixteens [half][first or second 32][first or second 16].
      const std::size_t sixteen = i / 16;
      block.low_bits[i] =
          units[(sixteen / 4 * 2 + sixteen % 2) * 48 + sixteen / 2 % 2 * 16 + i % 16];
    }
    for (std::size_t i = 0; i < sizeof block.high_bits; ++i) {
      block.high_bits[i] = units[i / 16 * 48 + 32 + i % 16];
    }
    return value_in(DType::q6_k, block, col);
  }
  const auto fill = [&](auto& block) {
    block.scale = read_at<std::uint16_t>(step + 2 * lane);
    block.minimum_scale = read_at<std::uint16_t>(step + 32 + 2 * lane);
    gather_units(step + 64, lane, block.scales);
  };
  if (kind == PackedKind::q4_k) {
    blocks::Q4_K block;
    fill(block);
    gather_units(step + 256, lane, block.quants);
    return value_in(DType::q4_k, block, col);
  }
  blocks::Q5_K block;
  fill(block);
  gather_units(step + 256, lane, block.high_bits);
  gather_units(step + 768, lane, block.quants);
  return value_in(DType::q5_k, block, col);
}

// Columns i and i + half of a group share a byte; `units` is where the group begins.
unsigned nibble_at(const std::byte* units, int lane, std::int64_t i, std::int64_t half) {
  const std::int64_t byte = i % half;
  const auto both = read_at<std::uint8_t>(units + byte / 4 * 64 + 4 * lane + byte % 4);
  return i < half ? both & 15U : both >> 4;
}

float packed_value(PackedKind kind, const std::byte* panel, int lane, std::int64_t column) {
  const kernels::PackedLayout layout = kernels::layout_of(kind);
  const std::byte* step = panel + column / layout.step_cols * layout.step_bytes;
  const std::int64_t col = column % layout.step_cols;
  switch (kind) {
    case PackedKind::f32:
      return read_at<float>(step + 4 * (col * 16 + lane));
    case PackedKind::f16:
      return f16_at(step + 2 * (col * 16 + lane));
    case PackedKind::bf16:
      return f32_from_bf16(read_at<std::uint16_t>(step + col / 2 * 64 + 4 * lane + col % 2 * 2));
    case PackedKind::f8:
      return f32_from_e4m3(read_at<std::uint8_t>(step + col / 2 * 32 + 2 * lane + col % 2));
    case PackedKind::q8: {
      const auto byte = read_at<std::uint8_t>(step + 64 + col / 4 * 64 + 4 * lane + col % 4);
      return f16_at(step + col / 32 * 32 + 2 * lane) * static_cast<float>(byte - 128);
    }
    case PackedKind::q4: {
      const unsigned q = nibble_at(step + 64 + col / 32 * 256, lane, col % 32, 16);
      return f16_at(step + col / 32 * 32 + 2 * lane) * static_cast<float>(static_cast<int>(q) - 8);
    }
    case PackedKind::nvfp4: {
      const unsigned q = nibble_at(step + 64 + col / 16 * 128, lane, col % 16, 8);
      const auto scale = read_at<std::uint8_t>(step + col / 16 * 16 + lane);
      // GGUF's scales have no NaN: 0xFF there is 480.
      const float factor = scale == 0x7F ? 480.0F : f32_from_e4m3(scale);
      return factor * kE2M1Values[q];
    }
    case PackedKind::q4_k:
    case PackedKind::q5_k:
    case PackedKind::q6_k:
      return k_value(kind, step, lane, col);
  }
  return NAN;
}

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (a == 0.0F && b == 0.0F) || (std::isnan(a) && std::isnan(b));
}

void expect_same_values(const HostTensor& tensor, const PackedMatrices& packed) {
  const std::int64_t cols = tensor.cols();
  HostTensor plain = tensor;
  plain.scales.row_scales.clear();
  plain.scales.tensor_scale = 1.0F;
  std::vector<float> expected(static_cast<std::size_t>(cols));
  for (std::int64_t row = 0; row < tensor.rows(); ++row) {
    decode_row(plain, row, expected.data());
    const std::int64_t in_matrix = row % packed.rows;
    const std::byte* panel =
        packed.matrix(row / packed.rows) + in_matrix / kernels::kPanelRows * packed.panel_bytes;
    const auto lane = static_cast<int>(in_matrix % kernels::kPanelRows);
    for (std::int64_t col = 0; col < packed.padded_cols(); ++col) {
      const float found = packed_value(packed.kind, panel, lane, col);
      const float wanted = col < cols ? expected[static_cast<std::size_t>(col)] : 0.0F;
      ASSERT_TRUE(same_bits(found, wanted)) << name(tensor.dtype) << " row " << row << " column "
                                            << col << ": " << found << " instead of " << wanted;
    }
  }
}

TEST(PackedTensor, HoldsTheValuesOfTheFileBitForBit) {
  TensorMaker make;
  HugeArena arena;
  ThreadPool pool(2);
  for (const DType type : kPackedTypes) {
    const std::int64_t block = traits(type).block_size;
    for (const std::int64_t n_blocks : {1, 3, unless_sanitized(5, 2), unless_sanitized(33, 1)}) {
      for (const Shape& rows : {Shape{1}, {15}, {16}, {33}, {3, 17}, {2, 32}, {5, 1}}) {
        Shape shape = rows;
        shape.push_back(n_blocks * block);
        const StoredTensor tensor = make.stored(type, shape);
        const auto kind = packed_kind(tensor.host);
        ASSERT_TRUE(kind.has_value());
        expect_same_values(tensor.host, pack(tensor.host, *kind, arena, pool));
      }
    }
  }
}

TEST(PackedTensor, HoldsEveryCodeOfSmallFloatsAndScales) {
  HugeArena arena;
  ThreadPool pool(1);
  TensorMaker make;
  StoredTensor codes = make.stored(DType::f8_e4m3, {1, 254});
  for (int i = 0; i < 127; ++i) {
    codes.data[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
    codes.data[static_cast<std::size_t>(127 + i)] = static_cast<std::byte>(128 + i);
  }
  codes.host.data = codes.data;
  expect_same_values(codes.host, pack(codes.host, PackedKind::f8, arena, pool));
  StoredTensor scales = make.stored(DType::nvfp4, {1, 64 * 64});
  for (std::size_t i = 0; i < 256; ++i) {
    scales.data[i / 4 * 36 + i % 4] = static_cast<std::byte>(i);
  }
  scales.host.data = scales.data;
  expect_same_values(scales.host, pack(scales.host, PackedKind::nvfp4, arena, pool));
}

TEST(PackedTensor, IsNotMadeOfTypesThatHaveNoPackedForm) {
  TensorMaker make;
  EXPECT_FALSE(packed_kind(make.stored(DType::q4_1, {2, 32}).host));
  EXPECT_FALSE(packed_kind(make.stored(DType::q5_1, {2, 32}).host));
  for (const std::byte nan : {std::byte{0x7F}, std::byte{0xFF}}) {
    StoredTensor eights = make.stored(DType::f8_e4m3, {2, 8});
    EXPECT_TRUE(packed_kind(eights.host));
    eights.data[13] = nan;
    eights.host.data = eights.data;
    EXPECT_FALSE(packed_kind(eights.host));
    StoredTensor fours = make.stored(DType::nvfp4_packed, {2, 32});
    EXPECT_TRUE(packed_kind(fours.host));
    fours.block_scales[3] = nan;
    fours.host.scales.block_scales = fours.block_scales;
    EXPECT_FALSE(packed_kind(fours.host));
  }
}

}  // namespace
}  // namespace pleiad::cpu
