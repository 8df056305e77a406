#include "convert/folder_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/text_format.h"
#include "convert/folder_towers.h"
#include "convert/hf_config.h"
#include "convert/source_tensors.h"
#include "quantize/encode.h"
#include "tensor/decode.h"

namespace pleiad::convert {
namespace {

using gemma4::TensorSpec;

constexpr std::string_view kPacked = "_packed";
// Before the names of a text model's tensors, and of the one within a model with towers.
constexpr std::string_view kTextPrefix = gemma4::kHfPrefixes[1];
constexpr std::string_view kNestedPrefix = gemma4::kHfPrefixes[0];
constexpr std::string_view kWeight = ".weight";

bool is_nvfp4(DType type) { return type == DType::nvfp4 || type == DType::nvfp4_packed; }

std::string_view without(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

/// The rows of a tensor of the fused layout, wherever they lie in the source.
std::vector<HostTensor> parts_of(const Checkpoint& source, const std::string& name) {
  if (const HostTensor* tensor = source.find(name)) return {*tensor};
  constexpr std::string_view kFused = "gate_up_proj";
  CHECK(name.ends_with(kFused), "tensor {}", name);
  const std::string stem(without(name, kFused));
  std::vector<HostTensor> parts;
  const HostTensor& gate = source.get(stem + "gate_proj");
  for (std::int64_t expert = 0; expert < gate.shape[0]; ++expert) {
    for (const char* half : {"gate_proj", "up_proj"}) {
      HostTensor flat = source.get(stem + half);
      const std::int64_t rows = flat.shape[1];
      flat.shape = {flat.rows(), flat.cols()};
      parts.push_back(row_range(flat, expert * rows, rows));
    }
  }
  return parts;
}

constexpr std::size_t kKeyOrValue = std::string_view("k_proj").size();

/// "model.layers.7.self_attn.k_proj" of a projection's weights and scales; empty for all
/// that is no key or value projection.
std::string_view projection_of(std::string_view name) {
  for (const std::string_view end : {".self_attn.k_proj.", ".self_attn.v_proj."}) {
    const std::size_t found = name.find(end);
    if (found != name.npos) return name.substr(0, found + end.size() - 1);
  }
  return {};
}

/// "layers.7.attention.k_proj" of "model.layers.7.self_attn.k_proj.weight", and the same
/// of values; empty for all others.
std::string ours_of_dead(std::string_view name) {
  constexpr std::string_view kAttention = ".self_attn.";
  const std::size_t layers = name.find("layers.");
  const std::size_t attention = name.find(kAttention);
  if (layers == name.npos || attention == name.npos || attention < layers) return {};
  const std::string_view rest = name.substr(attention + kAttention.size());
  if (rest != "k_proj.weight" && rest != "v_proj.weight") return {};
  return fmt::format("{}.attention.{}", name.substr(layers, attention - layers),
                     rest.substr(0, kKeyOrValue));
}

/// The type that most weights outside of norms have among those that are not quantized.
DType main_float_type(const std::vector<PlannedTensor>& planned) {
  std::array<std::int64_t, kDTypeCount> values = {};
  for (const PlannedTensor& tensor : planned) {
    const bool small =
        tensor.tensor_class == TensorClass::norm || tensor.tensor_class == TensorClass::router;
    if (!small && is_unquantized(tensor.type)) {
      values[static_cast<std::size_t>(tensor.type)] += tensor.n_elements();
    }
  }
  const auto most = std::ranges::max_element(values);
  return *most == 0 ? DType::bf16 : static_cast<DType>(most - values.begin());
}

class Planner {
 public:
  Planner(const Checkpoint& source, const StoredTensors& stored, const WriteOptions& options)
      : source_(source), stored_(stored), options_(options) {
    result_.left_out = UnusedTensors();
    result_.quantization = options.mix.type;
  }

  FolderPlan plan() {
    const auto table = gemma4::tensor_table(source_.config());
    std::vector<DType> types;
    for (const TensorSpec& spec : table) types.push_back(parts_of(source_, spec.name)[0].dtype);
    planned_ = convert::plan(options_.mix, source_.config(), table, types);
    if (options_.mix.type == FileType::as_is) keep_types(types);
    result_.dtype = main_float_type(planned_);
    FolderTowers towers(source_, options_, result_);
    result_.nests_text = towers.brings_any() && !read_config_of(source_).contains("text_config");
    if (source_.gguf() != nullptr) {
      add_table(towers);
    } else {
      add_stored(towers);
    }
    towers.add_others();
    find_ignored();
    return std::move(result_);
  }

 private:
  bool as_is() const { return options_.mix.type == FileType::as_is; }

  /// Types stay; only what a folder has no form of is decoded.
  void keep_types(const std::vector<DType>& types) {
    bool any_nvfp4 = false;
    bool any_quantized = false;
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      PlannedTensor& tensor = planned_[i];
      tensor.wanted.reset();
      tensor.type = kept_type(tensor.spec, types[i]);
      any_nvfp4 = any_nvfp4 || tensor.type == DType::nvfp4_packed;
      any_quantized = any_quantized || !is_unquantized(tensor.type);
    }
    const bool from_gguf = source_.gguf() != nullptr;
    if (from_gguf && any_nvfp4) result_.quantization = FileType::nvfp4a16;
    result_.stays_quantized = !from_gguf && any_quantized;
  }

  DType kept_type(const TensorSpec& spec, DType type) const {
    if (is_unquantized(type)) return type;
    if (options_.dequantize) return DType::bf16;
    if (is_nvfp4(type) && spec.shape.size() == 2) return DType::nvfp4_packed;
    if (type == DType::f8_e4m3) return type;
    throw Error(
        "tensor '{}' is {}, which a Hugging Face folder cannot hold; --dequantize writes its "
        "values as bf16, rounded once more",
        spec.name, name(type));
  }

  /// From GGUF: the tensors of the table under the names of Gemma4ForCausalLM, or beside a
  /// tower of Gemma4ForConditionalGeneration.
  void add_table(FolderTowers& towers) {
    const std::string_view prefix = towers.any() ? kNestedPrefix : kTextPrefix;
    for (PlannedTensor& planned : planned_) {
      FolderTensor tensor;
      tensor.name = planned.spec.name == "head" ? planned.spec.hf_name
                                                : fmt::format("{}{}", prefix, planned.spec.hf_name);
      tensor.parts = parts_of(source_, planned.spec.name);
      // Norms are F32 there whatever they were.
      const bool was_f32 = planned.type == DType::f32 && result_.dtype != DType::f32;
      const bool small =
          planned.tensor_class == TensorClass::norm || planned.tensor_class == TensorClass::router;
      if (was_f32 && small && is_exact_as(tensor.parts[0], result_.dtype)) {
        planned.type = result_.dtype;
      }
      tensor.planned = planned;
      result_.tensors.push_back(std::move(tensor));
    }
    result_.left_out = source_.unused();
    towers.count_left_out();
  }

  /// From a folder: its tensors in their order and under their names, but for those of a text model
  /// that gets a tower.
  void add_stored(FolderTowers& towers) {
    std::unordered_map<std::string_view, const PlannedTensor*> by_name;
    for (const PlannedTensor& planned : planned_) by_name.emplace(planned.spec.name, &planned);
    find_quantized_dead();
    for (const StoredTensor& stored : stored_.tensors()) {
      const auto found = by_name.find(stored.name);
      const PlannedTensor* planned = found == by_name.end() ? nullptr : found->second;
      switch (stored.role) {
        case TensorRole::text:
          CHECK(planned != nullptr, "{}", stored.file_name);
          add_text(stored, *planned);
          break;
        case TensorRole::scale:
          if (planned != nullptr && stays(*planned)) add_copy(stored);
          break;
        case TensorRole::vision:
          towers.add_own(stored, gemma4::EncoderKind::vision);
          break;
        case TensorRole::audio:
          towers.add_own(stored, gemma4::EncoderKind::audio);
          break;
        case TensorRole::dead_kv:
          add_dead(stored);
          break;
        case TensorRole::auxiliary:
        case TensorRole::unknown:
          if (as_is()) {
            add_copy(stored);
          } else if (stored.role == TensorRole::unknown) {
            result_.left_out.unknown.push_back(stored.file_name);
          }
          break;
      }
    }
  }

  /// The bytes of a text tensor and its scales are those of the source.
  bool stays(const PlannedTensor& planned) const {
    return as_is() && source_.get(planned.spec.name).dtype == planned.type;
  }

  void add_text(const StoredTensor& stored, const PlannedTensor& planned) {
    const HostTensor& values = source_.get(planned.spec.name);
    const bool plain = is_unquantized(planned.type) && values.dtype == planned.type;
    if (plain || stays(planned)) {
      add_copy(stored);
    } else {
      FolderTensor tensor;
      tensor.name = new_name(without(stored.file_name, kPacked));
      tensor.parts = {values};
      result_.tensors.push_back(std::move(tensor));
    }
    result_.tensors.back().planned = planned;
  }

  /// The name that a tensor of the text model has in the new folder.
  std::string new_name(std::string_view file_name) const {
    return result_.nests_text ? nested_text_name(file_name) : std::string(file_name);
  }

  void add_copy(const StoredTensor& stored) {
    result_.tensors.push_back(copied_tensor(stored));
    result_.tensors.back().name = new_name(stored.file_name);
  }

  /// Keys and values of a layer that shares those of another. They are of the type of
  /// the layer's queries, with which readers keep them. Quantized ones with their scales
  /// stay or go as a whole.
  void add_dead(const StoredTensor& stored) {
    if (quantized_dead_.contains(projection_of(stored.file_name))) {
      if (as_is() && !options_.dequantize) return add_copy(stored);
      ++result_.left_out.dead_kv;
      return;
    }
    const std::string ours = ours_of_dead(stored.file_name);
    const std::string queries =
        ours.empty() ? "" : ours.substr(0, ours.size() - kKeyOrValue) + "q_proj";
    const auto query = std::ranges::find_if(
        planned_, [&](const PlannedTensor& planned) { return planned.spec.name == queries; });
    const bool quantized = !as_is() && query != planned_.end() && !is_unquantized(query->type);
    if (!quantized) return add_copy(stored);
    FolderTensor tensor;
    tensor.name = new_name(stored.file_name);
    tensor.parts = {{stored.file_name, *stored.dtype, stored.shape, stored.data, {}}};
    tensor.planned = *query;
    tensor.planned.spec.name = ours;
    tensor.planned.spec.shape = stored.shape;
    tensor.is_dead = true;
    result_.tensors.push_back(std::move(tensor));
  }

  /// Projections that no layer reads and that are more than a matrix of plain floats.
  void find_quantized_dead() {
    for (const StoredTensor& stored : stored_.tensors()) {
      if (stored.role != TensorRole::dead_kv) continue;
      const std::string_view projection = projection_of(stored.file_name);
      const bool plain = stored.file_name.ends_with(kWeight) && stored.shape.size() == 2 &&
                         stored.dtype && is_unquantized(*stored.dtype);
      if (!projection.empty() && !plain) quantized_dead_.insert(projection);
    }
  }

  /// Linear modules are matrices called weight that are no tables.
  void find_ignored() {
    for (const FolderTensor& tensor : result_.tensors) {
      const bool quantized =
          !tensor.planned.spec.name.empty() && !is_unquantized(tensor.planned.type);
      const Shape& shape = tensor.is_copied() ? tensor.copied_shape : tensor.planned.spec.shape;
      const bool table = tensor.name.find("embed_tokens") != std::string::npos;
      if (quantized || table || shape.size() != 2 || !tensor.name.ends_with(kWeight)) continue;
      const std::string module(without(tensor.name, kWeight));
      if (module != "lm_head") result_.ignore.push_back(module);
    }
    // Not Linear modules here, but to readers that keep each expert's matrices apart.
    const bool experts = std::ranges::any_of(planned_, [](const PlannedTensor& planned) {
      return planned.tensor_class == TensorClass::experts && is_unquantized(planned.type);
    });
    if (experts) result_.ignore.emplace_back("re:.*experts.*");
    // Also where the head is the token embedding, it is a Linear module to readers.
    result_.ignore.emplace_back("lm_head");
  }

  const Checkpoint& source_;
  const StoredTensors& stored_;
  const WriteOptions& options_;
  std::vector<PlannedTensor> planned_;
  std::unordered_set<std::string_view> quantized_dead_;  // as of projection_of()
  FolderPlan result_;
};

}  // namespace

std::string nested_text_name(std::string_view name) {
  for (const std::string_view prefix : gemma4::kHfPrefixes) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    break;
  }
  const bool is_head = name == "lm_head" || name.starts_with("lm_head.");
  return is_head ? std::string(name) : fmt::format("{}{}", kNestedPrefix, name);
}

FolderPlan plan_folder(const Checkpoint& source, const StoredTensors& stored,
                       const WriteOptions& options) {
  return Planner(source, stored, options).plan();
}

}  // namespace pleiad::convert
