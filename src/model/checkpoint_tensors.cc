#include "model/checkpoint_tensors.h"

#include <limits>

#include "model/gemma4/tensor_table.h"
#include "tensor/decode.h"

namespace pleiad {
namespace {

constexpr float kUnbounded = std::numeric_limits<float>::infinity();

float clip_bound(const TensorsByName& tensors, const std::string& name, float absent) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) return absent;
  float value = 0.0F;
  decode_row(found->second, 0, &value);
  return value;
}

}  // namespace

bool same_shape(const Shape& a, const Shape& b) {
  if (a == b) return true;
  return a.size() <= 1 && b.size() <= 1 && element_count(a) == 1 && element_count(b) == 1;
}

void check_clip_bounds(const TensorsByName& tensors, std::string_view tower, int n_layers,
                       std::span<const std::string_view> linears, ProblemList& problems) {
  for (int layer = 0; layer < n_layers; ++layer) {
    for (const std::string_view linear : linears) {
      for (const std::string_view side : {"input", "output"}) {
        const std::string name = fmt::format("{}.layers.{}.{}.{}", tower, layer, linear, side);
        const float from = clip_bound(tensors, name + "_min", -kUnbounded);
        const float to = clip_bound(tensors, name + "_max", kUnbounded);
        if (!(from <= to)) problems.add("clip bounds '{}': {} to {}", name, from, to);
      }
    }
  }
}

void note_unused(const gemma4::Config& config, std::string_view name, UnusedTensors& unused) {
  switch (gemma4::classify_unused(config, name)) {
    case gemma4::UnusedKind::vision:
      ++unused.vision;
      return;
    case gemma4::UnusedKind::audio:
      ++unused.audio;
      return;
    case gemma4::UnusedKind::dead_kv:
      ++unused.dead_kv;
      return;
    case gemma4::UnusedKind::ignored:
      return;
    case gemma4::UnusedKind::unknown:
      unused.unknown.emplace_back(name);
      return;
  }
}

}  // namespace pleiad
