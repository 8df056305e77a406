// Single numbers: f16, bf16, f8_e4m3. The last pieces of a row pass through a padded copy.

template <typename Stored, typename Convert>
void encode_numbers(const RowJob& job, Convert convert) {
  for (std::size_t first = 0; first < job.n_values; first += kLanes) {
    const std::size_t left = job.n_values - first;
    const std::size_t here = left < kLanes ? left : kLanes;
    alignas(64) float values[kLanes] = {};
    __builtin_memcpy(values, job.values + first, here * sizeof(float));
    alignas(64) std::int32_t bits[kLanes];
    store(bits, convert(load(values)));
    Stored stored[kLanes];
    for (int i = 0; i < kLanes; ++i) stored[i] = static_cast<Stored>(bits[i]);
    __builtin_memcpy(job.out + first * sizeof(Stored), stored, here * sizeof(Stored));
  }
}

void encode_f16(const RowJob& job) {
  encode_numbers<std::uint16_t>(job, [](Floats x) { return f16_bits(x); });
}

// Beyond the largest finite number, the largest finite number.
void encode_bf16(const RowJob& job) {
  encode_numbers<std::uint16_t>(job, [](Floats x) {
    const Ints m = bits_of(x) & all(0x7FFFFFFF);
    const Ints odd = shift_right(m, 16) & all(1);
    const Ints rounded = shift_right(m + all(0x7FFF) + odd, 16) & all(0xFFFF);
    const Ints finite = select(rounded < all(0x7F80), rounded, all(0x7F7F));
    return finite | (shift_right(sign_bits(x), 16) & all(0x8000));
  });
}

void encode_f8_e4m3(const RowJob& job) {
  const Floats scale = all(job.scale);
  encode_numbers<std::uint8_t>(job, [scale](Floats x) {
    const Floats scaled = x / scale;
    return e4m3_bits(magnitude(scaled)) | (shift_right(sign_bits(scaled), 24) & all(0x80));
  });
}
