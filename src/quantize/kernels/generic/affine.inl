// q4_1, q5_1: value = scale * code + minimum, two half floats for 32 values; and what
// they share with q4_k and q5_k. Codes are 0 to kMost.

struct Range {
  Floats low;
  Floats high;

  // Halves: the difference of two finite numbers need not be one.
  Floats steps_of(float n) const { return (high * all(0.5F) - low * all(0.5F)) / all(0.5F * n); }
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

// value = step * code + minimum
struct Line {
  Floats step;
  Floats minimum;
};

template <int kMost>
Floats affine_code(Floats x, Floats minimum, Floats inverse) {
  return round_even(clamp((x - minimum) * inverse, 0.0F, static_cast<float>(kMost)));
}

// Weighted sums of the values, less their middle, and of the codes, less theirs: of
// small numbers, so that little is lost in rounding.
struct LineFit {
  Floats w, y, q, qq, qy;

  // The line of least squares: x - middle = step * (code - kMost / 2) + offset.
  Floats step() const {
    const Floats determinant = w * qq - q * q;
    return select(determinant > all(0.0F), (w * qy - q * y) / determinant, all(0.0F));
  }
  Floats offset(Floats step_found) const { return (y - step_found * q) / w; }
  // How much less its squared error is than that of a step of zero at the middle.
  Floats gain(Floats step_found) const { return step_found * qy + offset(step_found) * y; }
};

template <int kMost>
LineFit fit_line(const Groups<32>& groups, Floats middle, Line line) {
  constexpr float kHalf = 0.5F * kMost;
  const Floats inverse = reciprocal(line.step);
  LineFit fit{all(0.0F), all(0.0F), all(0.0F), all(0.0F), all(0.0F)};
  for (int i = 0; i < 32; ++i) {
    const Floats w = groups.weight(i);
    const Floats y = groups.value(i) - middle;
    const Floats q = affine_code<kMost>(groups.value(i), line.minimum, inverse) - all(kHalf);
    const Floats wq = w * q;
    fit.w = fit.w + w;
    fit.y = fit.y + w * y;
    fit.q = fit.q + wq;
    fit.qq = fit.qq + wq * q;
    fit.qy = fit.qy + wq * y;
  }
  return fit;
}

template <int kMost>
Line line_of(const LineFit& fit, Floats middle) {
  const Floats step = fit.step();
  return {step, middle + fit.offset(step) - step * all(0.5F * kMost)};
}

// The best of the lines that fit the codes of a grid of them: the smallest value
// becomes one of several codes about 0, the largest one of several about kMost.
template <int kMost>
Line best_line(const Groups<32>& groups, const Range& values) {
  constexpr float kBeyond[] = {-0.4F, 0.0F, 0.4F, 0.9F, 1.5F, 2.2F};
  const Floats middle = values.low * all(0.5F) + values.high * all(0.5F);
  Line best{all(0.0F), middle};
  Floats best_gain = all(0.0F);
  for (const float below : kBeyond) {
    for (const float above : kBeyond) {
      const Floats step = values.steps_of(kMost + below + above);
      const Line line{step, values.low + step * all(below)};
      const LineFit fit = fit_line<kMost>(groups, middle, line);
      const Floats gain = fit.gain(fit.step());
      const Mask better = gain > best_gain;
      const Line found = line_of<kMost>(fit, middle);
      best_gain = select(better, gain, best_gain);
      best.step = select(better, found.step, best.step);
      best.minimum = select(better, found.minimum, best.minimum);
    }
  }
  return best;
}

template <int kMost>
Floats line_error(const Groups<32>& groups, Line line, Weights weights) {
  const Floats inverse = reciprocal(line.step);
  Floats error = all(0.0F);
  for (int i = 0; i < 32; ++i) {
    const Floats code = affine_code<kMost>(groups.value(i), line.minimum, inverse);
    const Floats rest = groups.value(i) - (line.step * code + line.minimum);
    error = error + load(weights[i]) * rest * rest;
  }
  return error;
}

struct LineBits {
  Ints step;
  Ints minimum;

  Line line() const { return {floats_of_f16(step), floats_of_f16(minimum)}; }
};

// The plain rule: from the smallest to the largest value in equal steps.
template <int kMost>
LineBits nearest_line(Groups<32>& groups, const Range& values) {
  const Floats step = values.steps_of(kMost);
  const Floats inverse = reciprocal(step);
  for (int i = 0; i < 32; ++i) {
    const Floats code = (groups.value(i) - values.low) * inverse + all(0.5F);
    store(groups.codes[i], truncate(clamp(code, 0.0F, static_cast<float>(kMost))));
  }
  return {f16_bits(step), f16_bits(values.low)};
}

Floats error_of_codes(const Groups<32>& groups, Line line, Weights weights) {
  Floats error = all(0.0F);
  for (int i = 0; i < 32; ++i) {
    const Floats rest = groups.value(i) - (line.step * to_floats(groups.code(i)) + line.minimum);
    error = error + load(weights[i]) * rest * rest;
  }
  return error;
}

// Where the best line is better than codes and bits are, both become that line's.
template <int kMost>
void improve(Groups<32>& groups, const Range& values, LineBits& bits) {
  const Floats middle = values.low * all(0.5F) + values.high * all(0.5F);
  Line candidate = best_line<kMost>(groups, values);
  const Floats plain_error = error_of_codes(groups, bits.line(), groups.counts);
  LineBits best = bits;
  Floats best_error = error_of_codes(groups, bits.line(), groups.weights);
  for (int round = 0; round < 2; ++round) {
    const LineBits tried{f16_bits(candidate.step), f16_bits(candidate.minimum)};
    const Floats error = line_error<kMost>(groups, tried.line(), groups.weights);
    const Mask better = error < best_error;
    best_error = select(better, error, best_error);
    best.step = select(better, tried.step, best.step);
    best.minimum = select(better, tried.minimum, best.minimum);
    candidate = line_of<kMost>(fit_line<kMost>(groups, middle, tried.line()), middle);
  }
  const Line line = best.line();
  const Floats error = line_error<kMost>(groups, line, groups.counts);
  const Mask found = clearly_less(error, plain_error);
  bits.step = select(found, best.step, bits.step);
  bits.minimum = select(found, best.minimum, bits.minimum);
  const Floats inverse = reciprocal(line.step);
  for (int i = 0; i < 32; ++i) {
    const Floats code = affine_code<kMost>(groups.value(i), line.minimum, inverse);
    store(groups.codes[i], select(found, truncate(code), groups.code(i)));
  }
}

template <int kBits>
void encode_affine(const RowJob& job) {
  constexpr std::size_t kBytes = kBits == 5 ? 24 : 20;
  constexpr int kMost = (1 << kBits) - 1;
  for_groups<32>(job, [&job](Groups<32>& groups, int n_groups, std::size_t first) {
    const Range values = range(groups);
    LineBits bits = nearest_line<kMost>(groups, values);
    if (job.search) improve<kMost>(groups, values, bits);
    pack_nibbles<kBits, 2>(groups, n_groups, {bits.step, bits.minimum}, job.out + first * kBytes);
  });
}

void encode_q4_1(const RowJob& job) { encode_affine<4>(job); }
void encode_q5_1(const RowJob& job) { encode_affine<5>(job); }
