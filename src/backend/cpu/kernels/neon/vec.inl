// NEON: sixteen lanes are four registers.

inline constexpr int kInputRows = 1;  // 4 weight rows x 1 input row x 4 registers
inline constexpr int kBlockRows = 6;  // of a product whose sums are in registers: 24 of them
inline constexpr int kBlockVecs = 1;

inline float f16_value(std::uint16_t bits) {
  __fp16 value;
  __builtin_memcpy(&value, &bits, 2);
  return static_cast<float>(value);
}
inline std::uint16_t f16_bits(float value) {
  const auto half = static_cast<__fp16>(value);
  std::uint16_t bits;
  __builtin_memcpy(&bits, &half, 2);
  return bits;
}

// As in the AVX2 file. Minimum and maximum hand a NaN on, and so does what follows.
inline float32x4_t exp_f32(float32x4_t x) {
  const float32x4_t clamped = vmaxq_f32(vminq_f32(x, vdupq_n_f32(89.0F)), vdupq_n_f32(-104.0F));
  const float32x4_t n = vrndnq_f32(vmulq_f32(clamped, vdupq_n_f32(1.44269504088896341F)));
  float32x4_t r = vfmsq_f32(clamped, n, vdupq_n_f32(0.693359375F));
  r = vfmsq_f32(r, n, vdupq_n_f32(-2.12194440e-4F));
  float32x4_t p = vdupq_n_f32(1.0F / 720);
  p = vfmaq_f32(vdupq_n_f32(1.0F / 120), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.0F / 24), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.0F / 6), p, r);
  p = vfmaq_f32(vdupq_n_f32(0.5F), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.0F), p, r);
  p = vfmaq_f32(vdupq_n_f32(1.0F), p, r);
  // 2^n in two factors, so that neither overflows nor underflows too early.
  const int32x4_t whole = vcvtq_s32_f32(n);
  const int32x4_t half = vshrq_n_s32(whole, 1);
  const int32x4_t rest = vsubq_s32(whole, half);
  const int32x4_t bias = vdupq_n_s32(127);
  const float32x4_t f1 = vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(half, bias), 23));
  const float32x4_t f2 = vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(rest, bias), 23));
  return vmulq_f32(vmulq_f32(p, f1), f2);
}

struct Vec {
  float32x4_t a;
  float32x4_t b;
  float32x4_t c;
  float32x4_t d;

