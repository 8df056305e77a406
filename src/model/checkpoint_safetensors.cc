#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text_format.h"
#include "formats/safetensors/folder.h"
#include "model/checkpoint_tensors.h"
#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/tensor_table.h"
#include "model/gemma4/vision/tensor_table.h"
#include "tensor/decode.h"

namespace pleiad {
namespace {

using safetensors::TensorInfo;

bool is_plain_float(const TensorInfo& info) {
  return info.dtype == DType::f32 || info.dtype == DType::f16 || info.dtype == DType::bf16;
}

/// "BF16 [262144, 1536]"
std::string describe(const TensorInfo& info) {
  return fmt::format("{} {}", printable(info.type), to_string(info.shape));
}

/// Builds one HostTensor after another and remembers what it used.
class Loader {
 public:
  Loader(const safetensors::Folder& folder, ProblemList& problems)
      : folder_(folder), problems_(problems) {}

  /// `prefixes`: what may stand before the name; the first for messages.
  std::optional<HostTensor> load(const gemma4::TensorSpec& spec,
                                 std::span<const std::string_view> prefixes) {
    for (const std::string_view prefix : prefixes) {
      const std::string name = fmt::format("{}{}", prefix, spec.hf_name);
      if (const TensorInfo* info = take(name)) return load_weight(*info, spec);
      if (const TensorInfo* info = take(name + "_packed")) {
        return load_compressed_nvfp4(*info, name, spec);
      }
    }
    if (spec.hf_name.ends_with("experts.gate_up_proj") && report_loose_experts(spec)) {
      return std::nullopt;
    }
    problems_.add("tensor '{}{}' is missing (expected {})", prefixes[0], spec.hf_name,
                  to_string(spec.shape));
    return std::nullopt;
  }

  bool used(std::string_view name) const { return used_.contains(name); }

 private:
  const TensorInfo* take(const std::string& name) {
    const TensorInfo* info = folder_.find_tensor(name);
    if (info != nullptr) used_.insert(info->name);
    return info;
  }

  /// A tensor that must stand beside another.
  const TensorInfo* take_beside(const TensorInfo& info, const std::string& name) {
    const TensorInfo* beside = take(name);
    if (beside == nullptr) {
      problems_.add("tensor '{}' ({}) needs '{}', which is missing", printable(info.name),
                    describe(info), printable(name));
    }
    return beside;
  }

  bool has_shape(const TensorInfo& info, std::string_view type, const Shape& shape) {
    if (info.type == type && same_shape(info.shape, shape)) return true;
    problems_.add("tensor '{}': expected {} {}, found {}", printable(info.name), type,
                  to_string(shape), describe(info));
    return false;
  }

  std::optional<HostTensor> load_weight(const TensorInfo& info, const gemma4::TensorSpec& spec) {
    if (info.type == "U8" && spec.shape.size() == 2) return load_modelopt_nvfp4(info, spec);
    const bool fp8 = info.dtype == DType::f8_e4m3;
    if (!same_shape(info.shape, spec.shape)) {
      problems_.add("tensor '{}': expected {}, found {}", printable(info.name),
                    to_string(spec.shape), describe(info));
      return std::nullopt;
    }
    if (!fp8 && !is_plain_float(info)) {
      problems_.add("tensor '{}': type {} is not supported here", printable(info.name),
                    printable(info.type));
      return std::nullopt;
    }
    HostTensor tensor{info.name, *info.dtype, spec.shape, info.data, {}};
    if (fp8 && !read_fp8_scale(info, tensor)) return std::nullopt;
    return tensor;
  }

  /// One scale for the whole matrix or one per row.
  bool read_fp8_scale(const TensorInfo& info, HostTensor& tensor) {
    const TensorInfo* scale = take_beside(info, info.name + "_scale");
    if (scale == nullptr) return false;
    const std::int64_t rows = tensor.rows();
    const bool one = same_shape(scale->shape, {1});
    if (!one && scale->shape != Shape{rows} && scale->shape != Shape{rows, 1}) {
      problems_.add("tensor '{}': expected [1], [{}] or [{}, 1], found {}", printable(scale->name),
                    rows, rows, describe(*scale));
      return false;
    }
    auto factors = read_factors(*scale);
    if (!factors) return false;
    if (one) {
      tensor.scales.tensor_scale = (*factors)[0];
    } else {
      tensor.scales.row_scales = std::move(*factors);
    }
    return true;
  }

