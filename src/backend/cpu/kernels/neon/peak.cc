// The limits of NEON: reads, multiply-adds and dot products of 16 bytes.

#include <arm_neon.h>

#include "backend/cpu/kernels/peak.h"

namespace pleiad::kernels {
namespace {

constexpr std::int64_t kAhead = 4096;  // bytes: a page ahead of the loads

std::uint64_t read_sum(const std::byte* data, std::int64_t n) {
  constexpr int kLine = 64;
  uint64x2_t a = vdupq_n_u64(0);
  uint64x2_t b = a;
  uint64x2_t c = a;
  uint64x2_t d = a;
  for (std::int64_t at = 0; at < n; at += kLine) {
    __builtin_prefetch(data + at + kAhead);
    const auto* words = reinterpret_cast<const std::uint64_t*>(data + at);
    a = vaddq_u64(a, vld1q_u64(words));
    b = vaddq_u64(b, vld1q_u64(words + 2));
    c = vaddq_u64(c, vld1q_u64(words + 4));
    d = vaddq_u64(d, vld1q_u64(words + 6));
  }
  return vaddvq_u64(vaddq_u64(vaddq_u64(a, b), vaddq_u64(c, d)));
}

#include "backend/cpu/kernels/generic/chains.inl"

double float_peak(std::int64_t iterations) {
  const float32x4_t factor = vdupq_n_f32(0.5F);
  const auto step = [&](float32x4_t sum) { return vfmaq_f32(sum, factor, factor); };
  return run_chains<float32x4_t>(iterations, step) * 4 * 2;
}

double int8_peak(std::int64_t iterations) {
  const int8x16_t bytes = vdupq_n_s8(1);
  const auto step = [&](int32x4_t sum) { return vdotq_s32(sum, bytes, bytes); };
  return run_chains<int32x4_t>(iterations, step) * 16 * 2;
}

}  // namespace

void add_peak_neon(PeakKernels& kernels) {
  kernels.read_sum = read_sum;
  kernels.float_peak = float_peak;
  kernels.float_instructions = "neon_fma";
  kernels.int8_peak = int8_peak;
  kernels.int8_instructions = "neon_dot";
}

}  // namespace pleiad::kernels
