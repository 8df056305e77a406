// The integer kinds of packed weights (kernels/packed.h): how a group of columns
// is read. load() gives the group's weights as unsigned bytes, `kQuads` units of
// four columns with sixteen rows each, and the factor of every row:
//   value = (byte - kOffset) * scale + minimum.

// How many bytes ahead of the step at hand the next ones are asked for: measured with AVX-512,
// and less for the kinds that take more instructions a byte.
constexpr int kNear = 3072;
constexpr int kFar = 4096;

inline Vec scales_from_bytes(const std::byte* p) {
  return Vec::from_i8(reinterpret_cast<const std::int8_t*>(p));
}

struct PackedQ8 {
  static constexpr PackedKind kKind = PackedKind::q8;
  static constexpr int kGroups = 2;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 128;
  static constexpr int kMaxWeight = 255;
  static constexpr int kAhead = kFar;
  static constexpr bool kHasMinimum = false;

  static int first_col(int group) { return 32 * group; }
  [[gnu::always_inline]] static void load(const std::byte* step, int group, Bytes* w, Vec& scale,
                                          Vec&) {
    scale = Vec::load_f16(step + 32 * group);
    const std::byte* units = step + 64 + 512 * group;
    for (int i = 0; i < 8; ++i) w[i] = Bytes::load(units + 64 * i);
  }
};

struct PackedQ4 {
  static constexpr PackedKind kKind = PackedKind::q4;
  static constexpr int kGroups = 2;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 8;
  static constexpr int kMaxWeight = 15;
  static constexpr int kAhead = kFar;
  static constexpr bool kHasMinimum = false;

  static int first_col(int group) { return 32 * group; }
  [[gnu::always_inline]] static void load(const std::byte* step, int group, Bytes* w, Vec& scale,
                                          Vec&) {
    scale = Vec::load_f16(step + 32 * group);
    const std::byte* units = step + 64 + 256 * group;
    for (int i = 0; i < 4; ++i) {
      const Bytes both = Bytes::load(units + 64 * i);
      w[i] = both.low_nibbles();
      w[i + 4] = both.high_nibbles();
    }
  }
};

// The values of E2M1 doubled (0, 1, 2, 3, 4, 6, 8, 12 and their negatives), plus 16.
alignas(16) constexpr std::uint8_t kE2m1Plus16[16] = {16, 17, 18, 19, 20, 22, 24, 28,
                                                      16, 15, 14, 13, 12, 10, 8,  4};

struct PackedNvfp4 {
  static constexpr PackedKind kKind = PackedKind::nvfp4;
  static constexpr int kGroups = 4;
  static constexpr int kQuads = 4;
  static constexpr int kOffset = 16;
  static constexpr int kMaxWeight = 28;
  static constexpr int kAhead = kFar;
  static constexpr bool kHasMinimum = false;

  static int first_col(int group) { return 16 * group; }
  [[gnu::always_inline]] static void load(const std::byte* step, int group, Bytes* w, Vec& scale,
                                          Vec&) {
    // 2^8 from the place of the exponent, 2^-1 for the doubled values.
    scale = Vec::from_e4m3(step + 16 * group) * Vec::set(128.0F);
    const std::byte* units = step + 64 + 128 * group;
    for (int i = 0; i < 2; ++i) {
      const Bytes both = Bytes::load(units + 64 * i);
      w[i] = both.low_nibbles().lookup(kE2m1Plus16);
      w[i + 2] = both.high_nibbles().lookup(kE2m1Plus16);
    }
  }
};

// Scale and minimum of group j of Q4_K and Q5_K, from the three units that hold
// the 12 bytes: 6 bits each, the last four borrow their top bits.
inline void k_scales(const std::byte* units, int j, Ints& scale, Ints& minimum) {
  const Ints a = Ints::load(units);
  const Ints b = Ints::load(units + 64);
  if (j < 4) {
    scale = a.shifted_right(8 * j) & Ints::set(63);
    minimum = b.shifted_right(8 * j) & Ints::set(63);
    return;
  }
  const int k = 8 * (j - 4);
  const Ints c = Ints::load(units + 128);
  const Ints top = Ints::set(0x30);
  const Ints fifteen = Ints::set(15);
  scale = (c.shifted_right(k) & fifteen) | (a.shifted_right(k + 2) & top);
  minimum = (c.shifted_right(k + 4) & fifteen) | (b.shifted_right(k + 2) & top);
}

