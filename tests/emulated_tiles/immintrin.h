// <immintrin.h> whose matrix unit is emulated with AVX-512: the kernels of AMX, compiled with this
// folder first among the includes, run where AVX-512 does (scripts/test-avx512). Also emulated:
// conversion to bf16, which Bochs' processors lack, and GF2P8AFFINEQB, which Bochs 2.7 gets wrong.
//
// After Intel's Software Developer's Manual, volume 2: TDPBF16PS, TDPBSSD, TDPBSUD, TILELOADD,
// TILESTORED, TILEZERO, LDTILECFG, VCVTNE2PS2BF16, GF2P8AFFINEQB. A configuration that is a fault
// there is a trap here, as are tiles that are not configured, or not fit for a product.
#pragma once

// A header of the system, so that neither this line nor the macros below are warned of.
#pragma GCC system_header

#include_next <immintrin.h>

#include <cstdint>
#include <cstring>

namespace pleiad::emulated_tiles {

struct Tile {
  std::uint8_t row[16][64];
};

/// One thread's tiles.
struct Unit {
  bool configured;
  std::uint8_t rows[8];
  std::uint16_t row_bytes[8];
  Tile tile[8];
};

inline thread_local Unit unit;

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

inline Tile& tile(int index) {
  require(unit.configured && unit.rows[index] > 0);
  return unit.tile[index];
}

/// `config` holds 64 bytes: palette, first row, 16 row sizes from byte 16, 16 counts from byte 48.
inline void load_config(const void* config) {
  std::uint8_t bytes[64];
  std::memcpy(bytes, config, sizeof(bytes));
  require(bytes[0] == 1 && bytes[1] == 0);
  for (int i = 2; i < 16; ++i) require(bytes[i] == 0);
  unit = Unit();
  unit.configured = true;
  for (int i = 0; i < 16; ++i) {
    std::uint16_t row_bytes = 0;
    std::memcpy(&row_bytes, bytes + 16 + 2 * i, 2);
    const std::uint8_t rows = bytes[48 + i];
    require(row_bytes <= 64 && rows <= 16 && (row_bytes == 0) == (rows == 0));
    require(i < 8 || rows == 0);
    if (i < 8) {
      unit.row_bytes[i] = row_bytes;
      unit.rows[i] = rows;
    }
  }
}

inline void release() { unit = Unit(); }

inline void zero(int index) { tile(index) = Tile(); }

inline void load(int index, const void* from, long stride) {
  Tile& to = tile(index);
  to = Tile();
  for (int i = 0; i < unit.rows[index]; ++i) {
    std::memcpy(to.row[i], static_cast<const char*>(from) + i * stride, unit.row_bytes[index]);
  }
}

inline void store(int index, void* to, long stride) {
  const Tile& from = tile(index);
  for (int i = 0; i < unit.rows[index]; ++i) {
    std::memcpy(static_cast<char*>(to) + i * stride, from.row[i], unit.row_bytes[index]);
  }
}

/// Sums [m, n], x [m, 4 k] bytes, w [k, 4 n] bytes: four bytes of x meet four of w.
inline void require_fit(int sums, int x, int w) {
  require(sums != x && sums != w && x != w);
  require(unit.rows[sums] == unit.rows[x] && unit.row_bytes[sums] == unit.row_bytes[w] &&
          unit.row_bytes[x] == 4 * unit.rows[w] && unit.row_bytes[w] % 4 == 0);
}

/// Four bytes of x, of row i and step k, in each lane.
inline __m512i spread(const Tile& x, int i, int k) {
  std::int32_t four;
  std::memcpy(&four, x.row[i] + 4 * k, 4);
  return _mm512_set1_epi32(four);
}

inline __mmask16 is_denormal_or_zero(__m512 v) {
  return _mm512_cmp_ps_mask(_mm512_abs_ps(v), _mm512_set1_ps(0x1p-126F), _CMP_LT_OQ);
}

/// Denormal numbers are zeros, of the same sign, to the matrix unit.
inline __m512 flushed(__m512 v) {
  return _mm512_mask_and_ps(v, is_denormal_or_zero(v), v, _mm512_set1_ps(-0.0F));
}

inline __m512 even_bf16(__m512i pairs) {
  return flushed(_mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16)));
}

inline __m512 odd_bf16(__m512i pairs) {
  return flushed(
      _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(static_cast<int>(~0xFFFFU)))));
}

/// Even and odd products have sums of their own, which are added at the end.
[[gnu::noinline]] inline void bf16_products(int sums, int x, int w) {
  Tile& to = tile(sums);
  const Tile& rows = tile(x);
  const Tile& weights = tile(w);
  require_fit(sums, x, w);
  for (int i = 0; i < unit.rows[sums]; ++i) {
    __m512 even = _mm512_setzero_ps();
    __m512 odd = _mm512_setzero_ps();
    for (int k = 0; k < unit.rows[w]; ++k) {
      const __m512i pairs = _mm512_loadu_si512(weights.row[k]);
      const __m512i both = spread(rows, i, k);
      even = flushed(_mm512_fmadd_ps(even_bf16(both), even_bf16(pairs), even));
      odd = flushed(_mm512_fmadd_ps(odd_bf16(both), odd_bf16(pairs), odd));
    }
    const __m512 sum = flushed(_mm512_loadu_ps(to.row[i]));
    _mm512_storeu_ps(to.row[i], flushed(_mm512_add_ps(sum, flushed(_mm512_add_ps(even, odd)))));
  }
}

