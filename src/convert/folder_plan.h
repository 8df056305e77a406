#pragma once

#include <optional>
#include <string>
#include <vector>

#include "convert/folder_tensor.h"
#include "convert/report.h"
#include "convert/tower_plan.h"
#include "model/checkpoint.h"
#include "model/gemma4/encoder_kind.h"
#include "model/stored_tensors.h"

namespace pleiad::convert {

/// All tensors of a new folder, in the order in which they are written.
struct FolderPlan {
  std::vector<FolderTensor> tensors;
  FileType quantization = FileType::as_is;  // what a quantization_config has to say
  std::vector<std::string> ignore;          // Linear modules that are not quantized
  DType dtype = DType::bf16;                // of what is not quantized
  bool stays_quantized = false;             // the source is, and stays as it is
  bool nests_text = false;                  // the folder of a text model gets a tower
  UnusedTensors left_out;
  gemma4::PerEncoder<TowerPlan> towers;  // what is not copied of them
  gemma4::PerEncoder<std::optional<TowerReport>> tower_reports;
};

/// "model.language_model.layers.0.x", as a model with towers has it, of a text model's
/// "model.layers.0.x", whichever of gemma4::kHfPrefixes it stands behind; the head has no prefix.
std::string nested_text_name(std::string_view name);

/// `stored` are the tensors of `source`; both must outlive the plan. Towers of a folder are copied,
/// but for matrices that options.towers have a type for; those of a GGUF file or of a projector
/// file are written as the reference names them. A folder of a text model that gets a tower becomes
/// one of Gemma4ForConditionalGeneration, whose text tensors have other names. Where weights are
/// quantized, so are keys and values that no layer reads: vLLM loads them with the layer's queries.
/// Throws Error that names the tensor: of a type that a folder cannot hold, without
/// options.dequantize.
FolderPlan plan_folder(const Checkpoint& source, const StoredTensors& stored,
                       const WriteOptions& options);

}  // namespace pleiad::convert
