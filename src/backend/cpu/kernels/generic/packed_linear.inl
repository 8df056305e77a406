// Products with packed weights. A row of activations meets every panel on its
// own: its sums run over the columns in the order of the layout, whatever other
// rows share the weights that were loaded.

// The index, over all steps, of the kCols columns in which a step's group begins.
template <typename T, int kCols>
inline std::int64_t place_of(std::int64_t step, int group) {
  return step * (layout_of(T::kKind).step_cols / kCols) + T::first_col(group) / kCols;
}

// Whether activations have a scale for every 16 columns.
template <typename T, int kPlanes>
inline constexpr bool kSixteens = kPlanes == 1 && has_sixteens(T::kKind);

// Where the sum of a group's products begins: -kOffset * sum of x.
template <typename T>
inline Start group_start(const std::byte* minus) {
  if constexpr (T::kOffset == 0 || (kSignedBytes && T::kMaxWeight == 255)) {
    return Start::set(0);
  } else {
    return Start::set(load_i32(minus)).template times_power_of_two<T::kOffset>();
  }
}

// For kLeastDotInputs to kDotInputs inputs (none where kDotInputs is 1): what dot_group() gives
// for each.
template <typename T, int kInputs, typename Units>
void dot_inputs(const Units& w, const std::int8_t* const* x, const Start* starts, Ints* sums);

// sums[i] = starts[i] and the sum of byte * x over a group's columns, x at inputs[i]. Exact.
template <typename T, int kInputs, typename Units>
[[gnu::always_inline]] inline void group_sums(const Units& w, const std::int8_t* const* inputs,
                                              const Start* starts, Ints* sums) {
  if constexpr (kInputs >= kLeastDotInputs && kInputs <= kDotInputs) {
    dot_inputs<T, kInputs>(w, inputs, starts, sums);
  } else {
#pragma GCC unroll 4
    for (int i = 0; i < kInputs; ++i) sums[i] = dot_group<T>(w, inputs[i], starts[i]);
  }
}

// Where a row has what a group of columns needs: bytes from its beginning.
template <typename T, int kPlanes>
struct IntegerPlaces {
  std::int64_t planes[2];  // of its integers
  std::int64_t minus;      // int32 [plane]
  std::int64_t scale;      // f32
  std::int64_t scaled_sum;

  IntegerPlaces(const IntegerRow& layout, std::int64_t step, int group) {
    const std::int64_t col = place_of<T, 1>(step, group);
    const std::int64_t at32 = 4 * place_of<T, 32>(step, group);
    const std::int64_t at16 = 4 * place_of<T, 16>(step, group);
    constexpr bool kOfSixteens = kSixteens<T, kPlanes>;
    planes[0] = (kOfSixteens ? layout.low() : layout.high()) + col;
    planes[1] = layout.low() + col;
    minus = T::kQuads == 8 ? layout.minus32() + kPlanes * at32 : layout.minus16() + kPlanes * at16;
    scale = kOfSixteens ? layout.scales16() + at16 : layout.scales() + at32;
    scaled_sum = layout.scaled_sums() + at32;
  }
};

// What belongs to every row of weights.
struct Factors {
  Vec scale;
  Vec minimum;
};

// A group's part of the sums of kRows rows, the first at x.
template <typename T, int kPlanes, int kRows, typename Units>
[[gnu::always_inline]] inline void add_group(const Units& w, const Factors& factors,
                                             const IntegerPlaces<T, kPlanes>& places,
                                             const std::byte* x, std::int64_t stride, Vec* total) {
  constexpr int kInputs = kRows * kPlanes;
  const std::int8_t* inputs[kInputs];
  Start starts[kInputs];
  Ints sums[kInputs];
#pragma GCC unroll 4
  for (int i = 0; i < kInputs; ++i) {
    const std::byte* row = x + i / kPlanes * stride;
    inputs[i] = reinterpret_cast<const std::int8_t*>(row + places.planes[i % kPlanes]);
    starts[i] = group_start<T>(row + places.minus + 4 * (i % kPlanes));
  }
  group_sums<T, kInputs>(w, inputs, starts, sums);
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    const std::byte* row = x + r * stride;
    Ints sum = sums[r * kPlanes];
    if constexpr (kPlanes == 2) sum = sum.times_255() + sums[2 * r + 1];
    const Vec factor = factors.scale * Vec::set(load_f32(row + places.scale));
    total[r] = Vec::fma(sum.to_vec(), factor, total[r]);
    if constexpr (T::kHasMinimum) {
      total[r] = Vec::fma(factors.minimum, Vec::set(load_f32(row + places.scaled_sum)), total[r]);
    }
  }
}

