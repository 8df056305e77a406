// The limits of AVX2 with FMA: floats, and products of bytes that are added in pairs and summed
// in 16 bits.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

using Floats = __m256;
inline Floats multiply_add(Floats x, Floats y, Floats z) { return _mm256_fmadd_ps(x, y, z); }

constexpr std::int64_t kAhead = 4096;  // a page

#include "backend/cpu/kernels/generic/chains.inl"
// Needs the above.
#include "backend/cpu/kernels/generic/peak.inl"

using Sums = std::int32_t __attribute__((vector_size(32)));

double int8_peak(std::int64_t iterations) {
  const __m256i bytes = _mm256_set1_epi8(1);
  const auto step = [=](Sums sum) {
    // As the compiler sees it all products are the same, and one is enough.
    __m256i pairs;
    asm volatile("vpmaddubsw %2, %2, %1\n\tvpaddw %1, %0, %0"
                 : "+x"(sum), "=&x"(pairs)
                 : "x"(bytes));
    return sum;
  };
  return run_chains<Sums>(iterations, step) * 32 * 2;
}

}  // namespace

void add_peak_avx2(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "avx2_fma";
  kernels.int8_peak = int8_peak;
  kernels.int8_instructions = "avx2_maddubs";
}

}  // namespace pleiad::kernels
