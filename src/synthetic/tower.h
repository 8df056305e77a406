#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "model/gemma4/audio/config.h"
#include "model/gemma4/vision/config.h"
#include "synthetic/spec.h"
#include "synthetic/tensors.h"
#include "synthetic/write.h"

namespace pleiad::synthetic {

/// All tensors of a projector file, in its order. Matrices are `type`, or where its blocks do
/// not fit the columns bf16. Soft tokens come out as large as embeddings are: matrices keep
/// the size of what they multiply, norms after a branch damp what it adds, and clip bounds
/// cut a value off now and then.
std::vector<SyntheticTensor> tower_tensor_list(const gemma4::VisionConfig& config, DType type);

/// Those of an embedder of sounds, likewise.
std::vector<SyntheticTensor> sound_tensor_list(const gemma4::AudioConfig& config, DType type);

/// Writes the vision tower of spec.model's real size, and its embedder of sounds if it has one, as
/// a projector file
/// (mmproj-*.gguf): whole or not at all; an older file stays until then. The bytes follow from
/// `type` and spec.seed. Returns its bytes. Throws Error as write_file does.
std::uint64_t write_projector(const std::filesystem::path& path, const Spec& spec, DType type,
                              const WriteOptions& options);

}  // namespace pleiad::synthetic