// Rows whose sums are made together: as many as are kDotInputs inputs.
template <int kPlanes>
inline constexpr int kRowsOfSums = kDotInputs < kPlanes ? 1 : kDotInputs / kPlanes;

// add(units, how many, first row) for kRows rows. Units that registers have no room for are taken
// apart where they are needed.
template <typename T, int kPlanes, int kRows, typename Add>
[[gnu::always_inline]] inline void share_units(const std::byte* step, int group, const Add& add) {
  constexpr int kMost = kRowsOfSums<kPlanes>;
  constexpr int kTogether = kRows < kMost ? kRows : kRows % kMost == 0 ? kMost : 1;
  const auto add_rows = [&](const auto& w) __attribute__((always_inline)) {
#pragma GCC unroll 4
    for (int row = 0; row < kRows; row += kTogether) add(w, Count<kTogether>(), row);
  };
  if constexpr (kFewRegisters) {
    add_rows(FreshUnits<T>{step, group});
  } else {
    add_rows(StoredUnits<T>(step, group));
  }
}

// The same for n rows. Where registers are few the units are kept in memory: GCC would keep as many
// of them as it can in registers, and the sums in memory, which takes eight cycles whenever
// something is added.
template <typename T, int kPlanes, typename Add>
[[gnu::always_inline]] inline void share_units(const std::byte* step, int group, const Add& add,
                                               int n) {
  constexpr int kTogether = kRowsOfSums<kPlanes>;
  StoredUnits<T> w(step, group);
  const auto add_rows = [&](auto rows, int row) __attribute__((always_inline)) {
    if constexpr (kFewRegisters) asm("" : "+m"(w.units));
    add(w, rows, row);
  };
  int row = 0;
  for (; row + kTogether <= n; row += kTogether) add_rows(Count<kTogether>(), row);
  if constexpr (kTogether > 2) {
    if (row + 2 <= n) {
      add_rows(Count<2>(), row);
      row += 2;
    }
  }
  if constexpr (kTogether > 1) {
    if (row < n) add_rows(Count<1>(), row);
  }
}

// A group's share of the bytes `ahead` of its step, or nothing for 0. In a branch, since GCC puts
// what is asked for in the course of a step all at its beginning otherwise: memory waits then for
// the rest of it. Always inlined: a function that only asks is one without effect, whose calls GCC
// leaves out.
template <typename T>
[[gnu::always_inline]] inline void prefetch_group(const std::byte* step, int group,
                                                  std::int64_t ahead) {
  if (ahead == 0) return;
  constexpr int kLine = 64;
  constexpr int kLines = (layout_of(T::kKind).step_bytes + kLine - 1) / kLine;
  const int first = kLines * group / T::kGroups;
  const int last = kLines * (group + 1) / T::kGroups;
  for (int line = first; line < last; ++line) __builtin_prefetch(step + ahead + kLine * line);
}

inline void store_panel(const PackedArgs& args, std::int64_t panel, std::int64_t x_row, Vec sum) {
  const std::int64_t row = panel * kPanelRows;
  const std::int64_t n = args.n_rows - row < kPanelRows ? args.n_rows - row : kPanelRows;
  Vec factor = Vec::set(args.scale);
  if (args.row_scales) factor = factor * Vec::load_part(args.row_scales + row, n);
  float* out = args.out + x_row * args.out_stride + row;
  if (n == kPanelRows) {
    (sum * factor).store(out);
  } else {
    (sum * factor).store_part(out, n);
  }
}

