// The limits of the baseline that every machine of this architecture has: its
// vectors of four floats, which the compiler maps to SSE2 or NEON.

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

using Floats = float __attribute__((vector_size(16)));
inline Floats multiply_add(Floats x, Floats y, Floats z) { return x * y + z; }

constexpr std::int64_t kAhead = 0;

#include "backend/cpu/kernels/generic/chains.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/peak.inl"

}  // namespace

void add_peak_scalar(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "baseline";
  kernels.int8_peak = nullptr;
  kernels.int8_instructions = "";
}

}  // namespace pleiad::kernels
