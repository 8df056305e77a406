#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels avx2_kernels() { return table("avx2"); }

}  // namespace pleiad::media
