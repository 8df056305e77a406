// NEON with the matrix products of bytes (I8MM): products with packed weights.

#include <arm_neon.h>

#include "backend/cpu/kernels/kernels.h"

#ifndef __ARM_FEATURE_MATMUL_INT8
#  error "compiled without I8MM, these would be the NEON kernels once more"
#endif

namespace pleiad::kernels {
namespace {

#include "backend/cpu/kernels/generic/scalars.inl"
// Needs the above.
#include "backend/cpu/kernels/neon/vec.inl"
// Needs the above.
#include "backend/cpu/kernels/neon/integers.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/starts.inl"
// Needs the above.
#include "backend/cpu/kernels/i8mm/dot_inputs.inl"

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

void add_i8mm(Kernels& table) {
  table.name = "i8mm";
  fill_packed(table);
}

}  // namespace pleiad::kernels
