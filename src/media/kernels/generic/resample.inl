// Over the compiler's vector types, as many lanes of 32 bits as a register holds. What an
// instruction set's source defines before: kLanes, kRowsAtOnce, Ints, FourInts, and
//   widened(bytes)           kLanes bytes as lanes
//   store_clipped(to, ints)  lanes as bytes
//   store_pairs(to, pixels)  kLanes / 2 pixels as words, the same byte of two pixels side by side
//   multiply_add(sum, a, b)  sum + the products of both halves of each lane, as 16-bit numbers

constexpr int kFractionBits = 22;
constexpr int kPixelsAtOnce = kLanes / 2;  // as pairs of words

template <typename V>
inline V rounded(V sum) {
  return (sum + (1 << (kFractionBits - 1))) >> kFractionBits;
}

/// The sum of the groups of four lanes: one for each byte of a pixel.
inline FourInts folded(Ints sum) {
  FourInts parts[kLanes / 4];
  __builtin_memcpy(parts, &sum, sizeof(sum));
  FourInts total = parts[0];
  for (int part = 1; part < kLanes / 4; ++part) total += parts[part];
  return total;
}

inline Ints load_words(const std::int16_t* from) {
  Ints result;
  __builtin_memcpy(&result, from, sizeof(result));
  return result;
}

template <int kRows>
inline void resample_rows(const HorizontalJob& job, int first_row) {
  const std::int64_t row_words = job.scratch_width * 4;
  for (int row = 0; row < kRows; ++row) {
    const std::uint8_t* const from = job.rows[first_row + row];
    std::int16_t* const to = job.scratch + row * row_words;
    for (std::int64_t x = 0; x < job.in_width; x += kPixelsAtOnce)
      store_pairs(to + x * 4, from + x * 4);
  }
  std::int64_t weights_at = 0;
  for (int x = 0; x < job.out_width; ++x, weights_at += std::int64_t{job.n_weights} * 4) {
    const std::int16_t* const from = job.scratch + static_cast<std::int64_t>(job.starts[x]) * 4;
    const int n_words = job.n_groups[x] * kWeightGroup * 4;
    Ints low[kRows] = {};
    Ints high[kRows] = {};
    for (int word = 0; word < n_words; word += kLanes * 2) {
      const Ints low_weights = load_words(job.low + weights_at + word);
      const Ints high_weights = load_words(job.high + weights_at + word);
      for (int row = 0; row < kRows; ++row) {
        const Ints pixels = load_words(from + row * row_words + word);
        low[row] = multiply_add(low[row], pixels, low_weights);
        high[row] = multiply_add(high[row], pixels, high_weights);
      }
    }
    for (int row = 0; row < kRows; ++row) {
      const FourInts sum = folded((high[row] << kLowBits) + low[row]);
      store_clipped(job.out[first_row + row] + static_cast<std::int64_t>(x) * 4, rounded(sum));
    }
  }
}

void horizontal(const HorizontalJob& job) {
  int row = 0;
  for (; row + kRowsAtOnce <= job.n_rows; row += kRowsAtOnce) resample_rows<kRowsAtOnce>(job, row);
  for (; row < job.n_rows; ++row) resample_rows<1>(job, row);
}

void vertical(const VerticalJob& job) {
  constexpr int kVectors = 4;  // whose sums do not wait for each other
  for (std::int64_t at = 0; at < job.n_bytes; at += kVectors * kLanes) {
    Ints sums[kVectors] = {};
    for (int row = 0; row < job.n_rows; ++row) {
      const std::uint8_t* const from = job.rows[row] + at;
      const Ints weight = job.weights[row] - Ints{};
      for (int v = 0; v < kVectors; ++v) sums[v] += widened(from + v * kLanes) * weight;
    }
    for (int v = 0; v < kVectors; ++v) store_clipped(job.out + at + v * kLanes, rounded(sums[v]));
  }
}

Kernels table(const char* isa) {
  Kernels kernels;
  kernels.isa = isa;
  kernels.horizontal = horizontal;
  kernels.vertical = vertical;
  return kernels;
}
