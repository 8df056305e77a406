// The limits of AVX2 with FMA.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

using Floats = __m256;
inline Floats multiply_add(Floats x, Floats y, Floats z) { return _mm256_fmadd_ps(x, y, z); }

constexpr std::int64_t kAhead = 4096;  // a page

#include "backend/cpu/kernels/generic/peak.inl"

}  // namespace

void add_peak_avx2(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "avx2_fma";
}

}  // namespace pleiad::kernels
