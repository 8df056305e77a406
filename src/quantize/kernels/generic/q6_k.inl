// q6_k: value = scale * s * code, s of 8 bits for 16 values, a half float for 256:
// the sixteen lanes are the groups of one block.

struct SixBitScales {
  Ints number;
  Ints bits;  // the half float, in every lane

  Floats step() const { return floats_of_f16(bits) * to_floats(number); }
};

// The lane of largest magnitude, the first of such, in all lanes.
Floats extreme_lane(Floats a) {
  alignas(64) float lanes[kLanes];
  store(lanes, a);
  float found = lanes[0];
  for (int g = 1; g < kLanes; ++g) {
    if (__builtin_fabsf(lanes[g]) > __builtin_fabsf(found)) found = lanes[g];
  }
  return all(found);
}

Floats sum_of_lanes(Floats a) {
  alignas(64) float lanes[kLanes];
  store(lanes, a);
  float sum = lanes[0];
  for (int g = 1; g < kLanes; ++g) sum += lanes[g];
  return all(sum);
}

Ints eight_bits(Floats number) { return truncate(round_even(clamp(number, -128.0F, 127.0F))); }

// Steps in units of which the largest in magnitude has `most`.
SixBitScales rounded_scales(Floats step, float most) {
  SixBitScales scales;
  scales.bits = f16_bits(extreme_lane(step) / all(most));
  scales.number = eight_bits(step * reciprocal(floats_of_f16(scales.bits)));
  return scales;
}

Floats error_with(const Groups<16>& groups, const SixBitScales& scales, Weights weights) {
  return symmetric_error<-32, 31>(groups, scales.step(), weights);
}

SixBitScales select(Mask mask, const SixBitScales& a, const SixBitScales& b) {
  return {select(mask, a.number, b.number), select(mask, a.bits, b.bits)};
}

// The numbers about `scales`, in the same units, of least error; returns the errors.
Floats best_numbers(const Groups<16>& groups, int reach, SixBitScales& scales) {
  const Floats middle = to_floats(scales.number);
  Floats best_error = all(__builtin_inff());
  for (int k = -reach; k <= reach; ++k) {
    const SixBitScales tried{eight_bits(middle + all(static_cast<float>(k))), scales.bits};
    const Floats error = error_with(groups, tried, groups.weights);
    const Mask better = error < best_error;
    scales.number = select(better, tried.number, scales.number);
    best_error = select(better, error, best_error);
  }
  return best_error;
}

// The half float by least squares over the block, for its codes and numbers.
SixBitScales refitted(const Groups<16>& groups, const SixBitScales& scales) {
  const ScaleFit fit = fit_scale<-32, 31>(groups, reciprocal(scales.step()));
  const Floats number = to_floats(scales.number);
  const ScaleFit block{sum_of_lanes(fit.xq * number), sum_of_lanes(fit.qq * number * number)};
  return {scales.number, f16_bits(block.scale())};
}

SixBitScales searched_scales(const Groups<16>& groups, Floats step, const SixBitScales& nearest) {
  SixBitScales best = nearest;
  Floats best_error = sum_of_lanes(error_with(groups, nearest, groups.weights));
  // Room for the largest to become larger.
  SixBitScales scales = rounded_scales(step, -110.0F);
  constexpr int kReach[] = {12, 4};
  for (const int reach : kReach) {
    const Floats error = sum_of_lanes(best_numbers(groups, reach, scales));
    const Mask better = error < best_error;
    best = select(better, scales, best);
    best_error = select(better, error, best_error);
    scales = refitted(groups, scales);
  }
  const Floats error = sum_of_lanes(error_with(groups, scales, groups.weights));
  best = select(error < best_error, scales, best);
  const Mask found = clearly_less(sum_of_lanes(error_with(groups, best, groups.counts)),
                                  sum_of_lanes(error_with(groups, nearest, groups.counts)));
  return select(found, best, nearest);
}

void write_codes(Groups<16>& groups, const SixBitScales& scales) {
  const Floats inverse = reciprocal(scales.step());
  for (int i = 0; i < 16; ++i) {
    const Floats code = symmetric_code<-32, 31>(groups.value(i), inverse);
    store(groups.codes[i], truncate(code) + all(32));
  }
}

// Elements 32 q + i of half h are groups 8h + 2q and the next: blocks::Q6_K.
void pack_q6_k(const Groups<16>& groups, const SixBitScales& scales, std::byte* out) {
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < 32; ++i) {
      const std::int32_t* codes = groups.codes[i % 16] + 8 * half + i / 16;
      out[64 * half + i] = static_cast<std::byte>((codes[0] & 15) | ((codes[4] & 15) << 4));
      out[64 * half + 32 + i] = static_cast<std::byte>((codes[2] & 15) | ((codes[6] & 15) << 4));
      out[128 + 32 * half + i] = static_cast<std::byte>(
          (codes[0] >> 4) | (codes[2] >> 4 << 2) | (codes[4] >> 4 << 4) | (codes[6] >> 4 << 6));
    }
  }
  alignas(64) std::int32_t numbers[2][kLanes];
  store(numbers[0], scales.number);
  store(numbers[1], scales.bits);
  for (int g = 0; g < kLanes; ++g) out[192 + g] = static_cast<std::byte>(numbers[0][g]);
  store_u16(out + 208, numbers[1][0]);
}

// The plain rule: in each group the value of largest magnitude becomes -32, of the
// groups' steps the largest -128.
void encode_q6_k(const RowJob& job) {
  for_groups<16>(job, [&job](Groups<16>& groups, int, std::size_t first) {
    const Floats step = extreme(groups) / all(-32.0F);
    SixBitScales scales = rounded_scales(step, -128.0F);
    if (job.search) scales = searched_scales(groups, step, scales);
    write_codes(groups, scales);
    pack_q6_k(groups, scales, job.out + first / kLanes * 210);
  });
}
