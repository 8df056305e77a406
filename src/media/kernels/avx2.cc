#include <immintrin.h>

#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

constexpr int kLanes = 8;
constexpr int kRowsAtOnce = 4;
typedef std::int32_t Ints __attribute__((vector_size(32)));
typedef std::int32_t FourInts __attribute__((vector_size(16)));

inline Ints widened(const std::uint8_t* from) {
  return (Ints)_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
}

inline void store_clipped(std::uint8_t* to, Ints values) {
  const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)values),
                                         _mm256_extracti128_si256((__m256i)values, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(halves, halves));
}

inline void store_clipped(std::uint8_t* to, FourInts values) {
  const __m128i halves = _mm_packs_epi32((__m128i)values, (__m128i)values);
  _mm_storeu_si32(to, _mm_packus_epi16(halves, halves));
}

inline void store_pairs(std::int16_t* to, const std::uint8_t* pixels) {
  const __m128i order = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  const __m128i pairs =
      _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels)), order);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_cvtepu8_epi16(pairs));
}

inline Ints multiply_add(Ints sum, Ints a, Ints b) {
  return sum + (Ints)_mm256_madd_epi16((__m256i)a, (__m256i)b);
}

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels avx2_kernels() { return table("avx2"); }

}  // namespace pleiad::media
