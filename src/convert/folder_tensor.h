#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/mix.h"
#include "convert/tower_plan.h"
#include "formats/safetensors/writer.h"
#include "model/gemma4/encoder_kind.h"
#include "model/stored_tensors.h"
#include "tensor/host_tensor.h"

namespace pleiad::convert {

/// A tensor of a new folder: bytes of the source as they are, or encoded values.
struct FolderTensor {
  std::string name;  // "model.layers.3.mlp.up_proj.weight"
  // Bytes as they are.
  std::string copied_type;  // "BF16"
  Shape copied_shape;
  std::span<const std::byte> copied;
  // Or values, rows below each other, as `planned.type`.
  std::vector<HostTensor> parts;
  PlannedTensor planned;  // its spec has no name where it is no tensor of the text model
  bool is_dead = false;   // no layer reads it
  const TowerTensor* tower = nullptr;  // values of a tensor of FolderPlan::towers
  gemma4::EncoderKind tower_kind = gemma4::EncoderKind::vision;

  bool is_copied() const { return parts.empty(); }
  std::uint64_t source_bytes() const;

  /// What lies in the folder: the data, then the scales that it needs. `row_scales`:
  /// f8_e4m3 has one for each row.
  std::vector<safetensors::NewTensor> stored(bool row_scales) const;
};

/// A tensor of the source folder, under its name.
FolderTensor copied_tensor(const StoredTensor& stored);

/// Tensors that readers multiply as one matrix and that must share a tensor scale: the
/// same text for q, k and v of a layer, and for its gate and up projections; empty for
/// all others. `tensor` is one of our names.
std::string fused_group(std::string_view tensor);

}  // namespace pleiad::convert
