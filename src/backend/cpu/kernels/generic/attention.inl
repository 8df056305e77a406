// Attention over cached positions, page by page, for several queries that share a key head:
// each key and value is asked of memory once for all of them, and loaded into a register once
// for as many as registers hold the sums of. The softmax is kept online: a running maximum, a
// running sum, and a weighted sum of values that is rescaled when the maximum grows. What is
// computed for a query, and in which order, depends on its positions alone.
//
// Keys lie with the positions of a page side by side, [head_dim][page_tokens], so
// that sixteen scores grow in sixteen lanes; values lie [page_tokens][head_dim].
// Quantized types have a scale for every position and 32 dimensions (KvLayout).
// bf16 lies in pairs, as the matrix unit wants it: keys [head_dim / 2][page_tokens][2],
// values [page_tokens / 2][head_dim][2].

// Sixteen positions of one dimension; bf16 is loaded two dimensions at a time.
template <CacheType kType>
inline Vec load_keys(const std::byte* keys, int page_tokens, int dim, int slot, Vec scale) {
  const std::int64_t at = std::int64_t{dim} * page_tokens + slot;
  if constexpr (kType == CacheType::f32) {
    return Vec::load(reinterpret_cast<const float*>(keys) + at);
  } else if constexpr (kType == CacheType::f16) {
    return Vec::load_f16(keys + 2 * at);
  } else if constexpr (kType == CacheType::q8_0) {
    const std::byte* group = keys + std::int64_t{dim / 32} * 34 * page_tokens;
    const std::byte* row = group + std::int64_t{2 + dim % 32} * page_tokens;
    return Vec::from_i8(reinterpret_cast<const std::int8_t*>(row + slot)) * scale;
  } else {
    const std::byte* group = keys + std::int64_t{dim / 32} * 18 * page_tokens;
    const std::byte* row = group + std::int64_t{2 + dim % 16} * page_tokens;
    Vec low;
    Vec high;
    Vec::from_nibbles(row + slot, low, high);
    return ((dim % 32 < 16 ? low : high) - Vec::set(8.0F)) * scale;
  }
}

template <CacheType kType>
inline Vec key_scale(const std::byte* keys, int page_tokens, int dim, int slot) {
  if constexpr (kType == CacheType::q8_0) {
    return Vec::load_f16(keys + std::int64_t{dim / 32} * 34 * page_tokens + 2 * slot);
  } else if constexpr (kType == CacheType::q4_0) {
    return Vec::load_f16(keys + std::int64_t{dim / 32} * 18 * page_tokens + 2 * slot);
  } else {
    return Vec::set(1.0F);
  }
}

// Sixteen dimensions of one position; dim is a multiple of 16. bf16 is loaded two
// positions at a time.
template <CacheType kType>
inline Vec load_values(const std::byte* row, int dim) {
  if constexpr (kType == CacheType::f32) {
    return Vec::load(reinterpret_cast<const float*>(row) + dim);
  } else if constexpr (kType == CacheType::f16) {
    return Vec::load_f16(row + 2 * dim);
  } else if constexpr (kType == CacheType::q8_0) {
    const std::byte* block = row + dim / 32 * 34;
    const Vec scale = Vec::set(f16_value(load_u16(block)));
    return Vec::from_i8(reinterpret_cast<const std::int8_t*>(block + 2 + dim % 32)) * scale;
  } else {
    const std::byte* block = row + dim / 32 * 18;
    const Vec scale = Vec::set(f16_value(load_u16(block)));
    Vec low;
    Vec high;
    Vec::from_nibbles(block + 2, low, high);
    return ((dim % 32 < 16 ? low : high) - Vec::set(8.0F)) * scale;
  }
}

template <CacheType kType>
inline std::int64_t value_row_bytes(int head_dim) {
  if constexpr (kType == CacheType::f32) return std::int64_t{4} * head_dim;
  if constexpr (kType == CacheType::q8_0) return head_dim / 32 * 34;
  if constexpr (kType == CacheType::q4_0) return head_dim / 32 * 18;
  return std::int64_t{2} * head_dim;  // f16, bf16
}

