// NEON with the 4-byte dot product: 64 bytes, and sixteen sums of 32 bits, in four
// registers each. The dot product takes signed bytes on both sides.

inline constexpr bool kSignedBytes = true;
#ifdef __ARM_FEATURE_MATMUL_INT8
inline constexpr int kDotInputs = 4;  // i8mm/dot_inputs.inl
inline constexpr int kLeastDotInputs = 4;
#else
inline constexpr int kDotInputs = 1;
inline constexpr int kLeastDotInputs = 2;
#endif
inline constexpr int kUnroll = 16;
inline constexpr bool kFewRegisters = false;
inline constexpr int kIntegerRows = 16;      // of x that share units of weights
inline constexpr int kFewRows = 4;           // up to so many in registers
inline constexpr int kRowsAhead = 5;         // so many ask for memory ahead
inline constexpr int kAttentionQueries = 4;  // that share a loaded key
inline constexpr int kAttentionVecs = 1;
inline constexpr int kFloatRows = 1;

struct Bytes {
  uint8x16_t a;
  uint8x16_t b;
  uint8x16_t c;
  uint8x16_t d;

  static Bytes load(const std::byte* p) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(p);
    return {vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)};
  }
  static Bytes set(int x) {
    const uint8x16_t all = vdupq_n_u8(static_cast<std::uint8_t>(x));
    return {all, all, all, all};
  }
  Bytes low_nibbles() const { return *this & set(15); }
  Bytes high_nibbles() const { return shifted_right(4); }
  // Operators, since the intrinsics want a count that is written there.
  Bytes shifted_left(int n) const {
    const auto by = static_cast<std::uint8_t>(n);
    return {a << by, b << by, c << by, d << by};
  }
  Bytes shifted_right(int n) const {
    const auto by = static_cast<std::uint8_t>(n);
    return {a >> by, b >> by, c >> by, d >> by};
  }
  // this | (bits & mask)
  Bytes with_bits(Bytes bits, int mask) const {
    const Bytes m = bits & set(mask);
    return {vorrq_u8(a, m.a), vorrq_u8(b, m.b), vorrq_u8(c, m.c), vorrq_u8(d, m.d)};
  }
  Bytes lookup(const std::uint8_t* table) const {
    const uint8x16_t entries = vld1q_u8(table);
    return {vqtbl1q_u8(entries, a), vqtbl1q_u8(entries, b), vqtbl1q_u8(entries, c),
            vqtbl1q_u8(entries, d)};
  }
  // Bytes plus 128 as signed ones.
  Bytes without_128() const {
    const uint8x16_t top = vdupq_n_u8(0x80);
    return {veorq_u8(a, top), veorq_u8(b, top), veorq_u8(c, top), veorq_u8(d, top)};
  }
  friend Bytes operator&(Bytes x, Bytes y) {
    return {vandq_u8(x.a, y.a), vandq_u8(x.b, y.b), vandq_u8(x.c, y.c), vandq_u8(x.d, y.d)};
  }
};

struct Ints {
  int32x4_t a;
  int32x4_t b;
  int32x4_t c;
  int32x4_t d;

