// Several rows as words, with weights in superblocks: a weight times the
// integer that scales its group is an integer of two bytes, so the matrix unit sums a whole
// superblock and its sums are taken out once for 256 columns. They are the integers of the
// vector kernel, and what follows is its code: the same bits.

// Tiles: 0 and 1 sums with the low and high bytes of weights, [row][high, low][16 weight rows]
// int32; 2 activations [row][high, low][64 columns]; 3 and 4 low and high bytes of weights
// [quads of columns][16 weight rows][4].
struct SuperblockTiles {
  TileConfig of_rows[kBatchRows + 1];

  constexpr SuperblockTiles() {
    for (int rows = 1; rows <= kBatchRows; ++rows) {
      for (int tile = 0; tile < 3; ++tile) {
        of_rows[rows].rows[tile] = static_cast<std::uint8_t>(2 * rows);
      }
    }
  }
};
const SuperblockTiles kSuperblockTiles;

void fill_superblock_batch(std::byte* block, int row, std::int64_t padded_cols,
                           const std::byte* x) {
  const SuperblockRow layout = {padded_cols};
  const SuperblockBatch batch = {padded_cols};
  fill_scales(block + batch.scales(), row, x ? x + layout.scales() : nullptr, batch.superblocks());
  if (!x) return;
  for (std::int64_t col = 0; col < padded_cols; col += SuperblockBatch::kTileCols) {
    std::byte* out = block + col / SuperblockBatch::kTileCols * SuperblockBatch::kTileBytes +
                     2 * SuperblockBatch::kTileCols * row;
    _mm512_store_si512(out, _mm512_loadu_si512(x + layout.high() + col));
    _mm512_store_si512(out + 64, _mm512_loadu_si512(x + layout.low() + col));
  }
  // The sums over 32 columns from those over 16, which are times -32.
  for (std::int64_t i = 0; i < 8 * batch.superblocks(); ++i) {
    const std::byte* from = x + layout.offsets() + 16 * i;
    std::byte* to = block + batch.sums() +
                    (i / 8 * kBatchRows + row) * SuperblockBatch::kSumsBytes + 2 * (i % 8);
    for (int plane = 0; plane < 2; ++plane) {
      const std::int32_t sum = load_i32(from + 4 * plane) + load_i32(from + 8 + 4 * plane);
      const auto value = static_cast<std::int16_t>(-sum / 32);
      __builtin_memcpy(to + 16 * plane, &value, 2);
    }
  }
}

// Where bytes go: of a lane of four, [0, -, 0, -] and [-, 0, -, 0]; and each to its neighbour.
struct BytePlaces {
  alignas(64) std::uint8_t even[64];
  alignas(64) std::uint8_t odd[64];
  alignas(64) std::uint8_t neighbour[64];

  constexpr BytePlaces() : even{}, odd{}, neighbour{} {
    for (int i = 0; i < 64; ++i) {
      const auto first = static_cast<std::uint8_t>(i % 16 / 4 * 4);
      even[i] = i % 2 == 0 ? first : 0x80;
      odd[i] = i % 2 == 0 ? 0x80 : first;
      neighbour[i] = static_cast<std::uint8_t>(i % 16 ^ 1);
    }
  }
};
constexpr BytePlaces kBytePlaces;

inline __m512i moved_bytes(__m512i bytes, const std::uint8_t* places) {
  return _mm512_shuffle_epi8(bytes, _mm512_load_si512(places));
}

// Weights times what scales their group, as bytes for the matrix unit:
//   value = (high << kHighBits) + low.
template <typename T>
class ScaledUnits;

// (w - 32) * scale has 14 bits: high bytes are signed, low ones unsigned.
template <>
class ScaledUnits<PackedQ6K> {
 public:
  static constexpr int kHighBits = 8;
  static constexpr bool kSignedHigh = true;

  explicit ScaledUnits(Ints scale)
      : even_(moved_bytes(scale.v, kBytePlaces.even)),
        odd_(moved_bytes(scale.v, kBytePlaces.odd)),
        offset_(_mm512_srai_epi16(odd_, 3)) {}

