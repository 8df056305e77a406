// Lanes of 32 bits in the compiler's vector types, as many as a register holds.

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
constexpr int kFractionBits = 22;
constexpr int kPixelsAtOnce = kLanes / 4;
constexpr int kRowsAtOnce = 4;

typedef std::int32_t Ints __attribute__((vector_size(kLanes * 4)));
typedef std::uint8_t SomeBytes __attribute__((vector_size(kLanes)));
typedef std::int32_t FourInts __attribute__((vector_size(16)));
typedef std::uint8_t FourBytes __attribute__((vector_size(4)));

inline Ints widened(const std::uint8_t* from) {
  SomeBytes bytes;
  __builtin_memcpy(&bytes, from, sizeof(bytes));
  return __builtin_convertvector(bytes, Ints);
}

inline Ints load(const std::int32_t* from) {
  Ints result;
  __builtin_memcpy(&result, from, sizeof(result));
  return result;
}

template <typename V>
inline V rounded_and_clipped(V sum) {
  V value = (sum + (1 << (kFractionBits - 1))) >> kFractionBits;
  value = value < 0 ? V{} : value;
  return value > 255 ? V{} + 255 : value;
}

/// The sum of the groups of four lanes: one for each byte of a pixel.
inline FourInts folded(Ints sum) {
  FourInts parts[kPixelsAtOnce];
  __builtin_memcpy(parts, &sum, sizeof(sum));
  FourInts total = parts[0];
  for (int part = 1; part < kPixelsAtOnce; ++part) total += parts[part];
  return total;
}

inline void store_pixel(std::uint8_t* to, Ints sum) {
  const FourBytes bytes = __builtin_convertvector(rounded_and_clipped(folded(sum)), FourBytes);
  __builtin_memcpy(to, &bytes, sizeof(bytes));
}

template <int kRows>
inline void resample_rows(const HorizontalJob& job, int first_row) {
  const std::uint8_t* rows[kRows];
  std::uint8_t* out[kRows];
  for (int row = 0; row < kRows; ++row) {
    rows[row] = job.rows[first_row + row];
    out[row] = job.out[first_row + row];
  }
  const std::int32_t* weights = job.weights;
  for (int x = 0; x < job.out_width; ++x, weights += job.n_weights * 4) {
    const int n_steps = job.n_groups[x] * (4 / kPixelsAtOnce);
    Ints sums[kRows] = {};
    for (int step = 0; step < n_steps; ++step) {
      const Ints weight = load(weights + step * kLanes);
      const std::int64_t at = (static_cast<std::int64_t>(job.starts[x]) + step * kPixelsAtOnce) * 4;
      for (int row = 0; row < kRows; ++row) sums[row] += widened(rows[row] + at) * weight;
    }
    for (int row = 0; row < kRows; ++row)
      store_pixel(out[row] + static_cast<std::int64_t>(x) * 4, sums[row]);
  }
}

void horizontal(const HorizontalJob& job) {
  int row = 0;
  for (; row + kRowsAtOnce <= job.n_rows; row += kRowsAtOnce) resample_rows<kRowsAtOnce>(job, row);
  for (; row < job.n_rows; ++row) resample_rows<1>(job, row);
}

void vertical(const VerticalJob& job) {
  constexpr int kVectors =
      64 / kLanes;  // 64 bytes at once, so that sums do not wait for each other
  constexpr int kChunk = kVectors > 8 ? 8 : kVectors;
  constexpr int kBytes = kChunk * kLanes;
  for (std::int64_t at = 0; at < job.n_bytes; at += kBytes) {
    Ints sums[kChunk] = {};
    for (int row = 0; row < job.n_rows; ++row) {
      const std::uint8_t* const from = job.rows[row] + at;
      const Ints weight = job.weights[row] - Ints{};
      for (int chunk = 0; chunk < kChunk; ++chunk)
        sums[chunk] += widened(from + chunk * kLanes) * weight;
    }
    for (int chunk = 0; chunk < kChunk; ++chunk) {
      const SomeBytes bytes = __builtin_convertvector(rounded_and_clipped(sums[chunk]), SomeBytes);
      __builtin_memcpy(job.out + at + chunk * kLanes, &bytes, sizeof(bytes));
    }
  }
}

Kernels table(const char* isa) {
  Kernels kernels;
  kernels.isa = isa;
  kernels.horizontal = horizontal;
  kernels.vertical = vertical;
  return kernels;
}
