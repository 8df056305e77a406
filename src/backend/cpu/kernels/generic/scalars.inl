// Single values from bytes, and bf16 in integer arithmetic. Internal linkage: the
// same code exists once per instruction set. Included before everything else.

inline float bits_to_float(std::uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

inline std::uint32_t float_to_bits(float value) {
  std::uint32_t bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}

inline float bf16_value(std::uint16_t bits) {
  return bits_to_float(static_cast<std::uint32_t>(bits) << 16);
}

// Round to nearest even; a NaN stays one.
inline std::uint16_t bf16_bits(float value) {
  const std::uint32_t bits = float_to_bits(value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

inline std::uint16_t load_u16(const std::byte* p) {
  std::uint16_t value;
  __builtin_memcpy(&value, p, 2);
  return value;
}

inline std::uint32_t load_u32(const std::byte* p) {
  std::uint32_t value;
  __builtin_memcpy(&value, p, 4);
  return value;
}

inline const std::uint8_t* as_u8(const std::byte* p) {
  return reinterpret_cast<const std::uint8_t*>(p);
}

inline std::int32_t load_i32(const void* p) {
  std::int32_t value;
  __builtin_memcpy(&value, p, 4);
  return value;
}

inline float load_f32(const void* p) {
  float value;
  __builtin_memcpy(&value, p, 4);
  return value;
}

// A number as a type: for how many rows or queries a piece of code is made.
template <int kN>
struct Count {
  static constexpr int n = kN;
};

// Below this e^x is taken for 0 on x86: it would soon be no normal float, and computing
// with those takes its processors a hundred cycles each.
[[maybe_unused]] constexpr float kLeastExponent = -87.0F;
