// The integer kinds of packed weights (kernels/packed.h): how a group of columns
// is read. unit() gives the group's weights as unsigned bytes, the i-th of `kQuads` units of
// four columns with sixteen rows each, and factors() what belongs to every row:
//   value = (byte - kOffset) * scale + minimum.
// Where a step is a superblock, scale and minimum are integers times two factors of the
// superblock: scale = d() * scale(), minimum = minus_dmin() * minimum().

// How many bytes ahead of the step at hand the next ones are asked for: measured with AVX-512,
// and less for the kinds that take more instructions a byte.
constexpr int kNear = 3072;
constexpr int kFar = 4096;
// For few rows, whose products are done sooner than memory answers: the processor has to foresee
// what is read, and does so where lines are met in the order in which they lie. Where a group's
// units lie apart, asking for the lines in their order a little before they are met is what it
// foresees from.
constexpr int kClose = 512;

struct PackedQ8 {
  static constexpr PackedKind kKind = PackedKind::q8;
  static constexpr int kGroups = 2;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 128;
  static constexpr int kMaxWeight = 255;
  static constexpr int kAhead = kFar;
  static constexpr int kAheadOfFew = 0;
  static constexpr bool kHasMinimum = false;

  static constexpr int first_col(int group) { return 32 * group; }
  [[gnu::always_inline]] static Bytes unit(const std::byte* step, int group, int i) {
    return Bytes::load(step + 64 + 512 * group + 64 * i);
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
  static constexpr int kAheadOfFew = 0;
  static constexpr bool kHasMinimum = false;

  static constexpr int first_col(int group) { return 32 * group; }
  [[gnu::always_inline]] static Bytes unit(const std::byte* step, int group, int i) {
    const Bytes both = Bytes::load(step + 64 + 256 * group + 64 * (i % 4));
    return i < 4 ? both.low_nibbles() : both.high_nibbles();
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
  static constexpr int kAheadOfFew = 0;
  static constexpr bool kHasMinimum = false;

  static constexpr int first_col(int group) { return 16 * group; }
  [[gnu::always_inline]] static Bytes unit(const std::byte* step, int group, int i) {
    const Bytes both = Bytes::load(step + 64 + 128 * group + 64 * (i % 2));
    return (i < 2 ? both.low_nibbles() : both.high_nibbles()).lookup(kE2m1Plus16);
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
  static constexpr int kAheadOfFew = 0;

  [[gnu::always_inline]] static Bytes unit(const std::byte* step, int group, int i) {
    const Bytes both = Bytes::load(step + 256 + 512 * (group / 2) + 64 * i);
    return group % 2 == 0 ? both.low_nibbles() : both.high_nibbles();
  }
};

struct PackedQ5K : KScales {
  static constexpr PackedKind kKind = PackedKind::q5_k;
  static constexpr int kGroups = 8;
  static constexpr int kQuads = 8;
  static constexpr int kOffset = 0;
  static constexpr int kMaxWeight = 31;
  static constexpr int kAhead = kNear;
  static constexpr int kAheadOfFew = kClose;

  [[gnu::always_inline]] static Bytes unit(const std::byte* step, int group, int i) {
    const Bytes both = Bytes::load(step + 768 + 512 * (group / 2) + 64 * i);
    return joined(both, group % 2 == 1, Bytes::load(step + 256 + 64 * i), group, 1);
  }
};

struct PackedQ6K {
  static constexpr PackedKind kKind = PackedKind::q6_k;
  static constexpr int kGroups = 16;
  static constexpr int kQuads = 4;
  static constexpr int kOffset = 32;
  static constexpr int kMaxWeight = 63;
  static constexpr int kAhead = kNear;
  static constexpr int kAheadOfFew = kClose;
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
  [[gnu::always_inline]] static Bytes unit(const std::byte* step, int group, int i) {
    const int half = group / 8;
    const int part = group % 4;
    const int sixteen = group / 4 % 2;
    const std::byte* units = step + 320 + 768 * (2 * half + sixteen) + 64 * i;
    const Bytes low = Bytes::load(units + 256 * (part % 2));
    return joined(low, part >= 2, Bytes::load(units + 512), 2 * part, 2);
  }
};

// The units of a group, each taken apart where it is needed, or all of them before.
template <typename T>
struct FreshUnits {
  const std::byte* step;
  int group;

  [[gnu::always_inline]] Bytes operator[](int i) const { return T::unit(step, group, i); }
};

template <typename T>
struct StoredUnits {
  Bytes units[T::kQuads];

  [[gnu::always_inline]] StoredUnits(const std::byte* step, int group) {
#pragma GCC unroll 8
    for (int i = 0; i < T::kQuads; ++i) units[i] = T::unit(step, group, i);
  }
  [[gnu::always_inline]] const Bytes& operator[](int i) const { return units[i]; }
};
