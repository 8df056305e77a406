// Included within an unnamed namespace.

constexpr double kSmallest = -1400;  // its exponential is surely 0

/// exp(x) as the square of exp(x / 2) = 2^n exp(r), n the integer nearest to
/// x / 2 / ln 2, |r| <= ln 2 / 2. The half keeps 2^n a normal number and the square
/// underflows by itself, so that nothing branches and a loop becomes vector code.
/// For x from kSmallest to 0.
inline double exp_of(double x) {
  constexpr double kRound = 0x1.8p52;                // adding it rounds to an integer
  constexpr double kLog2E = 1.4426950408889634;      // 1 / ln 2
  constexpr double kLn2High = 0x1.62e42fefa3800p-1;  // few bits: n times it is exact
  constexpr double kLn2Low = 0x1.ef35793c76730p-45;

  const double half = 0.5 * x;
  const double rounded = half * kLog2E + kRound;
  const double n = rounded - kRound;
  const double r = (half - n * kLn2High) - n * kLn2Low;
  double series = 1.0 / 479001600;  // 1/12!, the terms of exp's series from the last
  series = series * r + 1.0 / 39916800;
  series = series * r + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 0.5;
  series = series * r + 1.0;
  series = series * r + 1.0;
  // The low bits of `rounded` hold n; moved up they add to the exponent.
  const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, rounded) << 52;
  const double root =
      __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, series) + exponent);
  return root * root;
}
