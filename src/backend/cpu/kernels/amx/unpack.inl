// How the matrix unit gets its weights: panels unpacked to bf16 tiles, a tile of
// sixteen rows and 32 columns at a time.

// A line of a tile: two columns of sixteen weight rows. In f32 that is two vectors, of
// eight rows each, with the two columns of a row side by side.
struct Line {
  Vec half[2];

  void store(std::byte* line) const {
    _mm512_store_si512(line, (__m512i)_mm512_cvtne2ps_pbh(half[1].v, half[0].v));
  }
};

inline Line fma(const Line& x, const Line& y, const Line& z) {
  return {{Vec::fma(x.half[0], y.half[0], z.half[0]), Vec::fma(x.half[1], y.half[1], z.half[1])}};
}

// A value of each row, for both columns.
inline Line both_columns(Vec rows) {
  const __m512i first = _mm512_set_epi32(7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0, 0);
  const __m512i second =
      _mm512_set_epi32(15, 15, 14, 14, 13, 13, 12, 12, 11, 11, 10, 10, 9, 9, 8, 8);
  return {{{_mm512_permutexvar_ps(first, rows.v)}, {_mm512_permutexvar_ps(second, rows.v)}}};
}

// Which byte of a unit (4 columns of 16 rows) goes to a lane of a line: [columns 0 and 1,
// columns 2 and 3][half].
struct LineBytes {
  alignas(64) std::uint8_t of[2][2][64] = {};

  constexpr LineBytes() {
    for (int columns = 0; columns < 2; ++columns) {
      for (int half = 0; half < 2; ++half) {
        for (int byte = 0; byte < 64; ++byte) {
          const int lane = byte / 4;
          of[columns][half][byte] =
              static_cast<std::uint8_t>(4 * (8 * half + lane / 2) + 2 * columns + lane % 2);
        }
      }
    }
  }
};
constexpr LineBytes kLineBytes;

inline __m512i line_bytes(int columns, int half) {
  return _mm512_load_si512(kLineBytes.of[columns][half]);
}

// Bytes below 128 as 0.5 + byte / 256: the byte is the upper part of the fraction.
inline Line fractions(Bytes unit, int columns) {
  constexpr __mmask64 kThirdBytes = 0x4444444444444444;
  const __m512i start = _mm512_set1_epi32(0x3F000000);
  Line line;
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    line.half[half] = {_mm512_castsi512_ps(
        _mm512_mask_permutexvar_epi8(start, kThirdBytes, line_bytes(columns, half), unit.v))};
  }
  return line;
}

inline Line values(Bytes unit, int columns) {
  constexpr __mmask64 kFirstBytes = 0x1111111111111111;
  Line line;
#pragma GCC unroll 2
  for (int half = 0; half < 2; ++half) {
    line.half[half] = {_mm512_cvtepi32_ps(
        _mm512_maskz_permutexvar_epi8(kFirstBytes, line_bytes(columns, half), unit.v))};
  }
  return line;
}

template <typename T>
struct UnpackIntegers {
  static constexpr bool kInPlace = false;
  static constexpr PackedKind kKind = T::kKind;

  /// The tile of columns [32 tile, 32 tile + 32) of a step.
  static void unpack(const std::byte* step, int tile, std::byte* out) {
    static_assert(layout_of(kKind).step_cols / kTileCols <= 8);
    switch (tile) {
      case 0:
        return unpack_tile<0>(step, out);
      case 1:
        return unpack_tile<1>(step, out);
      case 2:
        return unpack_tile<2>(step, out);
      case 3:
        return unpack_tile<3>(step, out);
      case 4:
        return unpack_tile<4>(step, out);
      case 5:
        return unpack_tile<5>(step, out);
      case 6:
        return unpack_tile<6>(step, out);
      default:
        return unpack_tile<7>(step, out);
    }
  }

 private:
  template <int kTile>
  [[gnu::always_inline]] static void unpack_tile(const std::byte* step, std::byte* out) {
    if constexpr (kTile < layout_of(kKind).step_cols / kTileCols) {
#pragma GCC unroll 16
      for (int group = 0; group < T::kGroups; ++group) {
        const int col = T::first_col(group) - kTile * kTileCols;
        if (col >= 0 && col < kTileCols) unpack_group(step, group, out + 32 * col);
      }
    }
  }

  // (byte - offset) * scale + minimum, rounded once: the products with constants are exact.
  [[gnu::always_inline]] static void unpack_group(const std::byte* step, int group,
                                                  std::byte* lines) {
    constexpr bool kByFractions = !T::kHasMinimum && T::kMaxWeight < 128;
    const StoredUnits<T> w(step, group);
    Vec scale;
    Vec base;
    T::factors(step, group, scale, base);
    if constexpr (!T::kHasMinimum) {
      base = scale * Vec::set(-static_cast<float>(T::kOffset + (kByFractions ? 128 : 0)));
    }
    if constexpr (kByFractions) scale = scale * Vec::set(256.0F);
    const Line line_scale = both_columns(scale);
    const Line line_base = both_columns(base);
#pragma GCC unroll 8
    for (int quad = 0; quad < T::kQuads; ++quad) {
#pragma GCC unroll 2
      for (int columns = 0; columns < 2; ++columns) {
        const Line line = kByFractions ? fractions(w[quad], columns) : values(w[quad], columns);
        fma(line, line_scale, line_base).store(lines + 128 * quad + 64 * columns);
      }
    }
  }
};

