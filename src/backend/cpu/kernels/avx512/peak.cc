// The limits of AVX-512.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

using Floats = __m512;
inline Floats multiply_add(Floats x, Floats y, Floats z) { return _mm512_fmadd_ps(x, y, z); }

constexpr std::int64_t kAhead = 4096;  // a page

#include "backend/cpu/kernels/generic/peak.inl"

}  // namespace

void add_peak_avx512(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "avx512_fma";
}

}  // namespace pleiad::kernels
