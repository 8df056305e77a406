// Attention of an encoder: all rows see all rows. Two products whose sums stay in registers,
// kBlockRows queries by kBlockVecs vectors at a time: scores of a block of keys, and their weights
// times the values. The softmax is kept online, as in attention.inl, with blocks that are cut at
// multiples of kEncoderBlock: what is computed for a query, and in which order, depends on it and
// on the keys and values alone.

static_assert(kEncoderQueries % kBlockRows == 0 && kEncoderPadding % (kBlockVecs * kLanes) == 0);
static_assert(kEncoderBlock % kEncoderPadding == 0);

inline constexpr int kEncoderStride = kEncoderBlock + kLanes;  // rows begin in different sets

// scores[r][0 .. 16 * kBlockVecs) of kBlockRows queries, which lie [head_dim][kEncoderQueries].
inline void encoder_scores(const float* queries, const float* keys, int head_dim, float* scores) {
  const std::int64_t panel = std::int64_t{kLanes} * head_dim;
  Vec sum[kBlockRows][kBlockVecs];
#pragma GCC unroll kUnroll
  for (int r = 0; r < kBlockRows; ++r) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kBlockVecs; ++v) sum[r][v] = Vec::set(0.0F);
  }
  for (int dim = 0; dim < head_dim; ++dim) {
    Vec key[kBlockVecs];
#pragma GCC unroll kUnroll
    for (int v = 0; v < kBlockVecs; ++v) key[v] = Vec::load(keys + v * panel + kLanes * dim);
#pragma GCC unroll kUnroll
    for (int r = 0; r < kBlockRows; ++r) {
      const Vec query = Vec::set(queries[kEncoderQueries * dim + r]);
#pragma GCC unroll kUnroll
      for (int v = 0; v < kBlockVecs; ++v) sum[r][v] = Vec::fma(key[v], query, sum[r][v]);
    }
  }
#pragma GCC unroll kUnroll
  for (int r = 0; r < kBlockRows; ++r) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kBlockVecs; ++v) sum[r][v].store(scores + kEncoderStride * r + kLanes * v);
  }
}

// Scores of a query with n keys to weights exp(score - maximum), 0 from there to n_padded; returns
// the factor for what was summed before.
inline float encoder_weights(float* scores, int n, int n_padded, float& maximum, float* total) {
  for (int i = n; i < n_padded; ++i) scores[i] = -__builtin_inff();
  Vec most = Vec::load(scores);
  for (int i = kLanes; i < n_padded; i += kLanes) most = Vec::max(most, Vec::load(scores + i));
  const float largest = most.largest() > maximum ? most.largest() : maximum;
  const float rescale =
      maximum == -__builtin_inff() ? 0.0F : Vec::exp(Vec::set(maximum - largest)).first();
  maximum = largest;
  const Vec shift = Vec::set(largest);
  Vec sum = Vec::load(total) * Vec::set(rescale);
  for (int i = 0; i < n_padded; i += kLanes) {
    const Vec weight = Vec::exp(Vec::load(scores + i) - shift);
    weight.store(scores + i);
    sum = sum + weight;
  }
  sum.store(total);
  return rescale;
}

// sums[r][0 .. 16 * kVecs) = sums * rescale[r] + weights[r][0 .. n) * values; vectors of values
// lie `panel` floats apart.
template <int kVecs>
inline void add_encoder_values(const float* weights, const float* values, std::int64_t panel, int n,
                               const float* rescale, float* sums, std::int64_t sums_stride) {
  Vec sum[kBlockRows][kVecs];
#pragma GCC unroll kUnroll
  for (int r = 0; r < kBlockRows; ++r) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) {
      sum[r][v] = Vec::load(sums + r * sums_stride + kLanes * v) * Vec::set(rescale[r]);
    }
  }
  for (int i = 0; i < n; ++i) {
    Vec value[kVecs];
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) value[v] = Vec::load(values + v * panel + kLanes * i);
#pragma GCC unroll kUnroll
    for (int r = 0; r < kBlockRows; ++r) {
      const Vec weight = Vec::set(weights[kEncoderStride * r + i]);
#pragma GCC unroll kUnroll
      for (int v = 0; v < kVecs; ++v) sum[r][v] = Vec::fma(value[v], weight, sum[r][v]);
    }
  }
