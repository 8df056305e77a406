// AVX-512 with VNNI: 64 bytes, and sixteen sums of 32 bits, in a zmm register each.

inline constexpr bool kSignedBytes = false;
inline constexpr int kDotInputs = 1;
inline constexpr int kLeastDotInputs = 2;
inline constexpr int kUnroll = 16;
inline constexpr bool kFewRegisters = false;
inline constexpr int kIntegerRows = 16;      // of x that share units of weights
inline constexpr int kFewRows = 4;           // up to so many in registers
inline constexpr int kRowsAhead = 5;         // so many ask for memory ahead
inline constexpr int kAttentionQueries = 8;  // that share a loaded key
inline constexpr int kAttentionVecs = 2;
inline constexpr int kFloatRows = 4;

struct Bytes {
  __m512i v;

  static Bytes load(const std::byte* p) { return {_mm512_loadu_si512(p)}; }
  Bytes low_nibbles() const { return {_mm512_and_si512(v, _mm512_set1_epi8(15))}; }
  Bytes high_nibbles() const {
#ifdef __GFNI__
    // A matrix of bits times each byte: its row 7 - i, of those that are not 0, gives bit i
    // and takes bit i + 4.
    return {_mm512_gf2p8affine_epi64_epi8(v, _mm512_set1_epi64(0x1020408000000000), 0)};
#else
    return {_mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(15))};
#endif
  }
  // Of 16-bit lanes: what crosses into the neighbour is masked by with_bits().
  Bytes shifted_left(int n) const { return {_mm512_slli_epi16(v, static_cast<unsigned>(n))}; }
  Bytes shifted_right(int n) const { return {_mm512_srli_epi16(v, static_cast<unsigned>(n))}; }
  // this | (bits & mask)
  Bytes with_bits(Bytes bits, int mask) const {
    constexpr int kOrAnd = 0xF8;  // a | (b & c)
    return {
        _mm512_ternarylogic_epi32(v, bits.v, _mm512_set1_epi8(static_cast<char>(mask)), kOrAnd)};
  }
  Bytes lookup(const std::uint8_t* table) const {
    const __m128i entries = _mm_load_si128(reinterpret_cast<const __m128i*>(table));
    return {_mm512_shuffle_epi8(_mm512_broadcast_i32x4(entries), v)};
  }
};

struct Ints {
  __m512i v;

  static Ints set(std::int32_t x) { return {_mm512_set1_epi32(x)}; }
  static Ints load(const std::byte* p) { return {_mm512_loadu_si512(p)}; }
  static Ints from_i8(const std::byte* p) {
    return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  static Ints rounded(Vec x) { return {_mm512_cvtps_epi32(x.v)}; }
  Ints shifted_right(int n) const { return {_mm512_srli_epi32(v, static_cast<unsigned>(n))}; }
  template <int kFactor>
  Ints times_power_of_two() const {
    return {_mm512_slli_epi32(v, __builtin_ctz(kFactor))};
  }
  Ints times_255() const { return {_mm512_sub_epi32(_mm512_slli_epi32(v, 8), v)}; }
  Vec to_vec() const { return {_mm512_cvtepi32_ps(v)}; }
  void store_bytes(std::int8_t* p) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(v));
  }
  std::int32_t sum() const { return _mm512_reduce_add_epi32(v); }
  friend Ints operator+(Ints x, Ints y) { return {_mm512_add_epi32(x.v, y.v)}; }
  friend Ints operator-(Ints x, Ints y) { return {_mm512_sub_epi32(x.v, y.v)}; }
  friend Ints operator*(Ints x, Ints y) { return {_mm512_mullo_epi32(x.v, y.v)}; }
  friend Ints operator&(Ints x, Ints y) { return {_mm512_and_si512(x.v, y.v)}; }
  friend Ints operator|(Ints x, Ints y) { return {_mm512_or_si512(x.v, y.v)}; }
};

using FourBytes [[gnu::may_alias, gnu::aligned(1)]] = std::int32_t;

// sum + unit * the four bytes at x. In assembly, since GCC 12 broadcasts them with an
// instruction of its own for every product, though the product can broadcast its operand.
inline void add_product(__m512i& sum, Bytes unit, const std::int8_t* x) {
  asm("vpdpbusd %2%{1to16%}, %1, %0"
      : "+v"(sum)
      : "v"(unit.v), "m"(*reinterpret_cast<const FourBytes*>(x)));
}

// start + sum over a group's units of w[i] * the four bytes x[4 i ...]. In two sums: one
// would be a chain so long that it fills the processor's queue.
template <typename T, typename Units>
[[gnu::always_inline]] inline Ints dot_group(const Units& w, const std::int8_t* x, Ints start) {
  static_assert(T::kQuads % 2 == 0);
  __m512i even = start.v;
  __m512i odd = _mm512_setzero_si512();
#pragma GCC unroll 8
  for (int i = 0; i < T::kQuads; i += 2) {
    add_product(even, w[i], x + 4 * i);
    add_product(odd, w[i + 1], x + 4 * (i + 1));
  }
  return {_mm512_add_epi32(even, odd)};
}
