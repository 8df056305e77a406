#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

constexpr int kLanes = 4;
constexpr int kRowsAtOnce = 4;
typedef std::int32_t Ints __attribute__((vector_size(16)));
typedef Ints FourInts;

#if defined(__SSE2__)

inline Ints widened(const std::uint8_t* from) {
  const __m128i zero = _mm_setzero_si128();
  return (Ints)_mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_loadu_si32(from), zero), zero);
}

inline void store_clipped(std::uint8_t* to, Ints values) {
  const __m128i halves = _mm_packs_epi32((__m128i)values, (__m128i)values);
  _mm_storeu_si32(to, _mm_packus_epi16(halves, halves));
}

inline void store_pairs(std::int16_t* to, const std::uint8_t* pixels) {
  const __m128i two = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixels));
  const __m128i pairs = _mm_unpacklo_epi8(two, _mm_srli_epi64(two, 32));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_unpacklo_epi8(pairs, _mm_setzero_si128()));
}

inline Ints multiply_add(Ints sum, Ints a, Ints b) {
  return sum + (Ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
}

#else

typedef std::uint8_t FourBytes __attribute__((vector_size(4)));

inline Ints widened(const std::uint8_t* from) {
  FourBytes bytes;
  __builtin_memcpy(&bytes, from, sizeof(bytes));
  return __builtin_convertvector(bytes, Ints);
}

inline void store_clipped(std::uint8_t* to, Ints values) {
  values = values < 0 ? Ints{} : values;
  values = values > 255 ? Ints{} + 255 : values;
  const FourBytes bytes = __builtin_convertvector(values, FourBytes);
  __builtin_memcpy(to, &bytes, sizeof(bytes));
}

inline void store_pairs(std::int16_t* to, const std::uint8_t* pixels) {
  for (int channel = 0; channel < 4; ++channel) {
    to[channel * 2] = pixels[channel];
    to[channel * 2 + 1] = pixels[channel + 4];
  }
}

inline Ints multiply_add(Ints sum, Ints a, Ints b) {
  return sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
}

#endif

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels baseline_kernels() { return table("baseline"); }

}  // namespace pleiad::media
