// AVX-VNNI: the 4-byte dot product in ymm registers.

inline constexpr bool kSignedBytes = false;

// Each loaded or unpacked unit of weights meets every input, and each input that was spread
// over a register both halves of the unit.
template <typename T, int kInputs, typename Units>
[[gnu::always_inline]] inline void dot_inputs(const Units& w, const std::int8_t* const* x,
                                              const Start* starts, Ints* sums) {
#pragma GCC unroll 4
  for (int i = 0; i < kInputs; ++i) sums[i] = starts[i];
#pragma GCC unroll 8
  for (int quad = 0; quad < T::kQuads; ++quad) {
    const Bytes& unit = w[quad];
#pragma GCC unroll 4
    for (int i = 0; i < kInputs; ++i) {
      const __m256i xi = broadcast_quad(x[i] + 4 * quad);
      sums[i].a = _mm256_dpbusd_avx_epi32(sums[i].a, unit.a, xi);
      sums[i].b = _mm256_dpbusd_avx_epi32(sums[i].b, unit.b, xi);
    }
  }
}

template <typename T, typename Units>
[[gnu::always_inline]] inline Ints dot_group(const Units& w, const std::int8_t* x, Start start) {
  Ints sum;
  dot_inputs<T, 1>(w, &x, &start, &sum);
  return sum;
}
