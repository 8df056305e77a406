// The sums of float_linear.inl for the many rows of a prompt, in the same order and so with the
// same bits: weights of kBlockVecs panels are decoded a chunk of columns at a time, for a block of
// rows, and one of the four sums of kBlockRows rows at a time is in registers.

inline constexpr int kBlockQuads = kFloatBlockCols / 4;
static_assert(kFloatBlockRows % kBlockRows == 0 && kBlockVecs <= 2);

/// Decoded weights of a chunk, and the sums of a block of rows.
template <int kVecs>
struct FloatBlock {
  alignas(64) float weights[4][kBlockQuads][kVecs][kPanelRows];
  alignas(64) float totals[4][kFloatBlockRows][kVecs][kPanelRows];
};

// Adds to one of the four sums of kBlockRows rows of x, from its first column on.
template <int kVecs>
inline void add_block_chain(const float (*w)[kVecs][kPanelRows], int n_quads, const float* x,
                            float (*totals)[kVecs][kPanelRows]) {
  Vec total[kBlockRows][kVecs];
#pragma GCC unroll kUnroll
  for (int r = 0; r < kBlockRows; ++r) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) total[r][v] = Vec::load(totals[r][v]);
  }
  for (int quad = 0; quad < n_quads; ++quad) {
    Vec weights[kVecs];
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) weights[v] = Vec::load(w[quad][v]);
#pragma GCC unroll kUnroll
    for (int r = 0; r < kBlockRows; ++r) {
      const Vec input = Vec::set(x[kFloatBlockStride * r + 4 * quad]);
#pragma GCC unroll kUnroll
      for (int v = 0; v < kVecs; ++v) total[r][v] = Vec::fma(weights[v], input, total[r][v]);
    }
  }
#pragma GCC unroll kUnroll
  for (int r = 0; r < kBlockRows; ++r) {
#pragma GCC unroll kUnroll
    for (int v = 0; v < kVecs; ++v) total[r][v].store(totals[r][v]);
  }
}

// kVecs panels and block `row_block` of x.
template <typename T, int kVecs>
inline void float_block_of(const PackedArgs& args, std::int64_t panel, std::int64_t row_block,
                           FloatBlock<kVecs>& block) {
  const std::int64_t first_row = row_block * kFloatBlockRows;
  const std::int64_t left = args.n_x - first_row;
  const int n = left < kFloatBlockRows ? static_cast<int>(left) : kFloatBlockRows;
  __builtin_memset(block.totals, 0, sizeof block.totals);
  const std::byte* data = args.data + panel * args.panel_bytes;
  const auto* x = reinterpret_cast<const float*>(args.x + row_block * args.x_stride);
  const std::int64_t n_cols = args.n_steps * layout_of(T::kKind).step_cols;
  for (std::int64_t col = 0; col < n_cols; col += kFloatBlockCols) {
    const std::int64_t quads = (n_cols - col) / 4;
    const int n_quads = quads < kBlockQuads ? static_cast<int>(quads) : kBlockQuads;
    for (int v = 0; v < kVecs; ++v) {
      const std::byte* from = data + v * args.panel_bytes;
      for (int quad = 0; quad < n_quads; ++quad, from += T::kQuadBytes) {
        Vec w[4];
        T::read(from, w);
        for (int chain = 0; chain < 4; ++chain) w[chain].store(block.weights[chain][quad][v]);
      }
    }
    data += std::int64_t{n_quads} * T::kQuadBytes;
    for (int row = 0; row < n; row += kBlockRows) {
      for (int chain = 0; chain < 4; ++chain) {
        add_block_chain<kVecs>(block.weights[chain], n_quads, x + kFloatBlockStride * row + chain,
                               block.totals[chain] + row);
      }
    }
    x += kFloatBlockRows * kFloatBlockStride;
  }
  for (int row = 0; row < n; ++row) {
    for (int v = 0; v < kVecs; ++v) {
      Vec total[4];
      for (int chain = 0; chain < 4; ++chain) total[chain] = Vec::load(block.totals[chain][row][v]);
      store_floats<T>(args, panel + v, first_row + row, total);
    }
  }
}

template <typename T>
void float_blocks(const PackedArgs& args, std::int64_t first, std::int64_t last) {
  const std::int64_t n_blocks = (args.n_x + kFloatBlockRows - 1) / kFloatBlockRows;
  FloatBlock<kBlockVecs> block;
  for (std::int64_t row_block = 0; row_block < n_blocks; ++row_block) {
    std::int64_t panel = first;
    for (; panel + kBlockVecs <= last; panel += kBlockVecs) {
      float_block_of<T, kBlockVecs>(args, panel, row_block, block);
    }
    if constexpr (kBlockVecs > 1) {
      if (panel < last) {
        FloatBlock<1> narrow;
        float_block_of<T, 1>(args, panel, row_block, narrow);
      }
    }
  }
}

void fill_float_blocks(Kernels& table) {
  const auto add = [&](PackedKind kind, PackedLinear blocks) {
    table.float_blocks[static_cast<int>(kind)] = blocks;
  };
  add(PackedKind::f32, float_blocks<FloatF32>);
  add(PackedKind::f16, float_blocks<FloatF16>);
  add(PackedKind::bf16, float_blocks<FloatBf16>);
  add(PackedKind::f8, float_blocks<FloatF8>);
}
