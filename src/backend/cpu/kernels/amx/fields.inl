// Bits are moved by GFNI, which takes a byte for a vector of bits and multiplies it by a matrix:
// fields of any width and place, in one instruction each.

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

// As generic/fields.inl has it, in fewer instructions.
inline Bytes joined(Bytes both, bool high, Bytes bits, int first, int width) {
  constexpr int kOrAnd = 0xF8;  // a | (b & c)
  if (first == 4) {             // already there
    const Bytes nibbles = high ? both.high_nibbles() : both.low_nibbles();
    return nibbles.with_bits(bits, ((1 << width) - 1) << 4);
  }
  const __m512i moved = moved_bits(bits.v, bit_matrix(first, 4, width, false));
  if (high) return {_mm512_or_si512(both.high_nibbles().v, moved)};
  return {_mm512_ternarylogic_epi32(moved, both.v, _mm512_set1_epi8(15), kOrAnd)};
}
