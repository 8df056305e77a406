// A group's weights as signed bytes, less the kind's offset, for integer products on the
// matrix unit.

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
      const Bytes both = Bytes::load(step + 64 + 128 * group + 64 * i);
      w[i] = _mm512_shuffle_epi8(table, both.low_nibbles().v);
      w[i + 2] = _mm512_shuffle_epi8(table, both.high_nibbles().v);
    }
  }
};