// scores[q][slot] of kVecs vectors of slots, for kQueries queries from first_query on.
template <CacheType kType, int kQueries, int kVecs>
inline void score_slots(const AttentionArgs& args, int first_query, const std::byte* keys, int slot,
                        float* scores, Ahead& ahead) {
  const float* const* queries = args.queries + first_query;
  scores += first_query * args.page_tokens;
  Vec sum[kQueries][kVecs];
#pragma GCC unroll kUnroll
  for (int q = 0; q < kQueries; ++q) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) sum[q][v] = Vec::set(0.0F);
  }
  constexpr int kGroup = 32;  // dimensions that share a scale
  for (int first = 0; first < args.head_dim; first += kGroup) {
    Vec scale[kVecs];
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) {
      scale[v] = key_scale<kType>(keys, args.page_tokens, first, slot + kLanes * v);
    }
    const int last = first + kGroup < args.head_dim ? first + kGroup : args.head_dim;
    const auto add = [&](int dim, const Vec* key) {
#pragma GCC unroll kUnroll
      for (int q = 0; q < kQueries; ++q) {
        const Vec query = Vec::set(queries[q][dim]);
#pragma GCC unroll kUnroll
        for (int v = 0; v < kVecs; ++v) sum[q][v] = Vec::fma(key[v], query, sum[q][v]);
      }
    };
    if constexpr (kType == CacheType::bf16) {
      for (int dim = first; dim < last; dim += 2) {
        const std::byte* pairs = keys + std::int64_t{2} * (dim * args.page_tokens + 2 * slot);
        Vec even[kVecs];
        Vec odd[kVecs];
#pragma GCC unroll kUnroll
        for (int v = 0; v < kVecs; ++v) {
          Vec::load_bf16_pairs(pairs + std::int64_t{4} * kLanes * v, even[v], odd[v]);
        }
        ahead.advance(kVecs);
        add(dim, even);
        add(dim + 1, odd);
      }
    } else {
      for (int dim = first; dim < last; ++dim) {
        ahead.advance(kVecs);
        Vec key[kVecs];
#pragma GCC unroll kUnroll
        for (int v = 0; v < kVecs; ++v) {
          key[v] = load_keys<kType>(keys, args.page_tokens, dim, slot + kLanes * v, scale[v]);
        }
        add(dim, key);
      }
    }
  }
#pragma GCC unroll kUnroll
  for (int q = 0; q < kQueries; ++q) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v)
      sum[q][v].store(scores + q * args.page_tokens + slot + kLanes * v);
  }
}

// Scores of slots [begin, end) to weights exp(score - maximum), 0 outside; returns
// the factor for what was summed before.
inline float weigh(float* scores, int page_tokens, int begin, int end, float& maximum,
                   float& total) {
  if (begin >= end) {
    for (int slot = 0; slot < page_tokens; ++slot) scores[slot] = 0.0F;
    return 1.0F;
  }
  float largest = maximum;
  for (int slot = begin; slot < end; ++slot) {
    largest = scores[slot] > largest ? scores[slot] : largest;
  }
  // exp through the vector, even for one value: one rounding for all paths.
  const float rescale =
      maximum == -__builtin_inff() ? 0.0F : Vec::exp(Vec::set(maximum - largest)).first();
  maximum = largest;
  for (int slot = 0; slot < begin; ++slot) scores[slot] = -__builtin_inff();
  for (int slot = end; slot < page_tokens; ++slot) scores[slot] = -__builtin_inff();
  Vec sum = Vec::set(0.0F);
  for (int slot = 0; slot < page_tokens; slot += kLanes) {
    const Vec p = Vec::exp(Vec::load(scores + slot) - Vec::set(maximum));
    p.store(scores + slot);
    sum = sum + p;
  }
  for (int slot = 0; slot < begin; ++slot) scores[slot] = 0.0F;
  for (int slot = end; slot < page_tokens; ++slot) scores[slot] = 0.0F;
  total = total * rescale + sum.sum();
  return rescale;
}

