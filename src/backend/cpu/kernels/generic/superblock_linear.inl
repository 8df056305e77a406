// Products of generated tokens with the kinds whose steps are superblocks. Integers scale
// the sums of a superblock's groups, so that all of it is exact, and what is rounded comes
// once for 256 columns: 255 * high + low, the superblock's factors, and the sum of all.

// The sums of (byte - kOffset) * high and * low over a group of columns, for kRows rows.
template <typename T, int kRows>
inline void superblock_sums(const Bytes* w, const std::byte* const* x, const SuperblockRow& layout,
                            std::int64_t step, int group, Ints* parts) {
  const std::int64_t col = place_of<T, 1>(step, group);
  const std::int8_t* inputs[2 * kRows];
  for (int r = 0; r < kRows; ++r) {
    inputs[2 * r] = reinterpret_cast<const std::int8_t*>(x[r] + layout.high() + col);
    inputs[2 * r + 1] = reinterpret_cast<const std::int8_t*>(x[r] + layout.low() + col);
    for (int plane = 0; plane < 2; ++plane) {
      if constexpr (T::kOffset == 0) {
        parts[2 * r + plane] = Ints::set(0);
      } else {
        static_assert(T::kOffset == 32 && T::kQuads == 4);
        const std::byte* start = x[r] + layout.offsets() + col / 16 * 8 + 4 * plane;
        parts[2 * r + plane] = Ints::set(load_i32(start));
      }
    }
  }
  add_dots<T, 2 * kRows>(w, inputs, parts);
}

// A superblock's part of the sum for one row.
template <typename T>
inline void add_superblock(const std::byte* step, Ints high, Ints low, Ints minimum, Vec x_scale,
                           Vec& total) {
  const Vec sum = Vec::fma(high.to_vec(), Vec::set(255.0F), low.to_vec());
  total = Vec::fma(sum, T::d(step) * x_scale, total);
  if constexpr (T::kHasMinimum) {
    total = Vec::fma(minimum.to_vec(), T::minus_dmin(step) * x_scale, total);
  }
}

template <typename T, int kRows>
inline void superblock_tile(const PackedArgs& args, const std::byte* panel, std::int64_t x_row,
                            std::int64_t ahead, Vec* total) {
  constexpr PackedLayout kLayout = layout_of(T::kKind);
  static_assert(kLayout.step_cols == kSuperblock);
  constexpr int kTogether = kRowsOfSums<2, kRows>;
  static_assert(kRows % kTogether == 0);
  const SuperblockRow layout = {args.x_cols};
  const std::byte* x[kRows];
  for (int r = 0; r < kRows; ++r) {
    x[r] = args.x + (x_row + r) * args.x_stride;
    total[r] = Vec::set(0.0F);
  }
  for (std::int64_t step = 0; step < args.n_steps; ++step) {
    const std::byte* data = panel + step * kLayout.step_bytes;
    Ints high[kRows];
    Ints low[kRows];
    Ints minimum[kRows];
#pragma GCC unroll kRowUnroll
    for (int r = 0; r < kRows; ++r) high[r] = low[r] = minimum[r] = Ints::set(0);
#pragma GCC unroll kUnroll
    for (int group = 0; group < T::kGroups; ++group) {
      prefetch_group<T>(data, group, ahead);
      Bytes w[T::kQuads];
      T::units(data, group, w);
      const Ints scale = T::scale(data, group);
      [[maybe_unused]] Ints minimum_scale;
      if constexpr (T::kHasMinimum) minimum_scale = T::minimum(data, group);
#pragma GCC unroll kRowUnroll
      for (int first = 0; first < kRows; first += kTogether) {
        Ints parts[2 * kTogether];
        superblock_sums<T, kTogether>(w, x + first, layout, step, group, parts);
#pragma GCC unroll kUnroll
        for (int i = 0; i < kTogether; ++i) {
          const int r = first + i;
          high[r] = high[r] + parts[2 * i] * scale;
          low[r] = low[r] + parts[2 * i + 1] * scale;
          if constexpr (T::kHasMinimum) {
            const std::int64_t sum = layout.sums() + 4 * place_of<T, 32>(step, group);
            minimum[r] = minimum[r] + minimum_scale * Ints::set(load_i32(x[r] + sum));
          }
        }
      }
    }
#pragma GCC unroll kRowUnroll
    for (int r = 0; r < kRows; ++r) {
      const Vec x_scale = Vec::set(load_f32(x[r] + layout.scales() + 4 * step));
      add_superblock<T>(data, high[r], low[r], minimum[r], x_scale, total[r]);
    }
  }
}

template <typename T, int kRows>
inline void superblock_rows(const PackedArgs& args, std::int64_t panel, std::int64_t x_row,
                            std::int64_t ahead) {
  Vec total[kRows];
  superblock_tile<T, kRows>(args, args.data + panel * args.panel_bytes, x_row, ahead, total);
  for (int r = 0; r < kRows; ++r) store_panel(args, panel, x_row + r, total[r]);
}

template <typename T>
void superblock_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  in_rows(args, first, last, T::kAhead,
          [&](std::int64_t panel, std::int64_t row, std::int64_t ahead, auto rows) {
            superblock_rows<T, decltype(rows)::n>(args, panel, row, ahead);
          });
}
