#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pleiad {

/// How cached keys and values are stored. The quantized types have a 16-bit scale
/// for every 32 values of a head.
enum class KvType : std::uint8_t { f32, f16, bf16, q8_0, q4_0 };

constexpr std::string_view name(KvType type) {
  constexpr std::array<std::string_view, 5> names = {"f32", "f16", "bf16", "q8_0", "q4_0"};
  return names[static_cast<std::size_t>(type)];
}

/// Bytes of n values; n is a multiple of 32 where the type is quantized.
constexpr std::size_t kv_bytes(KvType type, std::size_t n) {
  switch (type) {
    case KvType::f32:
      return 4 * n;
    case KvType::f16:
    case KvType::bf16:
      return 2 * n;
    case KvType::q8_0:
      return n / 32 * 34;
    case KvType::q4_0:
      return n / 32 * 18;
  }
  return 0;
}

/// What a layer uses where `type` was asked for: four bits hurt the sliding layers,
/// whose caches are small anyway, so these stay at eight.
constexpr KvType kv_type_of(KvType type, bool is_sliding) {
  return type == KvType::q4_0 && is_sliding ? KvType::q8_0 : type;
}

/// The pages of one sequence for one group of layers, by page number: page p
/// holds the positions [p * page_tokens, (p + 1) * page_tokens). A page that a
/// sliding group has given back is null; it is never needed again.
using PageTable = std::span<std::byte* const>;

/// Where one layer's keys and values lie inside every page of its group: two
/// blocks of n_kv_heads * page_tokens * head_dim values. The order within a block
/// is the backend's business.
struct KvLayout {
  KvType type = KvType::bf16;
  int page_tokens = 0;
  int n_kv_heads = 0;
  int head_dim = 0;
  std::size_t key_offset = 0;    // bytes from the start of a page
  std::size_t value_offset = 0;  // bytes from the start of a page

  std::size_t head_bytes() const {
    return kv_bytes(type,
                    static_cast<std::size_t>(page_tokens) * static_cast<std::size_t>(head_dim));
  }
  std::size_t block_bytes() const { return static_cast<std::size_t>(n_kv_heads) * head_bytes(); }
};

/// One layer's cache as the rows of a step see it.
struct KvView {
  KvLayout layout;
  std::span<const PageTable> tables;  // by sequence of the step
};

}  // namespace pleiad
