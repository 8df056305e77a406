// Attention of prompts on the matrix unit, over a cache in bf16, whose keys and
// values lie in pages as tiles want them. Thirty-two queries at a time go over the
// positions in blocks cut at multiples of kPromptBlock, with an online softmax.
// Queries and weights of positions are split in two parts of bf16, high and low, so
// that products are as exact as the cache; sums are f32.
//
// With values that are numbers, a query's bits depend on its own positions alone: blocks are
// absolute, a position outside its range weighs nothing, and adding nothing changes no sum (the
// matrix unit takes subnormal sums for zero, so none is ever left in memory).

inline constexpr int kPairQueries = 2 * kTileRows;  // queries of a pair of tiles
inline constexpr int kPairSlots = 32;               // a pair of key tiles, one value tile deep
inline constexpr int kPairTileBytes = 4 * kTileBytes;
inline constexpr int kScoreChunk = 256;                     // dimensions
inline constexpr int kScoreStride = kPromptBlock + kLanes;  // lines of a tile in different sets

// Slots [begin, end) of a block.
struct Slots {
  int begin;
  int end;

  bool empty() const { return begin >= end; }
  // Lanes of the sixteen slots from `slot` on.
  __mmask16 lanes(int slot) const {
    const int from = begin - slot;
    const int to = end - slot;
    const unsigned low = from <= 0 ? 0xFFFFU : from >= kLanes ? 0U : 0xFFFFU << from;
    const unsigned high = to >= kLanes ? 0xFFFFU : to <= 0 ? 0U : (1U << to) - 1;
    return static_cast<__mmask16>(low & high);
  }
};

inline Slots slots_of(std::int64_t first, std::int64_t last, std::int64_t start) {
  const std::int64_t begin = first - start;
  const std::int64_t end = last + 1 - start;
  return {static_cast<int>(begin < 0              ? 0
                           : begin < kPromptBlock ? begin
                                                  : kPromptBlock),
          static_cast<int>(end < 0              ? 0
                           : end < kPromptBlock ? end
                                                : kPromptBlock)};
}

// Tiles for products with tiles 4 and 5, as [high, low][two blocks of 16 rows]:
// products into sums 0 to 3, the high parts before the low ones.
inline void multiply_split(const std::byte* parts) {
  _tile_loadd(6, parts, 64);
  _tile_loadd(7, parts + kTileBytes, 64);
  _tile_dpbf16ps(0, 6, 4);
  _tile_dpbf16ps(1, 6, 5);
  _tile_dpbf16ps(2, 7, 4);
  _tile_dpbf16ps(3, 7, 5);
  _tile_loadd(6, parts + 2 * kTileBytes, 64);
  _tile_loadd(7, parts + 3 * kTileBytes, 64);
  _tile_dpbf16ps(0, 6, 4);
  _tile_dpbf16ps(1, 6, 5);
  _tile_dpbf16ps(2, 7, 4);
  _tile_dpbf16ps(3, 7, 5);
}

// Thirty-two values as a line of a tile, and what rounding left of them as the same
// line of the low part.
inline void store_split(std::byte* line, Vec low_half, Vec high_half) {
  const __m512i high = (__m512i)_mm512_cvtne2ps_pbh(high_half.v, low_half.v);
  const auto value = [](__m256i halves) {
    return Vec{_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))};
  };
  const Vec rest0 = low_half - value(_mm512_castsi512_si256(high));
  const Vec rest1 = high_half - value(_mm512_extracti64x4_epi64(high, 1));
  _mm512_storeu_si512(line, high);
  _mm512_storeu_si512(line + 2 * kTileBytes, (__m512i)_mm512_cvtne2ps_pbh(rest1.v, rest0.v));
}

// e^x for x <= 0 or no number. What is hardly normal stays so: a subnormal number
// would cost the processor a hundred cycles, and the sums beside it are 1 at least.
inline Vec weight_of(Vec x) {
  return {exp_in_range(_mm512_max_ps(_mm512_set1_ps(kLeastExponent), x.v))};
}

