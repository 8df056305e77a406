#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text_format.h"
#include "formats/gguf/ggml_types.h"
#include "formats/gguf/reader.h"
#include "model/checkpoint_tensors.h"
#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/tensor_table.h"
#include "model/gemma4/vision/tensor_table.h"

namespace pleiad {
namespace {

constexpr std::string_view kWeight = ".weight";

/// Tensors of types that we cannot decode, told once per type.
struct Undecodable {
  std::string_view first;
  std::size_t count = 0;
};

/// "blk.3.attn_q.scale" of "blk.3.attn_q.weight": a factor for the whole matrix,
/// or one for each of its outermost slices (experts).
void apply_scale(const gguf::TensorInfo& scale, HostTensor& tensor, ProblemList& problems) {
  const auto slices = static_cast<std::size_t>(tensor.shape.size() > 2 ? tensor.shape[0] : 1);
  std::vector<float> factors(scale.data.size() / sizeof(float));
  if (scale.dtype != DType::f32 || (factors.size() != 1 && factors.size() != slices)) {
    problems.add("tensor '{}': expected f32 [1]{}, found {} {}", printable(scale.name),
                 slices > 1 ? fmt::format(" or [{}]", slices) : "",
                 gguf::ggml_type_name(scale.ggml_type), to_string(scale.shape));
    return;
  }
  std::memcpy(factors.data(), scale.data.data(), scale.data.size());
  for (const float factor : factors) {
    if (std::isfinite(factor)) continue;
    problems.add("tensor '{}': {} is no scale", printable(scale.name), factor);
    return;
  }
  if (factors.size() == 1) {
    tensor.scales.tensor_scale = factors[0];
    return;
  }
  const auto rows_per_slice = static_cast<std::size_t>(tensor.rows()) / slices;
  tensor.scales.row_scales.reserve(slices * rows_per_slice);
  for (const float factor : factors) {
    tensor.scales.row_scales.insert(tensor.scales.row_scales.end(), rows_per_slice, factor);
  }
}

/// Finds one tensor of a table after another, and remembers what it used.
class GgufLoader {
 public:
  /// `not_scales`: names that end in ".scale" and are no factor of another tensor's values.
  GgufLoader(const gguf::File& file, std::unordered_set<std::string_view> not_scales,
             ProblemList& problems)
      : file_(file), not_scales_(std::move(not_scales)), problems_(problems) {}

  /// The tensor of this name in the file, as values of `shape`; its dimensions in the file
  /// may also be `file_shape`.
  std::optional<HostTensor> load(const std::string& name, const Shape& shape,
                                 const Shape& file_shape) {
    const gguf::TensorInfo* info = file_.find_tensor(name);
    if (info == nullptr) {
      problems_.add("tensor '{}' is missing (expected {})", name, to_string(file_shape));
      return std::nullopt;
    }
    used_.insert(info->name);
    if (!info->dtype) {
      Undecodable& entry = undecodable_[info->ggml_type];
      if (entry.count++ == 0) entry.first = info->name;
      return std::nullopt;
    }
    if (!same_shape(info->shape, shape) && info->shape != file_shape) {
      problems_.add("tensor '{}': expected {}, found {}", name, to_string(file_shape),
                    to_string(info->shape));
      return std::nullopt;
    }
    HostTensor tensor{name, *info->dtype, shape, info->data, {}};
    if (name.ends_with(kWeight)) {
      const std::string stem = name.substr(0, name.size() - kWeight.size());
      const gguf::TensorInfo* scale = file_.find_tensor(stem + ".scale");
      if (scale != nullptr && !not_scales_.contains(scale->name)) {
        apply_scale(*scale, tensor, problems_);
        used_.insert(scale->name);
      }
    }
    return tensor;
  }

  /// The tensors of a tower, or of an embedder.
  TensorsByName load_encoder(std::span<const gemma4::EncoderTensorSpec> table) {
    TensorsByName loaded;
    for (const gemma4::EncoderTensorSpec& spec : table) {
      if (spec.optional && file_.find_tensor(spec.gguf_name) == nullptr) continue;
      if (auto tensor = load(spec.gguf_name, spec.shape, spec.gguf_shape)) {
        loaded.emplace(spec.name, std::move(*tensor));
      }
    }
    return loaded;
  }

  /// To be called once all are loaded.
  void report_undecodable() {
    for (const auto& [type, entry] : undecodable_) {
      problems_.add("{} tensor(s) have type {}, which is not supported (the first is '{}')",
                    entry.count, gguf::ggml_type_name(type), printable(entry.first));
    }
  }

  const gguf::TensorInfo* take(std::string_view name) {
    const gguf::TensorInfo* info = file_.find_tensor(name);
    if (info != nullptr) used_.insert(info->name);
    return info;
  }

