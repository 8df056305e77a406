// Plain C++: sixteen lanes in four vectors, which every baseline has registers for.

inline constexpr int kInputRows = 1;
inline constexpr int kBlockRows = 4;  // of a product whose sums are in registers
inline constexpr int kBlockVecs = 1;

inline float f16_value(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7FFF;
  if (magnitude >= 0x7C00) {  // infinity, NaN
    return bits_to_float(sign | 0x7F800000 | ((magnitude & 0x3FF) << 13));
  }
  // Shifted into place the exponent is 112 too small, which one multiplication
  // mends for normal and subnormal values alike.
  const float value = bits_to_float(magnitude << 13) * 0x1p112F;
  return bits_to_float(sign | float_to_bits(value));
}

inline std::uint16_t f16_bits(float value) {
  const std::uint32_t bits = float_to_bits(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return static_cast<std::uint16_t>(sign | 0x7E00);
  if (magnitude >= 0x477FF000) return static_cast<std::uint16_t>(sign | 0x7C00);
  if (magnitude < 0x38800000) {
    // Subnormal: adding 0.5 leaves the rounded count of 2^-24 in the low bits.
    const float shifted = bits_to_float(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (float_to_bits(shifted) - 0x3F000000));
  }
  const std::uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

struct Vec {
  // An array of floats would stay in memory where the compiler leaves loops over lanes as they are.
  typedef float Four __attribute__((vector_size(16)));
  typedef std::uint32_t FourBits __attribute__((vector_size(16)));
  static constexpr int kFours = kLanes / 4;
  Four v[kFours];

  // Of the vectors of each four lanes.
  template <typename Of>
  static Vec each(const Of& of) {
    Vec r;
#pragma GCC unroll 4
    for (int i = 0; i < kFours; ++i) r.v[i] = of(i);
    return r;
  }
  // Of each lane by itself.
  template <typename Of>
  static Vec each_lane(const Of& of) {
    Vec r;
    for (int i = 0; i < kFours; ++i) {
      r.v[i] = Four{of(4 * i), of(4 * i + 1), of(4 * i + 2), of(4 * i + 3)};
    }
    return r;
  }

  static Vec set(float x) {
    return each([x](int) { return Four{x, x, x, x}; });
  }
  static Vec load(const float* p) {
    Vec r;
#pragma GCC unroll 4
    for (int i = 0; i < kFours; ++i) __builtin_memcpy(&r.v[i], p + 4 * i, sizeof(Four));
    return r;
  }
  static Vec load_part(const float* p, std::int64_t n) {
    return each_lane([p, n](int i) { return i < n ? p[i] : 0.0F; });
  }
  // As f16_value().
  static Four f16_values(FourBits bits) {
    const FourBits magnitude = bits & 0x7FFFU;
    const FourBits finite =
        reinterpret_cast<FourBits>(reinterpret_cast<Four>(magnitude << 13) * 0x1p112F);
    const FourBits other = ((magnitude & 0x3FFU) << 13) | 0x7F800000U;
    const FourBits value = magnitude < 0x7C00U ? finite : other;
    return reinterpret_cast<Four>(value | ((bits & 0x8000U) << 16));
  }
  static Vec load_f16(const std::byte* p) {
    return each([p](int i) {
      const std::byte* four = p + 8 * i;
      return f16_values(
          FourBits{load_u16(four), load_u16(four + 2), load_u16(four + 4), load_u16(four + 6)});
    });
  }
  static Vec load_bf16(const std::byte* p) {
    return each_lane([p](int i) { return bf16_value(load_u16(p + 2 * i)); });
  }
  static Vec from_i8(const std::int8_t* p) {
    return each_lane([p](int i) { return static_cast<float>(p[i]); });
  }
  static void from_nibbles(const std::byte* p, Vec& low, Vec& high) {
    low = each_lane([p](int i) { return static_cast<float>(static_cast<int>(p[i]) & 15); });
    high = each_lane([p](int i) { return static_cast<float>(static_cast<int>(p[i]) >> 4); });
  }
  // Two columns as bf16 pairs of sixteen rows: the even and the odd ones.
  static void load_bf16_pairs(const std::byte* p, Vec& even, Vec& odd) {
#pragma GCC unroll 4
    for (int i = 0; i < kFours; ++i) {
      FourBits pairs;
      __builtin_memcpy(&pairs, p + 16 * i, sizeof pairs);
      even.v[i] = reinterpret_cast<Four>(pairs << 16);
      odd.v[i] = reinterpret_cast<Four>(pairs & 0xFFFF0000U);
    }
  }
  // E4M3 as f16: the same bits one place down from the top are the value times 2^-8.
  static float e4m3_times_2_to_minus_8(std::byte code) {
    const auto bits = static_cast<unsigned>(code);
    return f16_value(static_cast<std::uint16_t>(((bits & 0x80) << 8) | ((bits & 0x7F) << 7)));
  }
  static void load_e4m3_pairs(const std::byte* p, Vec& even, Vec& odd) {
    even = each_lane([p](int i) { return e4m3_times_2_to_minus_8(p[2 * i]); });
    odd = each_lane([p](int i) { return e4m3_times_2_to_minus_8(p[2 * i + 1]); });
  }
  static Vec from_e4m3(const std::byte* p) {
    return each_lane([p](int i) { return e4m3_times_2_to_minus_8(p[i]); });
  }
  // As bits, so that a NaN is the largest of all.
  static float largest_magnitude(const Vec& x, const Vec& y) {
    float lanes[2 * kLanes];
    x.store(lanes);
    y.store(lanes + kLanes);
    std::uint32_t largest = 0;
    for (const float lane : lanes) {
      const std::uint32_t bits = float_to_bits(lane) & 0x7FFFFFFF;
      largest = bits > largest ? bits : largest;
    }
    return bits_to_float(largest);
  }
  void store(float* p) const {
#pragma GCC unroll 4
    for (int i = 0; i < kFours; ++i) __builtin_memcpy(p + 4 * i, &v[i], sizeof(Four));
  }
  void store_part(float* p, std::int64_t n) const {
    float lanes[kLanes];
    store(lanes);
    for (std::int64_t i = 0; i < n; ++i) p[i] = lanes[i];
  }
  float first() const { return v[0][0]; }
  // In the order of a tree, as the vector units do it.
  float sum() const {
    const Four four = (v[0] + v[2]) + (v[1] + v[3]);
    return (four[0] + four[2]) + (four[1] + four[3]);
  }
  static Vec max(const Vec& x, const Vec& y) {
    return each([&](int i) { return x.v[i] > y.v[i] ? x.v[i] : y.v[i]; });
  }
  float largest() const {
    float lanes[kLanes];
    store(lanes);
    float most = lanes[0];
    for (const float lane : lanes) most = lane > most ? lane : most;
    return most;
  }
  static Vec fma(const Vec& x, const Vec& y, const Vec& z) {
    return each([&](int i) { return z.v[i] + x.v[i] * y.v[i]; });
  }
  static Vec exp(const Vec& x) {
    float lanes[kLanes];
    x.store(lanes);
    for (float& lane : lanes) lane = __builtin_expf(lane);
    return load(lanes);
  }
  friend Vec operator+(const Vec& x, const Vec& y) {
    return each([&](int i) { return x.v[i] + y.v[i]; });
  }
  friend Vec operator-(const Vec& x, const Vec& y) {
    return each([&](int i) { return x.v[i] - y.v[i]; });
  }
  friend Vec operator*(const Vec& x, const Vec& y) {
    return each([&](int i) { return x.v[i] * y.v[i]; });
  }
  friend Vec operator/(const Vec& x, const Vec& y) {
    return each([&](int i) { return x.v[i] / y.v[i]; });
  }
};
