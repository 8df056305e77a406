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

SixBitScales rounded_scales(Floats step) {
  SixBitScales scales;
  scales.bits = f16_bits(extreme_lane(step) / all(-128.0F));
  const Floats unit = floats_of_f16(scales.bits);
  scales.number = truncate(round_even(clamp(step * reciprocal(unit), -128.0F, 127.0F)));
  return scales;
}

void write_codes(Groups<16>& groups, const SixBitScales& scales) {
  const Floats inverse = reciprocal(scales.step());
  for (int i = 0; i < 16; ++i) {
    const Floats code = round_even(clamp(groups.value(i) * inverse, -32.0F, 31.0F));
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

void encode_q6_k(const RowJob& job) {
  for_groups<16>(job, [&job](Groups<16>& groups, int, std::size_t first) {
    const SixBitScales scales = rounded_scales(extreme(groups) / all(-32.0F));
    write_codes(groups, scales);
    pack_q6_k(groups, scales, job.out + first / kLanes * 210);
  });
}
