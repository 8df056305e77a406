// The matrix unit of x86 (AMX with bf16): products for prompts. Weights are
// unpacked to bf16 once for all rows, activations are rounded to bf16, and the
// products are summed in f32, over the columns in order.

#include <immintrin.h>

#include "backend/cpu/kernels/kernels.h"

namespace pleiad::kernels {
namespace {

#include "backend/cpu/kernels/generic/scalars.inl"
// Needs the above.
#include "backend/cpu/kernels/avx512/vec.inl"
// Needs the above.
#include "backend/cpu/kernels/avx512/integers.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/packed_types.inl"

// Eight tiles of 16 rows of 64 bytes. Constant, since GCC 12 takes the stores to a
// local configuration for dead.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytes_per_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
const TileConfig kTileConfig;

// Two columns of sixteen weight rows, as the line of a tile.
inline void store_pair(std::byte* line, Vec even, Vec odd) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i halves = (__m512i)_mm512_cvtne2ps_pbh(odd.v, even.v);
  _mm512_storeu_si512(line, _mm512_permutexvar_epi16(order, halves));
}

inline std::byte* line_of(std::byte* tiles, int col) {
  return tiles + col / kTileCols * kTileBytes + col % kTileCols / 2 * 64;
}

template <typename T>
void unpack_integers(const std::byte* step, std::byte* tiles) {
  const __m512i low = _mm512_set1_epi32(255);
#pragma GCC unroll 16
  for (int group = 0; group < T::kGroups; ++group) {
    Bytes w[T::kQuads];
    Vec scale;
    Vec base;
    T::load(step, group, w, scale, base);
    // (byte - offset) * scale, rounded once; the product with the offset is exact.
    if constexpr (!T::kHasMinimum) base = scale * Vec::set(-static_cast<float>(T::kOffset));
    for (int quad = 0; quad < T::kQuads; ++quad) {
      Vec value[4];
      for (int i = 0; i < 4; ++i) {
        const __m512i shifted = i == 0 ? w[quad].v : _mm512_srli_epi32(w[quad].v, 8U * i);
        const __m512i bytes = i == 3 ? shifted : _mm512_and_si512(shifted, low);
        value[i] = Vec::fma({_mm512_cvtepi32_ps(bytes)}, scale, base);
      }
      std::byte* line = line_of(tiles, T::first_col(group) + 4 * quad);
      store_pair(line, value[0], value[1]);
      store_pair(line + 64, value[2], value[3]);
    }
  }
}

void unpack_f8(const std::byte* step, std::byte* tiles) {  // less a factor of 2^8
  for (int pair = 0; pair < 16; ++pair) {
    Vec even;
    Vec odd;
    Vec::load_e4m3_pairs(step + 32 * pair, even, odd);
    store_pair(tiles + 64 * pair, even, odd);
  }
}

using UnpackStep = void (*)(const std::byte* step, std::byte* tiles);

UnpackStep unpack_for(PackedKind kind) {
  switch (kind) {
    case PackedKind::f8:
      return unpack_f8;
    case PackedKind::q8:
      return unpack_integers<PackedQ8>;
    case PackedKind::q4:
      return unpack_integers<PackedQ4>;
    case PackedKind::nvfp4:
      return unpack_integers<PackedNvfp4>;
    case PackedKind::q4_k:
      return unpack_integers<PackedQ4K>;
    case PackedKind::q5_k:
      return unpack_integers<PackedQ5K>;
    case PackedKind::q6_k:
      return unpack_integers<PackedQ6K>;
    default:
      return nullptr;  // bf16 lies there as tiles
  }
}

// Two panels and a chunk of columns: what is unpacked at a time.
struct Block {
  std::int64_t panel;
  std::int64_t col;
  std::int64_t n_cols;
};

// The blocks of a call in order: chunks of columns, pairs of panels within.
struct BlockOrder {
  std::int64_t first;
  std::int64_t last;
  std::int64_t cols;

