#include <cstddef>
#include <cstdint>

#include "quantize/kernels/kernels.h"

namespace pleiad::quantize {
namespace {

#include "quantize/kernels/generic/all.inl"

}  // namespace

Kernels avx2_kernels() { return table("avx2"); }

}  // namespace pleiad::quantize
