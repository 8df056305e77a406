#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text_format.h"
#include "formats/gguf/ggml_types.h"
#include "formats/gguf/reader.h"
#include "model/checkpoint_tensors.h"
#include "model/gemma4/tensor_table.h"

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

gemma4::ExpertsLayout experts_layout(const gguf::File& file) {
  const bool fused = file.find_tensor("blk.0.ffn_gate_up_exps.weight") != nullptr;
  const bool split = file.find_tensor("blk.0.ffn_gate_exps.weight") != nullptr;
  return split && !fused ? gemma4::ExpertsLayout::split : gemma4::ExpertsLayout::fused;
}

}  // namespace

CheckpointTensors load_tensors(const gguf::File& file, const gemma4::Config& config,
                               ProblemList& problems) {
  CheckpointTensors loaded;
  const auto table = gemma4::tensor_table(config, experts_layout(file));
  std::unordered_set<std::string_view> used;
  for (const gemma4::TensorSpec& spec : table) used.insert(spec.gguf_name);
  std::map<std::uint32_t, Undecodable> undecodable;  // by type

  std::set<std::string> scales;
  for (const gemma4::TensorSpec& spec : table) {
    const gguf::TensorInfo* info = file.find_tensor(spec.gguf_name);
    if (info == nullptr) {
      problems.add("tensor '{}' is missing (expected {})", spec.gguf_name, to_string(spec.shape));
      continue;
    }
    if (!info->dtype) {
      Undecodable& entry = undecodable[info->ggml_type];
      if (entry.count++ == 0) entry.first = info->name;
      continue;
    }
    if (!same_shape(info->shape, spec.shape)) {
      problems.add("tensor '{}': expected {}, found {}", spec.gguf_name, to_string(spec.shape),
                   to_string(info->shape));
      continue;
    }
    HostTensor tensor{spec.gguf_name, *info->dtype, spec.shape, info->data, {}};
    if (spec.gguf_name.ends_with(kWeight)) {
      std::string scale_name = spec.gguf_name;
      scale_name.replace(scale_name.size() - kWeight.size(), kWeight.size(), ".scale");
      // Two tensors of the table have such names too, and are something else.
      const gguf::TensorInfo* scale = file.find_tensor(scale_name);
      if (scale != nullptr && !used.contains(scale_name)) {
        apply_scale(*scale, tensor, problems);
        scales.insert(std::move(scale_name));
      }
    }
    loaded.by_name.emplace(spec.name, std::move(tensor));
  }
  for (const auto& [type, entry] : undecodable) {
    problems.add("{} tensor(s) have type {}, which is not supported (the first is '{}')",
                 entry.count, gguf::ggml_type_name(type), printable(entry.first));
  }
  for (const gguf::TensorInfo& info : file.tensors()) {
    if (used.contains(info.name) || scales.contains(std::string(info.name))) continue;
    note_unused(config, info.name, loaded.unused);
  }
  return loaded;
}

}  // namespace pleiad
