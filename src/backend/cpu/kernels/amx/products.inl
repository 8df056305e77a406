// Products on the matrix unit: every row of a prompt with panels of one weight, or of
// the two weights of a gated feed-forward.

constexpr std::int64_t kSumBytes = 4 * kTileBytes;  // two row blocks, two panels
constexpr std::int64_t kStreamedRows = 128;

// The tiles of 32 columns from `col` on, of the pair of row blocks whose first tile is `pair`.
inline std::byte* tiles_of(std::byte* pair, std::int64_t chunk_bytes, std::int64_t col) {
  return pair + col / kTileChunk * chunk_bytes + col % kTileChunk / kTileCols * 2 * kTileBytes;
}

// sums[2][2] (+)= x[2 row blocks] * w[2 panels] over n_tiles tiles of columns.
template <typename Unpack>
inline void multiply(const std::byte* x, const std::byte* w0, const std::byte* w1,
                     std::int64_t w_step, std::int64_t n_tiles, std::byte* sums, bool first,
                     Unpacking<Unpack>& unpacking) {
  if (first) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  } else {
    _tile_loadd(0, sums, 64);
    _tile_loadd(1, sums + kTileBytes, 64);
    _tile_loadd(2, sums + 2 * kTileBytes, 64);
    _tile_loadd(3, sums + 3 * kTileBytes, 64);
  }
  stored_for_tiles();
  for (std::int64_t tile = 0; tile < n_tiles; ++tile) {
    _tile_loadd(4, x + tile * 2 * kTileBytes, 64);
    _tile_loadd(5, x + tile * 2 * kTileBytes + kTileBytes, 64);
    _tile_loadd(6, w0 + tile * w_step, 64);
    _tile_loadd(7, w1 + tile * w_step, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    unpacking.advance();
  }
  _tile_stored(0, sums, 64);
  _tile_stored(1, sums + kTileBytes, 64);
  _tile_stored(2, sums + 2 * kTileBytes, 64);
  _tile_stored(3, sums + 3 * kTileBytes, 64);
}

// Blocks in order; `finish` gets the sums of two panels and two row blocks when they
// are complete: those of the last weight, kept right after those of the others.
template <typename Unpack, typename Finish>
void multiply_blocks(const TileArgs* weights, int n_weights, std::int64_t first, std::int64_t last,
                     std::byte* scratch, const Finish& finish) {
  constexpr std::int64_t kBlockBytes = kTileChunk / kTileCols * kWeightTileStep;
  const TileArgs& args = weights[0];
  const BlockOrder order = {first, last, args.cols, n_weights};
  const std::int64_t n_row_pairs = (args.n_x + 2 * kTileRows - 1) / (2 * kTileRows);
  std::byte* sums = scratch + 2 * kBlockBytes;  // after two blocks, used in turn

  _tile_loadconfig(&kTileConfig);
  Unpacking<Unpack> unpacking(weights, last);
  unpacking.start(order.at(0), order.at(1), scratch, 1);
  unpacking.finish();
  for (std::int64_t index = 0; index < order.count(); ++index) {
    const Block block = order.at(index);
    const std::int64_t n_tiles = block.n_cols / kTileCols;
    const std::byte* w0 = scratch + index % 2 * kBlockBytes;
    const std::byte* w1 = w0 + kTileBytes;
    std::int64_t w_step = kWeightTileStep;
    if constexpr (Unpack::kInPlace) {
      const TileArgs& weight = weights[block.weight];
      w0 = weight.data + block.panel * weight.panel_bytes + block.col / kTileCols * kTileBytes;
      w1 = block.panel + 1 < last ? w0 + weight.panel_bytes : w0;
      w_step = kTileBytes;
    }
    if (index + 1 < order.count()) {
      unpacking.start(order.at(index + 1), order.at(index + 2),
                      scratch + (index + 1) % 2 * kBlockBytes, n_row_pairs * n_tiles);
    }
    const std::byte* x = args.x + block.col / kTileChunk * args.x_chunk_bytes;
    if (index % order.per_chunk() == 0) {
      const bool is_last = block.col + block.n_cols == args.cols;
      unpacking.expect(is_last ? args.x : x + args.x_chunk_bytes, n_row_pairs * kRowPairBytes);
    }
    const bool finishes = block.col + block.n_cols == args.cols && block.weight + 1 == n_weights;
    std::byte* own = sums + index % order.per_chunk() * n_row_pairs * kSumBytes;
    for (std::int64_t pair = 0; pair < n_row_pairs; ++pair, own += kSumBytes) {
      multiply(x + pair * kRowPairBytes, w0, w1, w_step, n_tiles, own, block.col == 0, unpacking);
      if (finishes) finish(block.panel, pair, own);
    }
    unpacking.finish();
  }
  _tile_release();
  _mm_sfence();  // streamed results are there before the next barrier
}

// The factor of a panel's sixteen rows; nothing for rows that do not exist.
inline Vec panel_factor(const TileArgs& args, std::int64_t panel) {
  const Vec scale = Vec::set(args.kind == PackedKind::f8 ? args.scale * 256.0F : args.scale);
  if (!args.row_scales) return scale;
  const std::int64_t row = panel * kPanelRows;
  const std::int64_t n = args.n_rows - row < kPanelRows ? args.n_rows - row : kPanelRows;
  return scale * Vec::load_part(args.row_scales + row, n > 0 ? n : 0);
}

inline Vec sum_at(const std::byte* sums, std::int64_t row, std::int64_t side) {
  return Vec::load(reinterpret_cast<const float*>(sums + (row / kTileRows * 2 + side) * kTileBytes +
                                                  row % kTileRows * 64));
}

