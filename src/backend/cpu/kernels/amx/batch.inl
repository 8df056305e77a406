// Several rows as words: the integer products of a group of
// columns on the matrix unit, for all rows of a block. The sums are exact and what
// follows is done in the order of the vector kernel, so a row's result is the same bit
// for bit whichever of the two computes it.
//
// Beside work of the matrix unit only one port computes floats (measured: 64 vector
// multiply-adds take 64 cycles, not 32, while 64 additions of integers still take 35), so
// the sums of high and low bytes meet as integers; the move by a byte is a permutation,
// which is the other port's. To take a tile out costs as much as 85 instructions.

// Tiles: 0 and 1 sums of even and odd groups, [row][high, low][16 weight rows] int32;
// 2 and 3 activations [row][high, low][columns of a group]; 4 and 5 weights
// [quads of columns][16 weight rows][4].
constexpr TileConfig batch_tiles(int rows, int quads) {
  TileConfig config;
  for (int tile = 0; tile < 4; ++tile) config.rows[tile] = static_cast<std::uint8_t>(2 * rows);
  for (int tile = 2; tile < 4; ++tile) {
    config.bytes_per_row[tile] = static_cast<std::uint16_t>(4 * quads);
  }
  for (int tile = 4; tile < 6; ++tile) config.rows[tile] = static_cast<std::uint8_t>(quads);
  return config;
}

template <int kQuads>
struct BatchTiles {
  TileConfig of_rows[kBatchRows + 1];

  constexpr BatchTiles() {
    for (int rows = 1; rows <= kBatchRows; ++rows) of_rows[rows] = batch_tiles(rows, kQuads);
  }
};

template <int kQuads>
const BatchTiles<kQuads> kBatchTiles;

// A row's scales to where those of all rows lie side by side; 0 where `from` is null.
inline void fill_scales(std::byte* block, int row, const std::byte* from, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float scale = from ? load_f32(from + 4 * i) : 0.0F;
    __builtin_memcpy(block + 4 * (kBatchRows * i + row), &scale, 4);
  }
}

void fill_batch(std::byte* block, int row, std::int64_t padded_cols, const std::byte* x) {
  const IntegerRow layout = {padded_cols};
  const BatchBlock batch = {padded_cols};
  fill_scales(block + batch.scales(), row, x ? x + layout.scales() : nullptr, batch.groups());
  if (!x) return;
  for (std::int64_t group = 0; group < batch.groups(); ++group) {
    const auto columns = [&](std::int64_t half) {
      return _mm512_cvtepi8_epi16(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + half + 32 * group)));
    };
    const __m512i high = columns(layout.high());
    const __m512i q =
        _mm512_add_epi16(_mm512_sub_epi16(_mm512_slli_epi16(high, 8), high), columns(layout.low()));
    // The low byte is signed, so the high one is that of q + 128.
    const __m512i rounded = _mm512_srai_epi16(_mm512_add_epi16(q, _mm512_set1_epi16(128)), 8);
    auto* out = reinterpret_cast<__m256i*>(block + BatchBlock::kGroupBytes * group + 64 * row);
    _mm256_store_si256(out, _mm512_cvtepi16_epi8(rounded));
    _mm256_store_si256(out + 1, _mm512_cvtepi16_epi8(q));
  }
}

// Every byte of a vector from the one below.
struct BytesMovedUp {
  alignas(64) std::uint8_t from[64] = {};

  constexpr BytesMovedUp() {
    for (int byte = 1; byte < 64; ++byte) from[byte] = static_cast<std::uint8_t>(byte - 1);
  }
};
constexpr BytesMovedUp kBytesMovedUp;

// Lanes of 32 bits.
inline Ints times_256(const std::int32_t* values) {
  constexpr __mmask64 kUpperThree = 0xEEEEEEEEEEEEEEEE;
  return {_mm512_maskz_permutexvar_epi8(kUpperThree, _mm512_load_si512(kBytesMovedUp.from),
                                        _mm512_load_si512(values))};
}

