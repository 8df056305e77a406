// Products of rows as words with the kinds whose steps are superblocks. Integers scale
// the sums of a superblock's groups, so that all of it is exact, and what is rounded comes
// once for 256 columns: 255 * high + low, the superblock's factors, and the sum of all.

// A superblock's sums for a row, in whole numbers.
struct SuperblockSums {
  Ints high;
  Ints low;
  Ints minimum;
};

// A group's part of them for kRows rows, the first at x.
template <typename T, int kRows, typename Units>
[[gnu::always_inline]] inline void add_superblock_group(const Units& w, Ints scale,
                                                        [[maybe_unused]] Ints minimum,
                                                        const SuperblockRow& layout,
                                                        std::int64_t col, const std::byte* x,
                                                        std::int64_t stride, SuperblockSums* sums) {
  const std::int8_t* inputs[2 * kRows];
  Start starts[2 * kRows];
  Ints parts[2 * kRows];
#pragma GCC unroll 4
  for (int i = 0; i < 2 * kRows; ++i) {
    const std::byte* row = x + i / 2 * stride;
    const std::int64_t plane = i % 2 == 0 ? layout.high() : layout.low();
    inputs[i] = reinterpret_cast<const std::int8_t*>(row + plane + col);
    if constexpr (T::kOffset == 0) {
      starts[i] = Start::set(0);
    } else {
      static_assert(T::kOffset == kSuperblockOffset && T::kQuads == 4);
      starts[i] = Start::set(load_i32(row + layout.offsets() + col / 16 * 8 + i % 2 * 4));
    }
  }
  group_sums<T, 2 * kRows>(w, inputs, starts, parts);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    sums[r].high = sums[r].high + parts[2 * r] * scale;
    sums[r].low = sums[r].low + parts[2 * r + 1] * scale;
    if constexpr (T::kHasMinimum) {
      const std::int32_t sum = load_i32(x + r * stride + layout.sums() + col / 32 * 4);
      sums[r].minimum = sums[r].minimum + minimum * Ints::set(sum);
    }
  }
}

// A superblock's part of the sum for one row.
template <typename T>
inline void add_superblock(const std::byte* step, const SuperblockSums& sums, Vec x_scale,
                           Vec& total) {
  const Vec sum = Vec::fma(sums.high.to_vec(), Vec::set(255.0F), sums.low.to_vec());
  total = Vec::fma(sum, T::d(step) * x_scale, total);
  if constexpr (T::kHasMinimum) {
    total = Vec::fma(sums.minimum.to_vec(), T::minus_dmin(step) * x_scale, total);
  }
}

// kRows rows, or, for 0, n_rows.
template <typename T, int kRows>
inline void superblock_rows(const PackedArgs& args, std::int64_t panel, std::int64_t x_row,
                            int n_rows, std::int64_t ahead) {
  constexpr PackedLayout kLayout = layout_of(T::kKind);
  static_assert(kLayout.step_cols == kSuperblock);
  const SuperblockRow layout = {args.x_cols};
  const std::byte* x = args.x + x_row * args.x_stride;
  constexpr int kMost = kRows == 0 ? kIntegerRows : kRows;
  const int n = kRows == 0 ? n_rows : kRows;
  SuperblockSums sums[kMost];
  Vec total[kMost];
  for (int r = 0; r < n; ++r) total[r] = Vec::set(0.0F);
  const std::byte* data = args.data + panel * args.panel_bytes;
  for (std::int64_t step = 0; step < args.n_steps; ++step, data += kLayout.step_bytes) {
    for (int r = 0; r < n; ++r) sums[r] = {Ints::set(0), Ints::set(0), Ints::set(0)};
#pragma GCC unroll kUnroll
    for (int group = 0; group < T::kGroups; ++group) {
      prefetch_group<T>(data, group, ahead);
      const Ints scale = T::scale(data, group);
      Ints minimum = Ints::set(0);
      if constexpr (T::kHasMinimum) minimum = T::minimum(data, group);
      const std::int64_t col = place_of<T, 1>(step, group);
      const auto add = [&](const auto& w, auto rows, int row) __attribute__((always_inline)) {
        add_superblock_group<T, decltype(rows)::n>(
            w, scale, minimum, layout, col, x + row * args.x_stride, args.x_stride, sums + row);
      };
      if constexpr (kRows == 0) {
        share_units<T, 2>(data, group, add, n);
      } else {
        share_units<T, 2, kRows>(data, group, add);
      }
    }
    for (int r = 0; r < n; ++r) {
      const std::byte* x_scale = x + r * args.x_stride + layout.scales() + 4 * step;
      add_superblock<T>(data, sums[r], Vec::set(load_f32(x_scale)), total[r]);
    }
  }
  for (int r = 0; r < n; ++r) store_panel(args, panel, x_row + r, total[r]);
}

template <typename T>
void superblock_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  in_rows<T>(args, first, last,
             [&](auto rows, std::int64_t panel, std::int64_t row, int n, std::int64_t ahead) {
               superblock_rows<T, decltype(rows)::n>(args, panel, row, n, ahead);
             });
}
