// What only an encoder of sound computes: its activation, gate, convolution and attention.

inline Vec sigmoid(Vec x) {
  return Vec::set(1.0F) / (Vec::set(1.0F) + Vec::exp(Vec::set(0.0F) - x));
}

void silu(float* x, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec v = Vec::load(x + i);
    (v * sigmoid(v)).store(x + i);
  }
  if (i < n) {
    const Vec v = Vec::load_part(x + i, n - i);
    (v * sigmoid(v)).store_part(x + i, n - i);
  }
}

void sigmoid_gate(float* out, const float* x, const float* gate, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    (Vec::load(x + i) * sigmoid(Vec::load(gate + i))).store(out + i);
  }
  if (i < n) {
    const Vec v = Vec::load_part(x + i, n - i) * sigmoid(Vec::load_part(gate + i, n - i));
    v.store_part(out + i, n - i);
  }
}

void convolve(float* out, const float* x, std::int64_t stride, const float* taps, int n_taps,
              std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec sum = Vec::set(0.0F);
    for (int k = 0; k < n_taps; ++k) {
      sum = Vec::fma(Vec::load(taps + k * n + i), Vec::load(x + i - k * stride), sum);
    }
    sum.store(out + i);
  }
  if (i < n) {
    Vec sum = Vec::set(0.0F);
    for (int k = 0; k < n_taps; ++k) {
      const Vec tap = Vec::load_part(taps + k * n + i, n - i);
      sum = Vec::fma(tap, Vec::load_part(x + i - k * stride, n - i), sum);
    }
    sum.store_part(out + i, n - i);
  }
}

inline float dot_of(const float* a, const float* b, std::int64_t n) {
  Vec sum = Vec::set(0.0F);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) sum = Vec::fma(Vec::load(a + i), Vec::load(b + i), sum);
  if (i < n) sum = Vec::fma(Vec::load_part(a + i, n - i), Vec::load_part(b + i, n - i), sum);
  return sum.sum();
}

void local_attention(const LocalAttentionArgs& args, float* scratch) {
  const std::int64_t n = args.head_dim;
  float* query = scratch;
  float* scores = scratch + (n + kLanes - 1) / kLanes * kLanes;
  for (std::int64_t i = 0; i < n; ++i) query[i] = args.query[i] * args.query_scale[i];
  for (std::int64_t d = 0; d < args.n_rows; ++d) {
    scores[d] = dot_of(query, args.key - d * args.stride, n) * args.key_scale +
                dot_of(query, args.distances + d * args.distance_stride, n);
  }
  softcap(scores, args.n_rows, args.cap);
  float most = scores[0];
  for (int d = 1; d < args.n_rows; ++d) most = scores[d] > most ? scores[d] : most;
  float total = 0.0F;
  for (std::int64_t d = 0; d < args.n_rows; d += kLanes) {
    const std::int64_t count = args.n_rows - d < kLanes ? args.n_rows - d : kLanes;
    const Vec weight = Vec::exp(Vec::load_part(scores + d, count) - Vec::set(most));
    weight.store_part(scores + d, count);
  }
  for (int d = 0; d < args.n_rows; ++d) total += scores[d];
  const float share = 1.0F / total;
  const auto weighted = [&](std::int64_t at, auto load) {
    Vec sum = Vec::set(0.0F);
    for (std::int64_t d = 0; d < args.n_rows; ++d) {
      sum = Vec::fma(Vec::set(scores[d]), load(args.value - d * args.stride + at), sum);
    }
    return sum * Vec::set(share);
  };
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    weighted(i, [](const float* p) { return Vec::load(p); }).store(args.out + i);
  }
  if (i < n) {
    weighted(i, [&](const float* p) {
      return Vec::load_part(p, n - i);
    }).store_part(args.out + i, n - i);
  }
}
