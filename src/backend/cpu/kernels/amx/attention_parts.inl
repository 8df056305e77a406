// What attention of prompts and of generated tokens share on the matrix unit. Queries and
// weights of positions are split in two parts of bf16, high and low, so that products are as
// exact as the cache; sums are f32.

inline constexpr int kPairSlots = 32;  // a pair of key tiles, one value tile deep

// Slots [begin, end) of a block or a page.
struct Slots {
  int begin;
  int end;

  bool empty() const { return begin >= end; }
  // Lanes of the sixteen slots from `slot` on.
  __mmask16 lanes(int slot) const {
    const int from = begin - slot;
    const int to = end - slot;
    const unsigned low = from <= 0 ? 0xFFFFU : from >= kLanes ? 0U : 0xFFFFU << from;
    const unsigned high = to >= kLanes ? 0xFFFFU : to <= 0 ? 0U : (1U << to) - 1;
    return static_cast<__mmask16>(low & high);
  }
};

// Of n slots, the first of which is position `start`, those in [first, last].
inline Slots slots_of(std::int64_t first, std::int64_t last, std::int64_t start, int n) {
  const auto clamped = [&](std::int64_t slot) {
    return static_cast<int>(slot < 0 ? 0 : slot < n ? slot : n);
  };
  return {clamped(first - start), clamped(last + 1 - start)};
}

// A line of a tile of high parts, and the same one of the low parts.
struct SplitLine {
  std::byte* high;
  std::byte* low;
};

// Thirty-two values, and what rounding left of them.
inline void store_split(SplitLine line, Vec first_half, Vec second_half) {
  const __m512i high = (__m512i)_mm512_cvtne2ps_pbh(second_half.v, first_half.v);
  const auto value = [](__m256i halves) {
    return Vec{_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))};
  };
  const Vec rest0 = first_half - value(_mm512_castsi512_si256(high));
  const Vec rest1 = second_half - value(_mm512_extracti64x4_epi64(high, 1));
  _mm512_storeu_si512(line.high, high);
  _mm512_storeu_si512(line.low, (__m512i)_mm512_cvtne2ps_pbh(rest1.v, rest0.v));
}

// As store_split, of weights: in [0, 1] or no number.
inline void store_split_weights(SplitLine line, Vec first_half, Vec second_half) {
  const __m512i half = _mm512_set1_epi32(0x8000);
  const __m512i top = _mm512_set1_epi32(-65536);
  const __m512i odd =
      _mm512_set_epi16(63, 61, 59, 57, 55, 53, 51, 49, 47, 45, 43, 41, 39, 37, 35, 33, 31, 29, 27,
                       25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  const auto rounded = [&](Vec x) { return _mm512_add_epi32(_mm512_castps_si512(x.v), half); };
  const auto value = [&](__m512i bits) {
    return Vec{_mm512_castsi512_ps(_mm512_and_si512(bits, top))};
  };
  const __m512i high0 = rounded(first_half);
  const __m512i high1 = rounded(second_half);
  const __m512i rest0 = rounded(first_half - value(high0));
  const __m512i rest1 = rounded(second_half - value(high1));
  _mm512_storeu_si512(line.high, _mm512_permutex2var_epi16(high0, odd, high1));
  _mm512_storeu_si512(line.low, _mm512_permutex2var_epi16(rest0, odd, rest1));
}

// The largest of a query's own scores and of what was before.
inline float largest_score(const float* scores, Slots own, float before) {
  __m512 largest = _mm512_set1_ps(before);
  for (int slot = own.begin / kLanes * kLanes; slot < own.end; slot += kLanes) {
    largest = _mm512_mask_max_ps(largest, own.lanes(slot), largest, Vec::load(scores + slot).v);
  }
  return _mm512_reduce_max_ps(largest);
}

// e^x for x <= 0 or no number. What is hardly normal stays so: a subnormal number
// would cost the processor a hundred cycles, and the sums beside it are 1 at least.
inline Vec weight_of(Vec x) {
  return {exp_in_range(_mm512_max_ps(_mm512_set1_ps(kLeastExponent), x.v))};
}

// The weights exp(score - maximum) of `all`, which begins with a pair of tiles and goes on to
// the end of one; 0 where a slot is not the query's own. The line for the slots from `slot` on
// is line_of(slot). Returns the sum of the weights and of what was summed before, `total`.
template <typename LineOf>
inline Vec weigh_slots(const float* scores, Slots own, Slots all, float maximum, Vec total,
                       const LineOf& line_of) {
  const Vec shift = Vec::set(maximum);
  for (int slot = all.begin; slot < all.end; slot += kPairSlots) {
    Vec p0 = weight_of(Vec::load(scores + slot) - shift);
    Vec p1 = weight_of(Vec::load(scores + slot + kLanes) - shift);
    if (slot < own.begin || slot + kPairSlots > own.end) {
      p0.v = _mm512_maskz_mov_ps(own.lanes(slot), p0.v);
      p1.v = _mm512_maskz_mov_ps(own.lanes(slot + kLanes), p1.v);
    }
    total = total + p0;
    total = total + p1;
    store_split_weights(line_of(slot), p0, p1);
  }
  return total;
}

// Sums whose maximum has grown. The matrix unit takes subnormal sums for zero, so none is
// ever left in memory.
inline void rescale_line(float* line, Vec rescale) {
  const __m512 smallest = _mm512_set1_ps(0x1p-126F);
  const __m512 value = (Vec::load(line) * rescale).v;
  const __mmask16 normal =
      _mm512_cmp_ps_mask(_mm512_abs_ps(value), smallest, _CMP_NLT_UQ);  // or no number
  _mm512_storeu_ps(line, _mm512_maskz_mov_ps(normal, value));
}

// Values of two positions that lie side by side, zeros for those that are not to be kept:
// what lies there may be no number, of which a weight of 0 would make no number either.
// `from` may be null where none is.
inline void copy_pair(std::byte* to, const std::byte* from, bool keep_even, bool keep_odd,
                      std::int64_t bytes) {
  const __m512i keep = _mm512_set1_epi32(
      static_cast<int>((keep_even ? 0xFFFFU : 0U) | (keep_odd ? 0xFFFF0000U : 0U)));
  for (std::int64_t at = 0; at < bytes; at += 64) {
    const __m512i pairs =
        keep_even || keep_odd ? _mm512_loadu_si512(from + at) : _mm512_setzero_si512();
    _mm512_storeu_si512(to + at, _mm512_and_si512(pairs, keep));
  }
}
