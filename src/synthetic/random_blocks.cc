#include "synthetic/random_blocks.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "tensor/blocks.h"
#include "tensor/float16.h"

namespace pleiad::synthetic {
namespace {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;

/// The finisher of splitmix64 (Steele, Lea and Flood).
constexpr std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// A counter and no state: words do not wait for each other.
void fill_bytes(std::uint64_t key, std::span<std::byte> out) noexcept {
  const std::size_t n_words = out.size() / 8;
  std::byte* at = out.data();
  for (std::size_t i = 0; i < n_words; ++i) {
    const std::uint64_t word = scramble(key + (i + 1) * kStep);
    std::memcpy(at + 8 * i, &word, 8);
  }
  const std::uint64_t last = scramble(key + (n_words + 1) * kStep);
  std::memcpy(at + 8 * n_words, &last, out.size() % 8);
}

// Standard deviations of what the quants of a block mean when all are as likely.
constexpr float kNibble = 4.6098F;     // 0 to 15
constexpr float kFiveBits = 9.2331F;   // 0 to 31
constexpr float kSixBits = 18.473F;    // 0 to 63
constexpr float kByteRange = 73.895F;  // -127 to 127

// Six-bit group scales 24 to 39, and eight-bit ones of size 48 to 79: the root
// of their mean square.
constexpr float kGroupScale = 31.84F;
constexpr float kWideGroupScale = 64.17F;

/// Eight six-bit scales, each serving as its group's minimum too, so that the
/// values of a group lie around 0.
void put_group_scales(std::uint8_t (&scales)[12]) noexcept {
  std::uint8_t s[8];
  for (int group = 0; group < 8; ++group) s[group] = 24 + (scales[group] & 15);
  for (int i = 0; i < 4; ++i) {
    const auto top = static_cast<std::uint8_t>(s[i + 4] >> 4 << 6);
    const auto low = static_cast<std::uint8_t>(s[i + 4] & 15);
    scales[i] = scales[i + 4] = s[i] | top;
    scales[i + 8] = static_cast<std::uint8_t>(low | low << 4);
  }
}

/// Calls visit for each Block in `bytes`.
template <typename Block, typename Visit>
void for_each_block(std::span<std::byte> bytes, Visit visit) noexcept {
  auto* block = reinterpret_cast<Block*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size() / sizeof(Block); ++i) visit(block[i]);
}

/// A scale field holds random bits until it is set: the low byte chooses.
std::uint16_t chosen(const std::array<std::uint16_t, 256>& table, std::uint16_t random) noexcept {
  return table[random & 255U];
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return scramble(scramble(a + kStep) + b); }

RandomBlocks::RandomBlocks(DType type, float mean, float deviation)
    : type_(type), mean_(mean), deviation_(deviation) {
  // The mean square of factors 0.7 to 1.3 is 1.03.
  const float size = deviation / 1.0149F;
  const auto set_scales = [&](ScaleTable& table, float average) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const float factor = 0.7F + 0.6F * static_cast<float>(i) / 255.0F;
      table[i] = f16_from_f32(average * factor);
    }
  };
  switch (type) {
    case DType::f32:
    case DType::nvfp4:
      return;
    case DType::f16:
    case DType::bf16:
      // Evenly spread over 4096 values: sqrt(12) deviations from end to end.
      for (int i = 0; i < 4096; ++i) {
        const float place = (static_cast<float>(i) + 0.5F) / 4096.0F - 0.5F;
        const float value = deviation * 3.46410F * place;
        values_.push_back(type == DType::f16 ? f16_from_f32(value) : bf16_from_f32(value));
      }
      return;
    case DType::q8_0:
      set_scales(scales_, size / kByteRange);
      return;
    case DType::q4_0:
      set_scales(scales_, size / kNibble);
      // Of either sign, as quantizers choose it: -8 has no counterpart.
      for (std::size_t i = 0; i < scales_.size(); i += 2) scales_[i] |= 0x8000U;
      return;
    case DType::q4_k:
      set_scales(scales_, size / (kGroupScale * kNibble));
      set_scales(minimum_scales_, size / (kGroupScale * kNibble) * 7.5F);
      return;
    case DType::q5_k:
      set_scales(scales_, size / (kGroupScale * kFiveBits));
      set_scales(minimum_scales_, size / (kGroupScale * kFiveBits) * 15.5F);
      return;
    case DType::q6_k:
      set_scales(scales_, size / (kWideGroupScale * kSixBits));
      return;
    default:
      CHECK(false, "no random blocks of type {}", name(type));
  }
}

void RandomBlocks::fill(std::uint64_t key, std::span<std::byte> out) const noexcept {
  fill_bytes(key, out);
  const auto put_scale = [this](auto& block) { block.scale = chosen(scales_, block.scale); };
  const auto put_k_scales = [this](auto& block) {
    const std::uint16_t random = block.scale;
    block.scale = chosen(scales_, random);
    block.minimum_scale = chosen(minimum_scales_, random);
    put_group_scales(block.scales);
  };
  switch (type_) {
    case DType::f32:
      for (std::size_t at = 0; at < out.size(); at += 4) {
        std::uint32_t random = 0;
        std::memcpy(&random, out.data() + at, 4);
        const float place = static_cast<float>(random >> 8) * 0x1p-24F - 0.5F;
        const float value = mean_ + deviation_ * 3.46410F * place;
        std::memcpy(out.data() + at, &value, 4);
      }
      return;
    case DType::f16:
    case DType::bf16:
      for (std::size_t at = 0; at < out.size(); at += 2) {
        std::uint16_t random = 0;
        std::memcpy(&random, out.data() + at, 2);
        std::memcpy(out.data() + at, &values_[random >> 4], 2);
      }
      return;
    case DType::q8_0:
      return for_each_block<blocks::Q8_0>(out, [&](blocks::Q8_0& block) {
        put_scale(block);
        // No quantizer writes -128, and kernels may rely on that.
        for (std::int8_t& q : block.quants) q = q == -128 ? std::int8_t{127} : q;
      });
    case DType::q4_0:
      return for_each_block<blocks::Q4_0>(out, put_scale);
    case DType::q4_k:
      return for_each_block<blocks::Q4_K>(out, put_k_scales);
    case DType::q5_k:
      return for_each_block<blocks::Q5_K>(out, put_k_scales);
    case DType::q6_k:
      return for_each_block<blocks::Q6_K>(out, [&](blocks::Q6_K& block) {
        put_scale(block);
        for (std::int8_t& scale : block.scales) {
          const int magnitude = 48 + (scale & 31);
          scale = static_cast<std::int8_t>(scale < 0 ? -magnitude : magnitude);
        }
      });
    case DType::nvfp4:
      return for_each_block<blocks::NvFp4>(out, [](blocks::NvFp4& block) {
        // Codes 52 to 59 are 0.75 to 1.375.
        for (std::uint8_t& scale : block.scales) scale = 52 + (scale & 7);
      });
    default:
      return;
  }
}

}  // namespace pleiad::synthetic
