#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "backend/cpu/kernels/kernels.h"
#include "backend/kv_view.h"
#include "base/aligned_buffer.h"
#include "tensor/decode.h"
#include "tensor/float16.h"

// Pages of keys and values, and attention over them in double precision.

namespace pleiad::cpu {

inline kernels::CacheType kernel_type(KvType type) {
  return static_cast<kernels::CacheType>(static_cast<int>(type));
}

/// One sequence of one layer with one key head: its pages, filled by the kernels,
/// and what these stored, read back by the description of the layout.
struct CachedSequence {
  KvLayout layout;
  std::vector<AlignedBuffer<std::byte>> memory;
  std::vector<std::byte*> pages;
  std::vector<std::vector<double>> keys;
  std::vector<std::vector<double>> values;

  CachedSequence(const kernels::Kernels& kernels, KvType type, int page_tokens, int head_dim,
                 const std::vector<float>& key_data, const std::vector<float>& value_data) {
    layout.type = type;
    layout.page_tokens = page_tokens;
    layout.n_kv_heads = 1;
    layout.head_dim = head_dim;
    layout.key_offset = 64;  // of what else lies in a page
    layout.value_offset = layout.key_offset + layout.block_bytes();
    const auto d = static_cast<std::size_t>(head_dim);
    const std::size_t n = key_data.size() / d;
    const auto per_page = static_cast<std::size_t>(page_tokens);
    for (std::size_t page = 0; page * per_page < n; ++page) {
      // What nobody wrote is no number: it must not matter.
      memory.emplace_back(layout.value_offset + layout.block_bytes());
      std::memset(memory.back().data(), 0xFF, memory.back().size());
    }
    for (auto& page : memory) pages.push_back(page.data());
    for (std::size_t position = 0; position < n; ++position) {
      std::byte* page = pages[position / per_page];
      const auto slot = static_cast<int>(position % per_page);
      std::byte* page_keys = page + layout.key_offset;
      std::byte* page_values = page + layout.value_offset;
      kernels.store_key(page_keys, page_tokens, slot, key_data.data() + position * d, head_dim,
                        kernel_type(type));
      kernels.store_value(page_values, slot, value_data.data() + position * d, head_dim,
                          kernel_type(type));
      keys.push_back(stored_key(page_keys, slot));
      values.push_back(stored_value(page_values, slot));
    }
  }

  /// Rows as the file formats of the same names have them.
  std::vector<double> decoded(const std::byte* at) const {
    constexpr DType kTypes[] = {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0};
    std::vector<float> floats(static_cast<std::size_t>(layout.head_dim));
    decode_blocks(kTypes[static_cast<int>(layout.type)], at, floats.size(), floats.data());
    return {floats.begin(), floats.end()};
  }

  /// Values lie in such rows, but for bf16: two positions side by side.
  std::vector<double> stored_value(const std::byte* page_values, int slot) const {
    const auto d = static_cast<std::size_t>(layout.head_dim);
    const auto at = static_cast<std::size_t>(slot);
    if (layout.type != KvType::bf16) return decoded(page_values + kv_bytes(layout.type, d) * at);
    std::vector<std::byte> row(2 * d);
    for (std::size_t i = 0; i < d; ++i) {
      std::memcpy(row.data() + 2 * i, page_values + 4 * (at / 2 * d + i) + at % 2 * 2, 2);
    }
    return decoded(row.data());
  }

  /// Keys lie transposed: gathered here to a row as values have it.
  std::vector<double> stored_key(const std::byte* page_keys, int slot) const {
    const auto n = static_cast<std::size_t>(layout.page_tokens);
    const auto at = static_cast<std::size_t>(slot);
    const auto d = static_cast<std::size_t>(layout.head_dim);
    std::vector<std::byte> row(kv_bytes(layout.type, d));
    const std::size_t bytes = layout.type == KvType::q8_0 ? 32 : 16;
    switch (layout.type) {
      case KvType::bf16:
        for (std::size_t i = 0; i < d; ++i) {
          std::memcpy(row.data() + 2 * i, page_keys + 4 * (i / 2 * n + at) + i % 2 * 2, 2);
        }
        break;
      case KvType::f32:
      case KvType::f16: {
        const std::size_t size = layout.type == KvType::f32 ? 4 : 2;
        for (std::size_t i = 0; i < d; ++i) {
          std::memcpy(row.data() + i * size, page_keys + (i * n + at) * size, size);
        }
        break;
      }
      case KvType::q8_0:
      case KvType::q4_0:
        for (std::size_t group = 0; group < d / 32; ++group) {
          const std::byte* from = page_keys + group * (2 + bytes) * n;
          std::byte* to = row.data() + group * (2 + bytes);
          std::memcpy(to, from + 2 * at, 2);
          for (std::size_t i = 0; i < bytes; ++i) to[2 + i] = from[(2 + i) * n + at];
        }
        break;
    }
    return decoded(row.data());
  }

  /// softmax(query . keys) * values over [first, last].
  std::vector<double> attended(const float* query, std::int64_t first, std::int64_t last) const {
    std::vector<double> scores;
    double maximum = -1e300;
    for (std::int64_t p = first; p <= last; ++p) {
      const std::vector<double>& key = keys[static_cast<std::size_t>(p)];
      double score = 0;
      for (std::size_t i = 0; i < key.size(); ++i) score += static_cast<double>(query[i]) * key[i];
      scores.push_back(score);
      maximum = std::max(maximum, score);
    }
    double total = 0;
    for (double& score : scores) total += score = std::exp(score - maximum);
    std::vector<double> out(keys.front().size(), 0.0);
    for (std::int64_t p = first; p <= last; ++p) {
      const double share = scores[static_cast<std::size_t>(p - first)] / total;
      const std::vector<double>& value = values[static_cast<std::size_t>(p)];
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += share * value[i];
    }
    return out;
  }
};

inline constexpr KvType kKvTypes[] = {KvType::f32, KvType::f16, KvType::bf16, KvType::q8_0,
                                      KvType::q4_0};

}  // namespace pleiad::cpu
