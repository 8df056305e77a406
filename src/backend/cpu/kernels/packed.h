#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/kernels/integer_forms.h"

// How matrices lie in memory for the kernels. Plain structs only, as in kernels.h.

namespace pleiad::kernels {

/// Weight rows of a panel: one lane of a vector of 32-bit values for each.
inline constexpr int kPanelRows = 16;

/// What a packed matrix holds. A panel is sixteen rows; it is a sequence of
/// steps of `step_cols` columns, `step_bytes` bytes each. Within a step the
/// sixteen rows' scales come first, then units: 4 bytes of every row (64 bytes).
enum class PackedKind : std::uint8_t {
  f32,    // [col][row]
  f16,    // [col][row]
  bf16,   // [col pair][row][2]: what a tile of the matrix unit wants
  f8,     // [col pair][row][2], E4M3
  q8,     // 64 cols: f16 scales [2][row]; units of signed bytes plus 128
  q4,     // 64 cols: f16 scales [2][row]; units with columns i and i + 16
  nvfp4,  // 64 cols: E4M3 scales [4][row]; units with columns i and i + 8
  q4_k,   // 256 cols: f16 d, dmin [row]; 12 bytes of scales as 3 units; quants
  q5_k,   // as q4_k, with 8 units of fifth bits before the quants
  q6_k,   // 256 cols: f16 d [row], 32 bytes of padding; scales [16][row]; then, for the
          // first and second 16 of the 32s of each half: 4 units of the low bits of the
          // first and third 32, 4 of the second and fourth, 4 of all their high bits
};
inline constexpr int kPackedKinds = 10;

struct PackedLayout {
  int step_cols;
  int step_bytes;
};

constexpr PackedLayout kPackedLayouts[kPackedKinds] = {
    {32, 2048}, {32, 1024}, {32, 1024},  {32, 512},   {64, 1088},
    {64, 576},  {64, 576},  {256, 2304}, {256, 2816}, {256, 3392},
};

// Functions of this file are static or always inlined: nothing may leave a kernel
// object under a name that another object uses.
static inline constexpr PackedLayout layout_of(PackedKind kind) {
  return kPackedLayouts[static_cast<int>(kind)];
}

/// Kinds that are multiplied as integers; the others as f32.
static inline constexpr bool is_integer(PackedKind kind) { return kind >= PackedKind::q8; }

/// Where Q6_K's sixteen groups of 16 columns begin, in the order in which the
/// kernels meet them (and in which their scales are packed).
static inline constexpr int q6_k_first_col(int group) {
  return group / 8 * 128 + group % 4 * 32 + group / 4 % 2 * 16;
}
/// The group that begins at a column.
static inline constexpr int q6_k_group(int first_col) {
  return first_col / 128 * 8 + first_col % 32 / 16 * 4 + first_col % 128 / 32;
}

/// Kinds with a superblock of 256 columns a step, in which integers scale its groups: rows
/// as words meet them as SuperblockRow.
static inline constexpr bool has_superblocks(PackedKind kind) {
  return kind == PackedKind::q4_k || kind == PackedKind::q5_k || kind == PackedKind::q6_k;
}

/// Kinds whose scales are for 16 columns: so are the scales of activations as bytes, which
/// costs their kernels nothing.
static inline constexpr bool has_sixteens(PackedKind kind) {
  return kind == PackedKind::nvfp4 || kind == PackedKind::q6_k;
}

/// Rows of a block that are worth it: NVFP4 has a scale for every 16 columns, and taking their
/// sums out of the matrix unit costs most. (Inputs are in blocks from kLeastBatchRows on, whoever
/// meets them.)
static inline constexpr int least_batch_rows(PackedKind kind) {
  return kind == PackedKind::nvfp4 ? 5 : kLeastBatchRows;
}

/// out[x_row, r] = dot(weight row r, x row) * row_scales[r] * scale.
struct PackedArgs {
  const std::byte* data;  // first panel
  std::int64_t panel_bytes;
  std::int64_t n_steps;
  std::int64_t n_rows;      // weight rows that exist; the last panel may have fewer than 16
  const float* row_scales;  // by row, or null
  float scale;
  // Rows of f32 [padded to the step]; for integer kinds IntegerRow, for words of those with
  // superblocks SuperblockRow.
  const std::byte* x;
  std::int64_t x_stride;  // bytes
  std::int64_t x_cols;    // integer kinds: padded
  // The first batched_rows(n_x) rows as words in blocks, BatchBlock or SuperblockBatch; or null.
  const std::byte* batch;
  std::int64_t n_x;
  float* out;
  std::int64_t out_stride;  // elements
};

/// Panels [first, last), every row of x.
using PackedLinear = void (*)(const PackedArgs& args, std::int64_t first, std::int64_t last);

/// Quantizes one row of n activations to an IntegerRow (all of it, or what kinds with sixteens
/// read), or a SuperblockRow, of padded_cols;
/// columns from n on become 0.
using QuantizeRow = void (*)(std::byte* out, std::int64_t padded_cols, const float* x,
                             std::int64_t n);

/// Row `row` of a block, from its integers at x; or, where x is null, its scales as 0: kernels
/// compute with every row of a block, and what lay there may be denormal numbers, which take a
/// hundred cycles each.
using FillBatch = void (*)(std::byte* block, int row, std::int64_t padded_cols, const std::byte* x);

// The matrix unit (AMX). Activations in bf16 tiles of 16 rows and 32 columns, in the
// order in which they are used: [chunk of kTileChunk columns][pair of row blocks][tile
// of the chunk][row block of the pair][16][32], zero where rows or columns end and on to
// the next multiple of kColumnPadding. Weight panels are unpacked to bf16 tiles
// [16 col pairs][16 weight rows][2].
inline constexpr int kTileRows = 16;
inline constexpr int kTileCols = 32;
inline constexpr int kTileBytes = 1024;
// What a call works on at a time. A pair of unpacked panels has to stay in the
// first-level cache, since the matrix unit takes two tiles of it for every two of the
// activations, which go past that cache (a hint of their loads); they and the sums stay in
// the second. To take sums out of the tiles and others in costs the unit as much as two or
// three tiles of columns, so they stay for as many as the first cache has room for.
inline constexpr std::int64_t kTileMaxRows = 512;
inline constexpr std::int64_t kTileChunk = 512;  // columns between two visits of the sums
inline constexpr std::int64_t kTileMaxPanels = 24;
static_assert(kTileChunk % kColumnPadding == 0);  // no step of a kind lies in two chunks
inline constexpr std::int64_t kRowPairBytes = kTileChunk / kTileCols * 2 * kTileBytes;

struct TileArgs {
  PackedKind kind;
  const std::byte* data;
  std::int64_t panel_bytes;
  std::int64_t cols;  // padded to the step
  std::int64_t n_rows;
  const float* row_scales;
  float scale;
  const std::byte* x;          // tiles; n_x rounded up to 2 row blocks
  std::int64_t x_chunk_bytes;  // from one chunk of columns to the next
  std::int64_t n_x;
  float* out;
  std::int64_t out_stride;
};

/// Scratch bytes of tile_linear: a pair of unpacked panels, and the sums of every row and
/// panel.
inline constexpr std::int64_t kTileScratch = 2 * kTileChunk / kTileCols * kTileBytes +
                                             kTileMaxRows / kTileRows * kTileMaxPanels * kTileBytes;

/// gelu_tanh(gate) * up in bf16 tiles, as a further product reads them: weights[0] and
/// weights[1] have one kind, one shape and one x; their `out` is not used.
struct TileGatedArgs {
  TileArgs weights[2];
  std::byte* out;
  std::int64_t out_chunk_bytes;
};

/// Rounds row block `block` of x [n_x, n_cols] to bf16 tiles.
using FillTiles = void (*)(std::byte* tiles, std::int64_t chunk_bytes, const float* x,
                           std::int64_t x_stride, std::int64_t n_x, std::int64_t n_cols,
                           std::int64_t block);

/// At most kTileMaxPanels panels [first, last) with every row of x, at most
/// kTileMaxRows, on the matrix unit.
using TileLinear = void (*)(const TileArgs& args, std::int64_t first, std::int64_t last,
                            std::byte* scratch);
/// At most half as many panels, `first` even.
using TileGatedGelu = void (*)(const TileGatedArgs& args, std::int64_t first, std::int64_t last,
                               std::byte* scratch);

}  // namespace pleiad::kernels
