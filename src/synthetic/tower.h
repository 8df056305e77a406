#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "model/gemma4/audio/config.h"
#include "model/gemma4/vision/config.h"
#include "synthetic/spec.h"
#include "synthetic/tensors.h"
#include "synthetic/write.h"
#include "tensor/dtype.h"

namespace pleiad::synthetic {

/// All tensors of a vision tower in a projector file, in its order. Matrices are `type`, or where
/// its blocks do not fit the columns bf16. Soft tokens come out as large as embeddings are:
/// matrices keep the size of what they multiply, norms after a branch damp what it adds, and clip
/// bounds cut a value off now and then.
std::vector<SyntheticTensor> vision_tensor_list(const gemma4::VisionConfig& config, DType type);

/// Those of an audio tower, likewise.
std::vector<SyntheticTensor> audio_tensor_list(const gemma4::AudioConfig& config, DType type);

/// Which towers a projector file holds, and how their matrices are stored.
struct ProjectorTypes {
  std::optional<DType> vision;
  std::optional<DType> audio;
};

/// Writes the towers of spec.model's real sizes, or its embedders, as a projector file
/// (mmproj-*.gguf): whole or not at all; an older file stays until then. The bytes follow from
/// `types` and spec.seed. Returns its bytes. Throws Error as write_file does, and where the model
/// has no audio tower and one is asked for.
std::uint64_t write_projector(const std::filesystem::path& path, const Spec& spec,
                              const ProjectorTypes& types, const WriteOptions& options);

}  // namespace pleiad::synthetic
