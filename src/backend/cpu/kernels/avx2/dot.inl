// AVX2 has no 4-byte dot product: products of bytes are added in pairs to 16 bits,
// and as many of those are added as cannot overflow before they go to 32 bits.

inline constexpr bool kSignedBytes = true;

template <int kQuads, int kMaxWeight>
inline Ints dot_group(const Bytes* w, const std::int8_t* x, Ints start) {
  const __m256i ones = _mm256_set1_epi16(1);
  if constexpr (kMaxWeight == 255) {
    // Bytes plus 128 as signed ones; the sign goes to x, which is never -128.
    const __m256i top = _mm256_set1_epi8(static_cast<char>(0x80));
#pragma GCC unroll 8
    for (int i = 0; i < kQuads; ++i) {
      const __m256i xi = _mm256_set1_epi32(load_i32(x + 4 * i));
      const __m256i wa = _mm256_xor_si256(w[i].a, top);
      const __m256i wb = _mm256_xor_si256(w[i].b, top);
      const __m256i pa = _mm256_maddubs_epi16(_mm256_abs_epi8(wa), _mm256_sign_epi8(xi, wa));
      const __m256i pb = _mm256_maddubs_epi16(_mm256_abs_epi8(wb), _mm256_sign_epi8(xi, wb));
      start.a = _mm256_add_epi32(start.a, _mm256_madd_epi16(pa, ones));
      start.b = _mm256_add_epi32(start.b, _mm256_madd_epi16(pb, ones));
    }
    return start;
  } else {
    constexpr int kMost = 32767 / (kMaxWeight * 2 * 127);
    constexpr int kFit = kMost >= 8 ? 8 : kMost >= 4 ? 4 : 2;
    constexpr int kRun = kFit < kQuads ? kFit : kQuads;
    static_assert(kMost >= 2 && kQuads % kRun == 0);
#pragma GCC unroll 8
    for (int first = 0; first < kQuads; first += kRun) {
      __m256i pa = _mm256_setzero_si256();
      __m256i pb = _mm256_setzero_si256();
#pragma GCC unroll 8
      for (int i = 0; i < kRun; ++i) {
        const __m256i xi = _mm256_set1_epi32(load_i32(x + 4 * (first + i)));
        pa = _mm256_add_epi16(pa, _mm256_maddubs_epi16(w[first + i].a, xi));
        pb = _mm256_add_epi16(pb, _mm256_maddubs_epi16(w[first + i].b, xi));
      }
      start.a = _mm256_add_epi32(start.a, _mm256_madd_epi16(pa, ones));
      start.b = _mm256_add_epi32(start.b, _mm256_madd_epi16(pb, ones));
    }
    return start;
  }
}
