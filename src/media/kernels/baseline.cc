#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

constexpr int kLanes = 4;
constexpr int kBlocks = 4;
constexpr Digits kDigits = kWords;
typedef std::int32_t Ints __attribute__((vector_size(16)));

#if defined(__SSE2__)

inline void store_clipped(std::uint8_t* to, Ints values) {
  const __m128i halves = _mm_packs_epi32((__m128i)values, (__m128i)values);
  _mm_storeu_si32(to, _mm_packus_epi16(halves, halves));
}

inline Ints load_group(const std::uint8_t* const* rows, std::int64_t at) {
  const __m128i two = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(rows[0] + at));
  const __m128i pairs = _mm_unpacklo_epi8(two, _mm_srli_epi64(two, 32));
  return (Ints)_mm_unpacklo_epi8(pairs, _mm_setzero_si128());
}

inline void interleave(const std::uint8_t* const* rows, std::int64_t at, Ints (&four)[4]) {
  const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[0] + at));
  const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[1] + at));
  const __m128i low = _mm_unpacklo_epi8(a, b);
  const __m128i high = _mm_unpackhi_epi8(a, b);
  const __m128i zero = _mm_setzero_si128();
  four[0] = (Ints)_mm_unpacklo_epi8(low, zero);
  four[1] = (Ints)_mm_unpackhi_epi8(low, zero);
  four[2] = (Ints)_mm_unpacklo_epi8(high, zero);
  four[3] = (Ints)_mm_unpackhi_epi8(high, zero);
}

inline void store_clipped(std::uint8_t* to, const Ints (&four)[4]) {
  const __m128i low = _mm_packs_epi32((__m128i)four[0], (__m128i)four[1]);
  const __m128i high = _mm_packs_epi32((__m128i)four[2], (__m128i)four[3]);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(low, high));
}

inline Ints multiply_add(Ints sum, Ints a, Ints b) {
  return sum + (Ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
}

#else

typedef std::uint8_t FourBytes __attribute__((vector_size(4)));

inline void store_clipped(std::uint8_t* to, Ints values) {
  values = values < 0 ? Ints{} : values;
  values = values > 255 ? Ints{} + 255 : values;
  const FourBytes bytes = __builtin_convertvector(values, FourBytes);
  __builtin_memcpy(to, &bytes, sizeof(bytes));
}

inline Ints load_group(const std::uint8_t* const* rows, std::int64_t at) {
  Ints pairs = {};
  for (int channel = 0; channel < 4; ++channel) {
    const std::uint8_t* const pixels = rows[0] + at + channel;
    pairs[channel] = pixels[0] | pixels[4] << 16;
  }
  return pairs;
}

inline void interleave(const std::uint8_t* const* rows, std::int64_t at, Ints (&four)[4]) {
  for (int v = 0; v < 4; ++v) {
    const std::int64_t first = at + v * 4;
    Ints pairs = {};
    for (int i = 0; i < 4; ++i) pairs[i] = rows[0][first + i] | rows[1][first + i] << 16;
    four[v] = pairs;
  }
}

inline void store_clipped(std::uint8_t* to, const Ints (&four)[4]) {
  for (int v = 0; v < 4; ++v) store_clipped(to + v * 4, four[v]);
}

inline Ints multiply_add(Ints sum, Ints a, Ints b) {
  return sum + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);
}

#endif

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels baseline_kernels() { return table("baseline"); }

}  // namespace pleiad::media
