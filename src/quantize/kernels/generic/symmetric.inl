// q8_0, q4_0, q5_0: value = scale * code, a half float for 32 values.

// The sums that say how well codes of a scale's grid fit: the best scale for these
// codes is xq / qq, and with it the squared error is less by xq^2 / qq than that of zeros.
struct ScaleFit {
  Floats xq;
  Floats qq;

  Floats scale() const { return select(qq > all(0.0F), xq / qq, all(0.0F)); }
  Floats gain() const { return scale() * xq; }
};

template <int kLow, int kHigh>
Floats symmetric_code(Floats x, Floats inverse) {
  return round_even(clamp(x * inverse, static_cast<float>(kLow), static_cast<float>(kHigh)));
}

template <int kLow, int kHigh, int kSize>
ScaleFit fit_scale(const Groups<kSize>& groups, Floats inverse) {
  ScaleFit fit{all(0.0F), all(0.0F)};
  for (int i = 0; i < kSize; ++i) {
    const Floats code = symmetric_code<kLow, kHigh>(groups.value(i), inverse);
    const Floats weighted = groups.weight(i) * code;
    fit.xq = fit.xq + weighted * groups.value(i);
    fit.qq = fit.qq + weighted * code;
  }
  return fit;
}

// The best scale of those that make the extreme value each of `n` codes, from `first`
// in steps of `step`, and the one found before, with its gain.
template <int kLow, int kHigh, int kSize>
void try_scales(const Groups<kSize>& groups, Floats extreme_value, float first, float step, int n,
                Floats& scale, Floats& gain) {
  const Floats inverse_extreme = reciprocal(extreme_value);
  for (int k = 0; k < n; ++k) {
    const Floats code = all(first + step * static_cast<float>(k));
    const ScaleFit fit = fit_scale<kLow, kHigh>(groups, code * inverse_extreme);
    const Mask better = fit.gain() > gain;
    scale = select(better, fit.scale(), scale);
    gain = select(better, fit.gain(), gain);
  }
}

template <int kLow, int kHigh, int kSize>
Floats symmetric_error(const Groups<kSize>& groups, Floats scale, Weights weights) {
  const Floats inverse = reciprocal(scale);
  Floats error = all(0.0F);
  for (int i = 0; i < kSize; ++i) {
    const Floats x = groups.value(i);
    const Floats rest = x - scale * symmetric_code<kLow, kHigh>(x, inverse);
    error = error + load(weights[i]) * rest * rest;
  }
  return error;
}

// Error of the codes as they stand.
template <int kZero>
Floats error_of_codes(const Groups<32>& groups, Floats scale, Weights weights) {
  Floats error = all(0.0F);
  for (int i = 0; i < 32; ++i) {
    const Floats rest = groups.value(i) - scale * to_floats(groups.code(i) - all(kZero));
    error = error + load(weights[i]) * rest * rest;
  }
  return error;
}

// Where the scale, or one refitted to its codes, is better than codes and scale are,
// both become that scale's.
template <int kLow, int kHigh, int kZero>
void improve(Groups<32>& groups, Floats candidate, Ints& scale_bits) {
  const Floats plain_scale = floats_of_f16(scale_bits);
  const Floats plain_error = error_of_codes<kZero>(groups, plain_scale, groups.counts);
  Floats best = plain_scale;
  Floats best_error = error_of_codes<kZero>(groups, plain_scale, groups.weights);
  for (int round = 0; round < 2; ++round) {
    const Floats scale = rounded_to_f16(candidate);
    const Floats error = symmetric_error<kLow, kHigh>(groups, scale, groups.weights);
    const Mask better = error < best_error;
    best = select(better, scale, best);
    best_error = select(better, error, best_error);
    candidate = fit_scale<kLow, kHigh>(groups, reciprocal(scale)).scale();
  }
  const Floats error = symmetric_error<kLow, kHigh>(groups, best, groups.counts);
  const Mask found = clearly_less(error, plain_error);
  scale_bits = select(found, f16_bits(best), scale_bits);
  const Floats inverse = reciprocal(best);
  for (int i = 0; i < 32; ++i) {
    const Floats code = symmetric_code<kLow, kHigh>(groups.value(i), inverse);
    store(groups.codes[i], select(found, truncate(code) + all(kZero), groups.code(i)));
  }
}