// Adds the values of slots [begin, end) to kVecs vectors of dimensions of the sums of kQueries
// queries from first_query on.
template <CacheType kType, int kQueries, int kVecs>
inline void add_values(const AttentionArgs& args, int first_query, const std::byte* values,
                       int begin, int end, const float* weights, const float* rescale, int dim,
                       Ahead& ahead) {
  float* const* out = args.out + first_query;
  weights += first_query * args.page_tokens;
  rescale += first_query;
  Vec sum[kQueries][kVecs];
#pragma GCC unroll kUnroll
  for (int q = 0; q < kQueries; ++q) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) {
      sum[q][v] = Vec::load(out[q] + dim + kLanes * v) * Vec::set(rescale[q]);
    }
  }
  const auto add = [&](int slot, const Vec* value) {
#pragma GCC unroll kUnroll
    for (int q = 0; q < kQueries; ++q) {
      const Vec weight = Vec::set(weights[q * args.page_tokens + slot]);
#pragma GCC unroll kUnroll
      for (int v = 0; v < kVecs; ++v) sum[q][v] = Vec::fma(weight, value[v], sum[q][v]);
    }
  };
  if constexpr (kType == CacheType::bf16) {
    for (int slot = begin / 2 * 2; slot < end; slot += 2) {
      const std::byte* pairs = values + std::int64_t{2} * (slot * args.head_dim + 2 * dim);
      Vec even[kVecs];
      Vec odd[kVecs];
#pragma GCC unroll kUnroll
      for (int v = 0; v < kVecs; ++v) {
        Vec::load_bf16_pairs(pairs + std::int64_t{4} * kLanes * v, even[v], odd[v]);
      }
      ahead.advance(kVecs);
      // What lies outside [begin, end) may be no number.
      if (slot >= begin) add(slot, even);
      if (slot + 1 < end) add(slot + 1, odd);
    }
  } else {
    const std::int64_t row_bytes = value_row_bytes<kType>(args.head_dim);
    for (int slot = begin; slot < end; ++slot) {
      const std::byte* row = values + slot * row_bytes;
      ahead.advance(kVecs);
      Vec value[kVecs];
#pragma GCC unroll kUnroll
      for (int v = 0; v < kVecs; ++v) value[v] = load_values<kType>(row, dim + kLanes * v);
      add(slot, value);
    }
  }
#pragma GCC unroll kUnroll
  for (int q = 0; q < kQueries; ++q) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) sum[q][v].store(out[q] + dim + kLanes * v);
  }
}

// run(first query, how many), for as many at a time as registers hold the sums of.
template <typename Run>
inline void in_query_blocks(int n_queries, const Run& run) {
  int first = 0;
  if constexpr (kAttentionQueries >= 8) {
    for (; first + 8 <= n_queries; first += 8) run(first, Count<8>());
  }
  if constexpr (kAttentionQueries >= 4) {
    for (; first + 4 <= n_queries; first += 4) run(first, Count<4>());
  }
  if constexpr (kAttentionQueries >= 2) {
    for (; first + 2 <= n_queries; first += 2) run(first, Count<2>());
  }
  for (; first < n_queries; ++first) run(first, Count<1>());
}

