// Sixteen lanes in the compiler's vector types, whole or in pieces as wide as the
// instruction set has them. Every operation is exact or rounded as IEEE 754 says and
// nothing is contracted, so all sets give the same bits. A lane is a group of values
// that share a scale: what is summed is summed within a lane, in the order of columns.

#if defined(__AVX512F__)
constexpr int kNativeLanes = 16;
#elif defined(__AVX2__)
constexpr int kNativeLanes = 8;
#else
constexpr int kNativeLanes = 4;
#endif
constexpr int kLanes = 16;
constexpr int kParts = kLanes / kNativeLanes;

typedef float NativeFloats __attribute__((vector_size(kNativeLanes * 4)));
typedef std::int32_t NativeInts __attribute__((vector_size(kNativeLanes * 4)));

struct Ints {
  NativeInts part[kParts];
};
struct Floats {
  NativeFloats part[kParts];
};
struct Mask {
  NativeInts part[kParts];  // 0 or -1
};

// `statement` for every piece p, written out: a loop would keep the pieces in memory.
#if defined(__AVX512F__)
#  define PLEIAD_EACH_PART(statement) \
    {                                 \
      constexpr int p = 0;            \
      statement;                      \
    }
#elif defined(__AVX2__)
#  define PLEIAD_EACH_PART(statement) \
    {                                 \
      constexpr int p = 0;            \
      statement;                      \
    }                                 \
    {                                 \
      constexpr int p = 1;            \
      statement;                      \
    }
#else
#  define PLEIAD_EACH_PART(statement) \
    {                                 \
      constexpr int p = 0;            \
      statement;                      \
    }                                 \
    {                                 \
      constexpr int p = 1;            \
      statement;                      \
    }                                 \
    {                                 \
      constexpr int p = 2;            \
      statement;                      \
    }                                 \
    {                                 \
      constexpr int p = 3;            \
      statement;                      \
    }
#endif

// An operation on the pieces x and y of a and b.
#define PLEIAD_LANES(Result, A, B, name, expression)                     \
  inline Result name(A a, B b) {                                         \
    Result result;                                                       \
    PLEIAD_EACH_PART(const auto x = a.part[p]; const auto y = b.part[p]; \
                     result.part[p] = (expression))                      \
    return result;                                                       \
  }

PLEIAD_LANES(Floats, Floats, Floats, operator+, x + y)
PLEIAD_LANES(Floats, Floats, Floats, operator-, x - y)
PLEIAD_LANES(Floats, Floats, Floats, operator*, x* y)
PLEIAD_LANES(Floats, Floats, Floats, operator/, x / y)
PLEIAD_LANES(Mask, Floats, Floats, operator<, x < y)
PLEIAD_LANES(Mask, Floats, Floats, operator>, x > y)
PLEIAD_LANES(Mask, Floats, Floats, operator>=, x >= y)
PLEIAD_LANES(Mask, Floats, Floats, operator==, x == y)
PLEIAD_LANES(Ints, Ints, Ints, operator+, x + y)
PLEIAD_LANES(Ints, Ints, Ints, operator-, x - y)
PLEIAD_LANES(Ints, Ints, Ints, operator&, x& y)
PLEIAD_LANES(Ints, Ints, Ints, operator|, x | y)
PLEIAD_LANES(Mask, Ints, Ints, operator<, x < y)
PLEIAD_LANES(Mask, Mask, Mask, operator&, x& y)
PLEIAD_LANES(Mask, Mask, Mask, operator|, x | y)
PLEIAD_LANES(Floats, Floats, Floats, smaller, x < y ? x : y)
PLEIAD_LANES(Floats, Floats, Floats, larger, x > y ? x : y)

#undef PLEIAD_LANES

inline Ints shift_left(Ints a, int bits) {
  PLEIAD_EACH_PART(a.part[p] <<= bits)
  return a;
}

// Of numbers that are not negative.
inline Ints shift_right(Ints a, int bits) {
  PLEIAD_EACH_PART(a.part[p] >>= bits)
  return a;
}

inline Floats select(Mask mask, Floats a, Floats b) {
  Floats result;
  PLEIAD_EACH_PART(result.part[p] = mask.part[p] ? a.part[p] : b.part[p])
  return result;
}

inline Ints select(Mask mask, Ints a, Ints b) {
  Ints result;
  PLEIAD_EACH_PART(result.part[p] = mask.part[p] ? a.part[p] : b.part[p])
  return result;
}

inline Floats all(float value) {
  Floats result;
  PLEIAD_EACH_PART(result.part[p] = value - NativeFloats{})
  return result;
}

inline Ints all(int value) {
  Ints result;
  PLEIAD_EACH_PART(result.part[p] = value - NativeInts{})
  return result;
}

