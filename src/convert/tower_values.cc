#include "convert/tower_values.h"

#include <cmath>
#include <string_view>

#include "base/error.h"
#include "model/gemma4/audio/softplus.h"
#include "tensor/decode.h"

namespace pleiad::convert {
namespace {

using gemma4::AudioConfig;
using gemma4::EncoderTensorSpec;
using gemma4::PatchOrder;
using gemma4::VisionConfig;

/// Where a column of the patch embedding of one order stands in the other's: pixels have
/// their channels last, convolutions first.
std::size_t other_column(std::size_t column, PatchOrder order, std::size_t n_pixels) {
  constexpr std::size_t kChannels = 3;
  if (order == PatchOrder::pixels) return column % kChannels * n_pixels + column / kChannels;
  return column % n_pixels * kChannels + column / n_pixels;
}

/// What is as long as a patch (the patch embedding's rows, an embedder's norm) with its columns in
/// the other order than `order`.
std::vector<float> turned_patches(const HostTensor& source, PatchOrder order, int patch_size) {
  const auto n_pixels = static_cast<std::size_t>(patch_size) * static_cast<std::size_t>(patch_size);
  const std::size_t cols = 3 * n_pixels;
  const auto rows = static_cast<std::size_t>(element_count(source.shape)) / cols;
  HostTensor matrix = source;
  matrix.shape = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols)};
  std::vector<float> row(cols);
  std::vector<float> turned(rows * cols);
  for (std::size_t r = 0; r < rows; ++r) {
    decode_row(matrix, static_cast<std::int64_t>(r), row.data());
    for (std::size_t c = 0; c < cols; ++c) {
      turned[r * cols + other_column(c, order, n_pixels)] = row[c];
    }
  }
  return turned;
}

/// An embedder's table of places, [positions, 2, hidden_dim] in the order of pixels, as one of each
/// axis; or the way back.
std::vector<float> turned_places(const HostTensor& source, const VisionConfig& config) {
  const std::int64_t n = config.position_table_size;
  const std::int64_t dim = config.hidden_dim;
  std::vector<float> turned(static_cast<std::size_t>(2 * n * dim));
  for (std::int64_t place = 0; place < n; ++place) {
    for (std::int64_t axis = 0; axis < 2; ++axis) {
      const std::int64_t beside = 2 * place + axis;
      const std::int64_t behind = axis * n + place;
      const bool from_pixels = config.patch_order == PatchOrder::pixels;
      decode_row(source, from_pixels ? beside : behind,
                 turned.data() + (from_pixels ? behind : beside) * dim);
    }
  }
  return turned;
}

std::vector<float> vision_values(const EncoderTensorSpec& spec, const HostTensor& source,
                                 const VisionConfig& config) {
  if (config.is_embedder() && spec.name == "vision.position_embedding") {
    return turned_places(source, config);
  }
  if (spec.name == "vision.patch_embedding" || spec.name.starts_with("vision.patch_norm.")) {
    return turned_patches(source, config.patch_order, config.patch_size);
  }
  return {};
}

std::vector<float> audio_values(const EncoderTensorSpec& spec, const HostTensor& source,
                                const AudioConfig& config) {
  if (!spec.name.ends_with(".per_dim_scale")) return {};
  std::vector<float> values = decode_tensor(source);
  if (!config.softplus_applied) {
    for (float& value : values) value = gemma4::softplus(value);
    return values;
  }
  for (const float value : values) {
    if (value > 0.0F && std::isfinite(value)) continue;
    throw Error("tensor '{}': {} is no scale of queries: expected a number above 0", spec.gguf_name,
                value);
  }
  return gemma4::inverse_softplus(values);
}

}  // namespace

PatchOrder patch_order_of(Container container) {
  return container == Container::gguf ? PatchOrder::channels : PatchOrder::pixels;
}

std::vector<float> tower_values_for(const Checkpoint& source, const EncoderTensorSpec& spec,
                                    const HostTensor& values, Container container) {
  if (spec.name.starts_with("vision.")) {
    const VisionConfig& config = *source.vision();
    if (config.patch_order == patch_order_of(container)) return {};
    return vision_values(spec, values, config);
  }
  const AudioConfig& config = *source.audio();
  if (config.softplus_applied == (container == Container::gguf)) return {};
  return audio_values(spec, values, config);
}

}  // namespace pleiad::convert
