// Products with packed weights. A row of activations meets every panel on its
// own: its sums run over the columns in the order of the layout, whatever other
// rows share the weights that were loaded.

// The index, over all steps, of the kCols columns in which a step's group begins.
template <typename T, int kCols>
inline std::int64_t place_of(std::int64_t step, int group) {
  return step * (layout_of(T::kKind).step_cols / kCols) + T::first_col(group) / kCols;
}

// Whether a prompt's activations have a scale for every 16 columns.
template <typename T, int kPlanes>
inline constexpr bool kSixteens = kPlanes == 1 && has_sixteens(T::kKind);

// Where the bytes lie that a kernel begins with: its rows of x begin there, so that what it reads
// most needs no offset but that of the columns.
template <typename T, int kPlanes>
inline std::int64_t first_bytes(const IntegerRow& layout) {
  return kSixteens<T, kPlanes> ? layout.low() : layout.high();
}

// Where the sum of a group of columns begins: -kOffset * sum of x.
template <typename T, int kPlanes>
inline Ints group_start(const std::byte* x, const IntegerRow& layout, std::int64_t step,
                        int group) {
  if constexpr (T::kOffset == 0 || (kSignedBytes && T::kMaxWeight == 255)) {
    return Ints::set(0);
  } else {
    const std::int64_t minus = T::kQuads == 8 ? layout.minus32() + 4 * place_of<T, 32>(step, group)
                                              : layout.minus16() + 4 * place_of<T, 16>(step, group);
    return Ints::set(load_i32(x + (minus - first_bytes<T, kPlanes>(layout))))
        .template times_power_of_two<T::kOffset>();
  }
}

// For kLeastDotInputs to kDotInputs inputs (none where kDotInputs is 1): sums[i] grows by what
// dot_group() gives for x[i].
template <int kQuads, int kMaxWeight, int kInputs>
void dot_inputs(const Bytes* w, const std::int8_t* const* x, Ints* sums);

// Rows whose sums are made together: one, or as many as are kDotInputs inputs. It pays where
// several rows share the weights, which I8MM puts in another order, and AVX2 loads once for all.
template <int kPlanes, int kRows>
inline constexpr int kRowsOfSums = kDotInputs == 1               ? 1
                                   : kRows* kPlanes < kDotInputs ? kRows
                                                                 : kDotInputs / kPlanes;

// parts[i] grows by the sum of byte * x over a group's columns, x at inputs[i]. Exact.
template <typename T, int kInputs>
inline void add_dots(const Bytes* w, const std::int8_t* const* inputs, Ints* parts) {
  if constexpr (kInputs >= kLeastDotInputs && kInputs <= kDotInputs) {
    dot_inputs<T::kQuads, T::kMaxWeight, kInputs>(w, inputs, parts);
  } else {
    for (int i = 0; i < kInputs; ++i) {
      parts[i] = dot_group<T::kQuads, T::kMaxWeight>(w, inputs[i], parts[i]);
    }
  }
}

// The integers of one group of columns for kRows rows: sum of byte * x, less
// kOffset * sum of x, with x of one or two bytes. Exact.
template <typename T, int kPlanes, int kRows>
inline void group_sums(const Bytes* w, const std::byte* const* x, const IntegerRow& layout,
                       std::int64_t step, int group, Ints* sums) {
  const std::int64_t col = place_of<T, 1>(step, group);
  const std::int8_t* inputs[kRows * kPlanes];
  Ints parts[kRows * kPlanes];
  for (int r = 0; r < kRows; ++r) {
    const int at = r * kPlanes;
    inputs[at] = reinterpret_cast<const std::int8_t*>(x[r] + col);
    parts[at] = Ints::set(0);
    if constexpr (kPlanes == 2) {
      inputs[at + 1] = reinterpret_cast<const std::int8_t*>(x[r] + layout.low() + col);
    }
    parts[at + kPlanes - 1] = group_start<T, kPlanes>(x[r], layout, step, group);
  }
  add_dots<T, kRows * kPlanes>(w, inputs, parts);
  for (int r = 0; r < kRows; ++r) {
    sums[r] = parts[r * kPlanes];
    if constexpr (kPlanes == 2) sums[r] = sums[r].times_255() + parts[r * kPlanes + 1];
  }
}

// A group's share of the bytes `ahead` of its step, or nothing for 0. In a branch, since GCC puts
// what is asked for in the course of a step all at its beginning otherwise: memory waits then for
// the rest of it.
template <typename T>
inline void prefetch_group(const std::byte* step, int group, std::int64_t ahead) {
  if (ahead == 0) return;
  constexpr int kLine = 64;
  constexpr int kLines = (layout_of(T::kKind).step_bytes + kLine - 1) / kLine;
  const int first = kLines * group / T::kGroups;
  const int last = kLines * (group + 1) / T::kGroups;
  for (int line = first; line < last; ++line) __builtin_prefetch(step + ahead + kLine * line);
}

