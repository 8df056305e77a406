// The limit of AVX-VNNI: the 4-byte dot product in ymm registers. All else is AVX2's.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

#include "backend/cpu/kernels/generic/chains.inl"

using Sums = std::int32_t __attribute__((vector_size(32)));

double int8_peak(std::int64_t iterations) {
  const __m256i bytes = _mm256_set1_epi8(1);
  const auto step = [=](Sums sum) {
    return reinterpret_cast<Sums>(
        _mm256_dpbusd_avx_epi32(reinterpret_cast<__m256i>(sum), bytes, bytes));
  };
  return run_chains<Sums>(iterations, step) * 32 * 2;
}

}  // namespace

void add_peak_avxvnni(PeakKernels& kernels) {
  kernels.int8_peak = int8_peak;
  kernels.int8_instructions = "avx_vnni";
}

}  // namespace pleiad::kernels