// A group's sums on their way from the unit to the vectors.
struct alignas(64) GroupSums {
  std::int32_t of_row[kBatchRows][2][kPanelRows];
};

// Macros, since the tiles' numbers have to be literals.
#define PLEIAD_MULTIPLY_GROUP(sum_tile, x_tile, weight_tile) \
  _tile_loadd(x_tile, columns, 32);                          \
  _tile_loadd(weight_tile, units, 64);                       \
  _tile_zero(sum_tile);                                      \
  _tile_dpbssd(sum_tile, x_tile, weight_tile)

using Totals = Vec[kBatchRows];

// By way of memory, or GCC moves the last additions into the loop, a copy for each number of
// rows.
[[gnu::always_inline]] inline void store_rows(const PackedArgs& args, std::int64_t panel,
                                              std::int64_t first_row, int n_rows,
                                              const Totals& total) {
  alignas(64) float out[kBatchRows][kPanelRows];
#pragma GCC unroll 8
  for (int row = 0; row < kBatchRows; ++row) total[row].store(out[row]);
  stored_for_tiles();
  for (int row = 0; row < n_rows; ++row) {
    store_panel(args, panel, first_row + row, Vec::load(out[row]));
  }
}

// A group of columns of a step.
struct Group {
  std::int64_t step;
  int index;
};

// A panel with a block of rows. Tiles are configured for as many rows.
template <typename T>
class BatchPanel {
 public:
  static constexpr int kGroups = T::kGroups;
  static_assert(kGroups % 2 == 0);

  BatchPanel(const PackedArgs& args, std::int64_t panel, std::int64_t first_row)
      : data_(args.data + panel * args.panel_bytes),
        layout_{args.x_cols},
        x_(args.batch + first_row / kBatchRows * layout_.bytes()) {}

  /// A step's weights to where the unit reads them; two steps have room.
  [[gnu::always_inline]] void unpack(std::int64_t step) {
    const std::byte* data = data_ + step * kLayout.step_bytes;
#pragma GCC unroll 4
    for (int group = 0; group < kGroups; ++group) {
      prefetch_group<T>(data, group, T::kAhead);
      __m512i w[T::kQuads];
      SignedUnits<T>::load(data, group, w);
#pragma GCC unroll 8
      for (int quad = 0; quad < T::kQuads; ++quad) {
        _mm512_store_si512(units_[step % 2] + kGroupUnits * group + 64 * quad, w[quad]);
      }
    }
  }

  [[gnu::always_inline]] void begin(Group group) {
    const std::byte* columns = x_ +
                               place_of<T, 32>(group.step, group.index) * BatchBlock::kGroupBytes +
                               T::first_col(group.index) % 32;
    const std::byte* units = units_[group.step % 2] + kGroupUnits * group.index;
    stored_for_tiles();
    if (group.index % 2 == 0) {
      PLEIAD_MULTIPLY_GROUP(0, 2, 4);
    } else {
      PLEIAD_MULTIPLY_GROUP(1, 3, 5);
    }
  }

  /// The sums of a group, after the next one was begun: they are a while on their way.
  [[gnu::always_inline]] void take_out(Group group) {
    if (group.index % 2 == 0) {
      _tile_stored(0, sums_of(group).of_row, 64);
    } else {
      _tile_stored(1, sums_of(group).of_row, 64);
    }
    stored_for_tiles();
  }

