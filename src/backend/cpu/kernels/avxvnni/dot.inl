// AVX-VNNI: the 4-byte dot product in ymm registers.

inline constexpr bool kSignedBytes = false;

// Each loaded or unpacked unit of weights meets every input, and each input that was spread
// over a register both halves of the unit.
template <int kQuads, int kMaxWeight, int kInputs>
inline void dot_inputs(const Bytes* w, const std::int8_t* const* x, Ints* sums) {
#pragma GCC unroll 8
  for (int quad = 0; quad < kQuads; ++quad) {
#pragma GCC unroll 4
    for (int i = 0; i < kInputs; ++i) {
      const __m256i xi = broadcast_quad(x[i] + 4 * quad);
      sums[i].a = _mm256_dpbusd_avx_epi32(sums[i].a, w[quad].a, xi);
      sums[i].b = _mm256_dpbusd_avx_epi32(sums[i].b, w[quad].b, xi);
    }
  }
}

template <int kQuads, int kMaxWeight>
inline Ints dot_group(const Bytes* w, const std::int8_t* x, Ints start) {
  dot_inputs<kQuads, kMaxWeight, 1>(w, &x, &start);
  return start;
}
