// q8_0, q4_0, q5_0: value = scale * code, a half float for 32 values.

// The plain rule: the value of largest magnitude becomes kLow, the others are rounded
// in units of the scale before that is rounded to f16. Codes are stored from 0.
template <int kLow>
Ints nearest_codes(Groups<32>& groups) {
  const Floats scale = extreme(groups) / all(static_cast<float>(kLow));
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
  constexpr std::size_t kBytes = kBits == 5 ? 22 : 18;
  for_groups<32>(job, [&job](Groups<32>& groups, int n_groups, std::size_t first) {
    const Ints scale = nearest_codes<kLow>(groups);
    pack_nibbles<kBits, 1>(groups, n_groups, {scale}, job.out + first * kBytes);
  });
}

void encode_q4_0(const RowJob& job) { encode_symmetric<4>(job); }
void encode_q5_0(const RowJob& job) { encode_symmetric<5>(job); }

Ints nearest_bytes(Groups<32>& groups) {
  const Floats scale = largest_magnitude(groups) / all(127.0F);
  const Floats inverse = reciprocal(scale);
  for (int i = 0; i < 32; ++i) {
    const Floats code = round_away(groups.value(i) * inverse);
    store(groups.codes[i], truncate(clamp(code, -127.0F, 127.0F)));
  }
  return f16_bits(scale);
}

void encode_q8_0(const RowJob& job) {
  for_groups<32>(job, [&job](Groups<32>& groups, int n_groups, std::size_t first) {
    alignas(64) std::int32_t scales[kLanes];
    store(scales, nearest_bytes(groups));
    std::byte* out = job.out + first * 34;
    for (int g = 0; g < n_groups; ++g, out += 34) {
      store_u16(out, scales[g]);
      for (int i = 0; i < 32; ++i) out[2 + i] = static_cast<std::byte>(groups.codes[i][g]);
    }
  });
}
