// Plain C++: sixteen lanes in an array that the compiler may vectorize as it likes.

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
  float v[kLanes];

  static Vec set(float x) {
    Vec r;
    for (float& lane : r.v) lane = x;
    return r;
  }
  static Vec load(const float* p) {
    Vec r;
    __builtin_memcpy(r.v, p, sizeof r.v);
    return r;
  }
  static Vec load_part(const float* p, std::int64_t n) {
    Vec r = set(0.0F);
    for (std::int64_t i = 0; i < n; ++i) r.v[i] = p[i];
    return r;
  }
  static Vec load_f16(const std::byte* p) {
    Vec r;
    for (int i = 0; i < kLanes; ++i) {
      std::uint16_t bits;
      __builtin_memcpy(&bits, p + 2 * i, 2);
      r.v[i] = f16_value(bits);
    }
    return r;
  }
  static Vec load_bf16(const std::byte* p) {
    Vec r;
    for (int i = 0; i < kLanes; ++i) {
      std::uint16_t bits;
      __builtin_memcpy(&bits, p + 2 * i, 2);
      r.v[i] = bf16_value(bits);
    }
    return r;
  }
  static Vec from_i8(const std::int8_t* p) {
    Vec r;
    for (int i = 0; i < kLanes; ++i) r.v[i] = static_cast<float>(p[i]);
    return r;
  }
  static void from_nibbles(const std::byte* p, Vec& low, Vec& high) {
    for (int i = 0; i < kLanes; ++i) {
      low.v[i] = static_cast<float>(static_cast<int>(p[i]) & 15);
      high.v[i] = static_cast<float>(static_cast<int>(p[i]) >> 4);
    }
  }
  // Two columns as bf16 pairs of sixteen rows: the even and the odd ones.
  static void load_bf16_pairs(const std::byte* p, Vec& even, Vec& odd) {
    for (int i = 0; i < kLanes; ++i) {
      even.v[i] = bf16_value(load_u16(p + 4 * i));
      odd.v[i] = bf16_value(load_u16(p + 4 * i + 2));
    }
  }
  // E4M3 as f16: the same bits one place down from the top are the value times 2^-8.
  static float e4m3_times_2_to_minus_8(std::byte code) {
    const auto bits = static_cast<unsigned>(code);
    return f16_value(static_cast<std::uint16_t>(((bits & 0x80) << 8) | ((bits & 0x7F) << 7)));
  }
  static void load_e4m3_pairs(const std::byte* p, Vec& even, Vec& odd) {
    for (int i = 0; i < kLanes; ++i) {
      even.v[i] = e4m3_times_2_to_minus_8(p[2 * i]);
      odd.v[i] = e4m3_times_2_to_minus_8(p[2 * i + 1]);
    }
  }
  static Vec from_e4m3(const std::byte* p) {
    Vec r;
    for (int i = 0; i < kLanes; ++i) r.v[i] = e4m3_times_2_to_minus_8(p[i]);
    return r;
  }
  // As bits, so that a NaN is the largest of all.
  static float largest_magnitude(Vec x, Vec y) {
    std::uint32_t largest = 0;
    for (int i = 0; i < kLanes; ++i) {
      const std::uint32_t a = float_to_bits(x.v[i]) & 0x7FFFFFFF;
      const std::uint32_t b = float_to_bits(y.v[i]) & 0x7FFFFFFF;
      largest = a > largest ? a : largest;
      largest = b > largest ? b : largest;
    }
    return bits_to_float(largest);
  }
  void store(float* p) const { __builtin_memcpy(p, v, sizeof v); }
  void store_part(float* p, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i) p[i] = v[i];
  }
  float first() const { return v[0]; }
  // In the order of a tree, as the vector units do it.
  float sum() const {
    float part[kLanes];
    __builtin_memcpy(part, v, sizeof v);
    for (int width = kLanes / 2; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) part[i] += part[i + width];
    }
    return part[0];
  }
  static Vec max(Vec a, Vec b) {
    for (int i = 0; i < kLanes; ++i) a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return a;
  }
  float largest() const {
    float most = v[0];
    for (const float lane : v) most = lane > most ? lane : most;
    return most;
  }
  static Vec fma(Vec a, Vec b, Vec c) {
    for (int i = 0; i < kLanes; ++i) c.v[i] += a.v[i] * b.v[i];
    return c;
  }
  static Vec exp(Vec a) {
    for (float& lane : a.v) lane = __builtin_expf(lane);
    return a;
  }
  friend Vec operator+(Vec a, Vec b) {
    for (int i = 0; i < kLanes; ++i) a.v[i] += b.v[i];
    return a;
  }
  friend Vec operator-(Vec a, Vec b) {
    for (int i = 0; i < kLanes; ++i) a.v[i] -= b.v[i];
    return a;
  }
  friend Vec operator*(Vec a, Vec b) {
    for (int i = 0; i < kLanes; ++i) a.v[i] *= b.v[i];
    return a;
  }
  friend Vec operator/(Vec a, Vec b) {
    for (int i = 0; i < kLanes; ++i) a.v[i] /= b.v[i];
    return a;
  }
};