template <CacheType kType>
inline void attend(const AttentionArgs& args, float* scores) {
  constexpr int kWide = kAttentionVecs;
  const int n_queries = args.n_queries;
  const int page_tokens = args.page_tokens;
  std::int64_t first = args.first[0];
  std::int64_t last = args.last[0];
  for (int q = 0; q < n_queries; ++q) {
    first = args.first[q] < first ? args.first[q] : first;
    last = args.last[q] > last ? args.last[q] : last;
    args.maximum[q] = -__builtin_inff();
    args.total[q] = 0.0F;
    for (int i = 0; i < args.head_dim; ++i) args.out[q][i] = 0.0F;
  }
  // Of a position's value, and on average of its key.
  const std::int64_t row_bytes = value_row_bytes<kType>(args.head_dim);
  Ahead ahead;
  for (std::int64_t page = first / page_tokens; page <= last / page_tokens; ++page) {
    const std::int64_t start = page * page_tokens;
    const auto in_page = [&](std::int64_t position) {
      const std::int64_t slot = position - start;
      return static_cast<int>(slot < 0 ? 0 : slot > page_tokens ? page_tokens : slot);
    };
    const int begin = in_page(first);
    const int end = in_page(last + 1);
    const std::byte* keys = args.pages[page] + args.key_offset;
    const std::byte* values = args.pages[page] + args.value_offset;
    ahead.expect(values + begin / 2 * 2 * row_bytes, (end - begin / 2 * 2) * row_bytes);
    int slot = begin / kLanes * kLanes;
    for (; slot + kWide * kLanes <= page_tokens && slot < end; slot += kWide * kLanes) {
      in_query_blocks(n_queries, [&](int q, auto count) {
        score_slots<kType, decltype(count)::n, kWide>(args, q, keys, slot, scores, ahead);
      });
    }
    for (; slot < end; slot += kLanes) {
      in_query_blocks(n_queries, [&](int q, auto count) {
        score_slots<kType, decltype(count)::n, 1>(args, q, keys, slot, scores, ahead);
      });
    }
    float rescale[kMaxQueries];
    for (int q = 0; q < n_queries; ++q) {
      rescale[q] = weigh(scores + q * page_tokens, page_tokens, in_page(args.first[q]),
                         in_page(args.last[q] + 1), args.maximum[q], args.total[q]);
    }
    ahead = {};
    if (page < last / page_tokens) {
      ahead.expect(args.pages[page + 1] + args.key_offset, page_tokens * row_bytes);
    }
    int dim = 0;
    for (; dim + kWide * kLanes <= args.head_dim; dim += kWide * kLanes) {
      in_query_blocks(n_queries, [&](int q, auto count) {
        add_values<kType, decltype(count)::n, kWide>(args, q, values, begin, end, scores, rescale,
                                                     dim, ahead);
      });
    }
    for (; dim < args.head_dim; dim += kLanes) {
      in_query_blocks(n_queries, [&](int q, auto count) {
        add_values<kType, decltype(count)::n, 1>(args, q, values, begin, end, scores, rescale, dim,
                                                 ahead);
      });
    }
  }
}

void attention(const AttentionArgs& args, float* scratch) {
  switch (args.type) {
    case CacheType::f32:
      return attend<CacheType::f32>(args, scratch);
    case CacheType::f16:
      return attend<CacheType::f16>(args, scratch);
    case CacheType::bf16:
      return attend<CacheType::bf16>(args, scratch);
    case CacheType::q8_0:
      return attend<CacheType::q8_0>(args, scratch);
    case CacheType::q4_0:
      return attend<CacheType::q4_0>(args, scratch);
  }
}

// Quants and scale of 32 values as Q8_0 and Q4_0 have them.
inline float quantize_q8(const float* x, std::int8_t* quants) {
  float largest = 0.0F;
  for (int i = 0; i < 32; ++i) {
    const float magnitude = __builtin_fabsf(x[i]);
    largest = magnitude > largest ? magnitude : largest;
  }
  const float scale = f16_value(f16_bits(largest / 127.0F));
  const float inverse = scale > 0.0F ? 1.0F / scale : 0.0F;
  for (int i = 0; i < 32; ++i) {
    const float q = __builtin_rintf(x[i] * inverse);
    quants[i] = static_cast<std::int8_t>(q > 127.0F ? 127.0F : q < -127.0F ? -127.0F : q);
  }
  return scale;
}

