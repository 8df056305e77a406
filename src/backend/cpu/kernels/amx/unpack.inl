// How the matrix unit gets its weights: panels unpacked to bf16 tiles, two panels and
// a chunk of columns at a time.

// Two columns of sixteen weight rows, as the line of a tile.
inline void store_pair(std::byte* line, Vec even, Vec odd) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i halves = (__m512i)_mm512_cvtne2ps_pbh(odd.v, even.v);
  _mm512_storeu_si512(line, _mm512_permutexvar_epi16(order, halves));
}

// How a kind is unpacked, piece by piece, so that the work can be spread between the
// products of the block before it: the matrix unit and the vector units run side by
// side as long as a piece is short beside what the processor looks ahead.
// `tiles` are those of the step's first column; tile t lies at t * kWeightTileStep.
constexpr std::int64_t kWeightTileStep = 2 * kTileBytes;  // two panels side by side

inline std::byte* line_of(std::byte* tiles, int col) {
  return tiles + col / kTileCols * kWeightTileStep + col % kTileCols / 2 * 64;
}

template <typename T>
struct UnpackIntegers {
  static constexpr bool kInPlace = false;
  static constexpr PackedKind kKind = T::kKind;
  static constexpr int kPieces = T::kGroups * T::kQuads;  // of a step: four columns

  static void piece(const std::byte* step, int index, std::byte* tiles) {
    const int group = index / T::kQuads;
    switch (index % T::kQuads) {
      case 0:
        return quad<0>(step, group, tiles);
      case 1:
        return quad<1>(step, group, tiles);
      case 2:
        return quad<2>(step, group, tiles);
      case 3:
        return quad<3>(step, group, tiles);
      case 4:
        return quad<4 % T::kQuads>(step, group, tiles);
      case 5:
        return quad<5 % T::kQuads>(step, group, tiles);
      case 6:
        return quad<6 % T::kQuads>(step, group, tiles);
      default:
        return quad<7 % T::kQuads>(step, group, tiles);
    }
  }

 private:
  template <int kQuad>
  [[gnu::always_inline]] static void quad(const std::byte* step, int group, std::byte* tiles) {
    const __m512i low = _mm512_set1_epi32(255);
    Bytes w[T::kQuads];  // of which the compiler reads the one
    Vec scale;
    Vec base;
    T::load(step, group, w, scale, base);
    // (byte - offset) * scale, rounded once; the product with the offset is exact.
    if constexpr (!T::kHasMinimum) base = scale * Vec::set(-static_cast<float>(T::kOffset));
    Vec value[4];
    for (int i = 0; i < 4; ++i) {
      const __m512i shifted = i == 0 ? w[kQuad].v : _mm512_srli_epi32(w[kQuad].v, 8U * i);
      const __m512i bytes = i == 3 ? shifted : _mm512_and_si512(shifted, low);
      value[i] = Vec::fma({_mm512_cvtepi32_ps(bytes)}, scale, base);
    }
    std::byte* line = line_of(tiles, T::first_col(group)) + 128 * kQuad;
    store_pair(line, value[0], value[1]);
    store_pair(line + 64, value[2], value[3]);
  }
};

struct UnpackF8 {  // less a factor of 2^8
  static constexpr bool kInPlace = false;
  static constexpr PackedKind kKind = PackedKind::f8;
  static constexpr int kPieces = 4;

  static void piece(const std::byte* step, int index, std::byte* tiles) {
#pragma GCC unroll 4
    for (int pair = 4 * index; pair < 4 * index + 4; ++pair) {
      Vec even;
      Vec odd;
      Vec::load_e4m3_pairs(step + 32 * pair, even, odd);
      store_pair(tiles + 64 * pair, even, odd);
    }
  }
};

struct UnpackNothing {  // bf16 lies there as tiles
  static constexpr bool kInPlace = true;
  static constexpr PackedKind kKind = PackedKind::bf16;
  static constexpr int kPieces = 4;

  static void piece(const std::byte*, int, std::byte*) {}
};

// What is unpacked at a time: two panels of one of the weights, a chunk of columns.
struct Block {
  int weight;
  std::int64_t panel;
  std::int64_t col;
  std::int64_t n_cols;
};

// The blocks of a call in order: chunks of columns, pairs of panels within, the same
// pair of each weight within.
struct BlockOrder {
  std::int64_t first;
  std::int64_t last;
  std::int64_t cols;
  int n_weights;

  std::int64_t per_chunk() const { return (last - first + 1) / 2 * n_weights; }
  std::int64_t count() const { return per_chunk() * ((cols + kTileChunk - 1) / kTileChunk); }
  Block at(std::int64_t index) const {
    if (index >= count()) index = count() - 1;
    const std::int64_t col = index / per_chunk() * kTileChunk;
    const std::int64_t place = index % per_chunk();
    return {static_cast<int>(place % n_weights), first + place / n_weights * 2, col,
            cols - col < kTileChunk ? cols - col : kTileChunk};
  }
};

