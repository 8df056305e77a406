// AVX2 has no 4-byte dot product: products of bytes are added in pairs to 16 bits,
// and as many of those are added as cannot overflow before they go to 32 bits.

inline constexpr bool kSignedBytes = true;

// How many units of four columns fit in sums of 16 bits: a power of two, at most kQuads.
template <int kQuads, int kMaxWeight>
constexpr int run_of_quads() {
  constexpr int kMost = 32767 / (kMaxWeight * 2 * 127);
  constexpr int kFit = kMost >= 8 ? 8 : kMost >= 4 ? 4 : 2;
  constexpr int kRun = kFit < kQuads ? kFit : kQuads;
  static_assert(kMost >= 2 && kQuads % kRun == 0);
  return kRun;
}

inline void add_pairs(Ints& sum, __m256i a, __m256i b) {
  const __m256i ones = _mm256_set1_epi16(1);
  sum.a = _mm256_add_epi32(sum.a, _mm256_madd_epi16(a, ones));
  sum.b = _mm256_add_epi32(sum.b, _mm256_madd_epi16(b, ones));
}

// Bytes plus 128 as signed ones, whose sign goes to x, which is never -128.
struct SignedUnit {
  __m256i a;
  __m256i b;
  __m256i magnitude_a;
  __m256i magnitude_b;

  explicit SignedUnit(Bytes w) {
    const __m256i top = _mm256_set1_epi8(static_cast<char>(0x80));
    a = _mm256_xor_si256(w.a, top);
    b = _mm256_xor_si256(w.b, top);
    magnitude_a = _mm256_abs_epi8(a);
    magnitude_b = _mm256_abs_epi8(b);
  }
  void add_products(Ints& sum, __m256i x) const {
    add_pairs(sum, _mm256_maddubs_epi16(magnitude_a, _mm256_sign_epi8(x, a)),
              _mm256_maddubs_epi16(magnitude_b, _mm256_sign_epi8(x, b)));
  }
};

// Each loaded or unpacked unit of weights meets every input, and each input that was spread
// over a register both halves of the unit: loads are the limit otherwise.
template <int kQuads, int kMaxWeight, int kInputs>
inline void dot_inputs(const Bytes* w, const std::int8_t* const* x, Ints* sums) {
  if constexpr (kMaxWeight == 255) {
#pragma GCC unroll 8
    for (int quad = 0; quad < kQuads; ++quad) {
      const SignedUnit unit(w[quad]);
#pragma GCC unroll 4
      for (int i = 0; i < kInputs; ++i) {
        unit.add_products(sums[i], broadcast_quad(x[i] + 4 * quad));
      }
    }
  } else {
    constexpr int kRun = run_of_quads<kQuads, kMaxWeight>();
#pragma GCC unroll 8
    for (int first = 0; first < kQuads; first += kRun) {
      __m256i a[kInputs];
      __m256i b[kInputs];
#pragma GCC unroll 8
      for (int quad = first; quad < first + kRun; ++quad) {
#pragma GCC unroll 4
        for (int i = 0; i < kInputs; ++i) {
          const __m256i xi = broadcast_quad(x[i] + 4 * quad);
          const __m256i pairs_a = _mm256_maddubs_epi16(w[quad].a, xi);
          const __m256i pairs_b = _mm256_maddubs_epi16(w[quad].b, xi);
          a[i] = quad == first ? pairs_a : _mm256_add_epi16(a[i], pairs_a);
          b[i] = quad == first ? pairs_b : _mm256_add_epi16(b[i], pairs_b);
        }
      }
#pragma GCC unroll 4
      for (int i = 0; i < kInputs; ++i) add_pairs(sums[i], a[i], b[i]);
    }
  }
}

template <int kQuads, int kMaxWeight>
inline Ints dot_group(const Bytes* w, const std::int8_t* x, Ints start) {
  dot_inputs<kQuads, kMaxWeight, 1>(w, &x, &start);
  return start;
}