/// Signed bytes of x times bytes of w, signed or not.
template <bool kSignedWeights>
[[gnu::noinline]] inline void byte_products(int sums, int x, int w) {
  Tile& to = tile(sums);
  const Tile& rows = tile(x);
  const Tile& weights = tile(w);
  require_fit(sums, x, w);
  const auto even = [](__m512i v) { return _mm512_srai_epi16(_mm512_slli_epi16(v, 8), 8); };
  for (int i = 0; i < unit.rows[sums]; ++i) {
    __m512i sum = _mm512_loadu_si512(to.row[i]);
    for (int k = 0; k < unit.rows[w]; ++k) {
      const __m512i four = spread(rows, i, k);
      const __m512i bytes = _mm512_loadu_si512(weights.row[k]);
      const __m512i even_w =
          kSignedWeights ? even(bytes) : _mm512_and_si512(bytes, _mm512_set1_epi16(255));
      const __m512i odd_w =
          kSignedWeights ? _mm512_srai_epi16(bytes, 8) : _mm512_srli_epi16(bytes, 8);
      sum = _mm512_dpwssd_epi32(sum, even(four), even_w);
      sum = _mm512_dpwssd_epi32(sum, _mm512_srai_epi16(four, 8), odd_w);
    }
    _mm512_storeu_si512(to.row[i], sum);
  }
}

/// To nearest, ties to even; denormal numbers become zeros. Sixteen values in the low halves.
inline __m512i bf16_bits(__m512 v) {
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i last = _mm512_and_si512(_mm512_srli_epi32(bits, 16), one);
  const __m512i rounded = _mm512_srli_epi32(
      _mm512_add_epi32(bits, _mm512_add_epi32(_mm512_set1_epi32(0x7FFF), last)), 16);
  const __m512i quiet = _mm512_or_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(0x40));
  const __mmask16 is_nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
  const __m512i sign = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(0x8000));
  return _mm512_mask_mov_epi32(_mm512_mask_mov_epi32(rounded, is_nan, quiet),
                               is_denormal_or_zero(v), sign);
}

inline __m512bh to_bf16(__m512 high, __m512 low) {
  const __m512i all =
      _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(bf16_bits(low))),
                         _mm512_cvtepi32_epi16(bf16_bits(high)), 1);
  return reinterpret_cast<__m512bh>(all);
}

/// Each byte of x times the matrix of bits in its 8 bytes of `matrix`, whose row 7 - i gives bit i.
inline __m512i bit_products(__m512i x, __m512i matrix, int flipped) {
  __m512i product = _mm512_set1_epi8(static_cast<char>(flipped));
  for (int i = 0; i < 8; ++i) {
    const __m512i row =
        _mm512_add_epi8(_mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0,
                                         0x0808080808080808, 0, 0x0808080808080808, 0),
                        _mm512_set1_epi8(static_cast<char>(7 - i)));
    const __m512i ones = _mm512_and_si512(x, _mm512_shuffle_epi8(matrix, row));
    __mmask64 parity = 0;
    for (int bit = 0; bit < 8; ++bit) {
      parity ^= _mm512_test_epi8_mask(ones, _mm512_set1_epi8(static_cast<char>(1 << bit)));
    }
    product = _mm512_xor_si512(
        product, _mm512_maskz_mov_epi8(parity, _mm512_set1_epi8(static_cast<char>(1 << i))));
  }
  return product;
}

}  // namespace pleiad::emulated_tiles

#undef _tile_loadd
#undef _tile_stream_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbf16ps
#undef _tile_dpbssd
#undef _tile_dpbsud
#undef _mm512_gf2p8affine_epi64_epi8
#define _tile_loadconfig pleiad::emulated_tiles::load_config
#define _tile_release pleiad::emulated_tiles::release
#define _tile_loadd pleiad::emulated_tiles::load
#define _tile_stream_loadd pleiad::emulated_tiles::load
#define _tile_stored pleiad::emulated_tiles::store
#define _tile_zero pleiad::emulated_tiles::zero
#define _tile_dpbf16ps pleiad::emulated_tiles::bf16_products
#define _tile_dpbssd pleiad::emulated_tiles::byte_products<true>
#define _tile_dpbsud pleiad::emulated_tiles::byte_products<false>
#define _mm512_cvtne2ps_pbh pleiad::emulated_tiles::to_bf16
#define _mm512_gf2p8affine_epi64_epi8 pleiad::emulated_tiles::bit_products
