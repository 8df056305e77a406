// AVX-512: sixteen lanes are one zmm register.

inline constexpr int kInputRows = 4;   // 4 weight rows x 4 input rows in registers
inline constexpr int kBlockRows = 12;  // of a product whose sums are in registers: 24 of them
inline constexpr int kBlockVecs = 2;

inline float f16_value(std::uint16_t bits) { return _cvtsh_ss(bits); }
inline std::uint16_t f16_bits(float value) {
  return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// As in the AVX2 file; scalef does 2^n with the right ends of the range.
inline __m512 exp_in_range(__m512 x) {
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504088896341F)),
                                        _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375F), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4F), r);
  __m512 p = _mm512_set1_ps(1.0F / 720);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F / 120));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F / 24));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F / 6));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.5F));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F));
  return _mm512_scalef_ps(p, n);
}

inline __m512 exp_ps(__m512 x) {
  const __m512 least = _mm512_set1_ps(kLeastExponent);
  const __m512 clamped = _mm512_max_ps(_mm512_min_ps(x, _mm512_set1_ps(89.0F)), least);
  const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  const __mmask16 keep = _mm512_cmp_ps_mask(x, least, _CMP_GE_OQ);
  return _mm512_mask_blend_ps(is_nan, _mm512_maskz_mov_ps(keep, exp_in_range(clamped)), x);
}

struct Vec {
  __m512 v;

  static __mmask16 mask(std::int64_t n) { return static_cast<__mmask16>((1U << n) - 1); }
  static Vec set(float x) { return {_mm512_set1_ps(x)}; }
  static Vec load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static Vec load_part(const float* p, std::int64_t n) {
    return {_mm512_maskz_loadu_ps(mask(n), p)};
  }
  static Vec load_f16(const std::byte* p) {
    return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
  }
  static Vec load_bf16(const std::byte* p) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))};
  }
  static Vec from_bytes(__m128i bytes) { return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes))}; }
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
    const __m512i pairs = _mm512_loadu_si512(p);
    even = {_mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16))};
    odd = {_mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(-65536)))};
  }
  // E4M3 as f16: the same bits one place down from the top are the value times 2^-8.
  static void load_e4m3_pairs(const std::byte* p, Vec& even, Vec& odd) {
    const __m256i pairs = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    const __m256i keep = _mm256_set1_epi16(static_cast<short>(0xBF80));
    const __m256i low = _mm256_srai_epi16(_mm256_slli_epi16(pairs, 8), 1);
    even = {_mm512_cvtph_ps(_mm256_and_si256(low, keep))};
    odd = {_mm512_cvtph_ps(_mm256_and_si256(_mm256_srai_epi16(pairs, 1), keep))};
  }
  static Vec from_e4m3(const std::byte* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m256i top = _mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), 8);
    return {_mm512_cvtph_ps(_mm256_and_si256(_mm256_srai_epi16(top, 1),
                                             _mm256_set1_epi16(static_cast<short>(0xBF80))))};
  }
  // As bits, so that a NaN is the largest of all.
  static float largest_magnitude(Vec x, Vec y) {
    const __m512i mask = _mm512_set1_epi32(0x7FFFFFFF);
    return bits_to_float(static_cast<std::uint32_t>(_mm512_reduce_max_epi32(
        _mm512_max_epi32(_mm512_and_si512(_mm512_castps_si512(x.v), mask),
                         _mm512_and_si512(_mm512_castps_si512(y.v), mask)))));
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store_part(float* p, std::int64_t n) const { _mm512_mask_storeu_ps(p, mask(n), v); }
  float first() const { return _mm512_cvtss_f32(v); }
  float sum() const {
    const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
  static Vec max(Vec x, Vec y) { return {_mm512_max_ps(x.v, y.v)}; }
  float largest() const { return _mm512_reduce_max_ps(v); }
  static Vec fma(Vec x, Vec y, Vec z) { return {_mm512_fmadd_ps(x.v, y.v, z.v)}; }
  static Vec exp(Vec x) { return {exp_ps(x.v)}; }
  friend Vec operator+(Vec x, Vec y) { return {_mm512_add_ps(x.v, y.v)}; }
  friend Vec operator-(Vec x, Vec y) { return {_mm512_sub_ps(x.v, y.v)}; }
  friend Vec operator*(Vec x, Vec y) { return {_mm512_mul_ps(x.v, y.v)}; }
  friend Vec operator/(Vec x, Vec y) { return {_mm512_div_ps(x.v, y.v)}; }
};
