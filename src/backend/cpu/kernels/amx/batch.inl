// Several tokens that are generated together: the integer products of a group of
// columns on the matrix unit, for all rows at once. The sums are exact and what
// follows is done in the order of the vector kernel, so a row's result is the same
// bit for bit whichever of the two computes it.

constexpr int kBatchRows = 8;       // a tile's: each with its high and its low bytes
constexpr int kLeastBatchRows = 5;  // fewer are as quick in vectors

// Tiles: 0 to 3 sums on their way, [row][high, low][16 weight rows] int32; 4 and 5
// activations [row][high, low][columns of a group]; 6 and 7 weights
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

// A group's sums on their way from the unit to the vectors.
struct alignas(64) GroupSums {
  std::int32_t of_row[kBatchRows][2][kPanelRows];
};

// A macro, since the tiles' numbers have to be literals.
#define PLEIAD_MULTIPLY_GROUP(sum_tile, x_tile, weight_tile) \
  _tile_loadd(weight_tile, weights, 64);                     \
  _tile_loadd(x_tile, columns, stride);                      \
  _tile_zero(sum_tile);                                      \
  _tile_dpbssd(sum_tile, x_tile, weight_tile);               \
  _tile_stored(sum_tile, out.of_row, 64)

template <typename T>
[[gnu::always_inline]] inline void add_group(const IntegerRow& layout, const std::byte* const* x,
                                             const std::byte* step, int group, int col,
                                             const GroupSums& sums, Vec* total) {
  Bytes unused[T::kQuads];
  Vec scale;
  Vec minimum;
  T::load(step, group, unused, scale, minimum);
  const std::int64_t at = std::int64_t{4} * (col / 32);
#pragma GCC unroll 8
  for (int r = 0; r < kBatchRows; ++r) {
    const Vec high = Ints::load(reinterpret_cast<const std::byte*>(sums.of_row[r][0])).to_vec();
    const Vec low = Ints::load(reinterpret_cast<const std::byte*>(sums.of_row[r][1])).to_vec();
    // Both are exact, so this rounds once, as the sum of integers does.
    const Vec sum = Vec::fma(high, Vec::set(255.0F), low);
    const Vec factor = scale * Vec::set(load_f32(x[r] + layout.scales() + at));
    total[r] = Vec::fma(sum, factor, total[r]);
    if constexpr (T::kHasMinimum) {
      const Vec x_sum = Vec::set(load_f32(x[r] + layout.scaled_sums() + at));
      total[r] = Vec::fma(minimum, x_sum, total[r]);
    }
  }
}

// A step's weights as signed bytes, less the offset.
template <typename T>
[[gnu::always_inline]] inline void unpack_units(const std::byte* step, std::byte* units) {
  const __m512i offset = _mm512_set1_epi8(static_cast<char>(T::kOffset));
#pragma GCC unroll 16
  for (int group = 0; group < T::kGroups; ++group) {
    prefetch_group<T>(step, group);
    Bytes w[T::kQuads];
    Vec scale;
    Vec minimum;
    T::load(step, group, w, scale, minimum);
    for (int quad = 0; quad < T::kQuads; ++quad) {
      _mm512_store_si512(units + 64 * (T::kQuads * group + quad),
                         T::kOffset == 0 ? w[quad].v : _mm512_sub_epi8(w[quad].v, offset));
    }
  }
}

// n_rows of x, at most kBatchRows, with one panel. Tiles are configured for n_rows.
template <typename T>
void batch_rows(const PackedArgs& args, std::int64_t panel, std::int64_t x_row, int n_rows) {
  constexpr PackedLayout kLayout = layout_of(T::kKind);
  constexpr int kGroupBytes = T::kQuads * 64;
  constexpr int kLag = 2;   // groups from a product to the use of its sums
  constexpr int kSums = 4;  // that many groups' are kept
  static_assert(kLag <= T::kGroups && kLag < kSums);
  alignas(64) std::byte units[2][T::kGroups * kGroupBytes];
  GroupSums sums[kSums];
  const IntegerRow layout = args.x_layout;
  const std::byte* x[kBatchRows];
  Vec total[kBatchRows];
#pragma GCC unroll 8
  for (int r = 0; r < kBatchRows; ++r) {
    x[r] = args.x + (x_row + (r < n_rows ? r : 0)) * args.x_stride;
    total[r] = Vec::set(0.0F);
  }
  const std::byte* data = args.data + panel * args.panel_bytes;
  const std::byte* rows = args.x + x_row * args.x_stride + layout.high();
  const auto stride = static_cast<std::size_t>(layout.half());
  const auto sums_of = [&](std::int64_t step, int group) -> GroupSums& {
    return sums[(step * T::kGroups + group) % kSums];
  };
  const auto add = [&](std::int64_t step, int group) __attribute__((always_inline)) {
    add_group<T>(layout, x, data + step * kLayout.step_bytes, group,
                 static_cast<int>(step) * kLayout.step_cols + T::first_col(group),
                 sums_of(step, group), total);
  };

  unpack_units<T>(data, units[0]);
  for (std::int64_t step = 0; step < args.n_steps; ++step) {
    if (step + 1 < args.n_steps) {
      unpack_units<T>(data + (step + 1) * kLayout.step_bytes, units[(step + 1) % 2]);
    }
#pragma GCC unroll 16
    for (int group = 0; group < T::kGroups; ++group) {
      const std::byte* columns = rows + step * kLayout.step_cols + T::first_col(group);
      const std::byte* weights = units[step % 2] + kGroupBytes * group;
      GroupSums& out = sums_of(step, group);
      stored_for_tiles();
      switch (group % 4) {
        case 0:
          PLEIAD_MULTIPLY_GROUP(0, 4, 6);
          break;
        case 1:
          PLEIAD_MULTIPLY_GROUP(1, 5, 7);
          break;
        case 2:
          PLEIAD_MULTIPLY_GROUP(2, 4, 6);
          break;
        default:
          PLEIAD_MULTIPLY_GROUP(3, 5, 7);
      }
      if (group >= kLag) {
        add(step, group - kLag);
      } else if (step > 0) {
        add(step - 1, T::kGroups + group - kLag);
      }
    }
  }
#pragma GCC unroll 2
  for (int group = T::kGroups - kLag; group < T::kGroups; ++group) add(args.n_steps - 1, group);
#pragma GCC unroll 8
  for (int r = 0; r < kBatchRows; ++r) {
    if (r < n_rows) store_panel(args, panel, x_row + r, total[r]);
  }
}

template <typename T>
void batch_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  const std::int64_t rest = args.n_x % kBatchRows;
  const std::int64_t n = rest < kLeastBatchRows ? args.n_x - rest : args.n_x;
  int configured = 0;
  for (std::int64_t panel = first; panel < last; ++panel) {
    for (std::int64_t row = 0; row < n; row += kBatchRows) {
      const auto n_rows = static_cast<int>(n - row < kBatchRows ? n - row : kBatchRows);
      if (n_rows != configured) _tile_loadconfig(&kBatchTiles<T::kQuads>.of_rows[n_rows]);
      configured = n_rows;
      batch_rows<T>(args, panel, row, n_rows);
    }
  }
  if (n > 0) _tile_release();
  if (n == args.n_x) return;
  PackedArgs others = args;
  others.x += n * args.x_stride;
  others.out += n * args.out_stride;
  others.n_x -= n;
  integer_linear<T, 2>(others, first, last);
}

#undef PLEIAD_MULTIPLY_GROUP
