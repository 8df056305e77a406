// The limits of AVX2 with FMA: reads and multiply-adds of 32 bytes.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

constexpr std::int64_t kAhead = 4096;  // bytes: a page ahead of the loads

std::uint64_t read_sum(const std::byte* data, std::int64_t n) {
  __m256i a = _mm256_setzero_si256();
  __m256i b = a;
  __m256i c = a;
  __m256i d = a;
  const auto load = [&](std::int64_t at) {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(data + at));
  };
  for (std::int64_t at = 0; at < n; at += 4 * 32) {
    for (std::int64_t line = 0; line < 4 * 32; line += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(data + at + kAhead + line), _MM_HINT_T0);
    }
    a = _mm256_add_epi64(a, load(at));
    b = _mm256_add_epi64(b, load(at + 32));
    c = _mm256_add_epi64(c, load(at + 2 * 32));
    d = _mm256_add_epi64(d, load(at + 3 * 32));
  }
  alignas(64) std::uint64_t words[32 / 8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(words),
                     _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d)));
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += word;
  return sum;
}

// Twelve chains: more than latency times throughput, and all in registers.
double float_peak(std::int64_t iterations) {
  constexpr int kChains = 12;
  const __m256 factor = _mm256_set1_ps(0.5F);
  const __m256 addend = _mm256_set1_ps(1.0F);
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 12
    for (int chain = 0; chain < kChains; ++chain) {
      sums[chain] = _mm256_fmadd_ps(sums[chain], factor, addend);
    }
  }
  for (const __m256& sum : sums) asm volatile("" : : "m"(sum));
  return static_cast<double>(iterations) * kChains * (32 / 4) * 2;
}

}  // namespace

void add_peak_avx2(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "avx2_fma";
}

}  // namespace pleiad::kernels
