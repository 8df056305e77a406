#include <cstddef>
#include <cstdint>

#include "quantize/kernels/kernels.h"

namespace pleiad::quantize {
namespace {

#include "quantize/kernels/generic/all.inl"

}  // namespace

Kernels avx512_kernels() { return table("avx512"); }

}  // namespace pleiad::quantize