// kRows rows, or, for 0, n_rows.
template <typename T, int kPlanes, int kRows>
inline void integer_rows(const PackedArgs& args, std::int64_t panel, std::int64_t x_row, int n_rows,
                         std::int64_t ahead) {
  constexpr PackedLayout kLayout = layout_of(T::kKind);
  static_assert(has_sixteens(T::kKind) == (T::kQuads == 4) &&
                !(has_sixteens(T::kKind) && T::kHasMinimum));
  const IntegerRow layout = {args.x_cols};
  const std::byte* x = args.x + x_row * args.x_stride;
  const int n = kRows == 0 ? n_rows : kRows;
  Vec total[kRows == 0 ? kIntegerRows : kRows];
  for (int r = 0; r < n; ++r) total[r] = Vec::set(0.0F);
  const std::byte* data = args.data + panel * args.panel_bytes;
  for (std::int64_t step = 0; step < args.n_steps; ++step, data += kLayout.step_bytes) {
#pragma GCC unroll kUnroll
    for (int group = 0; group < T::kGroups; ++group) {
      prefetch_group<T>(data, group, ahead);
      Factors factors;
      T::factors(data, group, factors.scale, factors.minimum);
      const IntegerPlaces<T, kPlanes> places(layout, step, group);
      const auto add = [&](const auto& w, auto rows, int row) __attribute__((always_inline)) {
        add_group<T, kPlanes, decltype(rows)::n>(w, factors, places, x + row * args.x_stride,
                                                 args.x_stride, total + row);
      };
      if constexpr (kRows == 0) {
        share_units<T, kPlanes>(data, group, add, n);
      } else {
        share_units<T, kPlanes, kRows>(data, group, add);
      }
    }
  }
  for (int r = 0; r < n; ++r) store_panel(args, panel, x_row + r, total[r]);
}

// run(kRows, panel, first row of x, how many, bytes ahead to ask for), for as many rows at a time
// as share weights. These go over all panels before the next ones do: rows stay in the first-level
// cache, panels in the second. The first ones ask for what is read next; where they are so few that
// the processor is quicker if it foresees that alone, only for what it does not (packed_types.inl).
template <typename T, typename Run>
inline void in_rows(const PackedArgs& args, std::int64_t first, std::int64_t last, const Run& run) {
  for (std::int64_t row = 0; row < args.n_x; row += kIntegerRows) {
    const std::int64_t left = args.n_x - row;
    const int n = left < kIntegerRows ? static_cast<int>(left) : kIntegerRows;
    const auto over_panels = [&](auto rows) {
      const int count = decltype(rows)::n == 0 ? n : decltype(rows)::n;
      const std::int64_t ahead = row > 0 ? 0 : count < kRowsAhead ? T::kAheadOfFew : T::kAhead;
      for (std::int64_t panel = first; panel < last; ++panel) {
        run(rows, panel, row, n, ahead);
      }
    };
    if (n == 1) over_panels(Count<1>());
    if constexpr (kFewRows >= 2) {
      if (n == 2) over_panels(Count<2>());
    }
    if constexpr (kFewRows >= 4) {
      if (n == 3) over_panels(Count<3>());
      if (n == 4) over_panels(Count<4>());
    }
    if constexpr (kIntegerRows > 1) {
      if (n > kFewRows) over_panels(Count<0>());
    }
  }
}

template <typename T, int kPlanes>
void integer_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  in_rows<T>(args, first, last,
             [&](auto rows, std::int64_t panel, std::int64_t row, int n, std::int64_t ahead) {
               integer_rows<T, kPlanes, decltype(rows)::n>(args, panel, row, n, ahead);
             });
}