inline void write_out(const TileArgs& args, std::int64_t panel, std::int64_t last,
                      std::int64_t x_row, const std::byte* sums) {
  const std::int64_t left = args.n_x - x_row;
  const std::int64_t n_rows = left < 2 * kTileRows ? left : 2 * kTileRows;
  // What does not stay in the cache anyway goes past it.
  const bool streams = args.n_x >= kStreamedRows && args.out_stride % kPanelRows == 0 &&
                       reinterpret_cast<std::uintptr_t>(args.out) % 64 == 0;
  for (std::int64_t side = 0; side < 2 && panel + side < last; ++side) {
    const std::int64_t row = (panel + side) * kPanelRows;
    const std::int64_t n = args.n_rows - row < kPanelRows ? args.n_rows - row : kPanelRows;
    const Vec factor = panel_factor(args, panel + side);
    float* out = args.out + x_row * args.out_stride + row;
    if (n < kPanelRows) {
      for (std::int64_t i = 0; i < n_rows; ++i) {
        (sum_at(sums, i, side) * factor).store_part(out + i * args.out_stride, n);
      }
    } else if (streams) {
      for (std::int64_t i = 0; i < n_rows; ++i) {
        _mm512_stream_ps(out + i * args.out_stride, (sum_at(sums, i, side) * factor).v);
      }
    } else {
      for (std::int64_t i = 0; i < n_rows; ++i) {
        (sum_at(sums, i, side) * factor).store(out + i * args.out_stride);
      }
    }
  }
}

void tile_linear(const TileArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch) {
  with_unpack(args.kind, [&](auto unpack) {
    const auto finish = [&](std::int64_t panel, std::int64_t pair, const std::byte* sums) {
      write_out(args, panel, last, 2 * kTileRows * pair, sums);
    };
    multiply_blocks<decltype(unpack)>(&args, 1, first, last, scratch, finish);
  });
}

// gelu(gate) * up of two panels and two row blocks, as the tiles of 32 columns.
inline void write_gated(const TileGatedArgs& args, std::int64_t panel, std::int64_t pair,
                        const std::byte* gate_sums, const std::byte* up_sums) {
  const TileArgs& gate = args.weights[0];
  const TileArgs& up = args.weights[1];
  const std::int64_t col = panel * kPanelRows;
  std::byte* out_pair = args.out + pair * kRowPairBytes;
  Vec value[2];
  const Vec gate_factor[2] = {panel_factor(gate, panel), panel_factor(gate, panel + 1)};
  const Vec up_factor[2] = {panel_factor(up, panel), panel_factor(up, panel + 1)};
  const std::int64_t n = gate.n_rows - col;  // columns of the result that exist
  const auto keep =
      static_cast<__mmask32>(n >= 2 * kPanelRows ? 0xFFFFFFFFU : (std::uint64_t{1} << n) - 1);
  std::byte* out = tiles_of(out_pair, args.out_chunk_bytes, col);
  for (std::int64_t i = 0; i < 2 * kTileRows; ++i) {
    for (std::int64_t side = 0; side < 2; ++side) {
      value[side] = gelu(sum_at(gate_sums, i, side) * gate_factor[side]) *
                    (sum_at(up_sums, i, side) * up_factor[side]);
    }
    const auto halves = (__m512i)_mm512_cvtne2ps_pbh(value[1].v, value[0].v);
    _mm512_storeu_si512(out + 64 * i, _mm512_maskz_mov_epi16(keep, halves));
  }
  if (n > 2 * kPanelRows) return;
  // Columns that the layout adds are zero.
  for (std::int64_t more = col + kTileCols; more % kTileChunk != 0; more += kTileCols) {
    __builtin_memset(tiles_of(out_pair, args.out_chunk_bytes, more), 0, 2 * kTileBytes);
  }
}

void tile_gated_gelu(const TileGatedArgs& args, std::int64_t first, std::int64_t last,
                     std::byte* scratch) {
  const std::int64_t n_row_pairs = (args.weights[0].n_x + 2 * kTileRows - 1) / (2 * kTileRows);
  with_unpack(args.weights[0].kind, [&](auto unpack) {
    const auto finish = [&](std::int64_t panel, std::int64_t pair, const std::byte* sums) {
      write_gated(args, panel, pair, sums - n_row_pairs * kSumBytes, sums);
    };
    multiply_blocks<decltype(unpack)>(args.weights, 2, first, last, scratch, finish);
  });
}

void fill_tiles(std::byte* tiles, std::int64_t chunk_bytes, const float* x, std::int64_t x_stride,
                std::int64_t n_x, std::int64_t n_cols, std::int64_t block) {
  std::byte* pair = tiles + block / 2 * kRowPairBytes + block % 2 * kTileBytes;
  for (std::int64_t col = 0; col < n_cols; col += kTileCols) {
    std::byte* out = tiles_of(pair, chunk_bytes, col);
    const std::int64_t left = n_cols - col;
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      const std::int64_t row = block * kTileRows + r;
      const float* from = x + row * x_stride + col;
      Vec low = Vec::set(0.0F);
      Vec high = Vec::set(0.0F);
      if (row < n_x) {
        low = left >= 16 ? Vec::load(from) : Vec::load_part(from, left);
        if (left > 16)
          high = left >= 32 ? Vec::load(from + 16) : Vec::load_part(from + 16, left - 16);
      }
      _mm512_storeu_si512(out + 64 * r, (__m512i)_mm512_cvtne2ps_pbh(high.v, low.v));
    }
  }
  // Columns that the layout adds are zero.
  for (std::int64_t col = (n_cols + kTileCols - 1) / kTileCols * kTileCols; col % kTileChunk != 0;
       col += kTileCols) {
    __builtin_memset(tiles_of(pair, chunk_bytes, col), 0, kTileBytes);
  }
}
