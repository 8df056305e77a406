#pragma once

#include <filesystem>
#include <string_view>

#include "formats/gguf/writer.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/vision/config.h"
#include "model/gemma4/vision/tensor_table.h"
#include "tensor/dtype.h"

// How a vision tower lies in a projector file (mmproj-*.gguf), so that llama.cpp and Ollama
// read it as we do: the keys, and the types that their kernels take.

namespace pleiad::gemma4 {

/// How files name the side of a soft token: an embedder's patch is one of small patches, merged.
struct PatchSides {
  int patch_size = 0;  // pixels
  int pooling = 0;     // patches
};
PatchSides written_patch_sides(const VisionConfig& config);

/// Writes all keys: "general.architecture" is clip, the sizes stand under "clip.vision.".
/// `name` says what model it belongs to; `main` is what most of its weights are stored as.
void set_projector_keys(gguf::Writer& writer, const VisionConfig& config, std::string_view name,
                        DType main);

/// Those of the 12B's embedder of sounds, beside the others; the sizes stand under "clip.audio.".
void set_sound_keys(gguf::Writer& writer, const AudioConfig& config);

/// What `spec` is stored as where matrices are `wanted`. Norms, clip bounds and tables are
/// f32, and so is the patch embedding, a convolution's weights (f16 beside matrices of f16).
/// Where the columns of a matrix are no multiple of the type's blocks, it is bf16.
DType projector_tensor_type(const EncoderTensorSpec& spec, DType wanted);

/// A matrix of a layer or the projector: what `wanted` is about.
bool is_tower_matrix(const EncoderTensorSpec& spec);

/// "mmproj-e2b.gguf" beside "e2b.gguf", where readers look for it. Of a part of a split model
/// the number is left out.
std::filesystem::path projector_path_beside(const std::filesystem::path& model);

}  // namespace pleiad::gemma4
