#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pleiad {

/// How cached keys and values are stored.
enum class KvType : std::uint8_t { f32, f16, bf16 };

constexpr std::size_t bytes_per_value(KvType type) { return type == KvType::f32 ? 4 : 2; }

/// The pages of one sequence for one group of layers, by page number: page p
/// holds the positions [p * page_tokens, (p + 1) * page_tokens). A page that a
/// sliding group has given back is null; it is never needed again.
using PageTable = std::span<std::byte* const>;

/// Where one layer's keys and values lie inside every page of its group:
/// two blocks [n_kv_heads, page_tokens, head_dim], keys and values.
struct KvLayout {
  KvType type = KvType::bf16;
  int page_tokens = 0;
  int n_kv_heads = 0;
  int head_dim = 0;
  std::size_t key_offset = 0;    // bytes from the start of a page
  std::size_t value_offset = 0;  // bytes from the start of a page

  std::size_t block_bytes() const {
    return static_cast<std::size_t>(n_kv_heads) * page_tokens * head_dim * bytes_per_value(type);
  }
};

/// One layer's cache as the rows of a step see it.
struct KvView {
  KvLayout layout;
  std::span<const PageTable> tables;  // by sequence of the step
};

}  // namespace pleiad
