#include "convert/tower_plan.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "convert/source_tensors.h"
#include "formats/gguf/ggml_types.h"
#include "model/gemma4/audio/tensor_table.h"
#include "model/gemma4/projector_file.h"
#include "tensor/decode.h"
#include "tensor/float16.h"

namespace pleiad::convert {
namespace {

using gemma4::EncoderTensorSpec;
using gemma4::PatchOrder;
using gemma4::VisionConfig;

constexpr std::string_view kPatchEmbedding = "vision.patch_embedding";

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

/// The values of a tensor whose order is the container's own, or nothing where it is none such.
std::vector<float> turned_values(const EncoderTensorSpec& spec, const HostTensor& source,
                                 const VisionConfig& config) {
  if (config.is_embedder() && spec.name == "vision.position_embedding") {
    return turned_places(source, config);
  }
  if (spec.name == kPatchEmbedding || spec.name.starts_with("vision.patch_norm.")) {
    return turned_patches(source, config.patch_order, config.patch_size);
  }
  return {};
}

bool is_gguf_type(DType type) { return gguf::ggml_type_of(type).has_value(); }

/// The type of the tensor in a projector file.
DType type_in_gguf(const EncoderTensorSpec& spec, DType source, std::optional<DType> matrices) {
  const DType wanted = matrices.value_or(source);
  if (gemma4::is_tower_matrix(spec) && !is_gguf_type(wanted)) {
    throw Error("tensor '{}' is {}, which GGUF does not have; --vision-type bf16 writes its values",
                spec.name, name(wanted));
  }
  // Only a tower of f16 has a patch embedding of f16; an embedder's is a matrix like others.
  if (spec.name == kPatchEmbedding && !gemma4::is_tower_matrix(spec)) {
    const bool f16 = matrices ? *matrices == DType::f16 : source == DType::f16;
    return f16 ? DType::f16 : DType::f32;
  }
  return gemma4::projector_tensor_type(spec, wanted);
}

/// The type of a tensor in a folder.
DType type_in_folder(const EncoderTensorSpec& spec, DType source, std::optional<DType> matrices) {
  if (matrices && gemma4::is_tower_matrix(spec)) {
    if (is_unquantized(*matrices)) return *matrices;
    throw Error("--vision-type {}: a Hugging Face folder holds towers as bf16, f16 or f32",
                name(*matrices));
  }
  if (is_unquantized(source)) return source;
  throw Error(
      "tensor '{}' is {}, which a Hugging Face folder cannot hold; --vision-type bf16 writes its "
      "values, rounded once more",
      spec.name, name(source));
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

/// What a projector file has no key for must be as its readers take it.
void check_fits_gguf(const VisionConfig& config) {
  constexpr double kTheta = 100.0;
  if (config.is_embedder()) return;
  if (std::int64_t{config.n_heads} * config.head_dim != config.hidden_dim) {
    throw Error(
        "the vision tower has {} heads of {} dimensions at a width of {}, which a projector file "
        "cannot tell; --vision-type none leaves it out",
        config.n_heads, config.head_dim, config.hidden_dim);
  }
  if (config.rope_theta != kTheta) {
    throw Error(
        "the vision tower has a rope_theta of {}, which a projector file cannot tell; "
        "--vision-type none leaves it out",
        config.rope_theta);
  }
}

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

namespace {

/// The tensor as its container holds it, of the order that the source has.
TowerTensor planned_tensor(const EncoderTensorSpec& spec, const HostTensor& values,
                           std::optional<DType> matrices, Container container) {
  TowerTensor tensor{spec, values, values.dtype, {}};
  tensor.values.shape = spec.shape;
  if (container != Container::gguf) {
    tensor.type = type_in_folder(spec, values.dtype, matrices);
    return tensor;
  }
  tensor.type = type_in_gguf(spec, values.dtype, matrices);
  if (matrices && gemma4::is_tower_matrix(spec) && tensor.type != *matrices) {
    tensor.wanted = *matrices;
    if (is_unquantized(values.dtype)) tensor.type = values.dtype;  // it stays
  }
  return tensor;
}

}  // namespace

bool has_sound_embedder(const Checkpoint& source) {
  return source.vision() != nullptr && source.audio() != nullptr && source.audio()->is_embedder();
}

TowerPlan plan_tower(const Checkpoint& source, std::optional<DType> matrices, Container container) {
  const VisionConfig* config = source.vision();
  CHECK(config != nullptr);
  const bool to_gguf = container == Container::gguf;
  if (to_gguf) check_fits_gguf(*config);
  const PatchOrder wanted_order = to_gguf ? PatchOrder::channels : PatchOrder::pixels;
  TowerPlan plan;
  VisionConfig target = *config;
  target.patch_order = wanted_order;
  for (const EncoderTensorSpec& spec : gemma4::vision_tensor_table(target)) {
    const HostTensor* values = source.find_vision(spec.name);
    if (values == nullptr) {
      CHECK(spec.optional, "tensor {}", spec.name);
      continue;
    }
    TowerTensor tensor = planned_tensor(spec, *values, matrices, container);
    if (config->patch_order != wanted_order) {
      if (auto turned = turned_values(spec, *values, *config); !turned.empty()) {
        plan.turned.push_back(std::move(turned));
        tensor.values.dtype = DType::f32;
        tensor.values.data = std::as_bytes(std::span(plan.turned.back()));
        tensor.values.scales = {};
      }
    }
    plan.tensors.push_back(std::move(tensor));
  }
  if (has_sound_embedder(source)) {
    for (const EncoderTensorSpec& spec : gemma4::audio_tensor_table(*source.audio())) {
      plan.tensors.push_back(
          planned_tensor(spec, *source.find_audio(spec.name), matrices, container));
    }
  }
  if (!to_gguf) narrow_small_tensors(plan);
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
