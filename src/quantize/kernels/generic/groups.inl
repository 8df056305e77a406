// Sixteen groups of kSize values side by side: lane g of row i is value i of group g.

template <int kSize>
struct Groups {
  alignas(64) float values[kSize][kLanes];
  // Only for a search: how much squared errors count, and what it minimizes them by.
  alignas(64) float counts[kSize][kLanes];
  alignas(64) float weights[kSize][kLanes];
  alignas(64) std::int32_t codes[kSize][kLanes];

  Floats value(int i) const { return load(values[i]); }
  Floats weight(int i) const { return load(weights[i]); }
  Ints code(int i) const { return load(codes[i]); }
};

template <int kSize>
void transpose(const float* from, int n_groups, float (*to)[kLanes]) {
  for (int g = 0; g < n_groups; ++g) {
    for (int i = 0; i < kSize; ++i) to[i][g] = from[g * kSize + i];
  }
  for (int g = n_groups; g < kLanes; ++g) {
    for (int i = 0; i < kSize; ++i) to[i][g] = 0.0F;
  }
}

template <int kSize>
Floats largest_magnitude(const Groups<kSize>& groups) {
  Floats largest = all(0.0F);
  for (int i = 0; i < kSize; ++i) largest = larger(magnitude(groups.value(i)), largest);
  return largest;
}

// What makes the row's largest importance 1; 0 where there is none.
inline float importance_unit(const RowJob& job) {
  float largest = 0.0F;
  if (job.importance == nullptr) return largest;
  for (std::size_t i = 0; i < job.n_values; ++i) {
    if (job.importance[i] > largest) largest = job.importance[i];
  }
  return largest > 0x1p-100F && largest < 0x1p100F ? 1.0F / largest : 0.0F;
}

// By importance: groups of which no value counts are fitted as if all did.
template <int kSize>
void weigh(const float* importance, float unit, int n_groups, Groups<kSize>& groups) {
  transpose<kSize>(importance, n_groups, groups.weights);
  Floats sum = all(0.0F);
  for (int i = 0; i < kSize; ++i) {
    const Floats weight = groups.weight(i) * all(unit);
    store(groups.weights[i], weight);
    sum = sum + weight;
  }
  const Mask none = sum < all(0x1p-60F);
  for (int i = 0; i < kSize; ++i) {
    const Floats weight = select(none, all(1.0F), groups.weight(i));
    store(groups.weights[i], weight);
    store(groups.counts[i], weight);
  }
}

// Without importance large values weigh more: what they are multiplied with tends to be
// larger too. Their own square and twice the mean one, in units of the largest, which keeps
// sums finite.
template <int kSize>
void weigh_by_size(Groups<kSize>& groups) {
  const Floats unit = reciprocal(largest_magnitude(groups));
  Floats mean = all(0.0F);
  for (int i = 0; i < kSize; ++i) {
    const Floats x = groups.value(i) * unit;
    mean = mean + x * x * all(1.0F / kSize);
  }
  for (int i = 0; i < kSize; ++i) {
    const Floats x = groups.value(i) * unit;
    store(groups.weights[i], mean + mean + x * x);
    store(groups.counts[i], all(1.0F));
  }
}

// Calls work(groups, n_groups, first group) for sixteen groups of the row at a time.
template <int kSize, typename Work>
void for_groups(const RowJob& job, Work work) {
  Groups<kSize> groups;
  const float unit = job.search ? importance_unit(job) : 0.0F;
  const std::size_t n_groups = job.n_values / kSize;
  for (std::size_t first = 0; first < n_groups; first += kLanes) {
    const std::size_t left = n_groups - first;
    const int here = left < kLanes ? static_cast<int>(left) : kLanes;
    transpose<kSize>(job.values + first * kSize, here, groups.values);
    if (job.search && unit > 0.0F) {
      weigh<kSize>(job.importance + first * kSize, unit, here, groups);
    } else if (job.search) {
      weigh_by_size(groups);
    }
    work(groups, here, first);
  }
}

// Weights of squared errors, [kSize] rows of lanes.
using Weights = const float (*)[kLanes];

// Whether an error is less than another by more than the rounding of both sums, so
// that it is less in truth.
inline Mask clearly_less(Floats error, Floats other) {
  return error < other * all(1.0F - 0x1p-15F);
}

// The first of the values of largest magnitude, with its sign.
template <int kSize>
Floats extreme(const Groups<kSize>& groups) {
  Floats largest = all(0.0F);
  Floats value = all(0.0F);
  for (int i = 0; i < kSize; ++i) {
    const Floats x = groups.value(i);
    const Mask beyond = magnitude(x) > largest;
    largest = select(beyond, magnitude(x), largest);
    value = select(beyond, x, value);
  }
  return value;
}

inline void store_u16(std::byte* to, std::int32_t bits) {
  const auto value = static_cast<std::uint16_t>(bits);
  __builtin_memcpy(to, &value, sizeof value);
}

// A block of one group as it lies in the file: its numbers of 16 bits, then the fifth
// bits of the codes if they have one, then nibbles, element i beside element i + 16.
template <int kBits, int kNumbers>
void pack_nibbles(const Groups<32>& groups, int n_groups, const Ints (&numbers)[kNumbers],
                  std::byte* out) {
  constexpr int kBytes = 2 * kNumbers + (kBits == 5 ? 4 : 0) + 16;
  alignas(64) std::int32_t words[kNumbers][kLanes];
  for (int n = 0; n < kNumbers; ++n) store(words[n], numbers[n]);
  alignas(64) std::int32_t bytes[16][kLanes];
  for (int i = 0; i < 16; ++i) {
    store(bytes[i], (groups.code(i) & all(15)) | shift_left(groups.code(i + 16) & all(15), 4));
  }
  alignas(64) std::int32_t fifths[kLanes] = {};
  if constexpr (kBits == 5) {
    Ints bits = all(0);
    for (int i = 0; i < 32; ++i) {
      bits = bits | shift_left(shift_right(groups.code(i), 4) & all(1), i);
    }
    store(fifths, bits);
  }
  for (int g = 0; g < n_groups; ++g, out += kBytes) {
    for (int n = 0; n < kNumbers; ++n) store_u16(out + 2 * n, words[n][g]);
    if constexpr (kBits == 5) __builtin_memcpy(out + 2 * kNumbers, &fifths[g], 4);
    for (int i = 0; i < 16; ++i) {
      out[kBytes - 16 + i] = static_cast<std::byte>(bytes[i][g]);
    }
  }
}