  std::int64_t pairs() const { return (last - first + 1) / 2; }
  std::int64_t count() const { return pairs() * ((cols + kTileChunk - 1) / kTileChunk); }
  Block at(std::int64_t index) const {
    const std::int64_t col = index / pairs() * kTileChunk;
    return {first + index % pairs() * 2, col, cols - col < kTileChunk ? cols - col : kTileChunk};
  }
};

// Unpacks a block step by step, so that the work can be spread between the
// products of the block before it: the matrix unit and the vector units run side
// by side.
class Unpacking {
 public:
  Unpacking(const TileArgs& args, std::int64_t last_panel, UnpackStep unpack)
      : args_(args), last_panel_(last_panel), unpack_(unpack) {}

  void start(const Block& block, std::byte* tiles) {
    block_ = block;
    tiles_ = tiles;
    next_ = 0;
    const std::int64_t n_panels = last_panel_ - block.panel >= 2 ? 2 : 1;
    steps_ = (block.n_cols + layout().step_cols - 1) / layout().step_cols;
    end_ = unpack_ ? n_panels * steps_ : 0;
  }
  std::int64_t left() const { return end_ - next_; }
  void advance(std::int64_t n) {
    for (; n > 0 && next_ < end_; --n, ++next_) {
      const std::int64_t side = next_ / steps_;
      const std::int64_t step = next_ % steps_;
      const std::int64_t at = block_.col / layout().step_cols + step;
      unpack_(args_.data + (block_.panel + side) * args_.panel_bytes + at * layout().step_bytes,
              tiles_ + side * kSideBytes + step * layout().step_cols / kTileCols * kTileBytes);
    }
  }

  static constexpr std::int64_t kSideBytes = kTileChunk / kTileCols * kTileBytes;

 private:
  PackedLayout layout() const { return layout_of(args_.kind); }

