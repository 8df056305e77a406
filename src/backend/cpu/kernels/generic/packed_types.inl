// The integer kinds of packed weights (kernels/packed.h): how a group of columns
// is read. units() gives the group's weights as unsigned bytes, `kQuads` units of
// four columns with sixteen rows each, and factors() what belongs to every row:
//   value = (byte - kOffset) * scale + minimum.
// Where a step is a superblock, scale and minimum are integers times two factors of the
// superblock: scale = d() * scale(), minimum = minus_dmin() * minimum().

// How many bytes ahead of the step at hand the next ones are asked for: measured with AVX-512,
// and less for the kinds that take more instructions a byte.
constexpr int kNear = 3072;
constexpr int kFar = 4096;

struct PackedQ8 {
  static constexpr PackedKind kKind = PackedKind::q8;
  static constexpr int kGroups = 2;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 128;
  static constexpr int kMaxWeight = 255;
  static constexpr int kAhead = kFar;
  static constexpr bool kHasMinimum = false;

  static constexpr int first_col(int group) { return 32 * group; }
  [[gnu::always_inline]] static void units(const std::byte* step, int group, Bytes* w) {
    const std::byte* units = step + 64 + 512 * group;
    for (int i = 0; i < 8; ++i) w[i] = Bytes::load(units + 64 * i);
  }
  [[gnu::always_inline]] static void factors(const std::byte* step, int group, Vec& scale, Vec&) {
    scale = Vec::load_f16(step + 32 * group);
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

  static constexpr int first_col(int group) { return 32 * group; }
  [[gnu::always_inline]] static void units(const std::byte* step, int group, Bytes* w) {
    const std::byte* units = step + 64 + 256 * group;
    for (int i = 0; i < 4; ++i) {
      const Bytes both = Bytes::load(units + 64 * i);
      w[i] = both.low_nibbles();
      w[i + 4] = both.high_nibbles();
    }
  }
  [[gnu::always_inline]] static void factors(const std::byte* step, int group, Vec& scale, Vec&) {
    scale = Vec::load_f16(step + 32 * group);
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

  static constexpr int first_col(int group) { return 16 * group; }
  [[gnu::always_inline]] static void units(const std::byte* step, int group, Bytes* w) {
    const std::byte* units = step + 64 + 128 * group;
    for (int i = 0; i < 2; ++i) {
      const Bytes both = Bytes::load(units + 64 * i);
      w[i] = both.low_nibbles().lookup(kE2m1Plus16);
      w[i + 2] = both.high_nibbles().lookup(kE2m1Plus16);
    }
  }
  [[gnu::always_inline]] static void factors(const std::byte* step, int group, Vec& scale, Vec&) {
    // 2^8 from the place of the exponent, 2^-1 for the doubled values.
    scale = Vec::from_e4m3(step + 16 * group) * Vec::set(128.0F);
  }
};

// Q4_K and Q5_K: a step begins with d and dmin, and three units with the 12 bytes of scales
// and minimums: 6 bits each, the last four borrow their top bits.
struct KScales {
  static constexpr bool kHasMinimum = true;

  static Ints scale(const std::byte* step, int group) { return six_bits(step, 0, group); }
  static Ints minimum(const std::byte* step, int group) { return six_bits(step, 1, group); }
  static Vec d(const std::byte* step) { return Vec::load_f16(step); }
  static Vec minus_dmin(const std::byte* step) { return Vec::set(0.0F) - Vec::load_f16(step + 32); }
  static void factors(const std::byte* step, int group, Vec& scale_out, Vec& minimum_out) {
    scale_out = d(step) * scale(step, group).to_vec();
    minimum_out = minus_dmin(step) * minimum(step, group).to_vec();
  }
  // Groups are of 32 columns, in their order.
  static constexpr int first_col(int group) { return 32 * group; }
  static constexpr int group_at(int col) { return col / 32; }

 private:
  static Ints unit(const std::byte* step, int i) { return Ints::load(step + 64 + 64 * i); }

  // Of the scales (0) or the minimums (1), whose last four share the third unit: a nibble each.
  static Ints six_bits(const std::byte* step, int which, int group) {
    const Ints own = unit(step, which);
    if (group < 4) return own.shifted_right(8 * group) & Ints::set(63);
    const int k = 8 * (group - 4);
    return (unit(step, 2).shifted_right(k + 4 * which) & Ints::set(15)) |
           (own.shifted_right(k + 2) & Ints::set(0x30));
  }
};

struct PackedQ4K : KScales {
  static constexpr PackedKind kKind = PackedKind::q4_k;
  static constexpr int kGroups = 8;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 0;
  static constexpr int kMaxWeight = 15;
  static constexpr int kAhead = kNear;

  [[gnu::always_inline]] static void units(const std::byte* step, int group, Bytes* w) {
    const std::byte* units = step + 256 + 512 * (group / 2);
    for (int i = 0; i < 8; ++i) {
      const Bytes both = Bytes::load(units + 64 * i);
      w[i] = group % 2 == 0 ? both.low_nibbles() : both.high_nibbles();
    }
  }
};

struct PackedQ5K : KScales {
  static constexpr PackedKind kKind = PackedKind::q5_k;
  static constexpr int kGroups = 8;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 0;
  static constexpr int kMaxWeight = 31;
  static constexpr int kAhead = kNear;

  [[gnu::always_inline]] static void units(const std::byte* step, int group, Bytes* w) {
    const std::byte* fifth = step + 256;
    const std::byte* units = step + 768 + 512 * (group / 2);
    for (int i = 0; i < 8; ++i) {
      w[i] = joined(Bytes::load(units + 64 * i), group % 2 == 1, Bytes::load(fifth + 64 * i), group,
                    1);
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

  static constexpr int first_col(int group) { return q6_k_first_col(group); }
  static constexpr int group_at(int col) { return q6_k_group(col); }
  static Ints scale(const std::byte* step, int group) {
    return Ints::from_i8(step + 64 + 16 * group);
  }
  static Vec d(const std::byte* step) { return Vec::load_f16(step); }
  [[gnu::always_inline]] static void factors(const std::byte* step, int group, Vec& scale_out,
                                             Vec&) {
    scale_out = d(step) * scale(step, group).to_vec();
  }
  [[gnu::always_inline]] static void units(const std::byte* step, int group, Bytes* w) {
    const int half = group / 8;
    const int part = group % 4;
    const int sixteen = group / 4 % 2;
    const std::byte* low = step + 320 + 768 * (2 * half + sixteen) + 256 * (part % 2);
    const std::byte* high = step + 320 + 768 * (2 * half + sixteen) + 512;
    for (int i = 0; i < 4; ++i) {
      w[i] = joined(Bytes::load(low + 64 * i), part >= 2, Bytes::load(high + 64 * i), 2 * part, 2);
    }
  }
};