  static Ints set(std::int32_t x) {
    const int32x4_t all = vdupq_n_s32(x);
    return {all, all, all, all};
  }
  static Ints load(const std::byte* p) {
    const Bytes bytes = Bytes::load(p);
    return {vreinterpretq_s32_u8(bytes.a), vreinterpretq_s32_u8(bytes.b),
            vreinterpretq_s32_u8(bytes.c), vreinterpretq_s32_u8(bytes.d)};
  }
  static Ints from_i8(const std::byte* p) {
    const int8x16_t bytes = vld1q_s8(reinterpret_cast<const std::int8_t*>(p));
    const int16x8_t first = vmovl_s8(vget_low_s8(bytes));
    const int16x8_t second = vmovl_high_s8(bytes);
    return {vmovl_s16(vget_low_s16(first)), vmovl_high_s16(first), vmovl_s16(vget_low_s16(second)),
            vmovl_high_s16(second)};
  }
  static Ints rounded(Vec x) {
    return {vcvtnq_s32_f32(x.a), vcvtnq_s32_f32(x.b), vcvtnq_s32_f32(x.c), vcvtnq_s32_f32(x.d)};
  }
  Ints shifted_right(int n) const {
    const auto shifted = [&](int32x4_t v) {
      return vreinterpretq_s32_u32(vreinterpretq_u32_s32(v) >> static_cast<std::uint32_t>(n));
    };
    return {shifted(a), shifted(b), shifted(c), shifted(d)};
  }
  template <int kFactor>
  Ints times_power_of_two() const {
    constexpr int kShift = __builtin_ctz(kFactor);
    return {vshlq_n_s32(a, kShift), vshlq_n_s32(b, kShift), vshlq_n_s32(c, kShift),
            vshlq_n_s32(d, kShift)};
  }
  Ints times_255() const { return times_power_of_two<256>() - *this; }
  Vec to_vec() const {
    return {vcvtq_f32_s32(a), vcvtq_f32_s32(b), vcvtq_f32_s32(c), vcvtq_f32_s32(d)};
  }
  void store_bytes(std::int8_t* p) const {
    // The even halves of the lanes, then the even bytes of those.
    const int16x8_t first = vuzp1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
    const int16x8_t second = vuzp1q_s16(vreinterpretq_s16_s32(c), vreinterpretq_s16_s32(d));
    vst1q_s8(p, vuzp1q_s8(vreinterpretq_s8_s16(first), vreinterpretq_s8_s16(second)));
  }
  std::int32_t sum() const { return vaddvq_s32(vaddq_s32(vaddq_s32(a, b), vaddq_s32(c, d))); }
  friend Ints operator+(Ints x, Ints y) {
    return {vaddq_s32(x.a, y.a), vaddq_s32(x.b, y.b), vaddq_s32(x.c, y.c), vaddq_s32(x.d, y.d)};
  }
  friend Ints operator-(Ints x, Ints y) {
    return {vsubq_s32(x.a, y.a), vsubq_s32(x.b, y.b), vsubq_s32(x.c, y.c), vsubq_s32(x.d, y.d)};
  }
  friend Ints operator*(Ints x, Ints y) {
    return {vmulq_s32(x.a, y.a), vmulq_s32(x.b, y.b), vmulq_s32(x.c, y.c), vmulq_s32(x.d, y.d)};
  }
  friend Ints operator&(Ints x, Ints y) {
    return {vandq_s32(x.a, y.a), vandq_s32(x.b, y.b), vandq_s32(x.c, y.c), vandq_s32(x.d, y.d)};
  }
  friend Ints operator|(Ints x, Ints y) {
    return {vorrq_s32(x.a, y.a), vorrq_s32(x.b, y.b), vorrq_s32(x.c, y.c), vorrq_s32(x.d, y.d)};
  }
};

// Four columns of sixteen rows meet the same four bytes of x.
template <int kLane>
inline Ints dot_unit(Bytes w, int8x16_t x, Ints sum) {
  return {vdotq_laneq_s32(sum.a, vreinterpretq_s8_u8(w.a), x, kLane),
          vdotq_laneq_s32(sum.b, vreinterpretq_s8_u8(w.b), x, kLane),
          vdotq_laneq_s32(sum.c, vreinterpretq_s8_u8(w.c), x, kLane),
          vdotq_laneq_s32(sum.d, vreinterpretq_s8_u8(w.d), x, kLane)};
}

// Weights as signed bytes: less 128 where they take all eight bits.
template <int kMaxWeight>
inline Bytes signed_weights(Bytes w) {
  static_assert(kMaxWeight == 255 || kMaxWeight < 128);
  if constexpr (kMaxWeight == 255) return w.without_128();
  return w;
}

// start + sum over a group's units of w[i] * the four bytes x[4 i ...].
template <typename T, typename Units>
inline Ints dot_group(const Units& w, const std::int8_t* x, Ints start) {
  static_assert(T::kQuads % 4 == 0);
#pragma GCC unroll 2
  for (int i = 0; i < T::kQuads; i += 4) {
    const int8x16_t xi = vld1q_s8(x + 4 * i);
    start = dot_unit<0>(signed_weights<T::kMaxWeight>(w[i]), xi, start);
    start = dot_unit<1>(signed_weights<T::kMaxWeight>(w[i + 1]), xi, start);
    start = dot_unit<2>(signed_weights<T::kMaxWeight>(w[i + 2]), xi, start);
    start = dot_unit<3>(signed_weights<T::kMaxWeight>(w[i + 3]), xi, start);
  }
  return start;
}
