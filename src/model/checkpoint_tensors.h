#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "formats/problem_list.h"
#include "model/checkpoint.h"
#include "model/gemma4/config.h"
#include "model/gemma4/vision/config.h"
#include "tensor/host_tensor.h"

namespace pleiad::gguf {
class File;
}
namespace pleiad::safetensors {
class Folder;
}

namespace pleiad {

using TensorsByName = std::map<std::string, HostTensor, std::less<>>;  // our names

/// The tensors of a checkpoint under our names, and what was left over. What is
/// missing or of a wrong shape or type goes to the list of problems.
struct CheckpointTensors {
  TensorsByName by_name;
  UnusedTensors unused;
};

CheckpointTensors load_tensors(const gguf::File& file, const gemma4::Config& config,
                               ProblemList& problems);
CheckpointTensors load_tensors(const safetensors::Folder& folder, const gemma4::Config& config,
                               ProblemList& problems);

/// Those of a vision tower.
TensorsByName load_vision_tensors(const gguf::File& file, const gemma4::VisionConfig& config,
                                  ProblemList& problems);
TensorsByName load_vision_tensors(const safetensors::Folder& folder,
                                  const gemma4::VisionConfig& config, ProblemList& problems);

/// True where the folder holds any tensor of a tower.
bool holds_vision_tower(const safetensors::Folder& folder);

/// A lower bound above its upper one, or one that is no number, goes to the list.
void check_clip_bounds(const TensorsByName& tensors, const gemma4::VisionConfig& config,
                       ProblemList& problems);

/// Counts a tensor that the model does not use.
void note_unused(const gemma4::Config& config, std::string_view name, UnusedTensors& unused);

/// The same shape, or one element either way ([1] and a scalar).
bool same_shape(const Shape& a, const Shape& b);

}  // namespace pleiad