  [[gnu::always_inline]] void multiply(Bytes w, std::byte* low_out, std::byte* high_out) const {
    const __m512i even = _mm512_sub_epi16(_mm512_maddubs_epi16(w.v, even_), offset_);
    const __m512i odd = _mm512_sub_epi16(_mm512_maddubs_epi16(w.v, odd_), offset_);
    constexpr __mmask64 kOdd = 0xAAAAAAAAAAAAAAAA;
    const __m512i neighbour = _mm512_load_si512(kBytePlaces.neighbour);
    _mm512_store_si512(low_out, _mm512_mask_shuffle_epi8(even, kOdd, odd, neighbour));
    _mm512_store_si512(high_out, _mm512_mask_shuffle_epi8(odd, ~kOdd, even, neighbour));
  }

 private:
  __m512i even_;    // [scale, 0, scale, 0]
  __m512i odd_;     // [0, scale, 0, scale]
  __m512i offset_;  // 32 * scale in every 16 bits
};

// A scale of six bits in two halves: three bits times a weight of five are a byte, so that two
// weights can be multiplied as one number of 16 bits.
struct ThreeBitScales {
  static constexpr int kHighBits = 3;
  static constexpr bool kSignedHigh = false;

  explicit ThreeBitScales(Ints scale)
      : low_(in_both(scale & Ints::set(7))), high_(in_both(scale.shifted_right(3))) {}

  [[gnu::always_inline]] void multiply(Bytes w, std::byte* low_out, std::byte* high_out) const {
    _mm512_store_si512(low_out, _mm512_mullo_epi16(w.v, low_));
    _mm512_store_si512(high_out, _mm512_mullo_epi16(w.v, high_));
  }

 private:
  static __m512i in_both(Ints x) { return _mm512_or_si512(x.v, _mm512_slli_epi32(x.v, 16)); }

  __m512i low_;  // in every 16 bits
  __m512i high_;
};

template <>
class ScaledUnits<PackedQ4K> : public ThreeBitScales {
 public:
  using ThreeBitScales::ThreeBitScales;
};

template <>
class ScaledUnits<PackedQ5K> : public ThreeBitScales {
 public:
  using ThreeBitScales::ThreeBitScales;
};

// A panel with a block of rows, for which the tiles are configured.
template <typename T>
class SuperblockPanel {
 public:
  static constexpr int kTiles = kSuperblock / SuperblockBatch::kTileCols;
  /// Tiles are unpacked so many ahead: more would leave less of the first-level cache for
  /// activations.
  static constexpr int kTilesAhead = 2;

  SuperblockPanel(const PackedArgs& args, std::int64_t panel, std::int64_t first_row)
      : data_(args.data + panel * args.panel_bytes),
        layout_{args.x_cols},
        x_(args.batch + first_row / kBatchRows * layout_.bytes()) {}

  /// A tile of a step's weights to where the unit reads it, after that kTilesAhead tiles before was
  /// multiplied.
  [[gnu::always_inline]] void unpack(std::int64_t step, int tile) {
    constexpr int kCols = 4 * T::kQuads;
    const std::byte* data = data_ + step * kLayout.step_bytes;
    auto& units = units_[tile % kTilesAhead];
#pragma GCC unroll 4
    for (int i = 0; i < SuperblockBatch::kTileCols / kCols; ++i) {
      const int group = T::group_at(SuperblockBatch::kTileCols * tile + kCols * i);
      prefetch_group<T>(data, group, T::kAhead);
      const StoredUnits<T> w(data, group);
      const Units scaled(T::scale(data, group));
#pragma GCC unroll 8
      for (int quad = 0; quad < T::kQuads; ++quad) {
        const int at = 64 * (i * T::kQuads + quad);
        scaled.multiply(w[quad], units[0] + at, units[1] + at);
      }
    }
  }

  [[gnu::always_inline]] void multiply(std::int64_t step, int tile) {
    const std::byte* columns = x_ + (kTiles * step + tile) * SuperblockBatch::kTileBytes;
    const auto& units = units_[tile % kTilesAhead];
    stored_for_tiles();
    if (tile == 0) {
      _tile_zero(0);
      _tile_zero(1);
    }
    _tile_loadd(2, columns, 64);
    _tile_loadd(3, units[0], 64);
    _tile_loadd(4, units[1], 64);
    _tile_dpbsud(0, 2, 3);
    if constexpr (Units::kSignedHigh) {
      _tile_dpbssd(1, 2, 4);
    } else {
      _tile_dpbsud(1, 2, 4);
    }
    stored_for_tiles();
  }

