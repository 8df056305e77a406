#include <cstddef>
#include <cstdint>

#include "sampling/kernels/kernels.h"

namespace pleiad::sampling {
namespace {

#include "sampling/kernels/generic/all.inl"

}  // namespace

Kernels avx2_kernels() { return table("avx2"); }

}  // namespace pleiad::sampling
