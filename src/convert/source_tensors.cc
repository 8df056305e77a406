#include "convert/source_tensors.h"

#include "base/check.h"
#include "quantize/encode.h"
#include "tensor/decode.h"

namespace pleiad::convert {
namespace {

using gemma4::ExpertsLayout;

constexpr std::string_view kGate = "experts.gate_proj";
constexpr std::string_view kUp = "experts.up_proj";
constexpr std::string_view kFused = "experts.gate_up_proj";

bool writes_nvfp4(const Mix& mix) {
  const auto kept = mix.keep.find(TensorClass::experts);
  if (kept != mix.keep.end()) return kept->second == DType::nvfp4;
  return mix.type == FileType::nvfp4;
}

/// The fused tensor that holds `tensor`, or an empty name.
std::string fused_name(std::string_view tensor) {
  for (const std::string_view end : {kGate, kUp}) {
    if (!tensor.ends_with(end)) continue;
    return std::string(tensor.substr(0, tensor.size() - end.size())) + std::string(kFused);
  }
  return {};
}

/// A stack of matrices as one, all rows below each other.
HostTensor flat(const HostTensor& tensor) {
  HostTensor matrix = tensor;
  matrix.shape = {tensor.rows(), tensor.cols()};
  return matrix;
}

}  // namespace

ExpertsLayout experts_layout_of(const Checkpoint& source) {
  const bool split = source.find("layers.0." + std::string(kGate)) != nullptr;
  return split ? ExpertsLayout::split : ExpertsLayout::fused;
}

ExpertsLayout experts_layout_for(const Mix& mix, const Checkpoint& source) {
  return writes_nvfp4(mix) ? ExpertsLayout::split : experts_layout_of(source);
}

SourceRows rows_of(const Checkpoint& source, std::string_view tensor) {
  SourceRows rows;
  rows.importance = tensor;
  if (const HostTensor* whole = source.find(tensor)) {
    rows.parts.push_back(*whole);
    return rows;
  }
  rows.importance = fused_name(tensor);
  CHECK(!rows.importance.empty(), "tensor {}", tensor);
  const HostTensor& fused = source.get(rows.importance);
  const HostTensor matrix = flat(fused);
  const std::int64_t n_experts = fused.shape[0];
  const std::int64_t half = fused.shape[1] / 2;  // the gate's rows, then those of up
  for (std::int64_t expert = 0; expert < n_experts; ++expert) {
    const std::int64_t first = expert * 2 * half + (tensor.ends_with(kUp) ? half : 0);
    rows.parts.push_back(row_range(matrix, first, half));
  }
  return rows;
}

bool is_exact_as(const HostTensor& tensor, DType type) {
  const auto cols = static_cast<std::size_t>(tensor.cols());
  std::vector<float> values(cols);
  std::vector<float> stored(cols);
  std::vector<std::byte> bytes(row_bytes(type, cols));
  quantize::EncodeOptions options;
  options.type = type;
  for (std::int64_t row = 0; row < tensor.rows(); ++row) {
    decode_row(tensor, row, values.data());
    quantize::encode_row(options, values, bytes.data());
    decode_blocks(type, bytes.data(), cols, stored.data());
    if (values != stored) return false;
  }
  return true;
}

std::vector<DType> source_types(const Checkpoint& source,
                                std::span<const gemma4::TensorSpec> table) {
  std::vector<DType> types;
  types.reserve(table.size());
  for (const gemma4::TensorSpec& spec : table) {
    const HostTensor* tensor = source.find(spec.name);
    if (tensor == nullptr) tensor = &source.get(fused_name(spec.name));
    types.push_back(tensor->dtype);
  }
  return types;
}

}  // namespace pleiad::convert