inline Floats load(const float* from) {
  Floats result;
  PLEIAD_EACH_PART(__builtin_memcpy(&result.part[p], from + p * kNativeLanes, sizeof(NativeFloats)))
  return result;
}

inline Ints load(const std::int32_t* from) {
  Ints result;
  PLEIAD_EACH_PART(__builtin_memcpy(&result.part[p], from + p * kNativeLanes, sizeof(NativeInts)))
  return result;
}

inline void store(float* to, Floats a) {
  PLEIAD_EACH_PART(__builtin_memcpy(to + p * kNativeLanes, &a.part[p], sizeof(NativeFloats)))
}
inline void store(std::int32_t* to, Ints a) {
  PLEIAD_EACH_PART(__builtin_memcpy(to + p * kNativeLanes, &a.part[p], sizeof(NativeInts)))
}

inline Ints bits_of(Floats a) {
  Ints result;
  PLEIAD_EACH_PART(result.part[p] = (NativeInts)a.part[p])
  return result;
}

inline Floats floats_of_bits(Ints a) {
  Floats result;
  PLEIAD_EACH_PART(result.part[p] = (NativeFloats)a.part[p])
  return result;
}

// Toward zero; the values fit.
inline Ints truncate(Floats a) {
  Ints result;
  PLEIAD_EACH_PART(result.part[p] = __builtin_convertvector(a.part[p], NativeInts))
  return result;
}

inline Floats to_floats(Ints a) {
  Floats result;
  PLEIAD_EACH_PART(result.part[p] = __builtin_convertvector(a.part[p], NativeFloats))
  return result;
}

inline Floats magnitude(Floats a) { return floats_of_bits(bits_of(a) & all(0x7FFFFFFF)); }

inline Ints sign_bits(Floats a) { return bits_of(a) & all(static_cast<int>(0x80000000U)); }

inline Floats clamp(Floats a, float low, float high) {
  return smaller(larger(a, all(low)), all(high));
}

// To the nearest whole number, ties to even; magnitudes below 2^22.
inline Floats round_even(Floats a) {
  const Floats magic = all(12582912.0F);
  return (a + magic) - magic;
}

// To the nearest whole number, ties away from zero; magnitudes below 2^31.
inline Floats round_away(Floats a) {
  const Floats m = magnitude(a);
  const Floats whole = to_floats(truncate(m));
  const Floats rounded = whole + select(m - whole >= all(0.5F), all(1.0F), all(0.0F));
  return floats_of_bits(bits_of(rounded) | sign_bits(a));
}

// 1 / a, and 0 where that would not be finite.
inline Floats reciprocal(Floats a) {
  return select(magnitude(a) < all(0x1p-126F), all(0.0F), all(1.0F) / a);
}

// The bits of the nearest half floats, ties to even; what is too large becomes the
// largest, 65504.
inline Ints f16_bits(Floats a) {
  const Floats m = smaller(magnitude(a), all(65504.0F));
  const Ints rebased = bits_of(m) - all(112 << 23);
  const Ints odd = shift_right(rebased, 13) & all(1);
  const Ints normal = shift_right(rebased + all(0xFFF) + odd, 13);
  const Ints subnormal = truncate(round_even(smaller(m, all(1.0F)) * all(0x1p24F)));
  const Ints sign = shift_right(sign_bits(a), 16) & all(0x8000);
  return select(m < all(0x1p-14F), subnormal, normal) | sign;
}

inline Floats floats_of_f16(Ints bits) {
  const Ints m = bits & all(0x7FFF);
  const Floats normal = floats_of_bits(shift_left(m, 13) + all(112 << 23));
  const Floats subnormal = to_floats(m) * all(0x1p-24F);
  const Floats value = select(m < all(0x400), subnormal, normal);
  return floats_of_bits(bits_of(value) | shift_left(bits & all(0x8000), 16));
}

inline Floats rounded_to_f16(Floats a) { return floats_of_f16(f16_bits(a)); }

// Without sign: the bits of the nearest E4M3 values, ties to even, at most 448.
inline Ints e4m3_bits(Floats m) {
  const Floats limited = smaller(m, all(448.0F));
  const Ints rebased = bits_of(limited) - all(120 << 23);
  const Ints odd = shift_right(rebased, 20) & all(1);
  const Ints normal = shift_right(rebased + all(0x7FFFF) + odd, 20);
  const Ints subnormal = truncate(round_even(smaller(limited, all(1.0F)) * all(0x1p9F)));
  return select(limited < all(0x1p-6F), subnormal, normal);
}

inline Floats floats_of_e4m3(Ints bits) {
  const Floats normal = floats_of_bits(shift_left(bits, 20) + all(120 << 23));
  return select(bits < all(8), to_floats(bits) * all(0x1p-9F), normal);
}
