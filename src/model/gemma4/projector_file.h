#pragma once

#include <filesystem>
#include <string_view>

#include "formats/gguf/writer.h"
#include "model/gemma4/audio/config.h"
#include "model/gemma4/tensor_table.h"
#include "model/gemma4/vision/config.h"
#include "tensor/dtype.h"

// How towers lie in a projector file (mmproj-*.gguf), so that llama.cpp and Ollama read it as we
// do: the keys, and the types that their kernels take.

namespace pleiad::gemma4 {

/// How files name the side of a soft token: an embedder's patch is one of small patches, merged.
struct PatchSides {
  int patch_size = 0;  // pixels
  int pooling = 0;     // patches
};
PatchSides written_patch_sides(const VisionConfig& config);

/// Writes the keys of the file: "general.architecture" is clip. `name` says what model it belongs
/// to; `main` is what most of its weights are stored as.
void set_projector_keys(gguf::Writer& writer, std::string_view name, DType main);

/// Those of the vision tower in it, or of the 12B's embedder; sizes stand under "clip.vision.".
void set_vision_keys(gguf::Writer& writer, const VisionConfig& config);

/// Those of the audio tower in it, or of the 12B's embedder; sizes stand under "clip.audio.".
void set_audio_keys(gguf::Writer& writer, const AudioConfig& config);

/// What `spec` is stored as where matrices are `wanted`. Norms, clip bounds, tables and
/// convolutions are f32; the patch embedding, a convolution's weights, is f16 beside matrices of
/// f16. Where the columns of a matrix are no multiple of the type's blocks, it is bf16.
DType projector_tensor_type(const EncoderTensorSpec& spec, DType wanted);

/// A matrix of a layer or the projector: what `wanted` is about.
bool is_tower_matrix(const EncoderTensorSpec& spec);

/// "mmproj-e2b.gguf" beside "e2b.gguf", where readers look for it. Of a part of a split model
/// the number is left out.
std::filesystem::path projector_path_beside(const std::filesystem::path& model);

}  // namespace pleiad::gemma4
