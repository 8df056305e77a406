// Attention of prompts on the matrix unit, over a cache in bf16, whose keys and
// values lie in pages as tiles want them. Thirty-two queries at a time go over the
// positions in blocks cut at multiples of kPromptBlock, with an online softmax.
//
// With values that are numbers, a query's bits depend on its own positions alone: blocks are
// absolute, a position outside its range weighs nothing, and adding nothing changes no sum.

inline constexpr int kPairQueries = 2 * kTileRows;  // queries of a pair of tiles
inline constexpr int kPairTileBytes = 4 * kTileBytes;
inline constexpr int kScoreChunk = 256;                     // dimensions
inline constexpr int kScoreStride = kPromptBlock + kLanes;  // lines of a tile in different sets

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

// Lines of query q (of 32) within [high, low][2][16][32].
inline SplitLine split_line(std::byte* parts, int q) {
  std::byte* high = parts + q / kTileRows * kTileBytes + q % kTileRows * 64;
  return {high, high + 2 * kTileBytes};
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

  // Thirty-two positions' values, zeros where nobody asks for them.
  const std::byte* copy_values(int tile, std::int64_t position) {
    const std::int64_t pair_bytes = std::int64_t{4} * args_.head_dim;
    std::byte* out = values_ + tile * (kPairSlots / 2) * pair_bytes;
    for (int i = 0; i < kPairSlots / 2; ++i) {
      const std::int64_t even = position + 2 * i;
      const std::byte* even_page = page_of(even);
      const std::byte* odd_page = page_of(even + 1);
      const std::byte* page = even_page ? even_page : odd_page;
      const std::byte* from =
          page ? page + args_.value_offset + even % args_.page_tokens / 2 * pair_bytes : nullptr;
      copy_pair(out + i * pair_bytes, from, even_page != nullptr, odd_page != nullptr, pair_bytes);
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
      ranges[q] = slots_of(args_.first[row], args_.last[row], start_, kPromptBlock);
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

  // Scores to weights exp(score - maximum), 0 outside a query's own slots, as tiles
  // [32 slots][high, low][2 x 16 queries]; what was summed before is rescaled where a
  // maximum has grown.
  void weigh(int pair, const Slots* own, Slots all) {
    float largest[kPairQueries];
    for (int q = 0; q < kPairQueries; ++q) {
      if (own[q].empty()) continue;
      largest[q] =
          largest_score(scores_ + q * kScoreStride, own[q], maxima_[pair * kPairQueries + q]);
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
      const SplitLine line = weight_line(q, slot);
      _mm512_storeu_si512(line.high, _mm512_setzero_si512());
      _mm512_storeu_si512(line.low, _mm512_setzero_si512());
    }
  }

  void weigh_query(int pair, int q, Slots own, Slots all, float largest) {
    float& maximum = maxima_[pair * kPairQueries + q];
    float* total = totals_ + (pair * kPairQueries + q) * kLanes;
    Vec sum = Vec::load(total);
    if (largest != maximum) {
      const Vec rescale = weight_of(Vec::set(maximum - largest));
      sum = sum * rescale;
      if (started_[pair]) rescale_sums(pair, q, rescale);
      maximum = largest;
    }
    weigh_slots(scores_ + q * kScoreStride, own, all, largest, sum, [&](int slot) {
      return weight_line(q, slot);
    }).store(total);
  }

  SplitLine weight_line(int q, int slot) const {
    return split_line(weights_ + slot / kPairSlots * kPairTileBytes, q);
  }

  void rescale_sums(int pair, int q, Vec rescale) {
    for (int dim = 0; dim < args_.head_dim; dim += kLanes) {
      rescale_line(sum_line(sums_of(pair), q, dim), rescale);
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
