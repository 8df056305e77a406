// Plain C++: 64 bytes, and sixteen sums of 32 bits, in arrays.

inline constexpr bool kSignedBytes = false;
inline constexpr int kDotInputs = 1;
inline constexpr int kLeastDotInputs = 2;
inline constexpr int kUnroll = 1;
inline constexpr bool kFewRegisters = false;
inline constexpr int kIntegerRows = 1;       // of x that share units of weights
inline constexpr int kFewRows = 1;           // up to so many in registers
inline constexpr int kRowsAhead = 2;         // so many ask for memory ahead
inline constexpr int kAttentionQueries = 1;  // that share a loaded key
inline constexpr int kAttentionVecs = 1;
inline constexpr int kFloatRows = 1;

struct Bytes {
  std::uint8_t v[64];

  static Bytes load(const std::byte* p) {
    Bytes r;
    __builtin_memcpy(r.v, p, sizeof r.v);
    return r;
  }
  Bytes low_nibbles() const {
    Bytes r;
    for (int i = 0; i < 64; ++i) r.v[i] = v[i] & 15;
    return r;
  }
  Bytes high_nibbles() const {
    Bytes r;
    for (int i = 0; i < 64; ++i) r.v[i] = v[i] >> 4;
    return r;
  }
  Bytes shifted_left(int n) const {
    Bytes r;
    for (int i = 0; i < 64; ++i) r.v[i] = static_cast<std::uint8_t>(v[i] << n);
    return r;
  }
  Bytes shifted_right(int n) const {
    Bytes r;
    for (int i = 0; i < 64; ++i) r.v[i] = static_cast<std::uint8_t>(v[i] >> n);
    return r;
  }
  // this | (bits & mask)
  Bytes with_bits(Bytes bits, int mask) const {
    Bytes r;
    for (int i = 0; i < 64; ++i) r.v[i] = static_cast<std::uint8_t>(v[i] | (bits.v[i] & mask));
    return r;
  }
  Bytes lookup(const std::uint8_t* table) const {
    Bytes r;
    for (int i = 0; i < 64; ++i) r.v[i] = table[v[i]];
    return r;
  }
};

struct Ints {
  std::int32_t v[kLanes];

  static Ints set(std::int32_t x) {
    Ints r;
    for (std::int32_t& lane : r.v) lane = x;
    return r;
  }
  static Ints load(const std::byte* p) {
    Ints r;
    __builtin_memcpy(r.v, p, sizeof r.v);
    return r;
  }
  static Ints from_i8(const std::byte* p) {
    Ints r;
    for (int i = 0; i < kLanes; ++i) r.v[i] = static_cast<std::int8_t>(p[i]);
    return r;
  }
  static Ints rounded(const Vec& x) {
    float lanes[kLanes];
    x.store(lanes);
    Ints r;
    for (int i = 0; i < kLanes; ++i) r.v[i] = static_cast<std::int32_t>(__builtin_rintf(lanes[i]));
    return r;
  }
  Ints shifted_right(int n) const {
    Ints r;
    for (int i = 0; i < kLanes; ++i) {
      r.v[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(v[i]) >> n);
    }
    return r;
  }
  template <int kFactor>
  Ints times_power_of_two() const {
    Ints r;
    for (int i = 0; i < kLanes; ++i) r.v[i] = v[i] * kFactor;
    return r;
  }
  Ints times_255() const { return times_power_of_two<255>(); }
  Vec to_vec() const {
    return Vec::each_lane([this](int i) { return static_cast<float>(v[i]); });
  }
  void store_bytes(std::int8_t* p) const {
    for (int i = 0; i < kLanes; ++i) p[i] = static_cast<std::int8_t>(v[i] & 0xFF);
  }
  std::int32_t sum() const {
    std::int32_t total = 0;
    for (const std::int32_t lane : v) total += lane;
    return total;
  }
  friend Ints operator+(Ints x, Ints y) {
    for (int i = 0; i < kLanes; ++i) x.v[i] += y.v[i];
    return x;
  }
  friend Ints operator-(Ints x, Ints y) {
    for (int i = 0; i < kLanes; ++i) x.v[i] -= y.v[i];
    return x;
  }
  friend Ints operator*(Ints x, Ints y) {
    for (int i = 0; i < kLanes; ++i) x.v[i] *= y.v[i];
    return x;
  }
  friend Ints operator&(Ints x, Ints y) {
    for (int i = 0; i < kLanes; ++i) x.v[i] &= y.v[i];
    return x;
  }
  friend Ints operator|(Ints x, Ints y) {
    for (int i = 0; i < kLanes; ++i) x.v[i] |= y.v[i];
    return x;
  }
};

// start + sum over a group's units of w[i] * the four bytes x[4 i ...].
template <typename T, typename Units>
[[gnu::noinline]] Ints dot_group(const Units& w, const std::int8_t* x, Ints start) {
  for (int unit = 0; unit < T::kQuads; ++unit) {
    for (int i = 0; i < kLanes; ++i) {
      for (int k = 0; k < 4; ++k) start.v[i] += w.units[unit].v[4 * i + k] * x[4 * unit + k];
    }
  }
  return start;
}
