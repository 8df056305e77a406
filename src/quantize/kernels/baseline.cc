#include <cstddef>
#include <cstdint>

#include "quantize/kernels/kernels.h"

namespace pleiad::quantize {
namespace {

#include "quantize/kernels/generic/all.inl"

}  // namespace

Kernels baseline_kernels() { return table("baseline"); }

}  // namespace pleiad::quantize