inline void k_factors(const std::byte* step, int group, Vec& scale, Vec& minimum) {
  Ints s;
  Ints m;
  k_scales(step + 64, group, s, m);
  scale = Vec::load_f16(step) * s.to_vec();
  minimum = Vec::set(0.0F) - Vec::load_f16(step + 32) * m.to_vec();
}

struct PackedQ4K {
  static constexpr PackedKind kKind = PackedKind::q4_k;
  static constexpr int kGroups = 8;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 0;
  static constexpr int kMaxWeight = 15;
  static constexpr int kAhead = kNear;
  static constexpr bool kHasMinimum = true;

  static int first_col(int group) { return 32 * group; }
  [[gnu::always_inline]] static void load(const std::byte* step, int group, Bytes* w, Vec& scale,
                                          Vec& minimum) {
    k_factors(step, group, scale, minimum);
    const std::byte* units = step + 256 + 512 * (group / 2);
    for (int i = 0; i < 8; ++i) {
      const Bytes both = Bytes::load(units + 64 * i);
      w[i] = group % 2 == 0 ? both.low_nibbles() : both.high_nibbles();
    }
  }
};

struct PackedQ5K {
  static constexpr PackedKind kKind = PackedKind::q5_k;
  static constexpr int kGroups = 8;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 0;
  static constexpr int kMaxWeight = 31;
  static constexpr int kAhead = kNear;
  static constexpr bool kHasMinimum = true;

  static int first_col(int group) { return 32 * group; }
  [[gnu::always_inline]] static void load(const std::byte* step, int group, Bytes* w, Vec& scale,
                                          Vec& minimum) {
    k_factors(step, group, scale, minimum);
    const std::byte* fifth = step + 256;
    const std::byte* units = step + 768 + 512 * (group / 2);
    for (int i = 0; i < 8; ++i) {
      const Bytes both = Bytes::load(units + 64 * i);
      const Bytes nibble = group % 2 == 0 ? both.low_nibbles() : both.high_nibbles();
      const Bytes bits = Bytes::load(fifth + 64 * i);
      const Bytes moved = group < 4 ? bits.shifted_left(4 - group) : bits.shifted_right(group - 4);
      w[i] = nibble.with_bits(moved, 0x10);
    }
  }
};

struct PackedQ6K {
  static constexpr PackedKind kKind = PackedKind::q6_k;
  static constexpr int kGroups = 16;
  static constexpr int kQuads = 4;
  static constexpr int kOffset = 32;
  static constexpr int kMaxWeight = 63;
  static constexpr int kAhead = kNear;
  static constexpr bool kHasMinimum = false;

  static int first_col(int group) { return q6_k_first_col(group); }
  [[gnu::always_inline]] static void load(const std::byte* step, int group, Bytes* w, Vec& scale,
                                          Vec&) {
    scale = Vec::load_f16(step) * scales_from_bytes(step + 64 + 16 * group);
    const int half = group / 8;
    const int part = group % 4;
    const int sixteen = group / 4 % 2;
    const std::byte* low = step + 320 + 768 * (2 * half + sixteen) + 256 * (part % 2);
    const std::byte* high = step + 320 + 768 * (2 * half + sixteen) + 512;
    for (int i = 0; i < 4; ++i) {
      const Bytes both = Bytes::load(low + 64 * i);
      const Bytes nibble = part < 2 ? both.low_nibbles() : both.high_nibbles();
      const Bytes bits = Bytes::load(high + 64 * i);
      const Bytes moved =
          part < 2 ? bits.shifted_left(4 - 2 * part) : bits.shifted_right(2 * part - 4);
      w[i] = nibble.with_bits(moved, 0x30);
    }
  }
};
