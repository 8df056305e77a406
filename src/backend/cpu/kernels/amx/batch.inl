// Several tokens that are generated together: the integer products of a group of
// columns on the matrix unit, for all rows of a block, two panels side by side. The sums
// are exact and what follows is done in the order of the vector kernel, so a row's
// result is the same bit for bit whichever of the two computes it.
//
// Beside work of the matrix unit only one port computes floats (measured: 64 vector
// multiply-adds take 64 cycles, not 32, while 64 additions of integers still take 35), so
// the sums of high and low bytes meet as integers; the move by a byte is a permutation,
// which is the other port's. To take a tile out costs as much as 85 instructions.

// Tiles: 0 to 3 sums of two panels, of even and odd groups, [row][high, low][16 weight
// rows] int32; 4 and 5 activations [row][high, low][columns of a group]; 6 and 7 weights
// [quads of columns][16 weight rows][4].
constexpr TileConfig batch_tiles(int rows, int quads) {
  TileConfig config;
  for (int tile = 0; tile < 6; ++tile) config.rows[tile] = static_cast<std::uint8_t>(2 * rows);
  for (int tile = 4; tile < 6; ++tile) {
    config.bytes_per_row[tile] = static_cast<std::uint16_t>(4 * quads);
  }
  for (int tile = 6; tile < 8; ++tile) config.rows[tile] = static_cast<std::uint8_t>(quads);
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

void fill_batch(std::byte* block, int row, IntegerRow layout, const std::byte* x) {
  const BatchBlock batch = {layout.padded_cols};
  const std::int64_t n_groups = batch.groups();
  const auto copy = [&](std::int64_t to, std::int64_t from) {
    for (std::int64_t group = 0; group < n_groups; ++group) {
      __builtin_memcpy(block + to + BatchBlock::kValuesBytes * group + 4 * row,
                       x + from + 4 * group, 4);
    }
  };
  for (std::int64_t group = 0; group < n_groups; ++group) {
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
  copy(batch.scales(), layout.scales());
  copy(batch.scaled_sums(), layout.scaled_sums());
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
#define PLEIAD_MULTIPLY_GROUP(x_tile, first_sum, second_sum) \
  if constexpr (kPanel == 0) {                               \
    _tile_loadd(x_tile, columns, 32);                        \
    _tile_loadd(6, units, 64);                               \
    _tile_zero(first_sum);                                   \
    _tile_dpbssd(first_sum, x_tile, 6);                      \
  } else {                                                   \
    _tile_loadd(7, units, 64);                               \
    _tile_zero(second_sum);                                  \
    _tile_dpbssd(second_sum, x_tile, 7);                     \
  }
#define PLEIAD_TAKE_OUT(first_sum, second_sum) \
  if constexpr (kPanel == 0) {                 \
    _tile_stored(first_sum, sums, 64);         \
  } else {                                     \
    _tile_stored(second_sum, sums, 64);        \
  }

// A group of columns of a step.
struct Group {
  std::int64_t step;
  int index;
};

// One or two panels with a block of rows. Tiles are configured for as many rows.
template <typename T, int kPanels>
class BatchPanels {
 public:
  static constexpr int kGroups = T::kGroups;
  using Totals = Vec[kPanels][kBatchRows];

  BatchPanels(const PackedArgs& args, std::int64_t panel, std::int64_t first_row)
      : data_(args.data + panel * args.panel_bytes),
        panel_bytes_(args.panel_bytes),
        layout_{args.x_layout.padded_cols},
        x_(args.batch + first_row / kBatchRows * layout_.bytes()) {}

  /// A step's weights to where the unit reads them; two steps have room.
  [[gnu::always_inline]] void unpack(std::int64_t step) {
#pragma GCC unroll 2
    for (int panel = 0; panel < kPanels; ++panel) {
      const std::byte* data = step_of(step, panel);
#pragma GCC unroll 16
      for (int group = 0; group < kGroups; ++group) {
        prefetch_group<T>(data, group);
        __m512i w[T::kQuads];
        SignedUnits<T>::load(data, group, w);
#pragma GCC unroll 8
        for (int quad = 0; quad < T::kQuads; ++quad) {
          _mm512_store_si512(units_[step % 2][panel] + kGroupUnits * group + 64 * quad, w[quad]);
        }
      }
    }
  }

  [[gnu::always_inline]] void begin(Group group) {
    multiply<0>(group);
    if constexpr (kPanels == 2) multiply<1>(group);
  }

  /// Begins a group, takes out the one before it, and adds the one before that. A panel
  /// after the other, since nothing else goes on while a tile is taken out.
  [[gnu::always_inline]] void advance(Group next, Group before, Group done, Totals& total) {
    multiply<0>(next);
    take_out<0>(before);
    add(done, 0, kBatchRows / 2, total);
    if constexpr (kPanels == 2) {
      multiply<1>(next);
      take_out<1>(before);
    }
    add(done, kBatchRows / 2, kBatchRows, total);
  }

  /// The last two groups.
  [[gnu::always_inline]] void finish(Group before, Group done, Totals& total) {
    take_out_all(before);
    add(done, 0, kBatchRows, total);
    add(before, 0, kBatchRows, total);
  }

  [[gnu::always_inline]] void take_out_all(Group group) {
    take_out<0>(group);
    if constexpr (kPanels == 2) take_out<1>(group);
  }

 private:
  static constexpr PackedLayout kLayout = layout_of(T::kKind);
  static constexpr int kGroupUnits = 64 * T::kQuads;  // bytes
  static constexpr int kStepUnits = kGroupUnits * kGroups;
  static constexpr int kSums = 4;

  const std::byte* step_of(std::int64_t step, int panel) const {
    return data_ + panel * panel_bytes_ + step * kLayout.step_bytes;
  }
  static std::int64_t first_col(Group group) {
    return group.step * kLayout.step_cols + T::first_col(group.index);
  }

  template <int kPanel>
  [[gnu::always_inline]] void multiply(Group group) {
    const std::int64_t col = first_col(group);
    const std::byte* columns = x_ + col / 32 * BatchBlock::kGroupBytes + col % 32;
    const std::byte* units = units_[group.step % 2][kPanel] + kGroupUnits * group.index;
    stored_for_tiles();
    if (group.index % 2 == 0) {
      PLEIAD_MULTIPLY_GROUP(4, 0, 1);
    } else {
      PLEIAD_MULTIPLY_GROUP(5, 2, 3);
    }
  }

  template <int kPanel>
  [[gnu::always_inline]] void take_out(Group group) {
    auto* sums = sums_[group.index % kSums][kPanel].of_row;
    if (group.index % 2 == 0) {
      PLEIAD_TAKE_OUT(0, 1);
    } else {
      PLEIAD_TAKE_OUT(2, 3);
    }
    stored_for_tiles();
  }

  // Rows [first, last).
  [[gnu::always_inline]] void add(Group group, int first, int last, Totals& total) const {
    const std::int64_t values = first_col(group) / 32 * BatchBlock::kValuesBytes;
    const std::byte* scales = x_ + layout_.scales() + values;
    const std::byte* scaled_sums = x_ + layout_.scaled_sums() + values;
    const GroupSums* sums = sums_[group.index % kSums];
    Vec scale[kPanels];
    Vec minimum[kPanels];
#pragma GCC unroll 2
    for (int panel = 0; panel < kPanels; ++panel) {
      Bytes unused[T::kQuads];
      T::load(step_of(group.step, panel), group.index, unused, scale[panel], minimum[panel]);
    }
#pragma GCC unroll 8
    for (int row = first; row < last; ++row) {
      const Vec x_scale = Vec::set(load_f32(scales + 4 * row));
#pragma GCC unroll 2
      for (int panel = 0; panel < kPanels; ++panel) {
        const auto& [high, low] = sums[panel].of_row[row];
        const Ints sum = times_256(high) + Ints::load(reinterpret_cast<const std::byte*>(low));
        Vec& row_total = total[panel][row];
        row_total = Vec::fma(sum.to_vec(), scale[panel] * x_scale, row_total);
        if constexpr (T::kHasMinimum) {
          row_total =
              Vec::fma(minimum[panel], Vec::set(load_f32(scaled_sums + 4 * row)), row_total);
        }
      }
    }
  }

  const std::byte* data_;
  std::int64_t panel_bytes_;
  BatchBlock layout_;
  const std::byte* x_;
  alignas(64) std::byte units_[2][kPanels][kStepUnits];
  GroupSums sums_[kSums][kPanels];
};

#undef PLEIAD_MULTIPLY_GROUP
#undef PLEIAD_TAKE_OUT

template <typename T, int kPanels>
[[gnu::noinline]] void batch_panels(const PackedArgs& args, std::int64_t panel,
                                    std::int64_t first_row, int n_rows) {
  constexpr int kGroups = T::kGroups;
  static_assert(kGroups % 2 == 0);
  BatchPanels<T, kPanels> panels(args, panel, first_row);
  Vec total[kPanels][kBatchRows];
#pragma GCC unroll 2
  for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 8
    for (int row = 0; row < kBatchRows; ++row) total[p][row] = Vec::set(0.0F);
  }
  panels.unpack(0);
  if (args.n_steps > 1) panels.unpack(1);
  panels.begin({0, 0});
  panels.begin({0, 1});
  panels.take_out_all({0, 0});
  for (std::int64_t step = 0;; ++step) {
#pragma GCC unroll 16
    for (int group = 2; group < kGroups; ++group) {
      panels.advance({step, group}, {step, group - 1}, {step, group - 2}, total);
    }
    const std::int64_t next = step + 1;
    if (next == args.n_steps) {
      panels.finish({step, kGroups - 1}, {step, kGroups - 2}, total);
      break;
    }
    if (next + 1 < args.n_steps) panels.unpack(next + 1);
    panels.advance({next, 0}, {step, kGroups - 1}, {step, kGroups - 2}, total);
    panels.advance({next, 1}, {next, 0}, {step, kGroups - 1}, total);
  }
  // By way of memory, or GCC moves the last additions into the loop below, a copy for
  // each number of rows.
  alignas(64) float out[kPanels][kBatchRows][kPanelRows];
#pragma GCC unroll 2
  for (int p = 0; p < kPanels; ++p) {
#pragma GCC unroll 8
    for (int row = 0; row < kBatchRows; ++row) total[p][row].store(out[p][row]);
  }
  stored_for_tiles();
  for (int p = 0; p < kPanels; ++p) {
    for (int row = 0; row < n_rows; ++row) {
      store_panel(args, panel + p, first_row + row, Vec::load(out[p][row]));
    }
  }
}

template <typename T>
void batch_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  const std::int64_t n = args.batch ? batched_rows(args.n_x) : 0;
  for (std::int64_t row = 0; row < n; row += kBatchRows) {
    const auto n_rows = static_cast<int>(n - row < kBatchRows ? n - row : kBatchRows);
    _tile_loadconfig(&kBatchTiles<T::kQuads>.of_rows[n_rows]);
    std::int64_t panel = first;
    for (; panel + 2 <= last; panel += 2) batch_panels<T, 2>(args, panel, row, n_rows);
    if (panel < last) batch_panels<T, 1>(args, panel, row, n_rows);
  }
  if (n > 0) _tile_release();
  if (n == args.n_x) return;
  PackedArgs others = args;
  others.x += n * args.x_stride;
  others.out += n * args.out_stride;
  others.n_x -= n;
  integer_linear<T, 2>(others, first, last);
}
