// The activations' side: rows of f32 to integers (kernels/integer_forms.h).

// What integers are multiplied with to give the values again, and the other way round. Where
// the largest magnitude is no finite number or next to nothing, so is the scale.
struct Quantum {
  float scale;
  Vec inverse;
  bool finite;

  Quantum(float largest, float steps) : finite(largest <= 3.0e38F) {
    const bool any = finite && largest > 1e-30F;
    scale = !finite ? __builtin_nanf("") : any ? largest / steps : 0.0F;
    inverse = Vec::set(any ? steps / largest : 0.0F);
  }
  Ints integers(Vec x) const { return Ints::rounded(finite ? x * inverse : Vec::set(0.0F)); }
};

// Sixteen of n values from `col` on, zero from the n-th.
inline Vec load_columns(const float* x, std::int64_t col, std::int64_t n) {
  const std::int64_t left = n - col;
  return left >= 16 ? Vec::load(x + col) : Vec::load_part(x + col, left > 0 ? left : 0);
}

// 16 bits as 255 * high + low.
constexpr float kTwoByteSteps = 32512.0F;

struct TwoBytes {
  Ints high;
  Ints low;

  explicit TwoBytes(Ints q) : high(Ints::rounded(q.to_vec() * Vec::set(1.0F / 255.0F))) {
    low = q - high.times_255();
  }
};

template <int kPlanes>
void quantize_row(std::byte* out, std::int64_t padded_cols, const float* x, std::int64_t n) {
  const IntegerRow layout = {padded_cols};
  auto* high = reinterpret_cast<std::int8_t*>(out + layout.high());
  auto* low = reinterpret_cast<std::int8_t*>(out + layout.low());
  auto* scales = reinterpret_cast<float*>(out + layout.scales());
  [[maybe_unused]] auto* scaled_sums = reinterpret_cast<float*>(out + layout.scaled_sums());
  auto* minus32 = reinterpret_cast<std::int32_t*>(out + layout.minus32());
  [[maybe_unused]] auto* minus16 = reinterpret_cast<std::int32_t*>(out + layout.minus16());
  for (std::int64_t group = 0; group < layout.groups(); ++group) {
    const Vec a = load_columns(x, 32 * group, n);
    const Vec b = load_columns(x, 32 * group + 16, n);
    const Quantum quantum(Vec::largest_magnitude(a, b), kPlanes == 2 ? kTwoByteSteps : 127.0F);
    const Ints q0 = quantum.integers(a);
    const Ints q1 = quantum.integers(b);
    if constexpr (kPlanes == 2) {
      const TwoBytes first(q0);
      const TwoBytes second(q1);
      first.high.store_bytes(high + 32 * group);
      second.high.store_bytes(high + 32 * group + 16);
      first.low.store_bytes(low + 32 * group);
      second.low.store_bytes(low + 32 * group + 16);
      minus32[2 * group] = minus_sum(first.high + second.high);
      minus32[2 * group + 1] = minus_sum(first.low + second.low);
      minus16[4 * group] = minus_sum(first.high);
      minus16[4 * group + 1] = minus_sum(first.low);
      minus16[4 * group + 2] = minus_sum(second.high);
      minus16[4 * group + 3] = minus_sum(second.low);
    } else {
      q0.store_bytes(high + 32 * group);
      q1.store_bytes(high + 32 * group + 16);
      const Ints both = q0 + q1;
      minus32[group] = minus_sum(both);
      scaled_sums[group] = quantum.scale * static_cast<float>(both.sum());
    }
    scales[group] = quantum.scale;
  }
}

// What kinds with sixteens read of a row as bytes.
void quantize_sixteens(std::byte* out, std::int64_t padded_cols, const float* x, std::int64_t n) {
  const IntegerRow layout = {padded_cols};
  auto* bytes = reinterpret_cast<std::int8_t*>(out + layout.low());
  auto* minus16 = reinterpret_cast<std::int32_t*>(out + layout.minus16());
  auto* scales = reinterpret_cast<float*>(out + layout.scales16());
  for (std::int64_t i = 0; i < 2 * layout.groups(); ++i) {
    const Vec values = load_columns(x, 16 * i, n);
    const Quantum quantum(Vec::largest_magnitude(values, values), 127.0F);
    const Ints q = quantum.integers(values);
    q.store_bytes(bytes + 16 * i);
    minus16[i] = minus_sum(q);
    scales[i] = quantum.scale;
  }
}

void quantize_superblocks(std::byte* out, std::int64_t padded_cols, const float* x,
                          std::int64_t n) {
  constexpr int kSixteens = kSuperblock / 16;
  const SuperblockRow layout = {padded_cols};
  auto* high = reinterpret_cast<std::int8_t*>(out + layout.high());
  auto* low = reinterpret_cast<std::int8_t*>(out + layout.low());
  auto* offsets = reinterpret_cast<std::int32_t*>(out + layout.offsets());
  auto* sums = reinterpret_cast<std::int32_t*>(out + layout.sums());
  auto* scales = reinterpret_cast<float*>(out + layout.scales());
  for (std::int64_t block = 0; block < layout.superblocks(); ++block) {
    float largest = 0.0F;  // compared as bits, so that a NaN is the largest of all
    for (std::int64_t i = kSixteens * block; i < kSixteens * (block + 1); i += 2) {
      const float next =
          Vec::largest_magnitude(load_columns(x, 16 * i, n), load_columns(x, 16 * i + 16, n));
      if (float_to_bits(next) > float_to_bits(largest)) largest = next;
    }
    const Quantum quantum(largest, kTwoByteSteps);
    scales[block] = quantum.scale;
    for (std::int64_t i = kSixteens * block; i < kSixteens * (block + 1); ++i) {
      const TwoBytes bytes(quantum.integers(load_columns(x, 16 * i, n)));
      bytes.high.store_bytes(high + 16 * i);
      bytes.low.store_bytes(low + 16 * i);
      offsets[2 * i] = minus_sum(bytes.high.times_power_of_two<kSuperblockOffset>());
      offsets[2 * i + 1] = minus_sum(bytes.low.times_power_of_two<kSuperblockOffset>());
      const std::int32_t sum = 255 * bytes.high.sum() + bytes.low.sum();
      sums[i / 2] = i % 2 == 0 ? sum : sums[i / 2] + sum;
    }
  }
}
