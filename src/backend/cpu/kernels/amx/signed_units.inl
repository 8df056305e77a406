// A group's weights as signed bytes, less the kind's offset, for integer products on the
// matrix unit. Bits are moved by GFNI, which takes a byte for a vector of bits and
// multiplies it by a matrix: fields of any width and place, in one instruction each.

// The matrix that moves bits [from, from + n) to [to, to + n), all others 0, or, for a
// signed field that is kept with its sign bit inverted, with copies of the last one above.
constexpr std::int64_t bit_matrix(int from, int to, int n, bool is_signed) {
  std::uint64_t matrix = 0;
  for (int out = to; out < (is_signed ? 8 : to + n); ++out) {
    const int in = from + (out < to + n ? out - to : n - 1);
    matrix |= std::uint64_t{1} << (8 * (7 - out) + in);  // bit i of the result is row 7 - i
  }
  return static_cast<std::int64_t>(matrix);
}

// kFlip: bits of the result that are inverted.
template <int kFlip = 0>
inline __m512i moved_bits(__m512i bytes, std::int64_t matrix) {
  return _mm512_gf2p8affine_epi64_epi8(bytes, _mm512_set1_epi64(matrix), kFlip);
}

// Of two units, one in the low and one in the high nibbles: which * 4 is the first bit.
inline __m512i nibbles(__m512i bytes, int which) {
  return moved_bits(bytes, bit_matrix(4 * which, 0, 4, false));
}

template <typename T>
struct SignedUnits;

template <>
struct SignedUnits<PackedQ8> {
  [[gnu::always_inline]] static void load(const std::byte* step, int group, __m512i* w) {
    for (int i = 0; i < 8; ++i) {
      w[i] = _mm512_xor_si512(_mm512_loadu_si512(step + 64 + 512 * group + 64 * i),
                              _mm512_set1_epi8(-128));
    }
  }
};

template <>
struct SignedUnits<PackedQ4> {
  [[gnu::always_inline]] static void load(const std::byte* step, int group, __m512i* w) {
    for (int i = 0; i < 4; ++i) {
      const __m512i both = _mm512_loadu_si512(step + 64 + 256 * group + 64 * i);
      w[i] = moved_bits<0xF8>(both, bit_matrix(0, 0, 4, true));
      w[i + 4] = moved_bits<0xF8>(both, bit_matrix(4, 0, 4, true));
    }
  }
};

template <>
struct SignedUnits<PackedNvfp4> {
  [[gnu::always_inline]] static void load(const std::byte* step, int group, __m512i* w) {
    const __m512i table = _mm512_sub_epi8(
        _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(kE2m1Plus16))),
        _mm512_set1_epi8(16));
    for (int i = 0; i < 2; ++i) {
      const __m512i both = _mm512_loadu_si512(step + 64 + 128 * group + 64 * i);
      w[i] = _mm512_shuffle_epi8(table, nibbles(both, 0));
      w[i + 2] = _mm512_shuffle_epi8(table, nibbles(both, 1));
    }
  }
};

template <>
struct SignedUnits<PackedQ4K> {
  [[gnu::always_inline]] static void load(const std::byte* step, int group, __m512i* w) {
    const std::byte* units = step + 256 + 512 * (group / 2);
    for (int i = 0; i < 8; ++i) w[i] = nibbles(_mm512_loadu_si512(units + 64 * i), group % 2);
  }
};

template <>
struct SignedUnits<PackedQ5K> {
  [[gnu::always_inline]] static void load(const std::byte* step, int group, __m512i* w) {
    const std::byte* fifth = step + 256;
    const std::byte* units = step + 768 + 512 * (group / 2);
    for (int i = 0; i < 8; ++i) {
      w[i] = _mm512_or_si512(
          nibbles(_mm512_loadu_si512(units + 64 * i), group % 2),
          moved_bits(_mm512_loadu_si512(fifth + 64 * i), bit_matrix(group, 4, 1, false)));
    }
  }
};

template <>
struct SignedUnits<PackedQ6K> {
  [[gnu::always_inline]] static void load(const std::byte* step, int group, __m512i* w) {
    const int part = group % 4;
    const std::byte* quarter = step + 320 + 768 * (2 * (group / 8) + group / 4 % 2);
    for (int i = 0; i < 4; ++i) {
      w[i] = _mm512_xor_si512(
          nibbles(_mm512_loadu_si512(quarter + 256 * (part % 2) + 64 * i), part / 2),
          moved_bits<0xE0>(_mm512_loadu_si512(quarter + 512 + 64 * i),
                           bit_matrix(2 * part, 4, 2, true)));
    }
  }
};