  std::optional<std::vector<float>> read_factors(const TensorInfo& info) {
    if (!is_plain_float(info)) {
      problems_.add("tensor '{}': expected floats, found {}", printable(info.name), describe(info));
      return std::nullopt;
    }
    std::vector<float> factors(static_cast<std::size_t>(element_count(info.shape)));
    decode_blocks(*info.dtype, info.data.data(), factors.size(), factors.data());
    for (const float factor : factors) {
      if (std::isfinite(factor)) continue;
      problems_.add("tensor '{}': {} is no scale", printable(info.name), factor);
      return std::nullopt;
    }
    return factors;
  }

  /// Nibbles [rows, cols/2] with their E4M3 scales [rows, cols/16]; the caller
  /// adds the scale of the whole tensor.
  std::optional<HostTensor> load_nibbles(const TensorInfo& packed, const std::string& scale_name,
                                         const gemma4::TensorSpec& spec) {
    const TensorInfo* scale = take_beside(packed, scale_name);
    if (scale == nullptr) return std::nullopt;
    if (spec.shape.size() != 2 || spec.shape[1] % 16 != 0) {
      problems_.add("tensor '{}': {} cannot be stored as NVFP4", printable(packed.name),
                    to_string(spec.shape));
      return std::nullopt;
    }
    const std::int64_t rows = spec.shape[0];
    const std::int64_t cols = spec.shape[1];
    const bool good = has_shape(packed, "U8", {rows, cols / 2});
    if (!has_shape(*scale, "F8_E4M3", {rows, cols / 16}) || !good) return std::nullopt;
    HostTensor tensor{packed.name, DType::nvfp4_packed, spec.shape, packed.data, {}};
    tensor.scales.block_scales = scale->data;
    return tensor;
  }

  std::optional<float> read_global_scale(const TensorInfo& packed, const std::string& name) {
    const TensorInfo* info = take_beside(packed, name);
    if (info == nullptr) return std::nullopt;
    if (!same_shape(info->shape, {1})) {
      problems_.add("tensor '{}': expected F32 [1], found {}", printable(info->name),
                    describe(*info));
      return std::nullopt;
    }
    const auto factors = read_factors(*info);
    if (!factors) return std::nullopt;
    if (!((*factors)[0] > 0.0F)) {
      problems_.add("tensor '{}': expected a positive number, found {}", printable(info->name),
                    (*factors)[0]);
      return std::nullopt;
    }
    return (*factors)[0];
  }

  /// `name`_packed, `name`_scale and `name`_global_scale, a divisor.
  std::optional<HostTensor> load_compressed_nvfp4(const TensorInfo& packed, const std::string& name,
                                                  const gemma4::TensorSpec& spec) {
    auto tensor = load_nibbles(packed, name + "_scale", spec);
    const auto divisor = read_global_scale(packed, name + "_global_scale");
    if (!tensor || !divisor) return std::nullopt;
    tensor->scales.tensor_scale = 1.0F / *divisor;
    return tensor;
  }

  /// `name` itself, `name`_scale and `name`_scale_2, a factor.
  std::optional<HostTensor> load_modelopt_nvfp4(const TensorInfo& packed,
                                                const gemma4::TensorSpec& spec) {
    auto tensor = load_nibbles(packed, packed.name + "_scale", spec);
    const auto factor = read_global_scale(packed, packed.name + "_scale_2");
    if (!tensor || !factor) return std::nullopt;
    tensor->scales.tensor_scale = *factor;
    return tensor;
  }