// The plain rule: the value of largest magnitude becomes kLow, the others are rounded
// in units of the scale before that is rounded to f16. Codes are stored from 0.
template <int kLow>
Ints nearest_codes(Groups<32>& groups, Floats extreme_value) {
  const Floats scale = extreme_value / all(static_cast<float>(kLow));
  const Floats inverse = reciprocal(scale);
  for (int i = 0; i < 32; ++i) {
    const Floats code = groups.value(i) * inverse + all(0.5F - static_cast<float>(kLow));
    store(groups.codes[i], truncate(clamp(code, 0.0F, static_cast<float>(-2 * kLow - 1))));
  }
  return f16_bits(scale);
}

template <int kBits>
void encode_symmetric(const RowJob& job) {
  constexpr int kLow = -(1 << (kBits - 1));
  constexpr int kHigh = -kLow - 1;
  constexpr std::size_t kBytes = kBits == 5 ? 22 : 18;
  for_groups<32>(job, [&job](Groups<32>& groups, int n_groups, std::size_t first) {
    const Floats extreme_value = extreme(groups);
    Ints scale_bits = nearest_codes<kLow>(groups, extreme_value);
    if (job.search) {
      Floats scale = all(0.0F);
      Floats gain = all(0.0F);
      // From cutting the extreme value off by three steps to leaving a code unused.
      try_scales<kLow, kHigh>(groups, extreme_value, kLow - 3.0F, 0.2F, 20, scale, gain);
      try_scales<kLow, kHigh>(groups, extreme_value, kHigh + 3.0F, -0.2F, 20, scale, gain);
      improve<kLow, kHigh, -kLow>(groups, scale, scale_bits);
    }
    pack_nibbles<kBits, 1>(groups, n_groups, {scale_bits}, job.out + first * kBytes);
  });
}

void encode_q4_0(const RowJob& job) { encode_symmetric<4>(job); }
void encode_q5_0(const RowJob& job) { encode_symmetric<5>(job); }

Ints nearest_bytes(Groups<32>& groups, Floats largest) {
  const Floats scale = largest / all(127.0F);
  const Floats inverse = reciprocal(scale);
  for (int i = 0; i < 32; ++i) {
    const Floats code = round_away(groups.value(i) * inverse);
    store(groups.codes[i], truncate(clamp(code, -127.0F, 127.0F)));
  }
  return f16_bits(scale);
}

// Errors are too small beside the values to be told from gains.
Floats best_byte_scale(const Groups<32>& groups, Floats largest) {
  Floats best = all(0.0F);
  Floats best_error = all(__builtin_inff());
  for (int k = 0; k < 27; ++k) {
    const Floats scale = largest / all(131.0F - 0.6F * static_cast<float>(k));
    const Floats error = symmetric_error<-127, 127>(groups, rounded_to_f16(scale), groups.weights);
    const Mask better = error < best_error;
    best = select(better, scale, best);
    best_error = select(better, error, best_error);
  }
  return best;
}

void encode_q8_0(const RowJob& job) {
  for_groups<32>(job, [&job](Groups<32>& groups, int n_groups, std::size_t first) {
    const Floats largest = largest_magnitude(groups);
    Ints scale_bits = nearest_bytes(groups, largest);
    if (job.search) {
      improve<-127, 127, 0>(groups, best_byte_scale(groups, largest), scale_bits);
    }
    alignas(64) std::int32_t scales[kLanes];
    store(scales, scale_bits);
    std::byte* out = job.out + first * 34;
    for (int g = 0; g < n_groups; ++g, out += 34) {
      store_u16(out, scales[g]);
      for (int i = 0; i < 32; ++i) out[2 + i] = static_cast<std::byte>(groups.codes[i][g]);
    }
  });
}
