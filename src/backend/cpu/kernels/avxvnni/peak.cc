// The limit of AVX-VNNI: the 4-byte dot product in ymm registers.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

using Floats = __m256;
inline Floats multiply_add(Floats x, Floats y, Floats z) { return _mm256_fmadd_ps(x, y, z); }

constexpr std::int64_t kAhead = 4096;  // a page

#include "backend/cpu/kernels/generic/peak.inl"

double int8_peak(std::int64_t iterations) {
  const __m256i bytes = _mm256_set1_epi8(1);
  const auto step = [&](__m256i sum) { return _mm256_dpbusd_avx_epi32(sum, bytes, bytes); };
  return run_chains<__m256i>(iterations, step) * 32 * 2;
}

}  // namespace

void add_peak_avxvnni(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "avx2_fma";
  kernels.int8_peak = int8_peak;
  kernels.int8_instructions = "avx_vnni";
}

}  // namespace pleiad::kernels
