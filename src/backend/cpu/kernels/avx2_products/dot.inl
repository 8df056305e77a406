// AVX2 has no 4-byte dot product: products of bytes are added in pairs to 16 bits,
// and as many of those are added as cannot overflow before they go to 32 bits.

inline constexpr bool kSignedBytes = true;

// How the sum of a group's products begins: a number of 16 bits for the first and the second pair
// of every four columns. The sum then has (weight - kOffset) * x of the columns that were added
// and -kOffset * x of those that were not, so that it is the larger of these two factors, and not
// the weight, that limits how many fit.
struct Start {
  __m256i pairs;

  static Start set(std::int32_t x) { return {_mm256_set1_epi32(x)}; }
  template <int kFactor>
  Start times_power_of_two() const {
    return {_mm256_slli_epi16(pairs, __builtin_ctz(kFactor))};
  }
};

// What is kept for it of the integers of 16 or 32 columns, 16 of them in a lane each.
inline std::int32_t minus_sum(Ints x) {
  const __m256i eight = _mm256_add_epi32(x.a, x.b);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_sub_epi32(_mm_setzero_si128(), _mm_hadd_epi32(four, four));
  return _mm_cvtsi128_si32(_mm_packs_epi32(four, four));
}

// How many units of four columns fit in sums of 16 bits: a power of two, at most kQuads.
template <typename T>
constexpr int run_of_quads() {
  static_assert(T::kMaxWeight * 2 * 127 <= 32767);           // two products in any case
  static_assert(T::kOffset * T::kQuads * 2 * 127 <= 32767);  // where a sum begins
  constexpr int kOver = T::kMaxWeight - T::kOffset;
  constexpr int kLargest = kOver > T::kOffset ? kOver : T::kOffset;
  constexpr int kMost = 32767 / (kLargest * 2 * 127);
  constexpr int kFit = kMost >= 8 ? 8 : kMost >= 4 ? 4 : 2;
  constexpr int kRun = kFit < T::kQuads ? kFit : T::kQuads;
  static_assert(kMost >= 2 && T::kQuads % kRun == 0);
  static_assert(T::kOffset == 0 || kRun == T::kQuads);  // one sum begins as it has to
  return kRun;
}

inline Ints pairs_added(__m256i a, __m256i b) {
  const __m256i ones = _mm256_set1_epi16(1);
  return {_mm256_madd_epi16(a, ones), _mm256_madd_epi16(b, ones)};
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
    sum = sum + pairs_added(_mm256_maddubs_epi16(magnitude_a, _mm256_sign_epi8(x, a)),
                            _mm256_maddubs_epi16(magnitude_b, _mm256_sign_epi8(x, b)));
  }
};

// Each loaded or unpacked unit of weights meets every input, and each input that was spread
// over a register both halves of the unit: loads are the limit otherwise.
template <typename T, int kInputs, typename Units>
[[gnu::always_inline]] inline void dot_inputs(const Units& w, const std::int8_t* const* x,
                                              const Start* starts, Ints* sums) {
  if constexpr (T::kMaxWeight == 255) {
#pragma GCC unroll 4
    for (int i = 0; i < kInputs; ++i) sums[i] = Ints::set(0);
#pragma GCC unroll 8
    for (int quad = 0; quad < T::kQuads; ++quad) {
      const SignedUnit unit(w[quad]);
#pragma GCC unroll 4
      for (int i = 0; i < kInputs; ++i) {
        unit.add_products(sums[i], broadcast_quad(x[i] + 4 * quad));
      }
    }
  } else {
    constexpr int kRun = run_of_quads<T>();
#pragma GCC unroll 8
    for (int first = 0; first < T::kQuads; first += kRun) {
      __m256i a[kInputs];
      __m256i b[kInputs];
#pragma GCC unroll 4
      for (int i = 0; i < kInputs; ++i) a[i] = b[i] = starts[i].pairs;
#pragma GCC unroll 8
      for (int quad = first; quad < first + kRun; ++quad) {
        const Bytes& unit = w[quad];
#pragma GCC unroll 4
        for (int i = 0; i < kInputs; ++i) {
          const __m256i xi = broadcast_quad(x[i] + 4 * quad);
          const __m256i pairs_a = _mm256_maddubs_epi16(unit.a, xi);
          const __m256i pairs_b = _mm256_maddubs_epi16(unit.b, xi);
          const bool is_first = T::kOffset == 0 && quad == first;
          a[i] = is_first ? pairs_a : _mm256_add_epi16(a[i], pairs_a);
          b[i] = is_first ? pairs_b : _mm256_add_epi16(b[i], pairs_b);
        }
      }
#pragma GCC unroll 4
      for (int i = 0; i < kInputs; ++i) {
        const Ints sum = pairs_added(a[i], b[i]);
        sums[i] = first == 0 ? sum : sums[i] + sum;
      }
    }
  }
}

template <typename T, typename Units>
[[gnu::always_inline]] inline Ints dot_group(const Units& w, const std::int8_t* x, Start start) {
  Ints sum;
  dot_inputs<T, 1>(w, &x, &start, &sum);
  return sum;
}
