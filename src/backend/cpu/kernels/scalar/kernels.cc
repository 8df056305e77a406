// The baseline that every machine can run: plain C++, no intrinsics.

#include "backend/cpu/kernels/kernels.h"

namespace pleiad::kernels {
namespace {

#include "backend/cpu/kernels/generic/scalars.inl"
// Needs the above.
#include "backend/cpu/kernels/scalar/vec.inl"
// Needs the above.
#include "backend/cpu/kernels/scalar/integers.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/starts.inl"

#include "backend/cpu/kernels/generic/ahead.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/attention.inl"

#include "backend/cpu/kernels/generic/encoder_attention.inl"

#include "backend/cpu/kernels/generic/decode.inl"
#include "backend/cpu/kernels/generic/elementwise.inl"
#include "backend/cpu/kernels/generic/fields.inl"
#include "backend/cpu/kernels/generic/linear.inl"
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
// Needs them all.
#include "backend/cpu/kernels/generic/table.inl"

}  // namespace

void add_scalar(Kernels& table) {
  fill(table, "scalar");
  fill_packed(table);
}

}  // namespace pleiad::kernels
