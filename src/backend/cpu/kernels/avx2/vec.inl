// AVX2 with FMA and F16C: sixteen lanes are two ymm registers.

inline constexpr int kInputRows = 1;  // 4 weight rows x 1 input row x 2 registers
inline constexpr int kBlockRows = 6;  // of a product whose sums are in registers: 12 of them
inline constexpr int kBlockVecs = 1;

inline float f16_value(std::uint16_t bits) { return _cvtsh_ss(bits); }
inline std::uint16_t f16_bits(float value) {
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// e^x to about 1 ulp: x = n ln 2 + r, |r| <= ln 2 / 2, with a polynomial for
// e^r (coefficients: minimax fit of degree 6, r^0 and r^1 exact). Below kLeastExponent
// the result is 0, above the range of floats infinity.
inline __m256 exp_ps(__m256 x) {
  const __m256 least = _mm256_set1_ps(kLeastExponent);
  const __m256 clamped = _mm256_max_ps(_mm256_min_ps(x, _mm256_set1_ps(89.0F)), least);
  const __m256 n = _mm256_round_ps(_mm256_mul_ps(clamped, _mm256_set1_ps(1.44269504088896341F)),
                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), clamped);
  r = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4F), r);
  __m256 p = _mm256_set1_ps(1.0F / 720);
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F / 120));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F / 24));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F / 6));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0.5F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F));
  // 2^n in two factors, so that neither overflows nor underflows too early.
  const __m256i whole = _mm256_cvtps_epi32(n);
  const __m256i half = _mm256_srai_epi32(whole, 1);
  const __m256i rest = _mm256_sub_epi32(whole, half);
  const __m256i bias = _mm256_set1_epi32(127);
  const __m256 f1 = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23));
  const __m256 f2 = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(rest, bias), 23));
  const __m256 keep = _mm256_cmp_ps(x, least, _CMP_GE_OQ);
  const __m256 result = _mm256_and_ps(_mm256_mul_ps(_mm256_mul_ps(p, f1), f2), keep);
  // NaN in, NaN out.
  const __m256 is_nan = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);
  return _mm256_blendv_ps(result, x, is_nan);
}

struct Vec {
  __m256 a;
  __m256 b;

  static Vec set(float x) { return {_mm256_set1_ps(x), _mm256_set1_ps(x)}; }
  static Vec load(const float* p) { return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)}; }
  static __m256i mask(std::int64_t n) {
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const int count = n < 0 ? 0 : n > 8 ? 8 : static_cast<int>(n);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), lane);
  }
  static Vec load_part(const float* p, std::int64_t n) {
    return {_mm256_maskload_ps(p, mask(n)),
            n > 8 ? _mm256_maskload_ps(p + 8, mask(n - 8)) : _mm256_setzero_ps()};
  }
  static Vec load_f16(const std::byte* p) {
    const auto* halves = reinterpret_cast<const __m128i*>(p);
    return {_mm256_cvtph_ps(_mm_loadu_si128(halves)), _mm256_cvtph_ps(_mm_loadu_si128(halves + 1))};
  }
  static Vec load_bf16(const std::byte* p) {
    const auto* halves = reinterpret_cast<const __m128i*>(p);
    const __m256i low = _mm256_cvtepu16_epi32(_mm_loadu_si128(halves));
    const __m256i high = _mm256_cvtepu16_epi32(_mm_loadu_si128(halves + 1));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(low, 16)),
            _mm256_castsi256_ps(_mm256_slli_epi32(high, 16))};
  }
  static Vec from_bytes(__m128i bytes) {
    return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
            _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)))};
  }
  static Vec from_i8(const std::int8_t* p) {
    return from_bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  }
  static void from_nibbles(const std::byte* p, Vec& low, Vec& high) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i fifteen = _mm_set1_epi8(15);
    low = from_bytes(_mm_and_si128(bytes, fifteen));
    high = from_bytes(_mm_and_si128(_mm_srli_epi16(bytes, 4), fifteen));
  }
  // Two columns as bf16 pairs of sixteen rows: the even and the odd ones.
  static void load_bf16_pairs(const std::byte* p, Vec& even, Vec& odd) {
    const auto* halves = reinterpret_cast<const __m256i*>(p);
    const __m256i first = _mm256_loadu_si256(halves);
    const __m256i second = _mm256_loadu_si256(halves + 1);
    const __m256i top = _mm256_set1_epi32(-65536);
    even = {_mm256_castsi256_ps(_mm256_slli_epi32(first, 16)),
            _mm256_castsi256_ps(_mm256_slli_epi32(second, 16))};
    odd = {_mm256_castsi256_ps(_mm256_and_si256(first, top)),
           _mm256_castsi256_ps(_mm256_and_si256(second, top))};
  }
  static Vec from_halves(__m256i halves) {
    return {_mm256_cvtph_ps(_mm256_castsi256_si128(halves)),
            _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1))};
  }
  // E4M3 as f16: the same bits one place down from the top are the value times 2^-8.
  static void load_e4m3_pairs(const std::byte* p, Vec& even, Vec& odd) {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i keep = _mm256_set1_epi16(static_cast<short>(0xBF80));
    const __m256i low = _mm256_srai_epi16(_mm256_slli_epi16(pairs, 8), 1);
    even = from_halves(_mm256_and_si256(low, keep));
    odd = from_halves(_mm256_and_si256(_mm256_srai_epi16(pairs, 1), keep));
  }
  static Vec from_e4m3(const std::byte* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m256i top = _mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), 8);
    return from_halves(
        _mm256_and_si256(_mm256_srai_epi16(top, 1), _mm256_set1_epi16(static_cast<short>(0xBF80))));
  }
  // As bits, so that a NaN is the largest of all.
  static float largest_magnitude(Vec x, Vec y) {
    const __m256i mask = _mm256_set1_epi32(0x7FFFFFFF);
    const auto bits = [&](__m256 v) { return _mm256_and_si256(_mm256_castps_si256(v), mask); };
    const __m256i eight = _mm256_max_epi32(_mm256_max_epi32(bits(x.a), bits(x.b)),
                                           _mm256_max_epi32(bits(y.a), bits(y.b)));
    __m128i four = _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0xB1));
    return bits_to_float(static_cast<std::uint32_t>(_mm_cvtsi128_si32(four)));
  }
  void store(float* p) const {
    _mm256_storeu_ps(p, a);
    _mm256_storeu_ps(p + 8, b);
  }
  void store_part(float* p, std::int64_t n) const {
    _mm256_maskstore_ps(p, mask(n), a);
    if (n > 8) _mm256_maskstore_ps(p + 8, mask(n - 8), b);
  }
  float first() const { return _mm256_cvtss_f32(a); }
  float sum() const {
    const __m256 eight = _mm256_add_ps(a, b);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  static Vec max(Vec x, Vec y) { return {_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)}; }
  float largest() const {
    const __m256 eight = _mm256_max_ps(a, b);
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
  }
  static Vec fma(Vec x, Vec y, Vec z) {
    return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
  }
  static Vec exp(Vec x) { return {exp_ps(x.a), exp_ps(x.b)}; }
  friend Vec operator+(Vec x, Vec y) { return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)}; }
  friend Vec operator-(Vec x, Vec y) { return {_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)}; }
  friend Vec operator*(Vec x, Vec y) { return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)}; }
  friend Vec operator/(Vec x, Vec y) { return {_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)}; }
};
