// Attention of generated tokens on the matrix unit, over a cache in bf16: up to eight
// queries of one row that share a key head, page by page with an online softmax. The rows of
// a tile are the high parts of the queries (or of the weights of positions) and then the low
// ones, so every tile of the cache is loaded and multiplied once.
//
// What is computed depends on the row's positions alone: pages are absolute, and a position
// outside of its range weighs nothing.

// Tiles: 0 and 1 sums, 4 and 5 keys or values, 6 parts.
static_assert(2 * kMaxQueries <= kTileRows);
constexpr TileConfig generated_tiles(int n_queries) {
  const auto rows = static_cast<std::uint8_t>(2 * n_queries);
  TileConfig config;
  config.rows[0] = rows;
  config.rows[1] = rows;
  config.rows[6] = rows;
  return config;
}

struct GeneratedTiles {
  TileConfig of_queries[kMaxQueries + 1];

  constexpr GeneratedTiles() {
    for (int n = 1; n <= kMaxQueries; ++n) of_queries[n] = generated_tiles(n);
  }
};
const GeneratedTiles kGeneratedTiles;

class GeneratedAttention {
 public:
  GeneratedAttention(const AttentionArgs& args, std::byte* scratch)
      : args_(args),
        n_queries_(args.n_queries),
        head_dim_(args.head_dim),
        score_stride_(args.page_tokens + kLanes) {
    const auto take = [&](std::int64_t bytes) {
      std::byte* from = scratch;
      scratch += bytes;
      return from;
    };
    queries_ = take(head_dim_ / kTileCols * kTileBytes);
    sums_ = take(head_dim_ / kLanes * kTileBytes);
    copies_ = take(2 * kPairSlots * head_dim_ * 2);
    weights_ = take(args.page_tokens / kPairSlots * std::int64_t{kTileBytes});
    scores_ = reinterpret_cast<float*>(take(std::int64_t{2} * n_queries_ * score_stride_ * 4));
  }

  void run() {
    for (int q = 0; q < n_queries_; ++q) {
      split_query(q);
      maxima_[q] = -__builtin_inff();
      totals_[q] = Vec::set(0.0F);
    }
    const std::int64_t page_tokens = args_.page_tokens;
    const std::int64_t last_page = args_.last[0] / page_tokens;
    for (std::int64_t page = args_.first[0] / page_tokens; page <= last_page; ++page) {
      const std::int64_t start = page * page_tokens;
      own_ = slots_of(args_.first[0], args_.last[0], start, args_.page_tokens);
      keys_ = args_.pages[page] + args_.key_offset;
      values_ = args_.pages[page] + args_.value_offset;
      const std::int64_t pair_bytes = std::int64_t{4} * head_dim_;
      ahead_.expect(values_ + first_slot() / 2 * pair_bytes,
                    (own_.end - first_slot() + 1) / 2 * pair_bytes);
      score();
      for (int q = 0; q < n_queries_; ++q) weigh(q);
      ahead_ = {};
      if (page < last_page) {
        ahead_.expect(args_.pages[page + 1] + args_.key_offset, 2 * page_tokens * head_dim_);
      }
      add_values();
      started_ = true;
    }
    for (int q = 0; q < n_queries_; ++q) write_out(q);
  }

 private:
  // The first slot that is computed with; they go on to own_.end, rounded up.
  int first_slot() const { return own_.begin / kPairSlots * kPairSlots; }

  std::byte* line(std::byte* tile, int part, int q) const {
    return tile + (part * n_queries_ + q) * 64;
  }
  SplitLine split_line(std::byte* tile, int q) const {
    return {line(tile, 0, q), line(tile, 1, q)};
  }
  float* sum_line(int part, int q, int dim) const {
    return reinterpret_cast<float*>(line(sums_ + dim / kLanes * kTileBytes, part, q));
  }
  float* scores_of(int part, int q) const {
    return scores_ + (part * n_queries_ + q) * score_stride_;
  }

  void split_query(int q) {
    for (int dim = 0; dim < head_dim_; dim += kTileCols) {
      const float* from = args_.queries[q] + dim;
      store_split(split_line(queries_ + dim / kTileCols * kTileBytes, q), Vec::load(from),
                  Vec::load(from + kLanes));
    }
  }

  void score() {
    const std::int64_t stride = std::int64_t{4} * args_.page_tokens;
    stored_for_tiles();
    for (int slot = first_slot(); slot < own_.end; slot += kPairSlots) {
      const std::byte* keys = keys_ + 4 * slot;
      _tile_zero(0);
      _tile_zero(1);
      for (int tile = 0; tile < head_dim_ / kTileCols; ++tile, keys += kTileRows * stride) {
        _tile_loadd(6, queries_ + tile * kTileBytes, 64);
        _tile_loadd(4, keys, stride);
        _tile_loadd(5, keys + 4 * kLanes, stride);
        _tile_dpbf16ps(0, 6, 4);
        _tile_dpbf16ps(1, 6, 5);
        ahead_.advance(2 * kTileRows);
      }
      _tile_stored(0, scores_ + slot, score_stride_ * 4);
      _tile_stored(1, scores_ + slot + kLanes, score_stride_ * 4);
    }
    stored_for_tiles();
  }

