// Attention of one query head over its cached positions, page by page, with the
// softmax kept online: a running maximum, a running sum, and a weighted sum of
// values that is rescaled when the maximum grows. The order of operations
// depends on the positions alone.

template <CacheType kType>
inline Vec load_cached(const std::byte* base, std::int64_t index) {
  if constexpr (kType == CacheType::f32) {
    return Vec::load(reinterpret_cast<const float*>(base) + index);
  } else if constexpr (kType == CacheType::f16) {
    return Vec::load_f16(base + 2 * index);
  } else {
    return Vec::load_bf16(base + 2 * index);
  }
}

template <CacheType kType>
inline float cached_value(const std::byte* base, std::int64_t index) {
  if constexpr (kType == CacheType::f32) {
    return reinterpret_cast<const float*>(base)[index];
  } else if constexpr (kType == CacheType::f16) {
    return f16_value(load_u16(base + 2 * index));
  } else {
    return bf16_value(load_u16(base + 2 * index));
  }
}

template <CacheType kType, int kKeys>
inline void score_keys(const float* query, const std::byte* keys, int head_dim, float* scores) {
  Vec acc[kKeys];
  for (int k = 0; k < kKeys; ++k) acc[k] = Vec::set(0.0F);
  int i = 0;
  for (; i + kLanes <= head_dim; i += kLanes) {
    const Vec q = Vec::load(query + i);
    for (int k = 0; k < kKeys; ++k) {
      acc[k] = Vec::fma(q, load_cached<kType>(keys, std::int64_t{k} * head_dim + i), acc[k]);
    }
  }
  for (int k = 0; k < kKeys; ++k) {
    float score = acc[k].sum();
    for (int j = i; j < head_dim; ++j) {
      score += query[j] * cached_value<kType>(keys, std::int64_t{k} * head_dim + j);
    }
    scores[k] = score;
  }
}

template <CacheType kType>
inline void add_values(float* out, const std::byte* values, const float* weights, int n_keys,
                       int head_dim, float rescale) {
  int i = 0;
  for (; i + kLanes <= head_dim; i += kLanes) {
    Vec acc = Vec::load(out + i) * Vec::set(rescale);
    for (int k = 0; k < n_keys; ++k) {
      acc = Vec::fma(Vec::set(weights[k]),
                     load_cached<kType>(values, std::int64_t{k} * head_dim + i), acc);
    }
    acc.store(out + i);
  }
  for (; i < head_dim; ++i) {
    float acc = out[i] * rescale;
    for (int k = 0; k < n_keys; ++k) {
      acc += weights[k] * cached_value<kType>(values, std::int64_t{k} * head_dim + i);
    }
    out[i] = acc;
  }
}

template <CacheType kType>
inline void attend(const AttentionArgs& args, float* scores) {
  constexpr std::int64_t kBytes = kType == CacheType::f32 ? 4 : 2;
  for (int i = 0; i < args.head_dim; ++i) args.out[i] = 0.0F;
  float maximum = -__builtin_inff();
  float total = 0.0F;
  for (std::int64_t page = args.first / args.page_tokens; page <= args.last / args.page_tokens;
       ++page) {
    const std::int64_t start = page * args.page_tokens;
    const auto begin = static_cast<int>(args.first > start ? args.first - start : 0);
    const auto end = static_cast<int>(
        args.last - start + 1 < args.page_tokens ? args.last - start + 1 : args.page_tokens);
    const int n_keys = end - begin;
    const std::int64_t skip = std::int64_t{begin} * args.head_dim * kBytes;
    const std::byte* keys = args.pages[page] + args.key_offset + skip;
    const std::byte* values = args.pages[page] + args.value_offset + skip;

    int k = 0;
    for (; k + 4 <= n_keys; k += 4) {
      score_keys<kType, 4>(args.query, keys + std::int64_t{k} * args.head_dim * kBytes,
                           args.head_dim, scores + k);
    }
    for (; k < n_keys; ++k) {
      score_keys<kType, 1>(args.query, keys + std::int64_t{k} * args.head_dim * kBytes,
                           args.head_dim, scores + k);
    }
    float page_maximum = maximum;
    for (k = 0; k < n_keys; ++k) {
      page_maximum = scores[k] > page_maximum ? scores[k] : page_maximum;
    }
    // exp through the vector, even for one value: one rounding for all ISAs' paths.
    const float rescale =
        maximum == -__builtin_inff() ? 0.0F : Vec::exp(Vec::set(maximum - page_maximum)).first();
    maximum = page_maximum;
    Vec sum = Vec::set(0.0F);
    for (k = 0; k + kLanes <= n_keys; k += kLanes) {
      const Vec p = Vec::exp(Vec::load(scores + k) - Vec::set(maximum));
      p.store(scores + k);
      sum = sum + p;
    }
    if (k < n_keys) {
      const Vec p = Vec::exp(Vec::load_part(scores + k, n_keys - k) - Vec::set(maximum));
      p.store_part(scores + k, n_keys - k);
      sum = sum + Vec::load_part(scores + k, n_keys - k);
    }
    total = total * rescale + sum.sum();
    add_values<kType>(args.out, values, scores, n_keys, args.head_dim, rescale);
  }
  const float inverse = 1.0F / total;
  for (int i = 0; i < args.head_dim; ++i) args.out[i] *= inverse;
}

void attention(const AttentionArgs& args, float* scratch) {
  switch (args.type) {
    case CacheType::f32:
      return attend<CacheType::f32>(args, scratch);
    case CacheType::f16:
      return attend<CacheType::f16>(args, scratch);
    case CacheType::bf16:
      return attend<CacheType::bf16>(args, scratch);
  }
}

void to_cache(std::byte* out, const float* x, std::int64_t n, CacheType type) {
  if (type == CacheType::f32) {
    __builtin_memcpy(out, x, static_cast<std::size_t>(n) * 4);
    return;
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint16_t bits = type == CacheType::f16 ? f16_bits(x[i]) : bf16_bits(x[i]);
    __builtin_memcpy(out + 2 * i, &bits, 2);
  }
}
