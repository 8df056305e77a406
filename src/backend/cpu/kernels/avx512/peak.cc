// The limits of AVX-512 with VNNI.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

using Floats = __m512;
inline Floats multiply_add(Floats x, Floats y, Floats z) { return _mm512_fmadd_ps(x, y, z); }

constexpr std::int64_t kAhead = 4096;  // a page

#include "backend/cpu/kernels/generic/chains.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/peak.inl"

using Sums = std::int32_t __attribute__((vector_size(64)));

double int8_peak(std::int64_t iterations) {
  const __m512i bytes = _mm512_set1_epi8(1);
  const auto step = [=](Sums sum) {
    return reinterpret_cast<Sums>(
        _mm512_dpbusd_epi32(reinterpret_cast<__m512i>(sum), bytes, bytes));
  };
  return run_chains<Sums>(iterations, step) * 64 * 2;
}

}  // namespace

void add_peak_avx512(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "avx512_fma";
  kernels.int8_peak = int8_peak;
  kernels.int8_instructions = "avx512_vnni";
}

}  // namespace pleiad::kernels
