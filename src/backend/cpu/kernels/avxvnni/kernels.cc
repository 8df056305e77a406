// AVX2 with the 4-byte dot product of AVX-VNNI.

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
#include "backend/cpu/kernels/avxvnni/dot.inl"

#include "backend/cpu/kernels/generic/ahead.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/attention.inl"

#include "backend/cpu/kernels/generic/decode.inl"
#include "backend/cpu/kernels/generic/elementwise.inl"
#include "backend/cpu/kernels/generic/fields.inl"
#include "backend/cpu/kernels/generic/linear.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/packed_types.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/packed_linear.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/superblock_linear.inl"

#include "backend/cpu/kernels/generic/quantize.inl"
// Needs the three above.
#include "backend/cpu/kernels/generic/packed_table.inl"
// Needs them all.
#include "backend/cpu/kernels/generic/table.inl"

}  // namespace

void add_avxvnni(Kernels& table) { fill(table, "avxvnni"); }

}  // namespace pleiad::kernels