// The pieces of one block, unpacked a few after every tile of the block before it.
template <typename Unpack>
class Unpacking {
 public:
  Unpacking(const TileArgs* weights, std::int64_t last_panel)
      : weights_(weights), last_(last_panel) {}

  /// `turns`: how often advance() will be called; `after`: the block that comes next,
  /// whose bytes are asked for meanwhile.
  void start(const Block& block, const Block& after, std::byte* tiles, std::int64_t turns) {
    const std::int64_t n_panels = last_ - block.panel >= 2 ? 2 : 1;
    step_ = data_of(block);
    after_ = data_of(after) - step_;
    steps_ = (block.n_cols + kCols - 1) / kCols;
    tiles_ = tiles;
    side_ = 0;
    at_ = 0;
    piece_ = 0;
    left_ = n_panels * steps_ * Unpack::kPieces;
    total_ = left_;
    turns_ = turns;
    credit_ = 0;
  }
  void advance() {
#pragma GCC unroll 2
    for (int line = 0; line < kInputLines; ++line, next_x_ += 64)
      _mm_prefetch(next_x_, _MM_HINT_T1);
    if (next_x_ >= next_x_end_) next_x_ = next_x_end_ - 64 * kInputLines;
    for (credit_ += total_; credit_ >= turns_; credit_ -= turns_) unpack_piece();
  }
  /// The activations of the next chunk come from far away; they are asked for a few
  /// lines at a time.
  void expect(const std::byte* x, std::int64_t bytes) {
    next_x_ = x;
    next_x_end_ = x + bytes;
  }
  void finish() {
    while (left_ > 0) unpack_piece();
  }

 private:
  static constexpr int kInputLines = 2;
  static constexpr PackedLayout kLayout = layout_of(Unpack::kKind);
  static constexpr std::int64_t kCols = kLayout.step_cols;

  const std::byte* data_of(const Block& block) const {
    const TileArgs& weight = weights_[block.weight];
    return weight.data + block.panel * weight.panel_bytes + block.col / kCols * kLayout.step_bytes;
  }

  void unpack_piece() {
    if (left_ == 0) return;
    --left_;
    const std::byte* step = step_ + side_ * weights_->panel_bytes + at_ * kLayout.step_bytes;
    constexpr int kPieceBytes = (kLayout.step_bytes + Unpack::kPieces - 1) / Unpack::kPieces;
    constexpr int kLines = (kPieceBytes + 63) / 64;
#pragma GCC unroll 8
    for (int line = 0; line < kLines; ++line) {
      _mm_prefetch(step + after_ + piece_ * kPieceBytes + 64 * line, _MM_HINT_T1);
    }
    Unpack::piece(step, piece_,
                  tiles_ + side_ * kTileBytes + at_ * (kCols / kTileCols) * kWeightTileStep);
    if (++piece_ < Unpack::kPieces) return;
    piece_ = 0;
    if (++at_ < steps_) return;
    at_ = 0;
    ++side_;
  }

  const TileArgs* weights_;  // of one kind and shape
  std::int64_t last_;
  const std::byte* next_x_ = nullptr;
  const std::byte* next_x_end_ = nullptr;
  const std::byte* step_ = nullptr;  // the block's first
  std::int64_t after_ = 0;           // from there to the next block's
  std::byte* tiles_ = nullptr;
  std::int64_t steps_ = 0;
  std::int64_t side_ = 0;
  std::int64_t at_ = 0;
  int piece_ = 0;
  std::int64_t left_ = 0;
  std::int64_t total_ = 0;
  std::int64_t turns_ = 1;
  std::int64_t credit_ = 0;
};

// Calls run with the way in which `kind` is unpacked.
template <typename Run>
inline void with_unpack(PackedKind kind, const Run& run) {
  switch (kind) {
    case PackedKind::f32:
    case PackedKind::f16:
      return;  // not for this unit
    case PackedKind::bf16:
      return run(UnpackNothing());
    case PackedKind::f8:
      return run(UnpackF8());
    case PackedKind::q8:
      return run(UnpackIntegers<PackedQ8>());
    case PackedKind::q4:
      return run(UnpackIntegers<PackedQ4>());
    case PackedKind::nvfp4:
      return run(UnpackIntegers<PackedNvfp4>());
    case PackedKind::q4_k:
      return run(UnpackIntegers<PackedQ4K>());
    case PackedKind::q5_k:
      return run(UnpackIntegers<PackedQ5K>());
    case PackedKind::q6_k:
      return run(UnpackIntegers<PackedQ6K>());
  }
}
