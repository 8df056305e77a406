// nvfp4, nvfp4_packed: value = scale * E2M1, an E4M3 scale for 16 values. The stored
// scales and the values are larger by the tensor's divisor.

// The nearest E2M1 magnitudes of magnitudes: steps of 0.5 to 2, of 1 to 4, of 2 to 6;
// ties go to the even code.
inline Floats e2m1_value(Floats m) {
  const Floats magic = select(m < all(2.0F), all(6291456.0F),
                              select(m < all(4.0F), all(12582912.0F), all(25165824.0F)));
  return smaller((m + magic) - magic, all(6.0F));
}

// 0 0.5 1 1.5 2 3 4 6 -> 0 .. 7, by the upper bits of the float: two of exponent
// (biased by one), one of mantissa; 0 and 0.5 are the subnormal ones.
inline Ints e2m1_code(Floats value) {
  const Ints bits = shift_right(bits_of(value) - all(126 << 23), 22);
  return select(value < all(1.0F), truncate(value + value), bits);
}

// The plain rule: the largest magnitude becomes 6, and the scale is rounded. A scale
// that would be zero is 0.125, as compressed-tensors has it.
Ints nearest_scale(const Groups<16>& groups, float divisor) {
  const Ints bits = e4m3_bits(all(divisor) * (largest_magnitude(groups) / all(6.0F)));
  return select(bits < all(1), all(0x20), bits);
}

void write_codes(Groups<16>& groups, Ints scale_bits, float divisor) {
  const Floats unit = floats_of_e4m3(scale_bits) / all(divisor);
  for (int i = 0; i < 16; ++i) {
    const Floats scaled = groups.value(i) / unit;
    const Ints sign = shift_right(sign_bits(scaled), 28) & all(8);
    store(groups.codes[i], e2m1_code(e2m1_value(magnitude(scaled))) | sign);
  }
}

Floats e2m1_error(const Groups<16>& groups, Ints scale_bits, float divisor, Weights weights) {
  const Floats scale = floats_of_e4m3(scale_bits);
  const Floats inverse = reciprocal(scale);
  Floats error = all(0.0F);
  for (int i = 0; i < 16; ++i) {
    const Floats m = magnitude(groups.value(i)) * all(divisor);
    const Floats rest = m - scale * e2m1_value(m * inverse);
    error = error + load(weights[i]) * rest * rest;
  }
  return error;
}

// The scale of least error among the nearest's neighbours: smaller ones cut the
// largest values off, larger ones use 4 in place of 6 for them.
Ints best_scale(const Groups<16>& groups, Ints nearest, float divisor) {
  Ints best = nearest;
  Floats best_error = e2m1_error(groups, nearest, divisor, groups.weights);
  for (int k = -4; k <= 8; ++k) {
    const Ints moved = nearest + all(k);
    const Ints tried = select((all(0) < moved) & (moved < all(0x7F)), moved, nearest);
    const Floats error = e2m1_error(groups, tried, divisor, groups.weights);
    const Mask better = error < best_error;
    best = select(better, tried, best);
    best_error = select(better, error, best_error);
  }
  const Floats plain_error = e2m1_error(groups, nearest, divisor, groups.counts);
  const Floats error = e2m1_error(groups, best, divisor, groups.counts);
  return select(clearly_less(error, plain_error), best, nearest);
}

// Scales and codes of sixteen groups; the scales in `scales` too.
void fit_e2m1(const RowJob& job, Groups<16>& groups, std::int32_t* scales) {
  Ints bits = nearest_scale(groups, job.divisor);
  if (job.search) bits = best_scale(groups, bits, job.divisor);
  write_codes(groups, bits, job.divisor);
  store(scales, bits);
}

void encode_nvfp4(const RowJob& job) {
  for_groups<16>(job, [&job](Groups<16>& groups, int n_groups, std::size_t first) {
    alignas(64) std::int32_t scales[kLanes];
    fit_e2m1(job, groups, scales);
    std::byte* out = job.out + first / 4 * 36;
    for (int g = 0; g < n_groups; ++g) {
      std::byte* block = out + g / 4 * 36;
      block[g % 4] = static_cast<std::byte>(scales[g]);
      for (int i = 0; i < 8; ++i) {
        block[4 + g % 4 * 8 + i] =
            static_cast<std::byte>(groups.codes[i][g] | (groups.codes[i + 8][g] << 4));
      }
    }
  });
}

void encode_nvfp4_packed(const RowJob& job) {
  for_groups<16>(job, [&job](Groups<16>& groups, int n_groups, std::size_t first) {
    alignas(64) std::int32_t scales[kLanes];
    fit_e2m1(job, groups, scales);
    for (int g = 0; g < n_groups; ++g) {
      job.block_scales[first + static_cast<std::size_t>(g)] = static_cast<std::byte>(scales[g]);
      std::byte* out = job.out + (first + static_cast<std::size_t>(g)) * 8;
      for (int i = 0; i < 8; ++i) {
        out[i] = static_cast<std::byte>(groups.codes[2 * i][g] | (groups.codes[2 * i + 1][g] << 4));
      }
    }
  });
}
