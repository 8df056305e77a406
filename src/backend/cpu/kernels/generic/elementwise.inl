// Norms, rotary embedding, activations: one row or one head at a time.

inline float inverse_rms(const float* x, std::int64_t n, float eps) {
  Vec sum = Vec::set(0.0F);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec v = Vec::load(x + i);
    sum = Vec::fma(v, v, sum);
  }
  if (i < n) {
    const Vec v = Vec::load_part(x + i, n - i);
    sum = Vec::fma(v, v, sum);
  }
  return 1.0F / __builtin_sqrtf(sum.sum() / static_cast<float>(n) + eps);
}

void rms_norm(float* out, const float* x, const float* weight, std::int64_t n, float eps) {
  const float factor = inverse_rms(x, n, eps);
  const Vec f = Vec::set(factor);
  std::int64_t i = 0;
  if (weight) {
    for (; i + kLanes <= n; i += kLanes) {
      (Vec::load(x + i) * f * Vec::load(weight + i)).store(out + i);
    }
    for (; i < n; ++i) out[i] = x[i] * factor * weight[i];
  } else {
    for (; i + kLanes <= n; i += kLanes) (Vec::load(x + i) * f).store(out + i);
    for (; i < n; ++i) out[i] = x[i] * factor;
  }
}

void norm_add(float* residual, const float* branch, const float* weight, std::int64_t n, float eps,
              float scale) {
  const float factor = inverse_rms(branch, n, eps);
  const Vec f = Vec::set(factor);
  const Vec s = Vec::set(scale);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vec normed = Vec::load(branch + i) * f * Vec::load(weight + i);
    ((Vec::load(residual + i) + normed) * s).store(residual + i);
  }
  for (; i < n; ++i) residual[i] = (residual[i] + branch[i] * factor * weight[i]) * scale;
}

void rope(float* head, std::int64_t head_dim, const float* cos, const float* sin,
          std::int64_t n_pairs) {
  float* second = head + head_dim / 2;
  for (std::int64_t i = 0; i < n_pairs; ++i) {
    const float a = head[i];
    const float b = second[i];
    head[i] = a * cos[i] - b * sin[i];
    second[i] = b * cos[i] + a * sin[i];
  }
}

#include "backend/cpu/kernels/generic/gelu.inl"

void gated_gelu(float* gate, const float* up, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    (gelu(Vec::load(gate + i)) * Vec::load(up + i)).store(gate + i);
  }
  if (i < n) {
    const Vec value = gelu(Vec::load_part(gate + i, n - i)) * Vec::load_part(up + i, n - i);
    value.store_part(gate + i, n - i);
  }
}

inline Vec tanh(Vec x) {
  const Vec e = Vec::exp(Vec::set(2.0F) * x);
  return Vec::set(1.0F) - Vec::set(2.0F) / (e + Vec::set(1.0F));
}

void softcap(float* x, std::int64_t n, float cap) {
  const Vec c = Vec::set(cap);
  const Vec inverse = Vec::set(1.0F / cap);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) (c * tanh(Vec::load(x + i) * inverse)).store(x + i);
  if (i < n) (c * tanh(Vec::load_part(x + i, n - i) * inverse)).store_part(x + i, n - i);
}

#include "backend/cpu/kernels/generic/sound.inl"

void axpby(float* out, float a, const float* x, float b, const float* y, std::int64_t n) {
  const Vec av = Vec::set(a);
  const Vec bv = Vec::set(b);
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    (av * Vec::load(x + i) + bv * Vec::load(y + i)).store(out + i);
  }
  for (; i < n; ++i) out[i] = a * x[i] + b * y[i];
}

void clamp(float* out, const float* x, std::int64_t n, float low, float high) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float raised = x[i] < low ? low : x[i];
    out[i] = raised > high ? high : raised;
  }
}
