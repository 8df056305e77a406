#include <immintrin.h>

#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

constexpr int kLanes = 16;
constexpr int kRowsAtOnce = 8;
typedef std::int32_t Ints __attribute__((vector_size(64)));
typedef std::int32_t FourInts __attribute__((vector_size(16)));

inline Ints widened(const std::uint8_t* from) {
  return (Ints)_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

inline void store_clipped(std::uint8_t* to, Ints values) {
  const __m512i positive = _mm512_max_epi32((__m512i)values, _mm512_setzero_si512());
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtusepi32_epi8(positive));
}

inline void store_clipped(std::uint8_t* to, FourInts values) {
  const __m128i halves = _mm_packs_epi32((__m128i)values, (__m128i)values);
  _mm_storeu_si32(to, _mm_packus_epi16(halves, halves));
}

inline void store_pairs(std::int16_t* to, const std::uint8_t* pixels) {
  const __m256i order = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
  const __m256i pairs =
      _mm256_shuffle_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(pixels)), order);
  _mm512_storeu_si512(to, _mm512_cvtepu8_epi16(pairs));
}

inline Ints multiply_add(Ints sum, Ints a, Ints b) {
  return sum + (Ints)_mm512_madd_epi16((__m512i)a, (__m512i)b);
}

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels avx512_kernels() { return table("avx512"); }

}  // namespace pleiad::media
