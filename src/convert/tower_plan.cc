#include "convert/tower_plan.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "convert/source_tensors.h"
#include "convert/tower_fit.h"
#include "convert/tower_values.h"
#include "formats/gguf/ggml_types.h"
#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/encoder_source.h"
#include "model/gemma4/projector_file.h"
#include "model/gemma4/vision/tensor_table.h"
#include "tensor/decode.h"
#include "tensor/float16.h"

namespace pleiad::convert {
namespace {

using gemma4::EncoderKind;
using gemma4::EncoderTensorSpec;

bool is_gguf_type(DType type) { return gguf::ggml_type_of(type).has_value(); }

/// The tensors of `source`'s tower in the form that `container` has of them.
std::vector<EncoderTensorSpec> table_for(const Checkpoint& source, EncoderKind kind,
                                         Container container) {
  if (kind == EncoderKind::audio) return gemma4::audio_tensor_table(*source.audio());
  gemma4::VisionConfig target = *source.vision();
  target.patch_order = patch_order_of(container);
  return gemma4::vision_tensor_table(target);
}

bool is_exact_bound(const HostTensor& bound, DType type) {
  float value = 0;
  decode_row(bound, 0, &value);
  const float stored =
      type == DType::bf16 ? f32_from_bf16(bf16_from_f32(value)) : f32_from_f16(f16_from_f32(value));
  return stored == value;
}

/// What is f32 in GGUF whatever it was becomes the type of the matrices again, where that
/// loses nothing.
void narrow_small_tensors(TowerPlan& plan) {
  const auto matrix = std::ranges::find_if(
      plan.tensors, [](const TowerTensor& t) { return gemma4::is_tower_matrix(t.spec); });
  CHECK(matrix != plan.tensors.end());
  const DType type = matrix->type;
  if (type != DType::bf16 && type != DType::f16) return;
  for (TowerTensor& tensor : plan.tensors) {
    if (tensor.type != DType::f32 || gemma4::is_tower_matrix(tensor.spec)) continue;
    const bool exact = tensor.spec.optional ? is_exact_bound(tensor.values, type)
                                            : is_exact_as(tensor.values, type);
    if (exact) tensor.type = type;
  }
}

/// Plans the tensors of one tower.
class TowerPlanner {
 public:
  TowerPlanner(EncoderKind kind, std::optional<DType> matrices, Container container)
      : flag_(type_flag(kind)), matrices_(matrices), container_(container) {}

  /// The tensor as the container holds it, of the form that the source has.
  TowerTensor planned(const EncoderTensorSpec& spec, const HostTensor& values) const {
    TowerTensor tensor{spec, values, values.dtype, {}};
    tensor.values.shape = spec.shape;
    if (container_ != Container::gguf) {
      tensor.type = type_in_folder(spec, values.dtype);
      return tensor;
    }
    tensor.type = type_in_gguf(spec, values.dtype);
    if (matrices_ && gemma4::is_tower_matrix(spec) && tensor.type != *matrices_) {
      tensor.wanted = *matrices_;
      if (is_unquantized(values.dtype)) tensor.type = values.dtype;  // it stays
    }
    return tensor;
  }

 private:
  DType type_in_gguf(const EncoderTensorSpec& spec, DType source) const {
    const DType wanted = matrices_.value_or(source);
    if (gemma4::is_tower_matrix(spec) && !is_gguf_type(wanted)) {
      throw Error("tensor '{}' is {}, which GGUF does not have; {} bf16 writes its values",
                  spec.name, name(wanted), flag_);
    }
    return gemma4::projector_tensor_type(spec, wanted);
  }

  DType type_in_folder(const EncoderTensorSpec& spec, DType source) const {
    if (matrices_ && gemma4::is_tower_matrix(spec)) {
      if (is_unquantized(*matrices_)) return *matrices_;
      throw Error("{} {}: a Hugging Face folder holds towers as bf16, f16 or f32", flag_,
                  name(*matrices_));
    }
    if (is_unquantized(source)) return source;
    throw Error(
        "tensor '{}' is {}, which a Hugging Face folder cannot hold; {} bf16 writes its values, "
        "rounded once more",
        spec.name, name(source), flag_);
  }

