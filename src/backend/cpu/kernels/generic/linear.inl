// Matrix products: a panel of weight rows is decoded to f32 in chunks that stay
// in the first-level cache, then multiplied with every input row. Each pair of
// a weight row and an input row has kLanes accumulators of its own that run
// over the columns in order, so that its result is the same bit for bit however
// many rows there are beside it.

template <int kW, int kX>
inline void dot_tile(const float* w, const float* x, std::int64_t x_stride, std::int64_t n,
                     float* accumulators, std::int64_t acc_stride) {
  Vec acc[kW][kX];
  for (int r = 0; r < kW; ++r) {
    for (int c = 0; c < kX; ++c) acc[r][c] = Vec::load(accumulators + r * acc_stride + c * kLanes);
  }
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec xv[kX];
    for (int c = 0; c < kX; ++c) xv[c] = Vec::load(x + c * x_stride + i);
    for (int r = 0; r < kW; ++r) {
      const Vec wv = Vec::load(w + r * kChunk + i);
      for (int c = 0; c < kX; ++c) acc[r][c] = Vec::fma(wv, xv[c], acc[r][c]);
    }
  }
  if (i < n) {
    Vec xv[kX];
    for (int c = 0; c < kX; ++c) xv[c] = Vec::load_part(x + c * x_stride + i, n - i);
    for (int r = 0; r < kW; ++r) {
      const Vec wv = Vec::load_part(w + r * kChunk + i, n - i);
      for (int c = 0; c < kX; ++c) acc[r][c] = Vec::fma(wv, xv[c], acc[r][c]);
    }
  }
  for (int r = 0; r < kW; ++r) {
    for (int c = 0; c < kX; ++c) acc[r][c].store(accumulators + r * acc_stride + c * kLanes);
  }
}

template <int kW>
inline void dot_panel(const float* w, const float* x, std::int64_t x_stride, std::int64_t n_x,
                      std::int64_t n, float* accumulators, std::int64_t acc_stride) {
  std::int64_t c = 0;
  for (; c + kInputRows <= n_x; c += kInputRows) {
    dot_tile<kW, kInputRows>(w, x + c * x_stride, x_stride, n, accumulators + c * kLanes,
                             acc_stride);
  }
  for (; c < n_x; ++c) {
    dot_tile<kW, 1>(w, x + c * x_stride, x_stride, n, accumulators + c * kLanes, acc_stride);
  }
}

void linear(const LinearArgs& args, std::int64_t first, std::int64_t last, float* scratch) {
  float* panel = scratch;
  float* accumulators = scratch + kWeightRows * kChunk;
  const std::int64_t acc_stride = args.n_x * kLanes;
  for (std::int64_t row = first; row < last; row += kWeightRows) {
    const std::int64_t n_rows = last - row < kWeightRows ? last - row : kWeightRows;
    __builtin_memset(accumulators, 0, static_cast<std::size_t>(n_rows * acc_stride) * 4);
    for (std::int64_t col = 0; col < args.cols; col += kChunk) {
      const std::int64_t n = args.cols - col < kChunk ? args.cols - col : kChunk;
      for (std::int64_t r = 0; r < n_rows; ++r) {
        const std::byte* data =
            args.data + (row + r) * args.row_bytes + col / args.block_size * args.block_bytes;
        const std::byte* scales =
            args.scales ? args.scales + (row + r) * args.scale_row_bytes + col / 16 : nullptr;
        args.decode(data, scales, n, panel + r * kChunk);
      }
      if (n_rows == kWeightRows) {
        dot_panel<kWeightRows>(panel, args.x + col, args.x_stride, args.n_x, n, accumulators,
                               acc_stride);
      } else {
        for (std::int64_t r = 0; r < n_rows; ++r) {
          dot_panel<1>(panel + r * kChunk, args.x + col, args.x_stride, args.n_x, n,
                       accumulators + r * acc_stride, acc_stride);
        }
      }
    }
    for (std::int64_t r = 0; r < n_rows; ++r) {
      const float scale = args.row_scales ? args.row_scales[row + r] * args.scale : args.scale;
      for (std::int64_t c = 0; c < args.n_x; ++c) {
        const Vec sum = Vec::load(accumulators + r * acc_stride + c * kLanes);
        args.out[c * args.out_stride + row + r] = sum.sum() * scale;
      }
    }
  }
}
