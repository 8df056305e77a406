// Over the compiler's vector types, as many lanes of 32 bits as a register holds. What an
// instruction set's source defines before: kLanes, kBlocks (registers of rows that horizontal()
// goes over at once), kDigits (see Digits), Ints, and
//   store_clipped(to, ints)   lanes as bytes
//   store_clipped(to, four)   the same of four registers with what interleave() made of bytes
//   load_group(rows, at)      of kLanes / 4 rows the pixels of a group, from byte `at` on: each
//                             lane has the same byte of all of them
//   interleave(rows, at, four)  of as many rows as there are taps the bytes from `at` on: each lane
//                             has the same byte of all of them, in the order that store_clipped()
//                             knows
//   multiply_add(sum, a, b)   sum + the products of the numbers of each lane: unsigned ones of
//                             pixels, and digits

constexpr int kFractionBits = 22;
constexpr int kRows = kLanes / 4;  // of a register: a lane is a row's channel
constexpr int kGroupBytes = static_cast<int>(sizeof(Ints));

inline Ints rounded(Ints sum) { return (sum + (1 << (kFractionBits - 1))) >> kFractionBits; }

/// The sum of products, of those of its digits.
inline Ints joined(const Ints (&digits)[kDigits.n]) {
  Ints sum = digits[kDigits.n - 1];
  for (int digit = kDigits.n - 2; digit >= 0; --digit) sum = (sum << kDigits.bits) + digits[digit];
  return sum;
}

inline Ints load_ints(const std::uint8_t* from) {
  Ints result;
  __builtin_memcpy(&result, from, sizeof(result));
  return result;
}

inline void store_ints(std::uint8_t* to, Ints values) {
  __builtin_memcpy(to, &values, sizeof(values));
}

/// kN * kRows rows, or what is left of them: the last one stands in for those that are missing.
/// Each register sums for a pixel of kRows rows, so that nothing is added up across lanes.
template <int kN>
inline void resample_rows(const HorizontalJob& job, int first_row) {
  const std::uint8_t* rows[kN * kRows];
  std::uint8_t* out[kN * kRows];
  for (int row = 0; row < kN * kRows; ++row) {
    const int existing = first_row + row < job.n_rows ? first_row + row : job.n_rows - 1;
    rows[row] = job.rows[existing];
    out[row] = job.out[existing];
  }
  std::uint8_t* to = job.scratch;
  for (std::int64_t x = 0; x < job.in_width; x += kDigits.taps) {
    for (int block = 0; block < kN; ++block, to += kGroupBytes) {
      store_ints(to, load_group(rows + block * kRows, x * 4));
    }
  }
  const std::int32_t* weights = job.weights;
  for (std::int64_t x = 0; x < job.out_width; ++x) {
    const std::uint8_t* from = job.scratch + std::int64_t{job.starts[x]} * (kN * kGroupBytes);
    Ints sums[kDigits.n][kN] = {};
    for (int group = 0; group < job.n_groups; ++group, weights += kDigits.n) {
      Ints pixels[kN];
      for (int block = 0; block < kN; ++block, from += kGroupBytes) pixels[block] = load_ints(from);
      for (int digit = 0; digit < kDigits.n; ++digit) {
        const Ints weight = weights[digit] - Ints{};
        for (int block = 0; block < kN; ++block) {
          sums[digit][block] = multiply_add(sums[digit][block], pixels[block], weight);
        }
      }
    }
    for (int block = 0; block < kN; ++block) {
      Ints digits[kDigits.n];
      for (int digit = 0; digit < kDigits.n; ++digit) digits[digit] = sums[digit][block];
      std::uint8_t pixels[kLanes];
      store_clipped(pixels, rounded(joined(digits)));
      for (int row = 0; row < kRows; ++row) {
        __builtin_memcpy(out[block * kRows + row] + x * 4, pixels + row * 4, 4);
      }
    }
  }
}

void horizontal(const HorizontalJob& job) {
  for (int row = 0; row < job.n_rows;) {
    if (job.n_rows - row > kRows) {
      resample_rows<kBlocks>(job, row);
      row += kBlocks * kRows;
    } else {
      resample_rows<1>(job, row);
      row += kRows;
    }
  }
}

void vertical(const VerticalJob& job) {
  for (std::int64_t at = 0; at < job.n_bytes; at += kGroupBytes) {
    Ints sums[kDigits.n][4] = {};
    const std::int32_t* weights = job.weights;
    for (int first = 0; first < job.n_rows; first += kDigits.taps, weights += kDigits.n) {
      const std::uint8_t* rows[kDigits.taps];
      for (int tap = 0; tap < kDigits.taps; ++tap) {  // those that are missing weigh nothing
        rows[tap] = job.rows[first + tap < job.n_rows ? first + tap : first];
      }
      Ints bytes[4];
      interleave(rows, at, bytes);
      for (int digit = 0; digit < kDigits.n; ++digit) {
        const Ints weight = weights[digit] - Ints{};
        for (int v = 0; v < 4; ++v) {
          sums[digit][v] = multiply_add(sums[digit][v], bytes[v], weight);
        }
      }
    }
    Ints result[4];
    for (int v = 0; v < 4; ++v) {
      Ints digits[kDigits.n];
      for (int digit = 0; digit < kDigits.n; ++digit) digits[digit] = sums[digit][v];
      result[v] = rounded(joined(digits));
    }
    store_clipped(job.out + at, result);
  }
}

Kernels table(const char* isa) {
  Kernels kernels;
  kernels.isa = isa;
  kernels.digits = kDigits;
  kernels.horizontal = horizontal;
  kernels.vertical = vertical;
  return kernels;
}