// As store_split, of weights: in [0, 1] or no number.
inline void store_split_weights(std::byte* line, Vec low_half, Vec high_half) {
  const __m512i half = _mm512_set1_epi32(0x8000);
  const __m512i top = _mm512_set1_epi32(-65536);
  const __m512i odd =
      _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29, 27,
                       25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  const auto rounded = [&](Vec x) { return _mm512_add_epi32(_mm512_castps_si512(x.v), half); };
  const auto value = [&](__m512i bits) {
    return Vec{_mm512_castsi512_ps(_mm512_and_si512(bits, top))};
  };
  const __m512i high0 = rounded(low_half);
  const __m512i high1 = rounded(high_half);
  const __m512i rest0 = rounded(low_half - value(high0));
  const __m512i rest1 = rounded(high_half - value(high1));
  _mm512_storeu_si512(line, _mm512_permutex2var_epi16(high0, odd, high1));
  _mm512_storeu_si512(line + 2 * kTileBytes, _mm512_permutex2var_epi16(rest0, odd, rest1));
}

// Line of query q (of 32) within [high, low][2][16][32].
inline std::byte* split_line(std::byte* parts, int q) {
  return parts + q / kTileRows * kTileBytes + q % kTileRows * 64;
}

class PromptAttention {
 public:
  PromptAttention(const PromptAttentionArgs& args, std::byte* scratch)
      : args_(args), n_queries_(args.n_rows * args.n_heads) {
    const auto take = [&](std::int64_t bytes) {
      std::byte* from = scratch;
      scratch += bytes;
      return from;
    };
    const std::int64_t head_dim = args.head_dim;
    queries_ = take(kPromptQueries * head_dim * 4);
    sums_ = take(kPromptQueries * head_dim * 4);
    values_ = take(kPromptBlock * head_dim * 2);
    weights_ = take(std::int64_t{kPairQueries} * kPromptBlock * 4);
    scores_ = reinterpret_cast<float*>(take(std::int64_t{kPairQueries} * kScoreStride * 4));
    totals_ = reinterpret_cast<float*>(take(std::int64_t{kPromptQueries} * kLanes * 4));
    maxima_ = reinterpret_cast<float*>(take(std::int64_t{kPromptQueries} * 4));
    first_ = args.first[0];
    last_ = args.last[0];
    for (int row = 1; row < args.n_rows; ++row) {
      first_ = args.first[row] < first_ ? args.first[row] : first_;
      last_ = args.last[row] > last_ ? args.last[row] : last_;
    }
  }

  void run() {
    for (int q = 0; q < n_queries_; ++q) {
      maxima_[q] = -__builtin_inff();
      Vec::set(0.0F).store(totals_ + q * kLanes);
    }
    for (int pair = 0; pair < n_pairs(); ++pair) {
      split_queries(pair);
      started_[pair] = false;
    }
    for (std::int64_t block = first_ / kPromptBlock; block <= last_ / kPromptBlock; ++block) {
      start_ = block * kPromptBlock;
      find_tiles();
      for (int pair = 0; pair < n_pairs(); ++pair) attend(pair);
    }
    for (int q = 0; q < n_queries_; ++q) write_out(q);
  }

 private:
  struct Place {
    const std::byte* at;
    std::int64_t stride;  // bytes between the lines of a tile
  };

  int n_pairs() const { return (n_queries_ + kPairQueries - 1) / kPairQueries; }
  int n_queries_of(int pair) const {
    const int left = n_queries_ - pair * kPairQueries;
    return left < kPairQueries ? left : kPairQueries;
  }
  std::byte* queries_of(int pair) const {
    return queries_ + std::int64_t{pair} * args_.head_dim / kTileCols * kPairTileBytes;
  }
  // [32 dims][2 x 16 queries][2 x 16 dims] of f32.
  std::byte* sums_of(int pair) const {
    return sums_ + std::int64_t{pair} * args_.head_dim / kTileCols * kPairTileBytes;
  }
  static float* sum_line(std::byte* sums, int q, int dim) {
    return reinterpret_cast<float*>(sums + dim / kTileCols * kPairTileBytes +
                                    (q / kTileRows * 2 + dim % kTileCols / kLanes) * kTileBytes +
                                    q % kTileRows * 64);
  }