struct UnpackF8 {  // less a factor of 2^8
  static constexpr bool kInPlace = false;
  static constexpr PackedKind kKind = PackedKind::f8;

  static void unpack(const std::byte* step, int, std::byte* out) {
#pragma GCC unroll 16
    for (int pair = 0; pair < kTileCols / 2; ++pair) {
      Vec even;
      Vec odd;
      Vec::load_e4m3_pairs(step + 32 * pair, even, odd);
      const __m512i order =
          _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22,
                           6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
      const auto halves = (__m512i)_mm512_cvtne2ps_pbh(odd.v, even.v);
      _mm512_store_si512(out + 64 * pair, _mm512_permutexvar_epi16(order, halves));
    }
  }
};

struct UnpackNothing {  // bf16 lies there as tiles
  static constexpr bool kInPlace = true;
  static constexpr PackedKind kKind = PackedKind::bf16;

  static void unpack(const std::byte*, int, std::byte*) {}
};

// What is unpacked at a time: two panels of one of the weights, a chunk of columns.
struct Block {
  int weight;
  std::int64_t panel;
  std::int64_t col;
  std::int64_t n_cols;

  std::int64_t n_tiles() const { return n_cols / kTileCols; }
};

// The blocks of a call in order: chunks of columns (the last may be narrower), pairs of
// panels within, the same pair of each weight within.
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

// Unpacked, tile t of the two panels lies at t * kWeightTileStep, side by side.
constexpr std::int64_t kWeightTileStep = 2 * kTileBytes;

// The packed bytes of a block.
template <typename Unpack>
class PackedBlock {
 public:
  PackedBlock(const TileArgs* weights, const Block& block, std::int64_t last_panel)
      : panel_bytes_(weights[block.weight].panel_bytes),
        n_panels_(last_panel - block.panel >= 2 ? 2 : 1),
        n_steps_((block.n_cols + kCols - 1) / kCols),
        data_(weights[block.weight].data + block.panel * panel_bytes_ +
              block.col / kCols * kLayout.step_bytes) {}

  const std::byte* data() const { return data_; }
  /// Bytes of a panel that belong to this block.
  std::int64_t bytes() const { return n_steps_ * kLayout.step_bytes; }
  /// From a byte of the first panel to that of the second; 0 without a second.
  std::int64_t to_other_panel() const { return n_panels_ == 2 ? panel_bytes_ : 0; }

  /// Tile `tile` of both panels, to its place among `tiles`.
  void unpack(std::int64_t tile, std::byte* tiles) const {
    constexpr std::int64_t kTiles = kCols / kTileCols;
    const std::byte* step = data_ + tile / kTiles * kLayout.step_bytes;
    std::byte* out = tiles + tile * kWeightTileStep;
    for (int side = 0; side < n_panels_; ++side) {
      Unpack::unpack(step + side * panel_bytes_, static_cast<int>(tile % kTiles),
                     out + side * kTileBytes);
    }
  }

 private:
  static constexpr PackedLayout kLayout = layout_of(Unpack::kKind);
  static constexpr std::int64_t kCols = kLayout.step_cols;

  std::int64_t panel_bytes_;
  int n_panels_;
  std::int64_t n_steps_;
  const std::byte* data_;
};

// What is needed later is asked for a few lines at a time, between products: the packed
// bytes of a block, and the activations of the next chunk of columns.
class Prefetches {
 public:
  /// `turns`: how often advance() will be called.
  template <typename Unpack>
  void expect(const PackedBlock<Unpack>& block, std::int64_t turns) {
    weights_ = block.data();
    weights_end_ = weights_ + block.bytes();
    to_other_panel_ = block.to_other_panel();
    weight_lines_ = lines(block.bytes(), turns);
  }
  void expect(const std::byte* x, std::int64_t bytes, std::int64_t turns) {
    x_ = x;
    x_end_ = x + bytes;
    x_lines_ = lines(bytes, turns);
  }
  void advance() {
    for (std::int64_t line = 0; line < weight_lines_ && weights_ < weights_end_; ++line) {
      _mm_prefetch(weights_, _MM_HINT_T1);
      _mm_prefetch(weights_ + to_other_panel_, _MM_HINT_T1);
      weights_ += kLine;
    }
    for (std::int64_t line = 0; line < x_lines_ && x_ < x_end_; ++line, x_ += kLine) {
      _mm_prefetch(x_, _MM_HINT_T1);
    }
  }

 private:
  static constexpr std::int64_t kLine = 64;

  static std::int64_t lines(std::int64_t bytes, std::int64_t turns) {
    return (bytes + kLine * turns - 1) / (kLine * turns);
  }

  const std::byte* weights_ = nullptr;
  const std::byte* weights_end_ = nullptr;
  std::int64_t to_other_panel_ = 0;
  std::int64_t weight_lines_ = 0;
  const std::byte* x_ = nullptr;
  const std::byte* x_end_ = nullptr;
  std::int64_t x_lines_ = 0;
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
