// Kinds that are multiplied in f32, four columns at a time: read() gives the four
// columns of sixteen rows. Each has sums of its own, added at the end.

struct FloatF32 {
  static constexpr PackedKind kKind = PackedKind::f32;
  static constexpr int kQuadBytes = 256;
  static void read(const std::byte* quad, Vec* w) {
    for (int i = 0; i < 4; ++i) w[i] = Vec::load(reinterpret_cast<const float*>(quad) + 16 * i);
  }
};

struct FloatF16 {
  static constexpr PackedKind kKind = PackedKind::f16;
  static constexpr int kQuadBytes = 128;
  static void read(const std::byte* quad, Vec* w) {
    for (int i = 0; i < 4; ++i) w[i] = Vec::load_f16(quad + 32 * i);
  }
};

struct FloatBf16 {
  static constexpr PackedKind kKind = PackedKind::bf16;
  static constexpr int kQuadBytes = 128;
  static void read(const std::byte* quad, Vec* w) {
    Vec::load_bf16_pairs(quad, w[0], w[1]);
    Vec::load_bf16_pairs(quad + 64, w[2], w[3]);
  }
};

struct FloatF8 {
  static constexpr PackedKind kKind = PackedKind::f8;
  static constexpr int kQuadBytes = 64;
  static void read(const std::byte* quad, Vec* w) {  // less a factor of 2^8
    Vec::load_e4m3_pairs(quad, w[0], w[1]);
    Vec::load_e4m3_pairs(quad + 32, w[2], w[3]);
  }
};

// The four sums of a row to a result.
template <typename T>
inline void store_floats(const PackedArgs& args, std::int64_t panel, std::int64_t x_row,
                         const Vec* total) {
  Vec sum = (total[0] + total[1]) + (total[2] + total[3]);
  if constexpr (T::kKind == PackedKind::f8) sum = sum * Vec::set(256.0F);
  store_panel(args, panel, x_row, sum);
}

template <typename T, int kRows>
inline void float_rows(const PackedArgs& args, std::int64_t panel, std::int64_t x_row) {
  const float* x[kRows];
  Vec total[kRows][4];
#pragma GCC unroll kUnroll
  for (int r = 0; r < kRows; ++r) {
    x[r] = reinterpret_cast<const float*>(args.x + (x_row + r) * args.x_stride);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) total[r][i] = Vec::set(0.0F);
  }
  const std::byte* data = args.data + panel * args.panel_bytes;
  const std::int64_t n = args.n_steps * layout_of(T::kKind).step_cols;
  for (std::int64_t col = 0; col < n; col += 4, data += T::kQuadBytes) {
    if constexpr (kRows == 1) {
      for (int at = 0; at < T::kQuadBytes; at += 64) __builtin_prefetch(data + kFar + at);
    }
    Vec w[4];
    T::read(data, w);
#pragma GCC unroll kUnroll
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        total[r][i] = Vec::fma(w[i], Vec::set(x[r][col + i]), total[r][i]);
      }
    }
  }
#pragma GCC unroll kUnroll
  for (int r = 0; r < kRows; ++r) {
    store_floats<T>(args, panel, x_row + r, total[r]);
  }
}

// Weights of a chunk of columns, decoded: [chain][quad][row of the panel]. For few rows a chunk is
// shorter, and stays in the first-level cache.
inline constexpr int kChunkQuads = 128;
inline constexpr int kFewRowsChunkQuads = 32;
inline constexpr int kBlockOfRows = 96;  // that share decoded weights
using FloatChunk = float[4][kChunkQuads][kPanelRows];

// One of the four sums of kRows rows over a chunk's columns.
template <int kRows>
inline void add_chain(const float (*w)[kPanelRows], int n_quads, const float* const* x,
                      std::int64_t col, float (*totals)[4][kPanelRows], int chain) {
  Vec total[kRows];
#pragma GCC unroll kUnroll
  for (int r = 0; r < kRows; ++r) total[r] = Vec::load(totals[r][chain]);
  for (int quad = 0; quad < n_quads; ++quad) {
    const Vec weights = Vec::load(w[quad]);
#pragma GCC unroll kUnroll
    for (int r = 0; r < kRows; ++r) {
      total[r] = Vec::fma(weights, Vec::set(x[r][col + 4 * quad]), total[r]);
    }
  }
#pragma GCC unroll kUnroll
  for (int r = 0; r < kRows; ++r) total[r].store(totals[r][chain]);
}

