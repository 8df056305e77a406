// AVX2 with the 4-byte dot product of AVX-VNNI: products with packed weights.

#include <immintrin.h>

#include "backend/cpu/kernels/kernels.h"

namespace pleiad::kernels {
namespace {

#include "backend/cpu/kernels/generic/scalars.inl"
// Needs the above.
#include "backend/cpu/kernels/avx2/vec.inl"
// Needs the above.
#include "backend/cpu/kernels/avx2/integers.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/starts.inl"
// Needs the above.
#include "backend/cpu/kernels/avxvnni/dot.inl"

#include "backend/cpu/kernels/generic/fields.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/packed_types.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/packed_linear.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/float_linear.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/superblock_linear.inl"

#include "backend/cpu/kernels/generic/quantize.inl"
// Needs the three above.
#include "backend/cpu/kernels/generic/packed_table.inl"

}  // namespace

void add_avxvnni(Kernels& table) {
  table.name = "avxvnni";
  fill_packed(table);
}

}  // namespace pleiad::kernels
