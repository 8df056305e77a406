// AVX2 with FMA and F16C: products with packed weights. In an object of its own, since the compiler
// has to leave the order of these as it is written (src/backend/CMakeLists.txt).

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
#include "backend/cpu/kernels/avx2_products/dot.inl"

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

void add_avx2_products(Kernels& table) { fill_packed(table); }

}  // namespace pleiad::kernels
