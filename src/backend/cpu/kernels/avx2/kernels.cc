// AVX2 with FMA and F16C: all but the products with packed weights (avx2_products/).

#include <immintrin.h>

#include "backend/cpu/kernels/kernels.h"

namespace pleiad::kernels {
namespace {

#include "backend/cpu/kernels/generic/scalars.inl"
// Needs the above.
#include "backend/cpu/kernels/avx2/vec.inl"
// Needs the above.
#include "backend/cpu/kernels/avx2/integers.inl"

#include "backend/cpu/kernels/generic/ahead.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/attention.inl"

#include "backend/cpu/kernels/generic/encoder_attention.inl"

#include "backend/cpu/kernels/generic/decode.inl"
#include "backend/cpu/kernels/generic/elementwise.inl"
#include "backend/cpu/kernels/generic/linear.inl"
// Needs them all.
#include "backend/cpu/kernels/generic/table.inl"

}  // namespace

void add_avx2(Kernels& table) { fill(table, "avx2"); }

}  // namespace pleiad::kernels