#pragma GCC unroll kUnroll
  for (int r = 0; r < kBlockRows; ++r) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) sum[r][v].store(sums + r * sums_stride + kLanes * v);
  }
}

void encoder_attention(const EncoderAttentionArgs& args, float* scratch) {
  const int head_dim = args.head_dim;
  const auto value_dim = static_cast<int>(encoder_value_dim(head_dim));
  float* const queries = scratch;
  float* const scores = queries + kEncoderQueries * head_dim;
  float* const sums = scores + kEncoderQueries * kEncoderStride;
  float* const totals = sums + kEncoderQueries * value_dim;
  float maxima[kEncoderQueries];
  float rescale[kEncoderQueries];
  // Of whole blocks of rows: queries of zeros behind those that are there.
  const int n = (args.n_queries + kBlockRows - 1) / kBlockRows * kBlockRows;
  for (int q = 0; q < n; ++q) {
    const float* from = args.query + q * args.query_stride;
    for (int dim = 0; dim < head_dim; ++dim) {
      queries[kEncoderQueries * dim + q] = q < args.n_queries ? from[dim] : 0.0F;
    }
    maxima[q] = -__builtin_inff();
    Vec::set(0.0F).store(totals + kLanes * q);
  }
  __builtin_memset(sums, 0, static_cast<std::size_t>(n * value_dim) * sizeof(float));

  const std::int64_t panel = args.n_padded * kLanes;  // of values
  for (std::int64_t first = 0; first < args.n_keys; first += kEncoderBlock) {
    const std::int64_t left = args.n_keys - first;
    const int n_keys = left < kEncoderBlock ? static_cast<int>(left) : kEncoderBlock;
    const int n_padded = (n_keys + kEncoderPadding - 1) / kEncoderPadding * kEncoderPadding;
    const float* keys = args.keys + first * head_dim;
    for (int key = 0; key < n_padded; key += kBlockVecs * kLanes) {
      for (int q = 0; q < n; q += kBlockRows) {
        encoder_scores(queries + q, keys + std::int64_t{key} * head_dim, head_dim,
                       scores + kEncoderStride * q + key);
      }
    }
    for (int q = 0; q < n; ++q) {
      rescale[q] = encoder_weights(scores + kEncoderStride * q, n_keys, n_padded, maxima[q],
                                   totals + kLanes * q);
    }
    const float* values = args.values + first * kLanes;
    const auto add = [&](int dim, auto count) {
      for (int q = 0; q < n; q += kBlockRows) {
        add_encoder_values<decltype(count)::n>(scores + kEncoderStride * q,
                                               values + dim / kLanes * panel, panel, n_padded,
                                               rescale + q, sums + q * value_dim + dim, value_dim);
      }
    };
    int dim = 0;
    for (; dim + kBlockVecs * kLanes <= value_dim; dim += kBlockVecs * kLanes) {
      add(dim, Count<kBlockVecs>());
    }
    if (dim < value_dim) add(dim, Count<1>());
  }

  for (int q = 0; q < args.n_queries; ++q) {
    const Vec total = Vec::set(Vec::load(totals + kLanes * q).sum());
    float* out = args.out + q * args.out_stride;
    const float* from = sums + q * value_dim;
    int dim = 0;
    for (; dim + kLanes <= head_dim; dim += kLanes)
      (Vec::load(from + dim) / total).store(out + dim);
    if (dim < head_dim) (Vec::load(from + dim) / total).store_part(out + dim, head_dim - dim);
  }
}
