#include <immintrin.h>

#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

constexpr int kLanes = 8;
constexpr int kBlocks = 4;
constexpr Digits kDigits = kWords;
typedef std::int32_t Ints __attribute__((vector_size(32)));

inline void store_clipped(std::uint8_t* to, Ints values) {
  const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128((__m256i)values),
                                         _mm256_extracti128_si256((__m256i)values, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(halves, halves));
}

inline Ints load_group(const std::uint8_t* const* rows, std::int64_t at) {
  const __m128i order = _mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
  const __m128i pixels =
      _mm_unpacklo_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(rows[0] + at)),
                         _mm_loadl_epi64(reinterpret_cast<const __m128i*>(rows[1] + at)));
  return (Ints)_mm256_cvtepu8_epi16(_mm_shuffle_epi8(pixels, order));
}

inline void interleave(const std::uint8_t* const* rows, std::int64_t at, Ints (&four)[4]) {
  const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[0] + at));
  const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[1] + at));
  const __m256i low = _mm256_unpacklo_epi8(a, b);
  const __m256i high = _mm256_unpackhi_epi8(a, b);
  const __m256i zero = _mm256_setzero_si256();
  four[0] = (Ints)_mm256_unpacklo_epi8(low, zero);
  four[1] = (Ints)_mm256_unpackhi_epi8(low, zero);
  four[2] = (Ints)_mm256_unpacklo_epi8(high, zero);
  four[3] = (Ints)_mm256_unpackhi_epi8(high, zero);
}

inline void store_clipped(std::uint8_t* to, const Ints (&four)[4]) {
  const __m256i low = _mm256_packs_epi32((__m256i)four[0], (__m256i)four[1]);
  const __m256i high = _mm256_packs_epi32((__m256i)four[2], (__m256i)four[3]);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_packus_epi16(low, high));
}

inline Ints multiply_add(Ints sum, Ints pixels, Ints digits) {
  return sum + (Ints)_mm256_madd_epi16((__m256i)pixels, (__m256i)digits);
}

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels avx2_kernels() { return table("avx2"); }

}  // namespace pleiad::media
