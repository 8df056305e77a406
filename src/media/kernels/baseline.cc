#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels baseline_kernels() { return table("baseline"); }

}  // namespace pleiad::media
