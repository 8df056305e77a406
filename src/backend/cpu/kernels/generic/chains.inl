// The fastest that one instruction can go: independent chains of it, in registers.

// More chains than an instruction's latency times the units that take it, and no more than
// registers hold with what a step needs besides.
#if defined(__aarch64__)
#  define PLEIAD_VECTOR_REGISTER "w"
constexpr int kChains = 24;  // of 32 registers; a latency of four in four units
#elif defined(__x86_64__)
#  define PLEIAD_VECTOR_REGISTER "x"
constexpr int kChains = 12;  // of 16 registers; a latency of four or five in two units
#else
#  define PLEIAD_VECTOR_REGISTER "m"
constexpr int kChains = 12;
#endif

// step(sum) gives the next sum of a chain; returns how many steps were done. Sum is a vector of
// numbers of one size: GCC keeps an array of __m256i in memory.
template <typename Sum, typename Step>
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