template <typename T, int kPlanes, int kRows>
inline void integer_tile(const PackedArgs& args, const std::byte* panel, std::int64_t x_row,
                         std::int64_t ahead, Vec* total) {
  constexpr PackedLayout kLayout = layout_of(T::kKind);
  constexpr int kTogether = kRowsOfSums<kPlanes, kRows>;
  static_assert(kRows % kTogether == 0);
  static_assert(has_sixteens(T::kKind) == (T::kQuads == 4) &&
                !(has_sixteens(T::kKind) && T::kHasMinimum));
  const IntegerRow layout = {args.x_cols};
  const std::int64_t origin = first_bytes<T, kPlanes>(layout);
  const std::int64_t scales =
      (kSixteens<T, kPlanes> ? layout.scales16() : layout.scales()) - origin;
  const std::byte* x[kRows];
  for (int r = 0; r < kRows; ++r) {
    x[r] = args.x + (x_row + r) * args.x_stride + origin;
    total[r] = Vec::set(0.0F);
  }
  for (std::int64_t step = 0; step < args.n_steps; ++step) {
    const std::byte* data = panel + step * kLayout.step_bytes;
#pragma GCC unroll kUnroll
    for (int group = 0; group < T::kGroups; ++group) {
      prefetch_group<T>(data, group, ahead);
      Bytes w[T::kQuads];
      Vec scale;
      Vec minimum;
      T::units(data, group, w);
      T::factors(data, group, scale, minimum);
      const std::int64_t at = 4 * place_of<T, 32>(step, group);
      const std::int64_t scale_at = kSixteens<T, kPlanes> ? 4 * place_of<T, 16>(step, group) : at;
#pragma GCC unroll kRowUnroll
      for (int first = 0; first < kRows; first += kTogether) {
        Ints sums[kTogether];
        group_sums<T, kPlanes, kTogether>(w, x + first, layout, step, group, sums);
#pragma GCC unroll kUnroll
        for (int i = 0; i < kTogether; ++i) {
          const int r = first + i;
          const Vec factor = scale * Vec::set(load_f32(x[r] + scales + scale_at));
          total[r] = Vec::fma(sums[i].to_vec(), factor, total[r]);
          if constexpr (T::kHasMinimum) {
            const Vec x_sum = Vec::set(load_f32(x[r] + layout.scaled_sums() + at));
            total[r] = Vec::fma(minimum, x_sum, total[r]);
          }
        }
      }
    }
  }
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

template <typename T, int kPlanes, int kRows>
inline void integer_rows(const PackedArgs& args, std::int64_t panel, std::int64_t x_row,
                         std::int64_t ahead) {
  Vec total[kRows];
  integer_tile<T, kPlanes, kRows>(args, args.data + panel * args.panel_bytes, x_row, ahead, total);
  for (int r = 0; r < kRows; ++r) store_panel(args, panel, x_row + r, total[r]);
}

// Rows that share loaded weights, of so many that are left.
constexpr std::int64_t rows_at_once(std::int64_t n_left) {
  for (int n = kIntegerRows; n > 1; n /= 2) {
    if (n_left >= n) return n;
  }
  return 1;
}

// run(panel, first row of x, how many, bytes ahead to ask for), for as many rows at a time as share
// loaded weights. These go over all panels before the next ones do: rows stay in the first-level
// cache, panels in the second. The last ones ask for the panels of the next task, or, where they
// are the first ones as well, for what lies `near`.
template <typename Run>
inline void in_rows(const PackedArgs& args, std::int64_t first, std::int64_t last,
                    std::int64_t near, const Run& run) {
  for (std::int64_t row = 0; row < args.n_x;) {
    const std::int64_t n = rows_at_once(args.n_x - row);
    const std::int64_t ahead = row + n < args.n_x ? 0
                               : row == 0         ? near
                                                  : (last - first) * args.panel_bytes;
    const auto over_panels = [&](auto rows) {
      for (std::int64_t panel = first; panel < last; ++panel) run(panel, row, ahead, rows);
    };
    if constexpr (kIntegerRows >= 16) {
      if (n == 16) over_panels(Count<16>());
    }
    if constexpr (kIntegerRows >= 8) {
      if (n == 8) over_panels(Count<8>());
    }
    if constexpr (kIntegerRows >= 4) {
      if (n == 4) over_panels(Count<4>());
    }
    if constexpr (kIntegerRows >= 2) {
      if (n == 2) over_panels(Count<2>());
    }
    if (n == 1) over_panels(Count<1>());
    row += n;
  }
}

template <typename T, int kPlanes>
void integer_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  in_rows(args, first, last, T::kAhead,
          [&](std::int64_t panel, std::int64_t row, std::int64_t ahead, auto rows) {
            integer_rows<T, kPlanes, decltype(rows)::n>(args, panel, row, ahead);
          });
}
