// x * sigmoid(2u) is gelu's tanh form 0.5 x (1 + tanh(u)) without cancellation,
// u = sqrt(2/pi) (x + 0.044715 x^3).
inline Vec gelu(Vec x) {
  const Vec cubic = Vec::set(0.044715F) * x * x * x;
  const Vec u = Vec::set(0.7978845608028654F) * (x + cubic);
  const Vec e = Vec::exp(Vec::set(-2.0F) * u);
  return x / (Vec::set(1.0F) + e);
}
