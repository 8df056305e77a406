// The fastest that one instruction can go: independent chains of it, in registers.

// More than a latency of four in four units, and all in registers.
constexpr int kChains = 24;

// step(sum) gives the next sum of a chain; returns how many steps were done.
template <typename Sum, typename Step>
inline double run_chains(std::int64_t iterations, Sum start, const Step& step) {
  Sum sums[kChains];
#pragma GCC unroll 24
  for (Sum& sum : sums) {
    sum = start;
    // The compiler does not learn that they start alike: it could keep one of them only.
    asm volatile("" : "+w"(sum));
  }
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 24
    for (int chain = 0; chain < kChains; ++chain) sums[chain] = step(sums[chain]);
  }
#pragma GCC unroll 24
  for (const Sum& sum : sums) asm volatile("" : : "w"(sum));
  return static_cast<double>(iterations) * kChains;
}
