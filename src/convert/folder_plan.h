#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "convert/report.h"
#include "convert/tower_plan.h"
#include "formats/safetensors/writer.h"
#include "model/checkpoint.h"
#include "model/stored_tensors.h"

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
  const TowerTensor* tower = nullptr;  // values of a tensor of FolderPlan::tower

  bool is_copied() const { return parts.empty(); }
  std::uint64_t source_bytes() const;

  /// What lies in the folder: the data, then the scales that it needs. `row_scales`:
  /// f8_e4m3 has one for each row.
  std::vector<safetensors::NewTensor> stored(bool row_scales) const;
};

/// All tensors of a new folder, in the order in which they are written.
struct FolderPlan {
  std::vector<FolderTensor> tensors;
  FileType quantization = FileType::as_is;  // what a quantization_config has to say
  std::vector<std::string> ignore;          // Linear modules that are not quantized
  DType dtype = DType::bf16;                // of what is not quantized
  bool stays_quantized = false;             // the source is, and stays as it is
  UnusedTensors left_out;
  TowerPlan tower;  // what is not copied of a vision tower
  std::optional<TowerReport> tower_report;
};

/// `stored` are the tensors of `source`; both must outlive the plan. Vision and audio
/// parts of a folder are copied, but for matrices of a tower that options.vision_type is for;
/// the tower of a GGUF file or of a projector file is written as the reference names it. Where
/// weights are quantized, so are keys and values that no layer reads: vLLM loads them with the
/// layer's queries. Throws Error that names the tensor: of a type that a folder cannot hold,
/// without options.dequantize.
FolderPlan plan_folder(const Checkpoint& source, const StoredTensors& stored,
                       const WriteOptions& options);

/// Tensors that readers multiply as one matrix and that must share a tensor scale: the
/// same text for q, k and v of a layer, and for its gate and up projections; empty for
/// all others. `tensor` is one of our names.
std::string fused_group(std::string_view tensor);

}  // namespace pleiad::convert
