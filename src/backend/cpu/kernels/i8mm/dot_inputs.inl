// I8MM: two inputs meet two rows of weights in one instruction (SMMLA), eight columns of
// each: twice the products of SDOT.

// Sums of two inputs over four rows of weights.
struct PairSums {
  int32x4_t first;   // [x0 w0, x0 w1, x1 w0, x1 w1]
  int32x4_t second;  // of w2 and w3

  void add(int8x16_t x, int8x16_t w01, int8x16_t w23) {
    first = vmmlaq_s32(first, x, w01);
    second = vmmlaq_s32(second, x, w23);
  }
  void add_to(int32x4_t& sum0, int32x4_t& sum1) const {
    const int64x2_t a = vreinterpretq_s64_s32(first);
    const int64x2_t b = vreinterpretq_s64_s32(second);
    sum0 = vaddq_s32(sum0, vreinterpretq_s32_s64(vzip1q_s64(a, b)));
    sum1 = vaddq_s32(sum1, vreinterpretq_s32_s64(vzip2q_s64(a, b)));
  }
};

// Of four inputs.
struct FourSums {
  PairSums x01;
  PairSums x23;

  static FourSums zero() {
    const PairSums none = {vdupq_n_s32(0), vdupq_n_s32(0)};
    return {none, none};
  }
  // Four columns of four rows of weights, and the next four columns.
  void add(int8x16_t first_x, int8x16_t second_x, uint8x16_t w, uint8x16_t next) {
    const int32x4_t a = vreinterpretq_s32_u8(w);
    const int32x4_t b = vreinterpretq_s32_u8(next);
    const int8x16_t w01 = vreinterpretq_s8_s32(vzip1q_s32(a, b));
    const int8x16_t w23 = vreinterpretq_s8_s32(vzip2q_s32(a, b));
    x01.add(first_x, w01, w23);
    x23.add(second_x, w01, w23);
  }
};

// sums[i] = what dot_group() gives for x[i]. Sixteen registers of sums, eight of
// weights and two of inputs: about what there are.
template <typename T, int kInputs, typename Units>
inline void dot_inputs(const Units& w, const std::int8_t* const* x, const Start* starts,
                       Ints* sums) {
  static_assert(T::kQuads % 2 == 0 && kInputs == 4);
  for (int i = 0; i < kInputs; ++i) sums[i] = starts[i];
  FourSums a = FourSums::zero();
  FourSums b = a;
  FourSums c = a;
  FourSums d = a;
#pragma GCC unroll 4
  for (int i = 0; i < T::kQuads; i += 2) {
    const int8x16_t x01 = vcombine_s8(vld1_s8(x[0] + 4 * i), vld1_s8(x[1] + 4 * i));
    const int8x16_t x23 = vcombine_s8(vld1_s8(x[2] + 4 * i), vld1_s8(x[3] + 4 * i));
    const Bytes unit = signed_weights<T::kMaxWeight>(w[i]);
    const Bytes next = signed_weights<T::kMaxWeight>(w[i + 1]);
    a.add(x01, x23, unit.a, next.a);
    b.add(x01, x23, unit.b, next.b);
    c.add(x01, x23, unit.c, next.c);
    d.add(x01, x23, unit.d, next.d);
  }
  a.x01.add_to(sums[0].a, sums[1].a);
  b.x01.add_to(sums[0].b, sums[1].b);
  c.x01.add_to(sums[0].c, sums[1].c);
  d.x01.add_to(sums[0].d, sums[1].d);
  a.x23.add_to(sums[2].a, sums[3].a);
  b.x23.add_to(sums[2].b, sums[3].b);
  c.x23.add_to(sums[2].c, sums[3].c);
  d.x23.add_to(sums[2].d, sums[3].d);
}
