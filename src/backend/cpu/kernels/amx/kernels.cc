// The matrix unit of x86 (AMX): attention, and products of prompts, in bf16 with f32 sums;
// integer products of several rows as words, which generated tokens are here.

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
#include "backend/cpu/kernels/generic/starts.inl"
// Needs the above.
#include "backend/cpu/kernels/amx/fields.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/packed_types.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/packed_linear.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/float_linear.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/superblock_linear.inl"

#include "backend/cpu/kernels/generic/gelu.inl"

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

// GCC 12 does not say that a tile load reads memory: what was stored for it has to be
// there before.
inline void stored_for_tiles() { asm volatile("" ::: "memory"); }

#include "backend/cpu/kernels/amx/unpack.inl"
// Needs the above.
#include "backend/cpu/kernels/amx/products.inl"

#include "backend/cpu/kernels/amx/signed_units.inl"
// Needs the above.
#include "backend/cpu/kernels/amx/batch.inl"
// Needs the above.
#include "backend/cpu/kernels/amx/superblock_batch.inl"

#include "backend/cpu/kernels/generic/ahead.inl"

#include "backend/cpu/kernels/amx/attention_parts.inl"
// Needs the above.
#include "backend/cpu/kernels/amx/prompt_attention.inl"
// Needs the parts, and what is asked for ahead.
#include "backend/cpu/kernels/amx/generated_attention.inl"

}  // namespace

void add_amx(Kernels& table) {
  table.name = "amx";
  table.fill_tiles = fill_tiles;
  table.tile_linear = tile_linear;
  table.tile_gated_gelu = tile_gated_gelu;
  const auto batched = [&](PackedKind kind, PackedLinear words) {
    table.word_linear[static_cast<int>(kind)] = words;
  };
  batched(PackedKind::q8, batch_linear<PackedQ8>);
  batched(PackedKind::q4, batch_linear<PackedQ4>);
  batched(PackedKind::nvfp4, batch_linear<PackedNvfp4>);
  batched(PackedKind::q4_k, superblock_batch_linear<PackedQ4K>);
  batched(PackedKind::q5_k, superblock_batch_linear<PackedQ5K>);
  batched(PackedKind::q6_k, superblock_batch_linear<PackedQ6K>);
  table.fill_batch = fill_batch;
  table.fill_superblock_batch = fill_superblock_batch;
  table.prompt_attention = prompt_attention;
  table.generated_attention = generated_attention;
}

}  // namespace pleiad::kernels
