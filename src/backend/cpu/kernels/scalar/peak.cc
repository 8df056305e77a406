// The limits of the baseline that every machine of this architecture has: its
// vectors of four floats, which the compiler maps to SSE2 or NEON.

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

using FourFloats = float __attribute__((vector_size(16)));
using TwoWords = std::uint64_t __attribute__((vector_size(16)));

std::uint64_t read_sum(const std::byte* data, std::int64_t n) {
  TwoWords a = {};
  TwoWords b = a;
  TwoWords c = a;
  TwoWords d = a;
  for (std::int64_t at = 0; at < n; at += 64) {
    const auto* words = reinterpret_cast<const TwoWords*>(data + at);
    a += words[0];
    b += words[1];
    c += words[2];
    d += words[3];
  }
  const TwoWords sum = (a + b) + (c + d);
  return sum[0] + sum[1];
}

// Twelve chains: more than latency times throughput, and all in registers.
double float_peak(std::int64_t iterations) {
  constexpr int kChains = 12;
  FourFloats factor = {0.5F, 0.5F, 0.5F, 0.5F};
  FourFloats addend = {1.0F, 1.0F, 1.0F, 1.0F};
  FourFloats sums[kChains] = {};
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 12
    for (int chain = 0; chain < kChains; ++chain) sums[chain] = sums[chain] * factor + addend;
  }
  for (const FourFloats& sum : sums) asm volatile("" : : "m"(sum));
  return static_cast<double>(iterations) * kChains * 4 * 2;
}

}  // namespace

void add_peak_scalar(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "baseline";
  kernels.int8_peak = nullptr;
  kernels.int8_instructions = "";
}

}  // namespace pleiad::kernels
