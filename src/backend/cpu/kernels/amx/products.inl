// Products on the matrix unit: every row of a prompt with panels of one weight, or of
// the two weights of a gated feed-forward.

constexpr std::int64_t kSumBytes = 4 * kTileBytes;  // two row blocks, two panels
constexpr std::int64_t kStreamedRows = 128;

// The tiles of 32 columns from `col` on, of the pair of row blocks whose first tile is `pair`.
inline std::byte* tiles_of(std::byte* pair, std::int64_t chunk_bytes, std::int64_t col) {
  return pair + col / kTileChunk * chunk_bytes + col % kTileChunk / kTileCols * 2 * kTileBytes;
}

// Moves the sums of one tile out, and those that it goes on with in.
#define PLEIAD_EXCHANGE(tile)                      \
  _tile_stored(tile, out + (tile)*kTileBytes, 64); \
  if (in) {                                        \
    _tile_loadd(tile, in + (tile)*kTileBytes, 64); \
  } else {                                         \
    _tile_zero(tile);                              \
  }

// out[2][2] = the tiles' sums; then sums[2][2] = in[2][2] (or 0) + x[2 row blocks] *
// w[2 panels] over n_tiles tiles of columns, which stay in the tiles. The unit goes on with
// the first product of a tile as soon as its former sums have left. between(tile) runs
// beside the products.
template <typename Between>
inline void multiply(const std::byte* x, const std::byte* w0, const std::byte* w1,
                     std::int64_t w_step, std::int64_t n_tiles, std::byte* out, const std::byte* in,
                     const Between& between) {
  // Activations are not kept in the first-level cache: they are met once in a block.
  stored_for_tiles();
  _tile_stream_loadd(4, x, 64);
  _tile_loadd(6, w0, 64);
  _tile_loadd(7, w1, 64);
  _tile_stream_loadd(5, x + kTileBytes, 64);
  PLEIAD_EXCHANGE(0);
  _tile_dpbf16ps(0, 4, 6);
  PLEIAD_EXCHANGE(1);
  _tile_dpbf16ps(1, 4, 7);
  PLEIAD_EXCHANGE(2);
  _tile_dpbf16ps(2, 5, 6);
  PLEIAD_EXCHANGE(3);
  _tile_dpbf16ps(3, 5, 7);
  stored_for_tiles();
  between(0);
  for (std::int64_t tile = 1; tile < n_tiles; ++tile) {
    stored_for_tiles();
    _tile_stream_loadd(4, x + tile * 2 * kTileBytes, 64);
    _tile_stream_loadd(5, x + tile * 2 * kTileBytes + kTileBytes, 64);
    _tile_loadd(6, w0 + tile * w_step, 64);
    _tile_loadd(7, w1 + tile * w_step, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    stored_for_tiles();
    between(tile);
  }
}

#undef PLEIAD_EXCHANGE

// Complete sums of one pair of row blocks and two panels, finished in parts beside the
// products of the next pair.
constexpr std::int64_t kLeavingParts = 8;
constexpr std::int64_t kLeavingRows = 2 * kTileRows / kLeavingParts;

struct LeavingSums {
  std::int64_t parts_left = 0;
  std::int64_t panel = 0;
  std::int64_t pair = 0;
  const std::byte* sums = nullptr;

  template <typename Finish>
  void finish_part(const Finish& finish) {
    finish(panel, pair, (kLeavingParts - parts_left) * kLeavingRows, sums);
    --parts_left;
  }
};

// The sums that the next products go on with are asked for, a few lines for each tile.
inline void prefetch_sums(const std::byte* sums, std::int64_t tile) {
  constexpr std::int64_t kBytes = kSumBytes / (kTileChunk / kTileCols);
  static_assert(kBytes % 64 == 0);
#pragma GCC unroll 8
  for (std::int64_t at = 0; at < kBytes; at += 64) {
    _mm_prefetch(sums + tile * kBytes + at, _MM_HINT_T0);
  }
}

// Blocks in order. finish(panel, pair, row, sums) gets kLeavingRows rows of complete sums of
// two panels: of the last weight, kept right after those of the others. Weights are
// unpacked to one place, which stays in the first-level cache: the last rows that need a
// tile make room for the next block's, and the unit works meanwhile.
template <typename Unpack, typename Finish>
void multiply_blocks(const TileArgs* weights, int n_weights, std::int64_t first, std::int64_t last,
                     std::byte* scratch, const Finish& finish) {
  const TileArgs& args = weights[0];
  const BlockOrder order = {first, last, args.cols, n_weights};
  const std::int64_t n_row_pairs = (args.n_x + 2 * kTileRows - 1) / (2 * kTileRows);
  std::byte* const tiles = scratch;
  std::byte* const sums = tiles + kTileChunk / kTileCols * kWeightTileStep;
  std::byte* before = sums;  // where the sums belong that are in the tiles
  LeavingSums leaving;
  Prefetches prefetches;

  _tile_loadconfig(&kTileConfig);
  PackedBlock<Unpack> next(weights, order.at(0), last);
  for (std::int64_t tile = 0; tile < order.at(0).n_tiles(); ++tile) next.unpack(tile, tiles);
  for (std::int64_t index = 0; index < order.count(); ++index) {
    const Block block = order.at(index);
    const std::int64_t n_tiles = block.n_tiles();
    const std::byte* w0 = tiles;
    const std::byte* w1 = w0 + kTileBytes;
    std::int64_t w_step = kWeightTileStep;
    if constexpr (Unpack::kInPlace) {
      const TileArgs& weight = weights[block.weight];
      w0 = weight.data + block.panel * weight.panel_bytes + block.col / kTileCols * kTileBytes;
      w1 = block.panel + 1 < last ? w0 + weight.panel_bytes : w0;
      w_step = kTileBytes;
    }
    const std::int64_t next_tiles = index + 1 < order.count() ? order.at(index + 1).n_tiles() : 0;
    next = PackedBlock<Unpack>(weights, order.at(index + 1), last);
    prefetches.expect(PackedBlock<Unpack>(weights, order.at(index + 2), last),
                      n_row_pairs * n_tiles);
    const std::byte* x = args.x + block.col / kTileChunk * args.x_chunk_bytes;
    const bool is_first_chunk = block.col == 0;
    const bool is_last_chunk = block.col + block.n_cols == args.cols;
    if (index % order.per_chunk() == 0) {
      prefetches.expect(is_last_chunk ? args.x : x + args.x_chunk_bytes,
                        n_row_pairs * kRowPairBytes, order.per_chunk() * n_row_pairs * n_tiles);
    }
    const bool is_complete = is_last_chunk && block.weight + 1 == n_weights;
    std::byte* own = sums + index % order.per_chunk() * n_row_pairs * kSumBytes;
    for (std::int64_t pair = 0; pair < n_row_pairs; ++pair, own += kSumBytes) {
      const std::int64_t unpacked_tiles = pair + 1 == n_row_pairs ? next_tiles : 0;
      multiply(x + pair * kRowPairBytes, w0, w1, w_step, n_tiles, before,
               is_first_chunk ? nullptr : own, [&](std::int64_t tile) {
                 prefetches.advance();
                 if (!is_first_chunk) prefetch_sums(own + kSumBytes, tile);
                 // Not at once, since what was just stored has to arrive.
                 if (leaving.parts_left > 0 && tile >= n_tiles / 4) leaving.finish_part(finish);
                 if (tile < unpacked_tiles) next.unpack(tile, tiles);
               });
      while (leaving.parts_left > 0) leaving.finish_part(finish);
      before = own;
      if (is_complete) leaving = {kLeavingParts, block.panel, pair, own};
    }
  }
  _tile_stored(0, before, 64);
  _tile_stored(1, before + kTileBytes, 64);
  _tile_stored(2, before + 2 * kTileBytes, 64);
  _tile_stored(3, before + 3 * kTileBytes, 64);
  _tile_release();
  while (leaving.parts_left > 0) leaving.finish_part(finish);
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
                      std::int64_t pair, std::int64_t first_row, const std::byte* sums) {
  const std::int64_t x_row = 2 * kTileRows * pair + first_row;
  const std::int64_t left = args.n_x - x_row;
  const std::int64_t n_rows = left < kLeavingRows ? left : kLeavingRows;
  // What does not stay in the cache anyway goes past it.
  const bool streams = args.n_x >= kStreamedRows && args.out_stride % kPanelRows == 0 &&
                       reinterpret_cast<std::uintptr_t>(args.out) % 64 == 0;
  for (std::int64_t side = 0; side < 2 && panel + side < last; ++side) {
    const std::int64_t row = (panel + side) * kPanelRows;
    const std::int64_t n = args.n_rows - row < kPanelRows ? args.n_rows - row : kPanelRows;
    const Vec factor = panel_factor(args, panel + side);
    float* out = args.out + x_row * args.out_stride + row;
    for (std::int64_t i = 0; i < n_rows; ++i, out += args.out_stride) {
      const Vec value = sum_at(sums, first_row + i, side) * factor;
      if (n < kPanelRows) {
        value.store_part(out, n);
      } else if (streams) {
        _mm512_stream_ps(out, value.v);
      } else {
        value.store(out);
      }
    }
  }
}

void tile_linear(const TileArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch) {
  with_unpack(args.kind, [&](auto unpack) {
    const auto finish = [&](std::int64_t panel, std::int64_t pair, std::int64_t row,
                            const std::byte* sums) {
      write_out(args, panel, last, pair, row, sums);
    };
    multiply_blocks<decltype(unpack)>(&args, 1, first, last, scratch, finish);
  });
}

// gelu(gate) * up of two panels, and of rows from `row` on of a pair of row blocks, as the
// tiles of 32 columns.
inline void write_gated(const TileGatedArgs& args, std::int64_t panel, std::int64_t pair,
                        std::int64_t row, const std::byte* gate_sums, const std::byte* up_sums) {
  const TileArgs& gate = args.weights[0];
  const TileArgs& up = args.weights[1];
  const std::int64_t col = panel * kPanelRows;
  std::byte* out_pair = args.out + pair * kRowPairBytes;
  const Vec gate_factor[2] = {panel_factor(gate, panel), panel_factor(gate, panel + 1)};
  const Vec up_factor[2] = {panel_factor(up, panel), panel_factor(up, panel + 1)};
  const std::int64_t n = gate.n_rows - col;  // columns of the result that exist
  const auto keep =
      static_cast<__mmask32>(n >= 2 * kPanelRows ? 0xFFFFFFFFU : (std::uint64_t{1} << n) - 1);
  std::byte* out = tiles_of(out_pair, args.out_chunk_bytes, col) + 64 * row;
#pragma GCC unroll 8
  for (int i = 0; i < kLeavingRows; ++i) {
    Vec value[2];
#pragma GCC unroll 2
    for (int side = 0; side < 2; ++side) {
      value[side] = gelu(sum_at(gate_sums, row + i, side) * gate_factor[side]) *
                    (sum_at(up_sums, row + i, side) * up_factor[side]);
    }
    const auto halves = (__m512i)_mm512_cvtne2ps_pbh(value[1].v, value[0].v);
    _mm512_storeu_si512(out + 64 * i, _mm512_maskz_mov_epi16(keep, halves));
  }
  if (n > 2 * kPanelRows || row > 0) return;
  // Columns that the layout adds are zero.
  for (std::int64_t more = col + kTileCols; more % kColumnPadding != 0; more += kTileCols) {
    __builtin_memset(tiles_of(out_pair, args.out_chunk_bytes, more), 0, 2 * kTileBytes);
  }
}

void tile_gated_gelu(const TileGatedArgs& args, std::int64_t first, std::int64_t last,
                     std::byte* scratch) {
  const std::int64_t n_row_pairs = (args.weights[0].n_x + 2 * kTileRows - 1) / (2 * kTileRows);
  with_unpack(args.weights[0].kind, [&](auto unpack) {
    const auto finish = [&](std::int64_t panel, std::int64_t pair, std::int64_t row,
                            const std::byte* sums) {
      write_gated(args, panel, pair, row, sums - n_row_pairs * kSumBytes, sums);
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
  for (std::int64_t col = (n_cols + kTileCols - 1) / kTileCols * kTileCols;
       col % kColumnPadding != 0; col += kTileCols) {
    __builtin_memset(tiles_of(pair, chunk_bytes, col), 0, kTileBytes);
  }
}
