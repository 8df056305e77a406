// AVX-VNNI: the 4-byte dot product in ymm registers.

inline constexpr bool kSignedBytes = false;

template <int kQuads, int kMaxWeight>
inline Ints dot_group(const Bytes* w, const std::int8_t* x, Ints start) {
#pragma GCC unroll 8
  for (int i = 0; i < kQuads; ++i) {
    const __m256i xi = _mm256_set1_epi32(load_i32(x + 4 * i));
    start.a = _mm256_dpbusd_avx_epi32(start.a, w[i].a, xi);
    start.b = _mm256_dpbusd_avx_epi32(start.b, w[i].b, xi);
  }
  return start;
}
