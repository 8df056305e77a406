// The limits of AVX-512: reads and multiply-adds of 64 bytes.

#include <immintrin.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

constexpr std::int64_t kAhead = 4096;  // bytes: a page ahead of the loads

std::uint64_t read_sum(const std::byte* data, std::int64_t n) {
  __m512i a = _mm512_setzero_si512();
  __m512i b = a;
  __m512i c = a;
  __m512i d = a;
  const auto load = [&](std::int64_t at) {
    return _mm512_load_si512(reinterpret_cast<const __m512i*>(data + at));
  };
  for (std::int64_t at = 0; at < n; at += 4 * 64) {
    for (std::int64_t line = 0; line < 4 * 64; line += 64) {
      _mm_prefetch(reinterpret_cast<const char*>(data + at + kAhead + line), _MM_HINT_T0);
    }
    a = _mm512_add_epi64(a, load(at));
    b = _mm512_add_epi64(b, load(at + 64));
    c = _mm512_add_epi64(c, load(at + 2 * 64));
    d = _mm512_add_epi64(d, load(at + 3 * 64));
  }
  alignas(64) std::uint64_t words[64 / 8];
  _mm512_store_si512(reinterpret_cast<__m512i*>(words),
                     _mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d)));
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += word;
  return sum;
}

// Twelve chains: more than latency times throughput, and all in registers.
double float_peak(std::int64_t iterations) {
  constexpr int kChains = 12;
  const __m512 factor = _mm512_set1_ps(0.5F);
  const __m512 addend = _mm512_set1_ps(1.0F);
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 12
    for (int chain = 0; chain < kChains; ++chain) {
      sums[chain] = _mm512_fmadd_ps(sums[chain], factor, addend);
    }
  }
  for (const __m512& sum : sums) asm volatile("" : : "m"(sum));
  return static_cast<double>(iterations) * kChains * (64 / 4) * 2;
}

}  // namespace

void add_peak_avx512(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "avx512_fma";
}

}  // namespace pleiad::kernels
