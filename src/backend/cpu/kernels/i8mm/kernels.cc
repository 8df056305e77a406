// NEON with the matrix products of bytes (I8MM), for the packed kinds that are integers.

#include <arm_neon.h>

#include "backend/cpu/kernels/kernels.h"

namespace pleiad::kernels {
namespace {

#include "backend/cpu/kernels/generic/scalars.inl"
// Needs the above.
#include "backend/cpu/kernels/neon/vec.inl"
// Needs the above.
#include "backend/cpu/kernels/neon/integers.inl"
// Needs the above.
#include "backend/cpu/kernels/i8mm/dot_inputs.inl"

#include "backend/cpu/kernels/generic/packed_types.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/packed_linear.inl"

}  // namespace

void add_i8mm(Kernels& table) {
  table.name = "i8mm";
  fill_packed(table);
}

}  // namespace pleiad::kernels
