#include <immintrin.h>

#include <cstdint>

#include "media/kernels/kernels.h"

namespace pleiad::media {
namespace {

constexpr int kLanes = 16;
constexpr int kBlocks = 2;
constexpr Digits kDigits = kBytes;
typedef std::int32_t Ints __attribute__((vector_size(64)));

inline void store_clipped(std::uint8_t* to, Ints values) {
  const __m512i positive = _mm512_max_epi32((__m512i)values, _mm512_setzero_si512());
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtusepi32_epi8(positive));
}

inline __m256i two_rows(const std::uint8_t* const* rows, std::int64_t at) {
  const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[0] + at));
  const __m128i second = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[1] + at));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(first), second, 1);
}

inline Ints load_group(const std::uint8_t* const* rows, std::int64_t at) {
  const __m512i order =
      _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  const __m512i pixels =
      _mm512_inserti64x4(_mm512_castsi256_si512(two_rows(rows, at)), two_rows(rows + 2, at), 1);
  return (Ints)_mm512_shuffle_epi8(pixels, order);
}

inline __m512i load_row(const std::uint8_t* row, std::int64_t at) {
  return _mm512_loadu_si512(row + at);
}

inline void interleave(const std::uint8_t* const* rows, std::int64_t at, Ints (&four)[4]) {
  const __m512i a = load_row(rows[0], at);
  const __m512i b = load_row(rows[1], at);
  const __m512i c = load_row(rows[2], at);
  const __m512i d = load_row(rows[3], at);
  const __m512i low[2] = {_mm512_unpacklo_epi8(a, b), _mm512_unpacklo_epi8(c, d)};
  const __m512i high[2] = {_mm512_unpackhi_epi8(a, b), _mm512_unpackhi_epi8(c, d)};
  four[0] = (Ints)_mm512_unpacklo_epi16(low[0], low[1]);
  four[1] = (Ints)_mm512_unpackhi_epi16(low[0], low[1]);
  four[2] = (Ints)_mm512_unpacklo_epi16(high[0], high[1]);
  four[3] = (Ints)_mm512_unpackhi_epi16(high[0], high[1]);
}

inline void store_clipped(std::uint8_t* to, const Ints (&four)[4]) {
  const __m512i low = _mm512_packs_epi32((__m512i)four[0], (__m512i)four[1]);
  const __m512i high = _mm512_packs_epi32((__m512i)four[2], (__m512i)four[3]);
  _mm512_storeu_si512(to, _mm512_packus_epi16(low, high));
}

inline Ints multiply_add(Ints sum, Ints pixels, Ints digits) {
  return (Ints)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)pixels, (__m512i)digits);
}

#include "media/kernels/generic/resample.inl"

}  // namespace

Kernels avx512vnni_kernels() { return table("avx512vnni"); }

}  // namespace pleiad::media