  // Scores to weights; what was summed before is rescaled where the maximum has grown.
  void weigh(int q) {
    float* scores = scores_of(0, q);
    const float* low = scores_of(1, q);
    for (int slot = first_slot(); slot < own_.end; slot += kLanes) {
      (Vec::load(scores + slot) + Vec::load(low + slot)).store(scores + slot);
    }
    const float largest = largest_score(scores, own_, maxima_[q]);
    if (largest != maxima_[q]) {
      const Vec rescale = weight_of(Vec::set(maxima_[q] - largest));
      totals_[q] = totals_[q] * rescale;
      if (started_) rescale_sums(q, rescale);
      maxima_[q] = largest;
    }
    totals_[q] = weigh_slots(
        scores, own_, {first_slot(), own_.end}, largest, totals_[q],
        [&](int slot) { return split_line(weights_ + slot / kPairSlots * kTileBytes, q); });
  }

  void rescale_sums(int q, Vec rescale) {
    for (int dim = 0; dim < head_dim_; dim += kLanes) {
      for (int part = 0; part < 2; ++part) rescale_line(sum_line(part, q, dim), rescale);
    }
  }

  // Values of the 32 positions from `slot` on; a copy where only some of them are the row's.
  const std::byte* values_at(int slot) {
    const std::int64_t pair_bytes = std::int64_t{4} * head_dim_;
    const std::byte* values = values_ + slot / 2 * pair_bytes;
    if (slot >= own_.begin && slot + kPairSlots <= own_.end) return values;
    std::byte* copy = copies_ + (slot < own_.begin ? 0 : kPairSlots / 2 * pair_bytes);
    const auto owned = [&](int at) { return at >= own_.begin && at < own_.end; };
    for (int i = 0; i < kPairSlots / 2; ++i) {
      copy_pair(copy + i * pair_bytes, values + i * pair_bytes, owned(slot + 2 * i),
                owned(slot + 2 * i + 1), pair_bytes);
    }
    return copy;
  }

  void add_values() {
    const std::int64_t stride = std::int64_t{4} * head_dim_;
    const std::byte* first = values_at(first_slot());
    const int last_group = (own_.end - 1) / kPairSlots * kPairSlots;
    const std::byte* last = last_group == first_slot() ? first : values_at(last_group);
    stored_for_tiles();
    for (int dim = 0; dim < head_dim_; dim += kTileCols) {
      std::byte* sums = sums_ + dim / kLanes * kTileBytes;
      if (started_) {
        _tile_loadd(0, sums, 64);
        _tile_loadd(1, sums + kTileBytes, 64);
      } else {
        _tile_zero(0);
        _tile_zero(1);
      }
      for (int slot = first_slot(); slot < own_.end; slot += kPairSlots) {
        const std::byte* values = slot == first_slot() ? first
                                  : slot == last_group ? last
                                                       : values_ + slot / 2 * stride;
        _tile_loadd(6, weights_ + slot / kPairSlots * kTileBytes, 64);
        _tile_loadd(4, values + 4 * dim, stride);
        _tile_loadd(5, values + 4 * dim + 64, stride);
        _tile_dpbf16ps(0, 6, 4);
        _tile_dpbf16ps(1, 6, 5);
        ahead_.advance(2 * kTileRows);
      }
      _tile_stored(0, sums, 64);
      _tile_stored(1, sums + kTileBytes, 64);
    }
    stored_for_tiles();
  }

  void write_out(int q) const {
    for (int dim = 0; dim < head_dim_; dim += kLanes) {
      (Vec::load(sum_line(0, q, dim)) + Vec::load(sum_line(1, q, dim))).store(args_.out[q] + dim);
    }
    args_.maximum[q] = maxima_[q];
    args_.total[q] = totals_[q].sum();
  }

  const AttentionArgs& args_;
  int n_queries_;
  int head_dim_;
  std::int64_t score_stride_;  // floats
  std::byte* queries_;         // [32 dims][high, low][query][32]
  std::byte* sums_;            // [16 dims][high, low][query][16] of f32
  std::byte* copies_;          // of values, [2][16][head_dim][2]
  std::byte* weights_;         // [32 slots][high, low][query][32]
  float* scores_;              // [high, low][query][score_stride_]
  float maxima_[kMaxQueries];
  Vec totals_[kMaxQueries];
  Slots own_ = {0, 0};               // of the page at hand
  const std::byte* keys_ = nullptr;  // of the same page
  const std::byte* values_ = nullptr;
  Ahead ahead_;
  bool started_ = false;  // anything was added to the sums
};

void generated_attention(const AttentionArgs& args, std::byte* scratch) {
  _tile_loadconfig(&kGeneratedTiles.of_queries[args.n_queries]);
  GeneratedAttention(args, scratch).run();
  _tile_release();
}