inline float quantize_q4(const float* x, std::uint8_t* nibbles) {
  float largest = 0.0F;  // with its sign: it becomes -8, exactly
  for (int i = 0; i < 32; ++i) {
    if (__builtin_fabsf(x[i]) > __builtin_fabsf(largest)) largest = x[i];
  }
  const float scale = f16_value(f16_bits(largest / -8.0F));
  const float inverse = scale != 0.0F ? 1.0F / scale : 0.0F;
  const auto quant = [&](float value) {
    const float q = __builtin_rintf(value * inverse) + 8.0F;
    return static_cast<std::uint8_t>(q > 15.0F ? 15.0F : q < 0.0F ? 0.0F : q);
  };
  for (int i = 0; i < 16; ++i) {
    nibbles[i] = static_cast<std::uint8_t>(quant(x[i]) | quant(x[i + 16]) << 4);
  }
  return scale;
}

inline void put_f16(std::byte* out, float value) {
  const std::uint16_t bits = f16_bits(value);
  __builtin_memcpy(out, &bits, 2);
}

void store_key(std::byte* keys, int page_tokens, int slot, const float* x, int head_dim,
               CacheType type) {
  switch (type) {
    case CacheType::f32:
      for (int i = 0; i < head_dim; ++i) {
        __builtin_memcpy(keys + std::int64_t{4} * (i * page_tokens + slot), x + i, 4);
      }
      return;
    case CacheType::f16:
      for (int i = 0; i < head_dim; ++i) {
        put_f16(keys + std::int64_t{2} * (i * page_tokens + slot), x[i]);
      }
      return;
    case CacheType::bf16:
      for (int i = 0; i < head_dim; i += 2) {
        const std::uint16_t pair[2] = {bf16_bits(x[i]), bf16_bits(x[i + 1])};
        __builtin_memcpy(keys + std::int64_t{2} * (i * page_tokens + 2 * slot), pair, 4);
      }
      return;
    case CacheType::q8_0:
      for (int first = 0; first < head_dim; first += 32, keys += std::int64_t{34} * page_tokens) {
        std::int8_t quants[32];
        put_f16(keys + 2 * slot, quantize_q8(x + first, quants));
        for (int i = 0; i < 32; ++i) {
          keys[std::int64_t{2 + i} * page_tokens + slot] = static_cast<std::byte>(quants[i]);
        }
      }
      return;
    case CacheType::q4_0:
      for (int first = 0; first < head_dim; first += 32, keys += std::int64_t{18} * page_tokens) {
        std::uint8_t nibbles[16];
        put_f16(keys + 2 * slot, quantize_q4(x + first, nibbles));
        for (int i = 0; i < 16; ++i) {
          keys[std::int64_t{2 + i} * page_tokens + slot] = static_cast<std::byte>(nibbles[i]);
        }
      }
      return;
  }
}

void store_value(std::byte* values, int slot, const float* x, int head_dim, CacheType type) {
  std::byte* out = values;
  switch (type) {
    case CacheType::f32:
      out += slot * value_row_bytes<CacheType::f32>(head_dim);
      __builtin_memcpy(out, x, static_cast<std::size_t>(head_dim) * 4);
      return;
    case CacheType::f16:
      out += slot * value_row_bytes<CacheType::f16>(head_dim);
      for (int i = 0; i < head_dim; ++i) put_f16(out + 2 * i, x[i]);
      return;
    case CacheType::bf16:
      out += std::int64_t{4} * (slot / 2 * head_dim) + 2 * (slot % 2);
      for (int i = 0; i < head_dim; ++i) {
        const std::uint16_t bits = bf16_bits(x[i]);
        __builtin_memcpy(out + std::int64_t{4} * i, &bits, 2);
      }
      return;
    case CacheType::q8_0:
      out += slot * value_row_bytes<CacheType::q8_0>(head_dim);
      for (int first = 0; first < head_dim; first += 32, out += 34) {
        std::int8_t quants[32];
        put_f16(out, quantize_q8(x + first, quants));
        __builtin_memcpy(out + 2, quants, 32);
      }
      return;
    case CacheType::q4_0:
      out += slot * value_row_bytes<CacheType::q4_0>(head_dim);
      for (int first = 0; first < head_dim; first += 32, out += 18) {
        std::uint8_t nibbles[16];
        put_f16(out, quantize_q4(x + first, nibbles));
        __builtin_memcpy(out + 2, nibbles, 16);
      }
      return;
  }
}