  /// A step's sums to `total`.
  [[gnu::always_inline]] void add(std::int64_t step, Totals& total) {
    _tile_stored(0, low_sums_.of_row, 64);
    _tile_stored(1, high_sums_.of_row, 64);
    stored_for_tiles();
    const std::byte* data = data_ + step * kLayout.step_bytes;
    const std::byte* scales = x_ + layout_.scales() + SuperblockBatch::kValuesBytes * step;
#pragma GCC unroll 8
    for (int row = 0; row < kBatchRows; ++row) {
      add_superblock<T>(data, {sum(row, 0), sum(row, 1), minimum(step, row)},
                        Vec::set(load_f32(scales + 4 * row)), total[row]);
    }
  }

 private:
  using Units = ScaledUnits<T>;
  static constexpr PackedLayout kLayout = layout_of(T::kKind);

  // With high or low bytes of activations.
  [[gnu::always_inline]] Ints sum(int row, int plane) const {
    const auto* high = reinterpret_cast<const std::byte*>(high_sums_.of_row[row][plane]);
    const auto* low = reinterpret_cast<const std::byte*>(low_sums_.of_row[row][plane]);
    return Ints::load(high).template times_power_of_two<1 << Units::kHighBits>() + Ints::load(low);
  }

  // The minimums of a step times the sums of their columns, two groups at a time.
  [[gnu::always_inline]] Ints minimum(std::int64_t step, int row) const {
    if constexpr (!T::kHasMinimum) {
      return Ints::set(0);
    } else {
      const std::byte* data = data_ + step * kLayout.step_bytes;
      const std::byte* sums =
          x_ + layout_.sums() + (step * kBatchRows + row) * SuperblockBatch::kSumsBytes;
      __m512i high = _mm512_setzero_si512();
      __m512i low = _mm512_setzero_si512();
#pragma GCC unroll 4
      for (int pair = 0; pair < T::kGroups / 2; ++pair) {
        const __m512i pairs = _mm512_or_si512(
            T::minimum(data, 2 * pair).v, _mm512_slli_epi32(T::minimum(data, 2 * pair + 1).v, 16));
        high = _mm512_dpwssd_epi32(high, pairs, _mm512_set1_epi32(load_i32(sums + 4 * pair)));
        low = _mm512_dpwssd_epi32(low, pairs, _mm512_set1_epi32(load_i32(sums + 16 + 4 * pair)));
      }
      return Ints{high}.times_255() + Ints{low};
    }
  }

  const std::byte* data_;
  SuperblockBatch layout_;
  const std::byte* x_;
  alignas(64) std::byte units_[kTilesAhead][2][16 * 64];
  GroupSums low_sums_;
  GroupSums high_sums_;
};

template <typename T>
void superblock_batch_rows(const PackedArgs& args, std::int64_t index, std::int64_t first_row,
                           int n_rows) {
  using Panel = SuperblockPanel<T>;
  Panel panel(args, index, first_row);
  Totals total;
#pragma GCC unroll 8
  for (Vec& sum : total) sum = Vec::set(0.0F);
#pragma GCC unroll 4
  for (int tile = 0; tile < Panel::kTilesAhead; ++tile) panel.unpack(0, tile);
  for (std::int64_t step = 0; step < args.n_steps; ++step) {
    const bool more = step + 1 < args.n_steps;
#pragma GCC unroll 4
    for (int tile = 0; tile < Panel::kTiles; ++tile) {
      panel.multiply(step, tile);
      const int next = tile + Panel::kTilesAhead;
      if (next < Panel::kTiles) {
        panel.unpack(step, next);
      } else if (more) {
        panel.unpack(step + 1, next - Panel::kTiles);
      }
    }
    panel.add(step, total);
  }
  store_rows(args, index, first_row, n_rows, total);
}

template <typename T>
void superblock_batch_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  in_blocks<T>(args, first, last, kSuperblockTiles, superblock_linear<T>,
               [&](std::int64_t panel, std::int64_t row, int n_rows) {
                 superblock_batch_rows<T>(args, panel, row, n_rows);
               });
}