  void split_queries(int pair) {
    std::byte* parts = queries_of(pair);
    for (int dim = 0; dim < args_.head_dim; dim += kTileCols, parts += kPairTileBytes) {
      for (int q = 0; q < kPairQueries; ++q) {
        Vec low = Vec::set(0.0F);
        Vec high = Vec::set(0.0F);
        if (q < n_queries_of(pair)) {
          const int index = pair * kPairQueries + q;
          const float* from = args_.query + index / args_.n_heads * args_.query_stride +
                              std::int64_t{index % args_.n_heads} * args_.head_dim + dim;
          low = Vec::load(from);
          high = Vec::load(from + kLanes);
        }
        store_split(split_line(parts, q), low, high);
      }
    }
  }

  const std::byte* page_of(std::int64_t position) const {
    return position < first_ || position > last_ ? nullptr
                                                 : args_.pages[position / args_.page_tokens];
  }

  // Where the block's tiles of keys and values lie.
  void find_tiles() {
    const std::int64_t page_tokens = args_.page_tokens;
    // Sixteen keys lie in one page. Where nobody asks for any of them a page may be
    // missing: scores are masked, so any other keys will do.
    const std::byte* any = args_.pages[last_ / page_tokens] + args_.key_offset;
    for (int tile = 0; tile < kPromptBlock / kLanes; ++tile) {
      const std::int64_t position = start_ + std::int64_t{tile} * kLanes;
      const bool wanted = position <= last_ && position + kLanes > first_;
      const std::byte* page = wanted ? args_.pages[position / page_tokens] : nullptr;
      key_tiles_[tile] =
          page ? page + args_.key_offset + position % page_tokens * std::int64_t{4} : any;
    }
    for (int tile = 0; tile < kPromptBlock / kPairSlots; ++tile) {
      const std::int64_t position = start_ + std::int64_t{tile} * kPairSlots;
      const std::int64_t end = position + kPairSlots - 1;
      if (position > last_ || end < first_) continue;
      const std::byte* page = page_of(position);
      if (page && end <= last_ && position / page_tokens == end / page_tokens) {
        const std::int64_t slot = position % page_tokens;
        value_tiles_[tile] = page + args_.value_offset + slot * args_.head_dim * 2;
      } else {
        value_tiles_[tile] = copy_values(tile, position);
      }
    }
  }

  // Thirty-two positions' values with zeros where nobody asks for them: what lies
  // there may be no number, of which a weight of 0 would make no number either.
  const std::byte* copy_values(int tile, std::int64_t position) {
    const std::int64_t pair_bytes = std::int64_t{4} * args_.head_dim;
    std::byte* out = values_ + tile * (kPairSlots / 2) * pair_bytes;
    for (int i = 0; i < kPairSlots / 2; ++i) {
      const std::int64_t even = position + 2 * i;
      const std::byte* even_page = page_of(even);
      const std::byte* odd_page = page_of(even + 1);
      const std::byte* page = even_page ? even_page : odd_page;
      const __m512i keep = _mm512_set1_epi32(
          static_cast<int>((even_page ? 0xFFFFU : 0U) | (odd_page ? 0xFFFF0000U : 0U)));
      for (std::int64_t at = 0; at < pair_bytes; at += 64) {
        __m512i pairs = _mm512_setzero_si512();
        if (page) {
          pairs = _mm512_loadu_si512(page + args_.value_offset +
                                     even % args_.page_tokens / 2 * pair_bytes + at);
        }
        _mm512_storeu_si512(out + i * pair_bytes + at, _mm512_and_si512(pairs, keep));
      }
    }
    return out;
  }

  void attend(int pair) {
    Slots ranges[kPairQueries];
    Slots all = {kPromptBlock, 0};
    for (int q = 0; q < kPairQueries; ++q) {
      ranges[q] = {0, 0};
      if (q >= n_queries_of(pair)) continue;
      const int row = (pair * kPairQueries + q) / args_.n_heads;
      ranges[q] = slots_of(args_.first[row], args_.last[row], start_);
      if (ranges[q].empty()) continue;
      all.begin = ranges[q].begin < all.begin ? ranges[q].begin : all.begin;
      all.end = ranges[q].end > all.end ? ranges[q].end : all.end;
    }
    if (all.empty()) return;
    all.begin = all.begin / kPairSlots * kPairSlots;
    score(pair, all);
    weigh(pair, ranges, all);
    add_values(pair, all);
    started_[pair] = true;
  }