  bool used(std::string_view name) const { return used_.contains(name); }

 private:
  const gguf::File& file_;
  std::unordered_set<std::string_view> not_scales_;
  ProblemList& problems_;
  std::unordered_set<std::string_view> used_;         // names in the file
  std::map<std::uint32_t, Undecodable> undecodable_;  // by type
};

gemma4::ExpertsLayout experts_layout(const gguf::File& file) {
  const bool fused = file.find_tensor("blk.0.ffn_gate_up_exps.weight") != nullptr;
  const bool split = file.find_tensor("blk.0.ffn_gate_exps.weight") != nullptr;
  return split && !fused ? gemma4::ExpertsLayout::split : gemma4::ExpertsLayout::fused;
}

/// The bounds of every clipped matrix, each a view of one value of "v.clamp_data". Four zeros
/// stand where the file's writer knew no bounds.
void add_packed_clip_bounds(const gguf::TensorInfo& packed, const gemma4::VisionConfig& config,
                            TensorsByName& tensors, ProblemList& problems) {
  constexpr std::size_t kPerLinear = std::size(gemma4::kClipBounds);
  constexpr std::size_t kPerLayer = std::size(gemma4::kClippedLinears) * kPerLinear;
  const std::size_t n_values = packed.data.size() / sizeof(float);
  const std::size_t n_expected = static_cast<std::size_t>(config.n_layers) * kPerLayer;
  if (packed.dtype != DType::f32 || n_values < n_expected) {
    problems.add(
        "tensor '{}': expected at least {} f32 values (four for each of {} matrices in {} layers), "
        "found {} {}",
        gemma4::kClampData, n_expected, std::size(gemma4::kClippedLinears), config.n_layers,
        gguf::ggml_type_name(packed.ggml_type), to_string(packed.shape));
    return;
  }
  auto values = packed.data;
  for (int layer = 0; layer < config.n_layers; ++layer) {
    for (const std::string_view linear : gemma4::kClippedLinears) {
      const auto bounds = values.first(kPerLinear * sizeof(float));
      values = values.subspan(bounds.size());
      if (std::ranges::all_of(bounds, [](std::byte b) { return b == std::byte{}; })) continue;
      for (std::size_t i = 0; i < kPerLinear; ++i) {
        HostTensor bound{std::string(gemma4::kClampData),
                         DType::f32,
                         {1},
                         bounds.subspan(i * sizeof(float), sizeof(float)),
                         {}};
        tensors.emplace(
            fmt::format("vision.layers.{}.{}.{}", layer, linear, gemma4::kClipBounds[i]),
            std::move(bound));
      }
    }
  }
}

}  // namespace

CheckpointTensors load_tensors(const gguf::File& file, const gemma4::Config& config,
                               ProblemList& problems) {
  CheckpointTensors loaded;
  const auto table = gemma4::tensor_table(config, experts_layout(file));
  // Two tensors of the table are called scales and are something else.
  std::unordered_set<std::string_view> names;
  for (const gemma4::TensorSpec& spec : table) names.insert(spec.gguf_name);
  GgufLoader loader(file, std::move(names), problems);
  for (const gemma4::TensorSpec& spec : table) {
    if (auto tensor = loader.load(spec.gguf_name, spec.shape, spec.shape)) {
      loaded.by_name.emplace(spec.name, std::move(*tensor));
    }
  }
  loader.report_undecodable();
  for (const gguf::TensorInfo& info : file.tensors()) {
    if (!loader.used(info.name)) note_unused(config, info.name, loaded.unused);
  }
  return loaded;
}

TensorsByName load_vision_tensors(const gguf::File& file, const gemma4::VisionConfig& config,
                                  ProblemList& problems) {
  GgufLoader loader(file, {}, problems);
  TensorsByName loaded = loader.load_encoder(gemma4::vision_tensor_table(config));
  if (const gguf::TensorInfo* packed = loader.take(gemma4::kClampData)) {
    add_packed_clip_bounds(*packed, config, loaded, problems);
  }
  loader.report_undecodable();
  check_clip_bounds(loaded, "vision", config.n_layers, gemma4::kClippedLinears, problems);
  return loaded;
}

TensorsByName load_audio_tensors(const gguf::File& file, const gemma4::AudioConfig& config,
                                 ProblemList& problems) {
  GgufLoader loader(file, {}, problems);
  TensorsByName loaded = loader.load_encoder(gemma4::audio_tensor_table(config));
  loader.report_undecodable();
  check_clip_bounds(loaded, "audio", config.n_layers, gemma4::kAudioClippedLinears, problems);
  return loaded;
}

}  // namespace pleiad
