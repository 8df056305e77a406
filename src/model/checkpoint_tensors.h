#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "formats/problem_list.h"
#include "model/checkpoint.h"
#include "model/gemma4/audio/config.h"
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

/// Those of an audio tower.
TensorsByName load_audio_tensors(const gguf::File& file, const gemma4::AudioConfig& config,
                                 ProblemList& problems);
TensorsByName load_audio_tensors(const safetensors::Folder& folder,
                                 const gemma4::AudioConfig& config, ProblemList& problems);
bool holds_audio_tower(const safetensors::Folder& folder, const gemma4::AudioConfig& config);

/// A lower bound above its upper one, or one that is no number, goes to the list. Of `tower`
/// ("vision"), whose layers have these clipped matrices.
void check_clip_bounds(const TensorsByName& tensors, std::string_view tower, int n_layers,
                       std::span<const std::string_view> linears, ProblemList& problems);

/// Counts a tensor that the model does not use.
void note_unused(const gemma4::Config& config, std::string_view name, UnusedTensors& unused);

/// The same shape, or one element either way ([1] and a scalar).
bool same_shape(const Shape& a, const Shape& b);

}  // namespace pleiad
