#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels avx512_kernels() { return table("avx512"); }

}  // namespace pleiad::media