  static Vec set(float x) {
    const float32x4_t all = vdupq_n_f32(x);
    return {all, all, all, all};
  }
  static Vec load(const float* p) {
    return {vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8), vld1q_f32(p + 12)};
  }
  static Vec load_part(const float* p, std::int64_t n) {
    float whole[kLanes] = {};
    for (std::int64_t i = 0; i < n; ++i) whole[i] = p[i];
    return load(whole);
  }
  static uint8x16_t bytes_at(const std::byte* p) {
    return vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
  }
  // Eight f16 each.
  static Vec from_halves(uint16x8_t first, uint16x8_t second) {
    const float16x8_t x = vreinterpretq_f16_u16(first);
    const float16x8_t y = vreinterpretq_f16_u16(second);
    return {vcvt_f32_f16(vget_low_f16(x)), vcvt_high_f32_f16(x), vcvt_f32_f16(vget_low_f16(y)),
            vcvt_high_f32_f16(y)};
  }
  static Vec load_f16(const std::byte* p) {
    return from_halves(vreinterpretq_u16_u8(bytes_at(p)), vreinterpretq_u16_u8(bytes_at(p + 16)));
  }
  static Vec load_bf16(const std::byte* p) {
    const uint16x8_t first = vreinterpretq_u16_u8(bytes_at(p));
    const uint16x8_t second = vreinterpretq_u16_u8(bytes_at(p + 16));
    const uint16x8_t zero = vdupq_n_u16(0);
    const auto floats = [](uint16x8_t pairs) { return vreinterpretq_f32_u16(pairs); };
    return {floats(vzip1q_u16(zero, first)), floats(vzip2q_u16(zero, first)),
            floats(vzip1q_u16(zero, second)), floats(vzip2q_u16(zero, second))};
  }
  static Vec from_bytes(int8x16_t bytes) {
    const int16x8_t low = vmovl_s8(vget_low_s8(bytes));
    const int16x8_t high = vmovl_high_s8(bytes);
    return {vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))), vcvtq_f32_s32(vmovl_high_s16(low)),
            vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))), vcvtq_f32_s32(vmovl_high_s16(high))};
  }
  static Vec from_i8(const std::int8_t* p) { return from_bytes(vld1q_s8(p)); }
  static void from_nibbles(const std::byte* p, Vec& low, Vec& high) {
    const uint8x16_t bytes = bytes_at(p);
    low = from_bytes(vreinterpretq_s8_u8(vandq_u8(bytes, vdupq_n_u8(15))));
    high = from_bytes(vreinterpretq_s8_u8(vshrq_n_u8(bytes, 4)));
  }
  // Two columns as bf16 pairs of sixteen rows: the even and the odd ones.
  static void load_bf16_pairs(const std::byte* p, Vec& even, Vec& odd) {
    const auto pairs = [&](int i) { return vreinterpretq_u32_u8(bytes_at(p + 16 * i)); };
    const auto lower = [&](int i) { return vreinterpretq_f32_u32(vshlq_n_u32(pairs(i), 16)); };
    const auto upper = [&](int i) {
      return vreinterpretq_f32_u32(vandq_u32(pairs(i), vdupq_n_u32(0xFFFF0000)));
    };
    even = {lower(0), lower(1), lower(2), lower(3)};
    odd = {upper(0), upper(1), upper(2), upper(3)};
  }
  // E4M3 as f16: the same bits one place down from the top are the value times 2^-8.
  static uint16x8_t halves_from_top(int16x8_t codes) {
    return vandq_u16(vreinterpretq_u16_s16(vshrq_n_s16(codes, 1)), vdupq_n_u16(0xBF80));
  }
  static void load_e4m3_pairs(const std::byte* p, Vec& even, Vec& odd) {
    const int16x8_t first = vreinterpretq_s16_u8(bytes_at(p));
    const int16x8_t second = vreinterpretq_s16_u8(bytes_at(p + 16));
    even = from_halves(halves_from_top(vshlq_n_s16(first, 8)),
                       halves_from_top(vshlq_n_s16(second, 8)));
    odd = from_halves(halves_from_top(first), halves_from_top(second));
  }
  static Vec from_e4m3(const std::byte* p) {
    const uint8x16_t bytes = bytes_at(p);
    const uint8x16_t zero = vdupq_n_u8(0);
    return from_halves(halves_from_top(vreinterpretq_s16_u8(vzip1q_u8(zero, bytes))),
                       halves_from_top(vreinterpretq_s16_u8(vzip2q_u8(zero, bytes))));
  }
  // As bits, so that a NaN is the largest of all.
  static float largest_magnitude(Vec x, Vec y) {
    const auto bits = [](float32x4_t v) {
      return vandq_u32(vreinterpretq_u32_f32(v), vdupq_n_u32(0x7FFFFFFF));
    };
    const auto largest = [&](Vec v) {
      return vmaxq_u32(vmaxq_u32(bits(v.a), bits(v.b)), vmaxq_u32(bits(v.c), bits(v.d)));
    };
    return bits_to_float(vmaxvq_u32(vmaxq_u32(largest(x), largest(y))));
  }
  void store(float* p) const {
    vst1q_f32(p, a);
    vst1q_f32(p + 4, b);
    vst1q_f32(p + 8, c);
    vst1q_f32(p + 12, d);
  }
  void store_part(float* p, std::int64_t n) const {
    float whole[kLanes];
    store(whole);
    for (std::int64_t i = 0; i < n; ++i) p[i] = whole[i];
  }
  float first() const { return vgetq_lane_f32(a, 0); }
  float sum() const {
    const float32x4_t four = vaddq_f32(vaddq_f32(a, c), vaddq_f32(b, d));
    const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(two, 0) + vget_lane_f32(two, 1);
  }
  static Vec max(Vec x, Vec y) {
    return {vmaxq_f32(x.a, y.a), vmaxq_f32(x.b, y.b), vmaxq_f32(x.c, y.c), vmaxq_f32(x.d, y.d)};
  }
  float largest() const { return vmaxvq_f32(vmaxq_f32(vmaxq_f32(a, b), vmaxq_f32(c, d))); }
  static Vec fma(Vec x, Vec y, Vec z) {
    return {vfmaq_f32(z.a, x.a, y.a), vfmaq_f32(z.b, x.b, y.b), vfmaq_f32(z.c, x.c, y.c),
            vfmaq_f32(z.d, x.d, y.d)};
  }
  static Vec exp(Vec x) { return {exp_f32(x.a), exp_f32(x.b), exp_f32(x.c), exp_f32(x.d)}; }
  friend Vec operator+(Vec x, Vec y) {
    return {vaddq_f32(x.a, y.a), vaddq_f32(x.b, y.b), vaddq_f32(x.c, y.c), vaddq_f32(x.d, y.d)};
  }
  friend Vec operator-(Vec x, Vec y) {
    return {vsubq_f32(x.a, y.a), vsubq_f32(x.b, y.b), vsubq_f32(x.c, y.c), vsubq_f32(x.d, y.d)};
  }
  friend Vec operator*(Vec x, Vec y) {
    return {vmulq_f32(x.a, y.a), vmulq_f32(x.b, y.b), vmulq_f32(x.c, y.c), vmulq_f32(x.d, y.d)};
  }
  friend Vec operator/(Vec x, Vec y) {
    return {vdivq_f32(x.a, y.a), vdivq_f32(x.b, y.b), vdivq_f32(x.c, y.c), vdivq_f32(x.d, y.d)};
  }
};