  /// After the next one was taken out.
  [[gnu::always_inline]] void add(Group group, Totals& total) {
    const std::int64_t values = place_of<T, 32>(group.step, group.index) * BatchBlock::kValuesBytes;
    const std::byte* scales = x_ + layout_.scales() + values;
    const GroupSums& sums = sums_of(group);
    Vec scale;
    Vec none;
    static_assert(!T::kHasMinimum);
    T::factors(data_ + group.step * kLayout.step_bytes, group.index, scale, none);
#pragma GCC unroll 8
    for (int row = 0; row < kBatchRows; ++row) {
      const auto& [high, low] = sums.of_row[row];
      const Ints sum = times_256(high) + Ints::load(reinterpret_cast<const std::byte*>(low));
      const Vec factor = scale * Vec::set(load_f32(scales + 4 * row));
      total[row] = Vec::fma(sum.to_vec(), factor, total[row]);
    }
  }

 private:
  static constexpr PackedLayout kLayout = layout_of(T::kKind);
  static constexpr int kGroupUnits = 64 * T::kQuads;  // bytes
  static constexpr int kSums = 4;

  GroupSums& sums_of(Group group) { return sums_[group.index % kSums]; }

  const std::byte* data_;
  BatchBlock layout_;
  const std::byte* x_;
  alignas(64) std::byte units_[2][kGroupUnits * kGroups];
  GroupSums sums_[kSums];
};

#undef PLEIAD_MULTIPLY_GROUP

template <typename T>
void batch_rows(const PackedArgs& args, std::int64_t index, std::int64_t first_row, int n_rows) {
  constexpr int kGroups = T::kGroups;
  BatchPanel<T> panel(args, index, first_row);
  Totals total;
#pragma GCC unroll 8
  for (Vec& sum : total) sum = Vec::set(0.0F);
  const auto advance = [&](Group next, Group before, Group done) __attribute__((always_inline)) {
    panel.begin(next);
    panel.take_out(before);
    panel.add(done, total);
  };

  panel.unpack(0);
  if (args.n_steps > 1) panel.unpack(1);
  panel.begin({0, 0});
  panel.begin({0, 1});
  panel.take_out({0, 0});
  for (std::int64_t step = 0;; ++step) {
#pragma GCC unroll 4
    for (int group = 2; group < kGroups; ++group) {
      advance({step, group}, {step, group - 1}, {step, group - 2});
    }
    const std::int64_t next = step + 1;
    if (next == args.n_steps) {
      panel.take_out({step, kGroups - 1});
      panel.add({step, kGroups - 2}, total);
      panel.add({step, kGroups - 1}, total);
      break;
    }
    if (next + 1 < args.n_steps) panel.unpack(next + 1);
    advance({next, 0}, {step, kGroups - 1}, {step, kGroups - 2});
    advance({next, 1}, {next, 0}, {step, kGroups - 1});
  }
  store_rows(args, index, first_row, n_rows, total);
}

// Rows in blocks by `block`(panel, first row, how many), the others by `others`, which is
// linear in vectors. Tiles are configured for the rows of a block.
template <typename T, typename Configs, typename Block>
inline void in_blocks(const PackedArgs& args, std::int64_t first, std::int64_t last,
                      const Configs& configs, PackedLinear others, const Block& block) {
  const std::int64_t n = args.batch ? batched_rows(args.n_x, least_batch_rows(T::kKind)) : 0;
  for (std::int64_t row = 0; row < n; row += kBatchRows) {
    const auto n_rows = static_cast<int>(n - row < kBatchRows ? n - row : kBatchRows);
    _tile_loadconfig(&configs.of_rows[n_rows]);
    for (std::int64_t panel = first; panel < last; ++panel) block(panel, row, n_rows);
  }
  if (n > 0) _tile_release();
  if (n == args.n_x) return;
  PackedArgs rest = args;
  rest.x += n * args.x_stride;
  rest.out += n * args.out_stride;
  rest.n_x -= n;
  others(rest, first, last);
}

template <typename T>
void batch_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  in_blocks<T>(args, first, last, kBatchTiles<T::kQuads>, integer_linear<T, 2>,
               [&](std::int64_t panel, std::int64_t row, int n_rows) {
                 batch_rows<T>(args, panel, row, n_rows);
               });
}
