// Weights in two places: nibbles, and further bits of all of them.

// The low or the high nibbles of `both`, and above them `width` bits from `first` of `bits`.
inline Bytes joined(Bytes both, bool high, Bytes bits, int first, int width) {
  const Bytes nibbles = high ? both.high_nibbles() : both.low_nibbles();
  const Bytes moved = first < 4 ? bits.shifted_left(4 - first) : bits.shifted_right(first - 4);
  return nibbles.with_bits(moved, ((1 << width) - 1) << 4);
}
