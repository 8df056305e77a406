#pragma once

#include <cstddef>
#include <cstdint>

// Activations as integers, as they lie in memory for the kernels. Plain structs only, as in
// kernels.h. Each form is one piece of memory, so that a kernel needs one pointer; its
// functions give the byte at which something begins.

namespace pleiad::kernels {

/// Columns of activations that integer kernels read: the largest step divides it.
inline constexpr std::int64_t kColumnPadding = 256;

/// One row: as words x = scale * (255 * high + low) with a scale for every 32 columns; as bytes
/// x = scale * high, with scaled sums besides. Neither byte is ever -128. The second half holds
/// what the second byte and groups of 16 columns need; of bytes, for kinds with sixteens
/// (packed.h), x = scale16 * low, a scale for every 16 columns. Of each byte's sums over 32 and
/// over 16 columns the negative is kept, in the form that an instruction set's products begin with
/// (minus_sum()).
struct IntegerRow {
  std::int64_t padded_cols;

  [[gnu::always_inline]] constexpr std::int64_t groups() const { return padded_cols / 32; }
  [[gnu::always_inline]] constexpr std::int64_t high() const { return 0; }  // int8 [padded_cols]
  [[gnu::always_inline]] constexpr std::int64_t scales() const {
    return padded_cols;
  }  // f32 [groups]
  [[gnu::always_inline]] constexpr std::int64_t scaled_sums() const {
    return scales() + 4 * groups();
  }  // f32 [groups]
  [[gnu::always_inline]] constexpr std::int64_t minus32() const {
    return scaled_sums() + 4 * groups();
  }  // int32 [groups][high, low] or [groups]
  [[gnu::always_inline]] constexpr std::int64_t half() const { return minus32() + 8 * groups(); }
  [[gnu::always_inline]] constexpr std::int64_t low() const { return half(); }  // as high()
  [[gnu::always_inline]] constexpr std::int64_t minus16() const {
    return low() + padded_cols;
  }  // int32 [2 groups][high, low] or [2 groups]
  [[gnu::always_inline]] constexpr std::int64_t scales16() const {
    return minus16() + 16 * groups();
  }  // f32 [2 groups]
  /// A multiple of 64.
  [[gnu::always_inline]] constexpr std::int64_t bytes() const {
    return (scales16() + 8 * groups() + 63) / 64 * 64;
  }
};

inline constexpr std::int64_t kSuperblock = 256;  // columns
inline constexpr int kSuperblockOffset = 32;      // by which weights of Q6_K are too large

/// One row as words for weights with superblocks (has_superblocks() in packed.h):
/// x = scale * (255 * high + low) with a scale for every superblock. The integers that scale
/// a superblock's groups of weights multiply sums of high and of low: all is exact until the
/// two meet, once a superblock. Neither byte is ever -128.
struct SuperblockRow {
  std::int64_t padded_cols;

  [[gnu::always_inline]] constexpr std::int64_t superblocks() const {
    return padded_cols / kSuperblock;
  }
  [[gnu::always_inline]] constexpr std::int64_t high() const { return 0; }  // int8 [padded_cols]
  [[gnu::always_inline]] constexpr std::int64_t low() const { return padded_cols; }  // as high()
  /// The sums of high and of low over every 16 columns, times -32 (minus_sum()): weights of Q6_K
  /// are unsigned and 32 too large.
  [[gnu::always_inline]] constexpr std::int64_t offsets() const {
    return 2 * padded_cols;
  }  // int32 [padded_cols / 16][high, low]
  /// The sums of 255 * high + low over every 32 columns, for what is added to weights.
  [[gnu::always_inline]] constexpr std::int64_t sums() const {
    return offsets() + padded_cols / 16 * 8;
  }  // int32 [padded_cols / 32]
  [[gnu::always_inline]] constexpr std::int64_t scales() const {
    return sums() + padded_cols / 32 * 4;
  }  // f32 [superblocks]
  /// A multiple of 64.
  [[gnu::always_inline]] constexpr std::int64_t bytes() const {
    return (scales() + 4 * superblocks() + 63) / 64 * 64;
  }
};

// Rows as words share products on the matrix unit, in blocks of 8.
inline constexpr int kBatchRows = 8;
inline constexpr int kLeastBatchRows = 3;  // fewer are as quick in vectors

/// Of n rows, the first so many are in blocks, of which none has fewer than `least`.
static inline constexpr std::int64_t batched_rows(std::int64_t n, int least = kLeastBatchRows) {
  const std::int64_t rest = n % kBatchRows;
  return rest < least ? n - rest : n;
}

/// A block of such rows: the integers of IntegerRow as 256 * high + low, where low, unlike
/// there, may be -128; and the scales of a group of columns side by side for all rows.
struct BatchBlock {
  std::int64_t padded_cols;

  /// Of the 32 columns at `group`: int8 [kBatchRows][high, low][32].
  static constexpr int kGroupBytes = kBatchRows * 2 * 32;
  /// One value of each row.
  static constexpr int kValuesBytes = kBatchRows * 4;

  [[gnu::always_inline]] constexpr std::int64_t groups() const { return padded_cols / 32; }
  [[gnu::always_inline]] constexpr std::int64_t scales() const {
    return kGroupBytes * groups();
  }  // f32 [groups][kBatchRows]
  [[gnu::always_inline]] constexpr std::int64_t bytes() const {
    return scales() + kValuesBytes * groups();
  }
};

/// A block of rows for weights with superblocks: what SuperblockRow holds, row beside row.
struct SuperblockBatch {
  std::int64_t padded_cols;

  static constexpr int kTileCols = 64;
  /// Of the 64 columns at a tile: int8 [kBatchRows][high, low][64].
  static constexpr int kTileBytes = kBatchRows * 2 * kTileCols;
  /// Sums over every 32 columns of a superblock, of one row: int16 [high, low][8].
  static constexpr int kSumsBytes = 2 * 8 * 2;
  /// One value of each row.
  static constexpr int kValuesBytes = kBatchRows * 4;

  [[gnu::always_inline]] constexpr std::int64_t superblocks() const {
    return padded_cols / kSuperblock;
  }
  [[gnu::always_inline]] constexpr std::int64_t sums() const {
    return padded_cols / kTileCols * kTileBytes;
  }  // [superblocks][kBatchRows][kSumsBytes]
  [[gnu::always_inline]] constexpr std::int64_t scales() const {
    return sums() + superblocks() * kBatchRows * kSumsBytes;
  }  // f32 [superblocks][kBatchRows]
  /// A multiple of 64.
  [[gnu::always_inline]] constexpr std::int64_t bytes() const {
    return (scales() + superblocks() * kValuesBytes + 63) / 64 * 64;
  }
};

}  // namespace pleiad::kernels
