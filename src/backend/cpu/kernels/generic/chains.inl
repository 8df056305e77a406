// The fastest that one instruction can go: independent chains of it, in registers.

#if defined(__aarch64__)
#  define PLEIAD_VECTOR_REGISTER "w"
#else
#  define PLEIAD_VECTOR_REGISTER "x"
#endif

// step(sum) gives the next sum of a chain; returns how many steps were done. Chains have to be more
// than latency times throughput, and all in registers: Sum is no type that may alias anything, as
// __m256i may, since GCC keeps such sums in memory.
template <int kChains, typename Sum, typename Step>
inline double run_chains(std::int64_t iterations, const Step& step) {
  Sum sums[kChains];
#pragma GCC unroll 24
  for (Sum& sum : sums) {
    sum = Sum{};
    // The compiler does not learn that they start alike: it could keep one of them only.
    asm volatile("" : "+" PLEIAD_VECTOR_REGISTER(sum));
  }
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 24
    for (int chain = 0; chain < kChains; ++chain) sums[chain] = step(sums[chain]);
  }
#pragma GCC unroll 24
  for (const Sum& sum : sums) asm volatile("" : : PLEIAD_VECTOR_REGISTER(sum));
  return static_cast<double>(iterations) * kChains;
}

#undef PLEIAD_VECTOR_REGISTER