  std::string_view flag_;
  std::optional<DType> matrices_;
  Container container_;
};

}  // namespace

std::uint64_t TowerTensor::bytes() const {
  const auto cols = static_cast<std::size_t>(values.cols());
  return static_cast<std::uint64_t>(values.rows()) * row_bytes(type, cols);
}

std::uint64_t TowerPlan::source_bytes() const {
  std::uint64_t bytes = 0;
  for (const TowerTensor& tensor : tensors) bytes += tensor.values.data.size();
  return bytes;
}

bool is_written(const Checkpoint& source, EncoderKind kind, const WriteOptions& options) {
  return gemma4::EncoderSource(source, kind).is_there() && !options.towers.of(kind).left_out;
}

void refuse_lost_towers(const Checkpoint& source, Container container,
                        const WriteOptions& options) {
  if (container == Container::folder && source.folder() != nullptr) return;
  for (const EncoderKind kind : gemma4::kEncoderKinds) {
    if (options.towers.of(kind).left_out) continue;
    const std::string problem = gemma4::EncoderSource(source, kind).why_unusable();
    if (problem.empty()) continue;
    throw Error("{} {}; {} none writes a model without it", source.path().string(), problem,
                type_flag(kind));
  }
}

std::string_view type_flag(EncoderKind kind) {
  return kind == EncoderKind::vision ? "--vision-type" : "--audio-type";
}

TowerPlan plan_tower(const Checkpoint& source, EncoderKind kind, std::optional<DType> matrices,
                     Container container) {
  check_tower_fits(source, kind, container);
  const gemma4::EncoderSource tower(source, kind);
  const TowerPlanner planner(kind, matrices, container);
  TowerPlan plan;
  for (const EncoderTensorSpec& spec : table_for(source, kind, container)) {
    const HostTensor* values = tower.find(spec.name);
    if (values == nullptr) {
      CHECK(spec.optional, "tensor {}", spec.name);
      continue;
    }
    TowerTensor tensor = planner.planned(spec, *values);
    if (auto made = tower_values_for(source, spec, *values, container); !made.empty()) {
      plan.made.push_back(std::move(made));
      tensor.values.dtype = DType::f32;
      tensor.values.data = std::as_bytes(std::span(plan.made.back()));
      tensor.values.scales = {};
      // Those of sound are other numbers: an exact type is looked for below.
      if (kind == EncoderKind::audio) tensor.type = DType::f32;
    }
    plan.tensors.push_back(std::move(tensor));
  }
  if (container == Container::folder) narrow_small_tensors(plan);
  return plan;
}

ErrorSums encode_tower_tensor(const TowerTensor& tensor, const EncodeTask& task,
                              const EncodeStream& stream) {
  EncodeTask of_tensor = task;
  of_tensor.type = tensor.type;
  if (!tensor.spec.optional) return encode_tensor(tensor.values, of_tensor, stream).error;
  float bound = 0;  // a clip bound
  decode_row(tensor.values, 0, &bound);
  if (std::isnan(bound)) throw Error("tensor '{}': nan is no bound", tensor.spec.name);
  if (tensor.type == DType::f32) {
    stream.sink(std::as_bytes(std::span(&bound, 1)));
  } else {  // of which encoders take no infinity
    CHECK(tensor.type == DType::bf16 || tensor.type == DType::f16, "{}", name(tensor.type));
    const std::uint16_t narrow =
        tensor.type == DType::bf16 ? bf16_from_f32(bound) : f16_from_f32(bound);
    stream.sink(std::as_bytes(std::span(&narrow, 1)));
  }
  if (stream.progress) stream.progress(tensor.values.data.size());
  return {};
}

}  // namespace pleiad::convert
