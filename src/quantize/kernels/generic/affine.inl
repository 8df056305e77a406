// q4_1, q5_1: value = scale * code + minimum, two half floats for 32 values.

struct Range {
  Floats low;
  Floats high;
};

template <int kSize>
Range range(const Groups<kSize>& groups) {
  Range found{groups.value(0), groups.value(0)};
  for (int i = 1; i < kSize; ++i) {
    found.low = smaller(groups.value(i), found.low);
    found.high = larger(groups.value(i), found.high);
  }
  return found;
}

// The plain rule: from the smallest to the largest value in equal steps.
template <int kMost>
void nearest_affine(Groups<32>& groups, Ints (&numbers)[2]) {
  const Range values = range(groups);
  // Halves: the difference of two finite numbers need not be one.
  const Floats scale = (values.high * all(0.5F) - values.low * all(0.5F)) / all(0.5F * kMost);
  const Floats inverse = reciprocal(scale);
  for (int i = 0; i < 32; ++i) {
    const Floats code = (groups.value(i) - values.low) * inverse + all(0.5F);
    store(groups.codes[i], truncate(clamp(code, 0.0F, static_cast<float>(kMost))));
  }
  numbers[0] = f16_bits(scale);
  numbers[1] = f16_bits(values.low);
}

template <int kBits>
void encode_affine(const RowJob& job) {
  constexpr std::size_t kBytes = kBits == 5 ? 24 : 20;
  for_groups<32>(job, [&job](Groups<32>& groups, int n_groups, std::size_t first) {
    Ints numbers[2];
    nearest_affine<(1 << kBits) - 1>(groups, numbers);
    pack_nibbles<kBits, 2>(groups, n_groups, numbers, job.out + first * kBytes);
  });
}

void encode_q4_1(const RowJob& job) { encode_affine<4>(job); }
void encode_q5_1(const RowJob& job) { encode_affine<5>(job); }
