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
  Line line() const {
    const Floats step = floats_of_f16(scale_bits) * to_floats(scale_number);
    const Floats minimum = floats_of_f16(minimum_bits) * to_floats(minimum_number);
    return {step, all(0.0F) - minimum};
  }
};

AffineScales select(Mask mask, const AffineScales& a, const AffineScales& b) {
  return {select(mask, a.scale_number, b.scale_number),
          select(mask, a.minimum_number, b.minimum_number),
          select(mask, a.scale_bits, b.scale_bits), select(mask, a.minimum_bits, b.minimum_bits)};
}

// Every block's lanes joined by `join` in their order, in all of them.
template <typename Join>
Floats over_block(Floats a, Join join) {
  alignas(64) float lanes[kLanes];
  store(lanes, a);
  for (int block = 0; block < kLanes; block += kGroupsOfBlock) {
    float joined = lanes[block];
    for (int g = 1; g < kGroupsOfBlock; ++g) joined = join(joined, lanes[block + g]);
    for (int g = 0; g < kGroupsOfBlock; ++g) lanes[block + g] = joined;
  }
  return load(lanes);
}

Floats largest_of_block(Floats a) {
  return over_block(a, [](float x, float y) { return x > y ? x : y; });
}

Floats sum_of_block(Floats a) {
  return over_block(a, [](float x, float y) { return x + y; });
}

Ints six_bits(Floats number) { return truncate(clamp(round_even(number), 0.0F, 63.0F)); }

Floats in_units_of(Floats a, Floats unit) { return clamp(a * reciprocal(unit), 0.0F, 63.0F); }

// Steps and minima (not positive ones) in units of a 63rd of their block's largest.
AffineScales rounded_scales(Line line) {
  const Floats minimum = all(0.0F) - line.minimum;
  AffineScales scales;
  scales.scale_bits = f16_bits(larger(largest_of_block(line.step), all(0.0F)) / all(63.0F));
  scales.minimum_bits = f16_bits(larger(largest_of_block(minimum), all(0.0F)) / all(63.0F));
  scales.scale_number = six_bits(in_units_of(line.step, floats_of_f16(scales.scale_bits)));
  scales.minimum_number = six_bits(in_units_of(minimum, floats_of_f16(scales.minimum_bits)));
  return scales;
}

// The plain rule: from the smallest value or zero to the largest in equal steps.
template <int kMost>
AffineScales nearest_scales(const Range& values) {
  return rounded_scales({values.steps_of(kMost), values.low});
}

// The numbers next to those of `line`, in the same units, of least error.
template <int kMost>
Floats best_numbers(const Groups<32>& groups, Line line, AffineScales& scales) {
  const Floats scale = in_units_of(line.step, floats_of_f16(scales.scale_bits));
  const Floats minimum = in_units_of(all(0.0F) - line.minimum, floats_of_f16(scales.minimum_bits));
  const Floats scale_floor = to_floats(truncate(scale));
  const Floats minimum_floor = to_floats(truncate(minimum));
  AffineScales best = scales;
  Floats best_error = all(__builtin_inff());
  for (int s = -1; s <= 2; ++s) {
    for (int m = -1; m <= 2; ++m) {
      AffineScales tried = scales;
      tried.scale_number = six_bits(scale_floor + all(static_cast<float>(s)));
      tried.minimum_number = six_bits(minimum_floor + all(static_cast<float>(m)));
      const Floats error = line_error<kMost>(groups, tried.line(), groups.weights);
      const Mask better = error < best_error;
      best = select(better, tried, best);
      best_error = select(better, error, best_error);
    }
  }
  scales = best;
  return best_error;
}

// Both half floats by least squares over the block, for its codes and numbers.
template <int kMost>
AffineScales refitted(const Groups<32>& groups, const AffineScales& scales) {
  const Line line = scales.line();
  const Floats inverse = reciprocal(line.step);
  Floats w = all(0.0F), x = w, q = w, qq = w, qx = w;
  for (int i = 0; i < 32; ++i) {
    const Floats weight = groups.weight(i);
    const Floats code = affine_code<kMost>(groups.value(i), line.minimum, inverse);
    const Floats weighted = weight * code;
    w = w + weight;
    x = x + weight * groups.value(i);
    q = q + weighted;
    qq = qq + weighted * code;
    qx = qx + weighted * groups.value(i);
  }
  const Floats s = to_floats(scales.scale_number);
  const Floats m = to_floats(scales.minimum_number);
  const Floats ss = sum_of_block(qq * s * s);
  const Floats sm = sum_of_block(q * s * m);
  const Floats mm = sum_of_block(w * m * m);
  const Floats sx = sum_of_block(qx * s);
  const Floats mx = sum_of_block(x * m);
  const Floats determinant = ss * mm - sm * sm;
  const Mask solvable = determinant > ss * mm * all(0x1p-10F);
  AffineScales result = scales;
  const Floats scale = (sx * mm - sm * mx) / determinant;
  const Floats minimum = (sm * sx - ss * mx) / determinant;
  result.scale_bits = select(solvable & (scale > all(0.0F)), f16_bits(scale), scales.scale_bits);
  result.minimum_bits =
      select(solvable & (minimum > all(0.0F)), f16_bits(minimum), scales.minimum_bits);
  return result;
}

template <int kMost>
AffineScales searched_scales(const Groups<32>& groups, const Range& values,
                             const AffineScales& nearest) {
  const Floats middle = values.low * all(0.5F) + values.high * all(0.5F);
  Line line = best_line<kMost>(groups, values);
  line.minimum = smaller(line.minimum, all(0.0F));
  AffineScales best = nearest;
  const auto error_with = [&](const AffineScales& scales, Weights weights) {
    return sum_of_block(line_error<kMost>(groups, scales.line(), weights));
  };
  Floats best_error = error_with(nearest, groups.weights);
  AffineScales scales = rounded_scales(line);
  for (int round = 0; round < 2; ++round) {
    const Floats error = sum_of_block(best_numbers<kMost>(groups, line, scales));
    const Mask better = error < best_error;
    best = select(better, scales, best);
    best_error = select(better, error, best_error);

    scales = refitted<kMost>(groups, scales);
    line = line_of<kMost>(fit_line<kMost>(groups, middle, scales.line()), middle);
  }
  best = select(error_with(scales, groups.weights) < best_error, scales, best);
  const Mask found =
      clearly_less(error_with(best, groups.counts), error_with(nearest, groups.counts));
  return select(found, best, nearest);
}

template <int kMost>
void write_codes(Groups<32>& groups, const AffineScales& scales) {
  const Line line = scales.line();
  const Floats inverse = reciprocal(line.step);
  for (int i = 0; i < 32; ++i) {
    store(groups.codes[i], truncate(affine_code<kMost>(groups.value(i), line.minimum, inverse)));
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
    Range values = range(groups);
    values.low = smaller(values.low, all(0.0F));
    values.high = larger(values.high, all(0.0F));
    AffineScales scales = nearest_scales<kMost>(values);
    if (job.search) scales = searched_scales<kMost>(groups, values, scales);
    write_codes<kMost>(groups, scales);
    pack_k_affine<kBits>(groups, n_groups, scales, job.out + first / kGroupsOfBlock * kBytes);
  });
}

void encode_q4_k(const RowJob& job) { encode_k_affine<4>(job); }
void encode_q5_k(const RowJob& job) { encode_k_affine<5>(job); }