  const TileArgs& args_;
  std::int64_t last_panel_;
  UnpackStep unpack_;
  Block block_ = {};
  std::byte* tiles_ = nullptr;
  std::int64_t steps_ = 0;
  std::int64_t next_ = 0;
  std::int64_t end_ = 0;
};

// sums[2][2] (+)= x[2 row blocks] * w[2 panels] over n_tiles tiles of columns.
inline void multiply(const std::byte* x0, const std::byte* x1, const std::byte* w0,
                     const std::byte* w1, std::int64_t n_tiles, std::byte* sums, bool first) {
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
  for (std::int64_t tile = 0; tile < n_tiles; ++tile) {
    const std::int64_t at = tile * kTileBytes;
    _tile_loadd(4, x0 + at, 64);
    _tile_loadd(5, x1 + at, 64);
    _tile_loadd(6, w0 + at, 64);
    _tile_loadd(7, w1 + at, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, 64);
  _tile_stored(1, sums + kTileBytes, 64);
  _tile_stored(2, sums + 2 * kTileBytes, 64);
  _tile_stored(3, sums + 3 * kTileBytes, 64);
}

// The finished sums of two row blocks and two panels.
inline void write_out(const TileArgs& args, std::int64_t panel, std::int64_t last,
                      std::int64_t x_row, const std::byte* sums) {
  const Vec scale = Vec::set(args.kind == PackedKind::f8 ? args.scale * 256.0F : args.scale);
  const std::int64_t left = args.n_x - x_row;
  for (std::int64_t side = 0; side < 2 && panel + side < last; ++side) {
    const std::int64_t row = (panel + side) * kPanelRows;
    const std::int64_t n = args.n_rows - row < kPanelRows ? args.n_rows - row : kPanelRows;
    const Vec factor = args.row_scales ? scale * Vec::load_part(args.row_scales + row, n) : scale;
    for (std::int64_t i = 0; i < 2 * kTileRows && i < left; ++i) {
      const std::byte* from = sums + (i / kTileRows * 2 + side) * kTileBytes + i % kTileRows * 64;
      const Vec value = Vec::load(reinterpret_cast<const float*>(from)) * factor;
      float* out = args.out + (x_row + i) * args.out_stride + row;
      if (n == kPanelRows) {
        value.store(out);
      } else {
        value.store_part(out, n);
      }
    }
  }
}

void tile_linear(const TileArgs& args, std::int64_t first, std::int64_t last, std::byte* scratch) {
  const BlockOrder order = {first, last, args.cols};
  const std::int64_t n_row_pairs = (args.n_x + 2 * kTileRows - 1) / (2 * kTileRows);
  const std::int64_t x_block_bytes = args.x_cols / kTileCols * kTileBytes;
  std::byte* unpacked = scratch;  // two blocks, used in turn
  std::byte* sums = scratch + 4 * Unpacking::kSideBytes;

  _tile_loadconfig(&kTileConfig);
  const UnpackStep unpack = unpack_for(args.kind);
  Unpacking unpacking(args, last, unpack);
  unpacking.start(order.at(0), unpacked);
  unpacking.advance(unpacking.left());
  for (std::int64_t index = 0; index < order.count(); ++index) {
    const Block block = order.at(index);
    const std::byte* w0 = unpacked + index % 2 * 2 * Unpacking::kSideBytes;
    const std::byte* w1 = w0 + Unpacking::kSideBytes;
    if (!unpack) {
      w0 = args.data + block.panel * args.panel_bytes + block.col / kTileCols * kTileBytes;
      w1 = block.panel + 1 < last ? w0 + args.panel_bytes : w0;
    }
    std::int64_t share = 0;
    if (index + 1 < order.count()) {
      unpacking.start(order.at(index + 1), unpacked + (index + 1) % 2 * 2 * Unpacking::kSideBytes);
      share = (unpacking.left() + n_row_pairs - 1) / n_row_pairs;
    }
    const std::byte* x = args.x + block.col / kTileCols * kTileBytes;
    const bool finishes = block.col + block.n_cols == args.cols;
    for (std::int64_t pair = 0; pair < n_row_pairs; ++pair) {
      const std::byte* x0 = x + 2 * pair * x_block_bytes;
      std::byte* own = sums + ((block.panel - first) / 2 * n_row_pairs + pair) * 4 * kTileBytes;
      multiply(x0, x0 + x_block_bytes, w0, w1, block.n_cols / kTileCols, own, block.col == 0);
      unpacking.advance(share);
      if (finishes) write_out(args, block.panel, last, 2 * kTileRows * pair, own);
    }
  }
  _tile_release();
}

void fill_tiles(std::byte* tiles, std::int64_t x_cols, const float* x, std::int64_t x_stride,
                std::int64_t n_x, std::int64_t n_cols, std::int64_t block) {
  std::byte* out = tiles + block * x_cols / kTileCols * kTileBytes;
  for (std::int64_t col = 0; col < x_cols; col += kTileCols, out += kTileBytes) {
    const std::int64_t left = n_cols - col;
    for (std::int64_t r = 0; r < kTileRows; ++r) {
      const std::int64_t row = block * kTileRows + r;
      const float* from = x + row * x_stride + col;
      Vec low = Vec::set(0.0F);
      Vec high = Vec::set(0.0F);
      if (row < n_x && left > 0) {
        low = left >= 16 ? Vec::load(from) : Vec::load_part(from, left);
        if (left > 16)
          high = left >= 32 ? Vec::load(from + 16) : Vec::load_part(from + 16, left - 16);
      }
      _mm512_storeu_si512(out + 64 * r, (__m512i)_mm512_cvtne2ps_pbh(high.v, low.v));
    }
  }
}

// Needs the above.
#include "backend/cpu/kernels/amx/attention.inl"

}  // namespace

void add_amx(Kernels& table) {
  table.name = "amx";
  table.fill_tiles = fill_tiles;
  table.tile_linear = tile_linear;
  table.prompt_attention = prompt_attention;
}

}  // namespace pleiad::kernels
