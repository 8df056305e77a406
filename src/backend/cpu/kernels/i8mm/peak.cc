// The limit of NEON's matrix products: 2 x 8 bytes and 2 x 8 bytes in an instruction.

#include <arm_neon.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

#include "backend/cpu/kernels/generic/chains.inl"

double int8_peak(std::int64_t iterations) {
  const int8x16_t bytes = vdupq_n_s8(1);
  const auto step = [&](int32x4_t sum) { return vmmlaq_s32(sum, bytes, bytes); };
  return run_chains<int32x4_t>(iterations, step) * 32 * 2;
}

}  // namespace

void add_peak_i8mm(PeakKernels& kernels) {
  kernels.int8_peak = int8_peak;
  kernels.int8_instructions = "neon_i8mm";
}

}  // namespace pleiad::kernels