// Rows of a block: so many groups of as many as registers hold one sum of, then of four.
struct FloatGroups {
  static constexpr int kFour = 4;
  int n_wide;
  int n_fours;

  // Of so many rows, but for up to three.
  static FloatGroups of(std::int64_t n_rows) {
    if (n_rows >= kBlockOfRows) return {kBlockOfRows / kBlockRows, 0};
    const auto wide = static_cast<int>(n_rows) / kBlockRows;
    const auto rest = static_cast<int>(n_rows) % kBlockRows;
    if (wide > 0 && rest < kFour && rest + kBlockRows >= 2 * kFour) return {wide - 1, 2};
    return {wide, rest / kFour};
  }
  int n_rows() const { return n_wide * kBlockRows + n_fours * kFour; }
};

// The same sums where four for each of several rows do not fit in the registers: weights are
// decoded a chunk at a time, for all rows, and one sum of some rows runs over it after the other.
template <typename T>
inline void float_block(const PackedArgs& args, std::int64_t panel, std::int64_t x_row,
                        FloatGroups groups) {
  const int n_rows = groups.n_rows();
  const float* x[kBlockOfRows];
  alignas(64) float totals[kBlockOfRows][4][kPanelRows];
  for (int r = 0; r < n_rows; ++r) {
    x[r] = reinterpret_cast<const float*>(args.x + (x_row + r) * args.x_stride);
    for (int chain = 0; chain < 4; ++chain) Vec::set(0.0F).store(totals[r][chain]);
  }
  const std::byte* data = args.data + panel * args.panel_bytes;
  const std::int64_t n = args.n_steps * layout_of(T::kKind).step_cols;
  const int most_quads = n_rows < kBlockOfRows / 4 ? kFewRowsChunkQuads : kChunkQuads;
  alignas(64) FloatChunk chunk;
  for (std::int64_t col = 0; col < n; col += 4 * most_quads) {
    const std::int64_t left = (n - col) / 4;
    const int n_quads = left < most_quads ? static_cast<int>(left) : most_quads;
    for (int quad = 0; quad < n_quads; ++quad, data += T::kQuadBytes) {
      Vec w[4];
      T::read(data, w);
      for (int chain = 0; chain < 4; ++chain) w[chain].store(chunk[chain][quad]);
    }
    int r = 0;
    const auto add = [&](auto count) {
      for (int chain = 0; chain < 4; ++chain) {
        add_chain<decltype(count)::n>(chunk[chain], n_quads, x + r, col + chain, totals + r, chain);
      }
      r += decltype(count)::n;
    };
    for (int group = 0; group < groups.n_wide; ++group) add(Count<kBlockRows>());
    for (int group = 0; group < groups.n_fours; ++group) add(Count<FloatGroups::kFour>());
  }
  for (int r = 0; r < n_rows; ++r) {
    Vec total[4];
    for (int chain = 0; chain < 4; ++chain) total[chain] = Vec::load(totals[r][chain]);
    store_floats<T>(args, panel, x_row + r, total);
  }
}

template <typename T>
void float_linear(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  for (std::int64_t panel = first; panel < last; ++panel) {
    std::int64_t row = 0;
    if constexpr (kFloatRows > 1) {
      for (; row + kFloatRows <= args.n_x; row += kFloatRows) {
        float_rows<T, kFloatRows>(args, panel, row);
      }
    } else {
      while (row + FloatGroups::kFour <= args.n_x) {
        const FloatGroups groups = FloatGroups::of(args.n_x - row);
        float_block<T>(args, panel, row, groups);
        row += groups.n_rows();
      }
    }
    for (; row < args.n_x; ++row) float_rows<T, 1>(args, panel, row);
  }
}
