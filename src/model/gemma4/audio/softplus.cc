#include "model/gemma4/audio/softplus.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tensor/float16.h"

namespace pleiad::gemma4 {
namespace {

constexpr float kLinearFrom = 20.0F;

/// The nearest number of a stored type, and how far its neighbours are, beside it.
struct Rounding {
  float (*rounded)(float);
  float spacing;
};
constexpr Rounding kBf16 = {[](float x) { return f32_from_bf16(bf16_from_f32(x)); }, 0x1p-7F};
constexpr Rounding kF16 = {[](float x) { return f32_from_f16(f16_from_f32(x)); }, 0x1p-10F};

/// Where softplus is `value`, nearly.
double preimage(float value) {
  const double y = value;
  return value > kLinearFrom ? y : y + std::log(-std::expm1(-y));
}

/// Of the type's numbers around it, the one whose softplus comes closest.
float closest(float value, const Rounding& type) {
  const auto x = static_cast<float>(preimage(value));
  float best = type.rounded(x);
  for (const float step : {-1.0F, 1.0F}) {
    const float beside = type.rounded(x * (1.0F + step * type.spacing));
    if (std::abs(softplus(beside) - value) < std::abs(softplus(best) - value)) best = beside;
  }
  return best;
}

/// The same of f32, where single steps of x may be far less than the softplus can tell.
float closest_f32(float value) {
  constexpr int kSteps = 8;
  const auto x = static_cast<float>(preimage(value));
  const float step = 0x1p-25F * std::max(std::abs(x), value);
  float best = x;
  for (int n = -kSteps; n <= kSteps; ++n) {
    const float beside = x + static_cast<float>(n) * step;
    if (std::abs(softplus(beside) - value) < std::abs(softplus(best) - value)) best = beside;
  }
  return best;
}

std::optional<std::vector<float>> all_as(std::span<const float> values, const Rounding& type) {
  constexpr float kTolerance = 0x1p-21F;  // a few units of the last place
  std::vector<float> found;
  for (const float value : values) {
    found.push_back(closest(value, type));
    if (!(std::abs(softplus(found.back()) - value) <= kTolerance * value)) return std::nullopt;
  }
  return found;
}

}  // namespace

float softplus(float x) { return x > kLinearFrom ? x : std::log1p(std::exp(x)); }

std::vector<float> inverse_softplus(std::span<const float> values) {
  for (const Rounding& type : {kBf16, kF16}) {
    if (auto found = all_as(values, type)) return *std::move(found);
  }
  std::vector<float> found;
  for (const float value : values) found.push_back(closest_f32(value));
  return found;
}

}  // namespace pleiad::gemma4
