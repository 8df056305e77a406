#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/kernels/packed.h"

// The table of the CPU's inner loops, private to backend/cpu. Plain structs and
// function pointers only: files that include this are compiled for different
// instruction sets, and nothing with external linkage may come out of it.

namespace pleiad::kernels {

inline constexpr int kLanes = 16;      // accumulators of every dot product
inline constexpr int kChunk = 512;     // weights of a row decoded at a time; a multiple of 256
inline constexpr int kWeightRows = 4;  // weight rows that share a pass over the input

/// n values (a multiple of the type's block) to f32. `scales` holds the E4M3
/// block scales of types that keep them apart, else null.
using Decode = void (*)(const std::byte* data, const std::byte* scales, std::int64_t n, float* out);

/// out[x_row, r] = dot(weight row r, x row) * row_scales[r] * scale.
struct LinearArgs {
  Decode decode;
  const std::byte* data;    // first weight row
  const std::byte* scales;  // block scales of the first row, or null
  const float* row_scales;  // by row, or null
  float scale;
  std::int64_t row_bytes;
  std::int64_t scale_row_bytes;
  std::int64_t cols;
  int block_size;
  int block_bytes;
  const float* x;
  std::int64_t x_stride;
  std::int64_t n_x;
  float* out;
  std::int64_t out_stride;
};

/// Scratch floats that `linear` needs for n_x input rows.
constexpr std::int64_t linear_scratch(std::int64_t n_x) {
  return std::int64_t{kWeightRows} * kChunk + std::int64_t{kWeightRows} * n_x * kLanes;
}

enum class CacheType : std::uint8_t { f32, f16, bf16, q8_0, q4_0 };

inline constexpr int kMaxQueries = 8;

/// Queries that share a key head, each over its own positions [first, last]. All pages from the
/// least first to the largest last are there, with numbers in them, also those that a query
/// in between does not need. head_dim and page_tokens are multiples of 16, with quantized types
/// of 32.
struct AttentionArgs {
  const float* queries[kMaxQueries];  // [head_dim] each
  int n_queries;                      // 1 or more
  const std::byte* const* pages;      // by page number
  std::size_t key_offset;             // bytes to this key head's keys in a page
  std::size_t value_offset;
  CacheType type;
  int page_tokens;
  int head_dim;
  std::int64_t first[kMaxQueries];
  std::int64_t last[kMaxQueries];
  float* out[kMaxQueries];  // [head_dim] each: sum of exp(score - maximum) * value
  float* maximum;           // [n_queries]
  float* total;             // [n_queries], sum of exp(score - maximum)
};

/// The matrix unit's queries of a call, and the positions between two looks at the
/// maximum: blocks begin at multiples of it.
inline constexpr int kPromptQueries = 128;
inline constexpr int kPromptBlock = 256;

/// Rows of a prompt with the heads that share a key head, over a cache in bf16. Rows
/// are of one sequence; each has its own positions [first, last], and pages that no
/// row needs may be null. page_tokens is a multiple of 16, head_dim of 32.
struct PromptAttentionArgs {
  const float* query;         // [n_rows][n_heads][head_dim]
  std::int64_t query_stride;  // floats from row to row
  float* out;                 // as query: the weighted means of the values
  std::int64_t out_stride;
  int n_rows;
  int n_heads;                    // n_rows * n_heads is at most kPromptQueries
  const std::byte* const* pages;  // by page number
  std::size_t key_offset;         // bytes to this key head's keys in a page
  std::size_t value_offset;
  int page_tokens;
  int head_dim;
  std::int64_t first[kPromptQueries];  // by row
  std::int64_t last[kPromptQueries];
};

/// Scratch bytes of prompt_attention: queries, sums and copies of values; scores and
/// weights of 32 queries; totals and maxima.
constexpr std::int64_t prompt_attention_scratch(std::int64_t head_dim) {
  return (8 * kPromptQueries + 2 * kPromptBlock) * head_dim +
         std::int64_t{32} * (8 * kPromptBlock + 4 * kLanes) + kPromptQueries * (4 * kLanes + 4);
}

/// Scratch bytes of generated_attention: queries (32 for each of a head's values), sums (64)
/// and copies of values (128); weights and scores of a page's positions.
constexpr std::int64_t generated_attention_scratch(std::int64_t head_dim,
                                                   std::int64_t page_tokens) {
  return (32 + 64 + 128) * head_dim + 32 * page_tokens +
         std::int64_t{2} * kMaxQueries * (page_tokens + kLanes) * 4;
}

/// Queries of a call of encoder_attention at most; keys between two looks at the maximum.
inline constexpr int kEncoderQueries = 48;
inline constexpr int kEncoderBlock = 256;

/// Keys and values are kept for so many more rows, of zeros, than there are.
inline constexpr int kEncoderPadding = 32;
/// Dimensions of a value as it is kept, zeros behind its own.
constexpr std::int64_t encoder_value_dim(std::int64_t head_dim) {
  return (head_dim + kLanes - 1) / kLanes * kLanes;
}

/// Queries of one head over all keys, n_padded of them with those that are zeros.
struct EncoderAttentionArgs {
  const float* query;         // [n_queries][head_dim]
  std::int64_t query_stride;  // floats
  float* out;                 // as query
  std::int64_t out_stride;
  int n_queries;
  int head_dim;
  const float* keys;      // [n_padded / 16][head_dim][16]
  const float* values;    // [encoder_value_dim / 16][n_padded][16]
  std::int64_t n_keys;    // 1 or more
  std::int64_t n_padded;  // n_keys rounded up to kEncoderPadding
};

/// Scratch floats of encoder_attention: queries, scores, sums, and their totals.
constexpr std::int64_t encoder_attention_scratch(std::int64_t head_dim) {
  return kEncoderQueries *
         (head_dim + kEncoderBlock + kLanes + encoder_value_dim(head_dim) + kLanes);
}

/// A query of one head over the rows that it sees: its own, which comes first, and those before it.
struct LocalAttentionArgs {
  const float* query;        // [head_dim]
  const float* query_scale;  // [head_dim]
  const float* key;          // of the query's own row; earlier ones lie before it
  const float* value;
  std::int64_t stride;           // floats from a row to the next
  const float* distances;        // [n_rows], of the query's own row first
  std::int64_t distance_stride;  // floats
  int n_rows;
  int head_dim;
  float key_scale;
  float cap;
  float* out;  // [head_dim]
};

/// Scratch floats of local_attention: the scaled query, and scores.
constexpr std::int64_t local_attention_scratch(std::int64_t head_dim, std::int64_t window) {
  return (head_dim + kLanes - 1) / kLanes * kLanes + (window + kLanes - 1) / kLanes * kLanes;
}

/// Indexed by DType; a plain number here, so that this file needs no other.
inline constexpr int kMaxTypes = 16;

struct Kernels {
  const char* name;
  Decode decode[kMaxTypes];