  // scores[32 queries][slot] of the pair. Long heads go in chunks, whose queries stay
  // in the first-level cache.
  void score(int pair, Slots slots) {
    for (int dim = 0; dim < args_.head_dim; dim += kScoreChunk) {
      const int left = args_.head_dim - dim;
      score_chunk(pair, slots, dim, left < kScoreChunk ? left : kScoreChunk);
    }
  }

  void score_chunk(int pair, Slots slots, int first_dim, int n_dims) {
    stored_for_tiles();
    const std::int64_t stride = std::int64_t{4} * args_.page_tokens;
    constexpr std::int64_t kStride = kScoreStride * 4;
    for (int slot = slots.begin; slot < slots.end; slot += kPairSlots) {
      const std::byte* keys0 = key_tiles_[slot / kLanes] + first_dim / 2 * stride;
      const std::byte* keys1 = key_tiles_[slot / kLanes + 1] + first_dim / 2 * stride;
      const std::byte* parts = queries_of(pair) + first_dim / kTileCols * kPairTileBytes;
      float* out = scores_ + slot;
      float* out2 = out + kTileRows * kScoreStride;
      if (first_dim == 0) {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
      } else {
        _tile_loadd(0, out, kStride);
        _tile_loadd(1, out + kLanes, kStride);
        _tile_loadd(2, out2, kStride);
        _tile_loadd(3, out2 + kLanes, kStride);
      }
      for (int dim = 0; dim < n_dims; dim += kTileCols) {
        _tile_loadd(4, keys0, stride);
        _tile_loadd(5, keys1, stride);
        multiply_split(parts);
        keys0 += kTileRows * stride;
        keys1 += kTileRows * stride;
        parts += kPairTileBytes;
      }
      _tile_stored(0, out, kStride);
      _tile_stored(1, out + kLanes, kStride);
      _tile_stored(2, out2, kStride);
      _tile_stored(3, out2 + kLanes, kStride);
    }
  }

  // The largest score of a query's own slots and of what was before.
  float largest_score(int pair, int q, Slots own) const {
    const float* scores = scores_ + q * kScoreStride;
    __m512 largest = _mm512_set1_ps(maxima_[pair * kPairQueries + q]);
    for (int slot = own.begin / kLanes * kLanes; slot < own.end; slot += kLanes) {
      largest = _mm512_mask_max_ps(largest, own.lanes(slot), largest, Vec::load(scores + slot).v);
    }
    return _mm512_reduce_max_ps(largest);
  }

  // Scores to weights exp(score - maximum), 0 outside a query's own slots, as tiles
  // [32 slots][high, low][2 x 16 queries]; what was summed before is rescaled where a
  // maximum has grown.
  void weigh(int pair, const Slots* own, Slots all) {
    float largest[kPairQueries];
    for (int q = 0; q < kPairQueries; ++q) {
      if (!own[q].empty()) largest[q] = largest_score(pair, q, own[q]);
    }
    for (int q = 0; q < kPairQueries; ++q) {
      if (own[q].empty()) {
        weigh_nothing(q, all);
      } else {
        weigh_query(pair, q, own[q], all, largest[q]);
      }
    }
  }

  void weigh_nothing(int q, Slots all) {
    for (int slot = all.begin; slot < all.end; slot += kPairSlots) {
      std::byte* line = split_line(weights_, q) + slot / kPairSlots * kPairTileBytes;
      _mm512_storeu_si512(line, _mm512_setzero_si512());
      _mm512_storeu_si512(line + 2 * kTileBytes, _mm512_setzero_si512());
    }
  }

