// q4_k, q5_k: value = scale * s * code - minimum_scale * m, s and m of 6 bits for 32
// values, two half floats for 256. Lanes 0 to 7 and 8 to 15 are the groups of a block.

constexpr int kGroupsOfBlock = 8;

// What a block's groups are decoded with: whole numbers, and the half floats, in every
// lane, that they count.
struct AffineScales {
  Ints scale_number;
  Ints minimum_number;
  Ints scale_bits;
  Ints minimum_bits;

  // As the decoder computes them.
  Floats step() const { return floats_of_f16(scale_bits) * to_floats(scale_number); }
  Floats minimum() const { return floats_of_f16(minimum_bits) * to_floats(minimum_number); }
};

// The largest of each block's lanes, in all of them.
Floats largest_of_block(Floats a) {
  alignas(64) float lanes[kLanes];
  store(lanes, a);
  for (int block = 0; block < kLanes; block += kGroupsOfBlock) {
    float largest = lanes[block];
    for (int g = 1; g < kGroupsOfBlock; ++g) {
      if (lanes[block + g] > largest) largest = lanes[block + g];
    }
    for (int g = 0; g < kGroupsOfBlock; ++g) lanes[block + g] = largest;
  }
  return load(lanes);
}

Ints in_units_of(Floats a, Floats unit) {
  return truncate(clamp(round_even(clamp(a * reciprocal(unit), 0.0F, 63.0F)), 0.0F, 63.0F));
}

// Steps and minima (as the positive numbers that are subtracted) rounded in units of
// a 63rd of their block's largest.
AffineScales rounded_scales(Floats step, Floats minimum) {
  AffineScales scales;
  scales.scale_bits = f16_bits(largest_of_block(step) / all(63.0F));
  scales.minimum_bits = f16_bits(largest_of_block(minimum) / all(63.0F));
  scales.scale_number = in_units_of(step, floats_of_f16(scales.scale_bits));
  scales.minimum_number = in_units_of(minimum, floats_of_f16(scales.minimum_bits));
  return scales;
}

template <int kMost>
Floats affine_code(Floats x, Floats minimum, Floats inverse) {
  return round_even(clamp((x + minimum) * inverse, 0.0F, static_cast<float>(kMost)));
}

// The plain rule: from the smallest value or zero to the largest in equal steps.
template <int kMost>
AffineScales nearest_scales(const Groups<32>& groups) {
  const Range values = range(groups);
  const Floats low = smaller(values.low, all(0.0F));
  const Floats high = larger(values.high, all(0.0F));
  const Floats step = (high * all(0.5F) - low * all(0.5F)) / all(0.5F * kMost);
  return rounded_scales(step, all(0.0F) - low);
}

template <int kMost>
void write_codes(Groups<32>& groups, const AffineScales& scales) {
  const Floats inverse = reciprocal(scales.step());
  const Floats minimum = scales.minimum();
  for (int i = 0; i < 32; ++i) {
    store(groups.codes[i], truncate(affine_code<kMost>(groups.value(i), minimum, inverse)));
  }
}

// The twelve bytes of a block's numbers of 6 bits: blocks::Q4_K.
void pack_six_bits(const std::int32_t* scales, const std::int32_t* minima, std::byte* out) {
  for (int g = 0; g < 4; ++g) {
    out[g] = static_cast<std::byte>(scales[g] | (scales[g + 4] >> 4 << 6));
    out[g + 4] = static_cast<std::byte>(minima[g] | (minima[g + 4] >> 4 << 6));
    out[g + 8] = static_cast<std::byte>((scales[g + 4] & 15) | ((minima[g + 4] & 15) << 4));
  }
}

template <int kBits>
void pack_k_affine(const Groups<32>& groups, int n_groups, const AffineScales& scales,
                   std::byte* out) {
  constexpr int kBytes = kBits == 5 ? 176 : 144;
  alignas(64) std::int32_t numbers[4][kLanes];
  store(numbers[0], scales.scale_number);
  store(numbers[1], scales.minimum_number);
  store(numbers[2], scales.scale_bits);
  store(numbers[3], scales.minimum_bits);
  for (int first = 0; first < n_groups; first += kGroupsOfBlock, out += kBytes) {
    store_u16(out, numbers[2][first]);
    store_u16(out + 2, numbers[3][first]);
    pack_six_bits(numbers[0] + first, numbers[1] + first, out + 4);
    std::byte* quants = out + kBytes - 128;
    for (int i = 0; i < 32; ++i) {
      const std::int32_t* codes = groups.codes[i] + first;
      for (int pair = 0; pair < 4; ++pair) {
        quants[32 * pair + i] =
            static_cast<std::byte>((codes[2 * pair] & 15) | ((codes[2 * pair + 1] & 15) << 4));
      }
      if constexpr (kBits == 5) {
        int fifths = 0;
        for (int g = 0; g < kGroupsOfBlock; ++g) fifths |= (codes[g] >> 4) << g;
        out[16 + i] = static_cast<std::byte>(fifths);
      }
    }
  }
}

template <int kBits>
void encode_k_affine(const RowJob& job) {
  constexpr std::size_t kBytes = kBits == 5 ? 176 : 144;
  constexpr int kMost = (1 << kBits) - 1;
  for_groups<32>(job, [&job](Groups<32>& groups, int n_groups, std::size_t first) {
    const AffineScales scales = nearest_scales<kMost>(groups);
    write_codes<kMost>(groups, scales);
    pack_k_affine<kBits>(groups, n_groups, scales, job.out + first / kGroupsOfBlock * kBytes);
  });
}

void encode_q4_k(const RowJob& job) { encode_k_affine<4>(job); }
void encode_q5_k(const RowJob& job) { encode_k_affine<5>(job); }
