// The limits of one set of vectors: reads and multiply-adds in registers.
// Needs: Floats, a vector of f32; multiply_add() of three; kAhead, how many bytes
// reads are asked for ahead of the loads (0: not at all); chains.inl.

using Words = std::uint64_t __attribute__((vector_size(sizeof(Floats)), may_alias));

inline constexpr std::int64_t kWidth = sizeof(Floats);

std::uint64_t read_sum(const std::byte* data, std::int64_t n) {
  Words a = {};
  Words b = a;
  Words c = a;
  Words d = a;
  for (std::int64_t at = 0; at < n; at += 4 * kWidth) {
    for (std::int64_t line = 0; kAhead > 0 && line < 4 * kWidth; line += 64) {
      __builtin_prefetch(data + at + kAhead + line);
    }
    const auto* words = reinterpret_cast<const Words*>(data + at);
    a += words[0];
    b += words[1];
    c += words[2];
    d += words[3];
  }
  const Words sums = (a + b) + (c + d);
  std::uint64_t sum = 0;
  for (std::size_t word = 0; word < kWidth / sizeof sum; ++word) sum += sums[word];
  return sum;
}

double float_peak(std::int64_t iterations) {
  const Floats factor = Floats{} + 0.5F;
  const Floats addend = Floats{} + 1.0F;
  const auto step = [&](Floats sum) { return multiply_add(sum, factor, addend); };
  return run_chains<Floats>(iterations, step) * (kWidth / sizeof(float)) * 2;
}
