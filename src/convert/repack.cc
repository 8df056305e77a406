#include "convert/repack.h"

#include <cstdint>
#include <cstring>

#include "tensor/blocks.h"

namespace pleiad::convert {
namespace {

using blocks::NvFp4;

constexpr int kGroups = NvFp4::kSize / 16;
constexpr std::size_t kNibbleBytes = NvFp4::kSize / 2;
constexpr unsigned kSign = 0x80;
constexpr unsigned kNan = 0x7F;

/// Nibble `i` of sixteen in the order of the values.
unsigned packed_nibble(const std::byte* group, int i) {
  return (std::to_integer<unsigned>(group[i / 2]) >> (i % 2 * 4)) & 0xF;
}

}  // namespace

bool is_repack(DType from, DType to) {
  return (from == DType::nvfp4 && to == DType::nvfp4_packed) ||
         (from == DType::nvfp4_packed && to == DType::nvfp4);
}

bool blocks_from_packed(std::span<const std::byte> nibbles, std::span<const std::byte> scales,
                        std::byte* out) {
  for (std::size_t block_index = 0; block_index < nibbles.size() / kNibbleBytes; ++block_index) {
    NvFp4 block;
    for (int group = 0; group < kGroups; ++group) {
      const std::byte* from = nibbles.data() + block_index * kNibbleBytes + group * 8;
      const auto scale = std::to_integer<unsigned>(scales[block_index * kGroups + group]);
      if ((scale & kNan) == kNan) return false;
      block.scales[group] = static_cast<std::uint8_t>(scale & kNan);
      // Blocks have no sign of the scale: it goes to the values.
      const unsigned flip = (scale & kSign) != 0 ? 8U : 0U;
      for (int i = 0; i < 8; ++i) {
        const unsigned low = packed_nibble(from, i) ^ flip;
        const unsigned high = packed_nibble(from, i + 8) ^ flip;
        block.quants[group * 8 + i] = static_cast<std::uint8_t>(low | (high << 4));
      }
    }
    std::memcpy(out + block_index * sizeof block, &block, sizeof block);
  }
  return true;
}

void packed_from_blocks(std::span<const std::byte> from, std::byte* nibbles, std::byte* scales) {
  for (std::size_t block_index = 0; block_index < from.size() / sizeof(NvFp4); ++block_index) {
    NvFp4 block;
    std::memcpy(&block, from.data() + block_index * sizeof block, sizeof block);
    for (int group = 0; group < kGroups; ++group) {
      // In blocks the sign of a scale means nothing, and what would be NaN is 0.
      const unsigned scale = block.scales[group] & kNan;
      scales[block_index * kGroups + group] = std::byte(block.scales[group] == kNan ? 0 : scale);
      std::byte* to = nibbles + block_index * kNibbleBytes + group * 8;
      const std::uint8_t* quants = block.quants + group * 8;
      const auto value = [&](int i) { return i < 8 ? quants[i] & 0xFU : quants[i - 8] >> 4U; };
      for (int i = 0; i < 8; ++i) to[i] = std::byte(value(2 * i) | (value(2 * i + 1) << 4));
    }
  }
}

}  // namespace pleiad::convert
