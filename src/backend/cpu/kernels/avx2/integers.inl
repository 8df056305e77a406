// AVX2: 64 bytes, and sixteen sums of 32 bits, in two ymm registers each.

inline constexpr int kDotInputs = 4;
inline constexpr int kLeastDotInputs = 2;
inline constexpr int kUnroll = 16;
inline constexpr bool kFewRegisters = true;  // for a group's units and sums
inline constexpr int kIntegerRows = 16;      // of x that share units of weights
inline constexpr int kFewRows = 4;           // up to so many in registers
inline constexpr int kRowsAhead = 3;         // so many ask for memory ahead
inline constexpr int kAttentionQueries = 4;  // that share a loaded key
inline constexpr int kAttentionVecs = 1;
inline constexpr int kFloatRows = 1;

struct Bytes {
  __m256i a;
  __m256i b;

  static Bytes load(const std::byte* p) {
    const auto* halves = reinterpret_cast<const __m256i*>(p);
    return {_mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1)};
  }
  Bytes low_nibbles() const {
    const __m256i mask = _mm256_set1_epi8(15);
    return {_mm256_and_si256(a, mask), _mm256_and_si256(b, mask)};
  }
  Bytes high_nibbles() const {
    return Bytes{_mm256_srli_epi16(a, 4), _mm256_srli_epi16(b, 4)}.low_nibbles();
  }
  // Of 16-bit lanes: what crosses into the neighbour is masked by with_bits().
  Bytes shifted_left(int n) const { return {_mm256_slli_epi16(a, n), _mm256_slli_epi16(b, n)}; }
  Bytes shifted_right(int n) const { return {_mm256_srli_epi16(a, n), _mm256_srli_epi16(b, n)}; }
  // this | (bits & mask)
  Bytes with_bits(Bytes bits, int mask) const {
    const __m256i m = _mm256_set1_epi8(static_cast<char>(mask));
    return {_mm256_or_si256(a, _mm256_and_si256(bits.a, m)),
            _mm256_or_si256(b, _mm256_and_si256(bits.b, m))};
  }
  Bytes lookup(const std::uint8_t* table) const {
    const __m256i entries =
        _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
    return {_mm256_shuffle_epi8(entries, a), _mm256_shuffle_epi8(entries, b)};
  }
};

// Four columns of activations, for every row of weights.
inline __m256i broadcast_quad(const std::int8_t* x) { return _mm256_set1_epi32(load_i32(x)); }

struct Ints {
  __m256i a;
  __m256i b;

  static Ints set(std::int32_t x) { return {_mm256_set1_epi32(x), _mm256_set1_epi32(x)}; }
  static Ints load(const std::byte* p) {
    const Bytes bytes = Bytes::load(p);
    return {bytes.a, bytes.b};
  }
  static Ints from_i8(const std::byte* p) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return {_mm256_cvtepi8_epi32(bytes), _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8))};
  }
  static Ints rounded(Vec x) { return {_mm256_cvtps_epi32(x.a), _mm256_cvtps_epi32(x.b)}; }
  Ints shifted_right(int n) const { return {_mm256_srli_epi32(a, n), _mm256_srli_epi32(b, n)}; }
  template <int kFactor>
  Ints times_power_of_two() const {
    constexpr int kShift = __builtin_ctz(kFactor);
    return {_mm256_slli_epi32(a, kShift), _mm256_slli_epi32(b, kShift)};
  }
  Ints times_255() const { return Ints{_mm256_slli_epi32(a, 8), _mm256_slli_epi32(b, 8)} - *this; }
  Vec to_vec() const { return {_mm256_cvtepi32_ps(a), _mm256_cvtepi32_ps(b)}; }
  void store_bytes(std::int8_t* p) const {
    // The low byte of every lane to the front of its half, then side by side.
    const __m256i order =
        _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12,
                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    const __m256i x = _mm256_shuffle_epi8(a, order);
    const __m256i y = _mm256_shuffle_epi8(b, order);
    const __m128i first =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    const __m128i second =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(y), _mm256_extracti128_si256(y, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_unpacklo_epi64(first, second));
  }
  std::int32_t sum() const {
    const __m256i eight = _mm256_add_epi32(a, b);
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1));
    return _mm_cvtsi128_si32(four);
  }
  friend Ints operator+(Ints x, Ints y) {
    return {_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)};
  }
  friend Ints operator-(Ints x, Ints y) {
    return {_mm256_sub_epi32(x.a, y.a), _mm256_sub_epi32(x.b, y.b)};
  }
  friend Ints operator*(Ints x, Ints y) {
    return {_mm256_mullo_epi32(x.a, y.a), _mm256_mullo_epi32(x.b, y.b)};
  }
  friend Ints operator&(Ints x, Ints y) {
    return {_mm256_and_si256(x.a, y.a), _mm256_and_si256(x.b, y.b)};
  }
  friend Ints operator|(Ints x, Ints y) {
    return {_mm256_or_si256(x.a, y.a), _mm256_or_si256(x.b, y.b)};
  }
};