  /// Weight rows [first, last).
  void (*linear)(const LinearArgs& args, std::int64_t first, std::int64_t last, float* scratch);
  void (*rms_norm)(float* out, const float* x, const float* weight, std::int64_t n, float eps);
  /// residual = (residual + rms_norm(branch) * weight) * scale
  void (*norm_add)(float* residual, const float* branch, const float* weight, std::int64_t n,
                   float eps, float scale);
  /// Rotates pairs (i, i + head_dim/2), i < n_pairs.
  void (*rope)(float* head, std::int64_t head_dim, const float* cos, const float* sin,
               std::int64_t n_pairs);
  void (*gated_gelu)(float* gate, const float* up, std::int64_t n);
  void (*softcap)(float* x, std::int64_t n, float cap);
  /// x = x * sigmoid(x)
  void (*silu)(float* x, std::int64_t n);
  /// out = x * sigmoid(gate)
  void (*sigmoid_gate)(float* out, const float* x, const float* gate, std::int64_t n);
  /// out = sum of taps[k * n + i] * x[i - k * stride], k from 0 to n_taps - 1
  void (*convolve)(float* out, const float* x, std::int64_t stride, const float* taps, int n_taps,
                   std::int64_t n);
  /// `scratch` holds local_attention_scratch floats.
  void (*local_attention)(const LocalAttentionArgs& args, float* scratch);
  /// out = a * x + b * y
  void (*axpby)(float* out, float a, const float* x, float b, const float* y, std::int64_t n);
  /// out = min(max(x, low), high), NaN where x is
  void (*clamp)(float* out, const float* x, std::int64_t n, float low, float high);
  /// `scratch` holds kMaxQueries * page_tokens floats.
  void (*attention)(const AttentionArgs& args, float* scratch);
  /// One position's key into a page's keys, and its value into the page's values.
  void (*store_key)(std::byte* keys, int page_tokens, int slot, const float* x, int head_dim,
                    CacheType type);
  void (*store_value)(std::byte* values, int slot, const float* x, int head_dim, CacheType type);

  /// `scratch` holds encoder_attention_scratch floats, on a line of the cache.
  void (*encoder_attention)(const EncoderAttentionArgs& args, float* scratch);

  // Packed matrices, by PackedKind: with rows as words (16 bits), and as bytes. Kinds that are no
  // integers have one kernel in both.
  QuantizeRow quantize_words;        // to IntegerRow
  QuantizeRow quantize_superblocks;  // to SuperblockRow: words of kinds with superblocks
  QuantizeRow quantize_bytes;        // to IntegerRow
  QuantizeRow quantize_sixteens;     // to IntegerRow: bytes of kinds with sixteens
  PackedLinear word_linear[kPackedKinds];
  PackedLinear byte_linear[kPackedKinds];
  /// Null where `word_linear` reads no blocks.
  FillBatch fill_batch;
  FillBatch fill_superblock_batch;

  // The matrix unit, or null. It takes every kind but f32 and f16, for prompts.
  FillTiles fill_tiles;
  TileLinear tile_linear;
  TileGatedGelu tile_gated_gelu;
  /// The matrix unit's attention for prompts over a cache in bf16, or null.
  void (*prompt_attention)(const PromptAttentionArgs& args, std::byte* scratch);
  /// As `attention`, for the queries of one generated token, which have the same positions,
  /// over a cache in bf16; head_dim and page_tokens are multiples of 32, scratch holds
  /// generated_attention_scratch bytes. Null where there is no matrix unit.
  void (*generated_attention)(const AttentionArgs& args, std::byte* scratch);
};

/// Each fills in what its instruction set improves, scalar everything.
void add_scalar(Kernels& table);
void add_neon(Kernels& table);
void add_i8mm(Kernels& table);
void add_avx2(Kernels& table);
void add_avx2_products(Kernels& table);
void add_avxvnni(Kernels& table);
void add_avx512(Kernels& table);
void add_amx(Kernels& table);

}  // namespace pleiad::kernels