  /// "layers.3.experts.0.gate_proj.weight" instead of "layers.3.experts.gate_up_proj".
  bool report_loose_experts(const gemma4::TensorSpec& spec) {
    const std::string_view experts = spec.hf_name;
    const auto stem = experts.substr(0, experts.size() - std::string_view("gate_up_proj").size());
    for (const std::string_view prefix : gemma4::kHfPrefixes) {
      for (const std::string_view suffix : {"0.gate_proj.weight", "0.gate_proj.weight_packed"}) {
        const std::string name = fmt::format("{}{}{}", prefix, stem, suffix);
        if (folder_.find_tensor(name) == nullptr) continue;
        problems_.add(
            "tensor '{}': experts in tensors of their own are not supported (expected "
            "'{}{}')",
            printable(name), prefix, spec.hf_name);
        return true;
      }
    }
    return false;
  }

  const safetensors::Folder& folder_;
  ProblemList& problems_;
  std::unordered_set<std::string_view> used_;
};

bool is_in(const safetensors::Folder& folder, std::string_view hf_name) {
  return std::ranges::any_of(gemma4::kHfVisionPrefixes, [&](std::string_view prefix) {
    return folder.find_tensor(fmt::format("{}{}", prefix, hf_name)) != nullptr;
  });
}

TensorsByName load_encoder(const safetensors::Folder& folder,
                           std::span<const gemma4::EncoderTensorSpec> table,
                           ProblemList& problems) {
  TensorsByName loaded;
  Loader loader(folder, problems);
  for (const gemma4::EncoderTensorSpec& spec : table) {
    if (spec.optional && !is_in(folder, spec.hf_name)) continue;
    if (auto tensor = loader.load(spec, gemma4::kHfVisionPrefixes)) {
      loaded.emplace(spec.name, std::move(*tensor));
    }
  }
  return loaded;
}

/// Whether any name begins with this, after a prefix.
bool holds_any(const safetensors::Folder& folder, std::string_view begin) {
  for (const safetensors::File& file : folder.files()) {
    for (const TensorInfo& info : file.tensors()) {
      for (const std::string_view prefix : gemma4::kHfVisionPrefixes) {
        if (info.name.starts_with(fmt::format("{}{}", prefix, begin))) return true;
      }
    }
  }
  return false;
}

}  // namespace

CheckpointTensors load_tensors(const safetensors::Folder& folder, const gemma4::Config& config,
                               ProblemList& problems) {
  CheckpointTensors loaded;
  Loader loader(folder, problems);
  for (const gemma4::TensorSpec& spec : gemma4::tensor_table(config)) {
    if (auto tensor = loader.load(spec, gemma4::kHfPrefixes))
      loaded.by_name.emplace(spec.name, std::move(*tensor));
  }
  for (const safetensors::File& file : folder.files()) {
    for (const TensorInfo& info : file.tensors()) {
      if (!loader.used(info.name)) note_unused(config, info.name, loaded.unused);
    }
  }
  return loaded;
}

TensorsByName load_vision_tensors(const safetensors::Folder& folder,
                                  const gemma4::VisionConfig& config, ProblemList& problems) {
  TensorsByName loaded = load_encoder(folder, gemma4::vision_tensor_table(config), problems);
  check_clip_bounds(loaded, "vision", config.n_layers, gemma4::kClippedLinears, problems);
  return loaded;
}

TensorsByName load_audio_tensors(const safetensors::Folder& folder,
                                 const gemma4::AudioConfig& config, ProblemList& problems) {
  TensorsByName loaded = load_encoder(folder, gemma4::audio_tensor_table(config), problems);
  check_clip_bounds(loaded, "audio", config.n_layers, gemma4::kAudioClippedLinears, problems);
  return loaded;
}

bool holds_vision_tower(const safetensors::Folder& folder) {
  return holds_any(folder, "vision_tower.") || holds_any(folder, "vision_embedder.");
}

bool holds_audio_tower(const safetensors::Folder& folder, const gemma4::AudioConfig& config) {
  return holds_any(folder, config.is_embedder() ? "embed_audio." : "audio_tower.");
}

}  // namespace pleiad