  void weigh_query(int pair, int q, Slots own, Slots all, float largest) {
    const float* scores = scores_ + q * kScoreStride;
    float& maximum = maxima_[pair * kPairQueries + q];
    float* total = totals_ + (pair * kPairQueries + q) * kLanes;
    Vec sum = Vec::load(total);
    if (largest != maximum) {
      const Vec rescale = weight_of(Vec::set(maximum - largest));
      sum = sum * rescale;
      if (started_[pair]) rescale_sums(pair, q, rescale);
      maximum = largest;
    }
    const Vec shift = Vec::set(largest);
    for (int slot = all.begin; slot < all.end; slot += kPairSlots) {
      Vec p0 = weight_of(Vec::load(scores + slot) - shift);
      Vec p1 = weight_of(Vec::load(scores + slot + kLanes) - shift);
      if (slot < own.begin || slot + kPairSlots > own.end) {
        p0.v = _mm512_maskz_mov_ps(own.lanes(slot), p0.v);
        p1.v = _mm512_maskz_mov_ps(own.lanes(slot + kLanes), p1.v);
      }
      sum = sum + p0;
      sum = sum + p1;
      std::byte* line = split_line(weights_, q) + slot / kPairSlots * kPairTileBytes;
      store_split_weights(line, p0, p1);
    }
    sum.store(total);
  }

  void rescale_sums(int pair, int q, Vec rescale) {
    std::byte* sums = sums_of(pair);
    const __m512 smallest = _mm512_set1_ps(0x1p-126F);
    for (int dim = 0; dim < args_.head_dim; dim += kLanes) {
      float* line = sum_line(sums, q, dim);
      const __m512 value = (Vec::load(line) * rescale).v;
      const __mmask16 normal =
          _mm512_cmp_ps_mask(_mm512_abs_ps(value), smallest, _CMP_NLT_UQ);  // or no number
      _mm512_storeu_ps(line, _mm512_maskz_mov_ps(normal, value));
    }
  }

  void add_values(int pair, Slots slots) {
    stored_for_tiles();
    const std::int64_t stride = std::int64_t{4} * args_.head_dim;
    std::byte* sums = sums_of(pair);
    for (int dim = 0; dim < args_.head_dim; dim += kTileCols, sums += kPairTileBytes) {
      if (started_[pair]) {
        _tile_loadd(0, sums, 64);
        _tile_loadd(1, sums + kTileBytes, 64);
        _tile_loadd(2, sums + 2 * kTileBytes, 64);
        _tile_loadd(3, sums + 3 * kTileBytes, 64);
      } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
      }
      for (int slot = slots.begin; slot < slots.end; slot += kPairSlots) {
        const std::byte* values = value_tiles_[slot / kPairSlots] + std::int64_t{4} * dim;
        _tile_loadd(4, values, stride);
        _tile_loadd(5, values + 64, stride);
        multiply_split(weights_ + slot / kPairSlots * kPairTileBytes);
      }
      _tile_stored(0, sums, 64);
      _tile_stored(1, sums + kTileBytes, 64);
      _tile_stored(2, sums + 2 * kTileBytes, 64);
      _tile_stored(3, sums + 3 * kTileBytes, 64);
    }
  }

  void write_out(int index) const {
    std::byte* sums = sums_of(index / kPairQueries);
    const Vec total = Vec::set(Vec::load(totals_ + index * kLanes).sum());
    float* out = args_.out + index / args_.n_heads * args_.out_stride +
                 std::int64_t{index % args_.n_heads} * args_.head_dim;
    for (int dim = 0; dim < args_.head_dim; dim += kLanes) {
      const Vec sum = Vec::load(sum_line(sums, index % kPairQueries, dim));
      // One zero: its sign tells which tiles were skipped.
      (sum / total + Vec::set(0.0F)).store(out + dim);
    }
  }

  const PromptAttentionArgs& args_;
  int n_queries_;
  std::int64_t first_;      // of all queries
  std::int64_t last_;       // of all queries
  std::int64_t start_ = 0;  // the block's first position
  std::byte* queries_;      // [pair][32 dims][high, low][2][16][32]
  std::byte* sums_;         // [pair][32 dims][2][2][16][16]
  std::byte* values_;       // [32 slots][16][head_dim][2], copies
  std::byte* weights_;      // [32 slots][high, low][2][16][32]
  float* scores_;           // [32][kScoreStride]
  float* totals_;           // [query][16]
  float* maxima_;           // [query]
  const std::byte* key_tiles_[kPromptBlock / kLanes];
  const std::byte* value_tiles_[kPromptBlock / kPairSlots];
  bool started_[kPromptQueries / kPairQueries];  // anything was added to the sums
};

void prompt_attention(const PromptAttentionArgs& args, std::byte* scratch) {
  _tile_loadconfig(&kTileConfig);
  PromptAttention(args, scratch).run();
  _tile_release();
}
