#include <cstddef>
#include <cstdint>

#include "sampling/kernels/kernels.h"

namespace pleiad::sampling {
namespace {

#include "sampling/kernels/generic/all.inl"

}  // namespace

Kernels baseline_kernels() { return table("baseline"); }

}  // namespace pleiad::sampling
