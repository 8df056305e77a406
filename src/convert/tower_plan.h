#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "convert/encode_stream.h"
#include "convert/mix.h"
#include "model/checkpoint.h"
#include "model/gemma4/vision/tensor_table.h"
#include "tensor/host_tensor.h"

namespace pleiad::convert {

/// One tensor of a vision tower, or of the embedder of sounds beside it, in a new file.
struct TowerTensor {
  gemma4::EncoderTensorSpec spec;
  HostTensor values;  // of the source, columns in the order of the new file
  DType type = DType::f32;
  std::optional<DType> wanted;  // asked for, and its blocks do not fit the columns

  std::uint64_t bytes() const;  // of data in the new file
};

/// All tensors of a tower in a new file; views of the source but for `turned`.
struct TowerPlan {
  std::vector<TowerTensor> tensors;
  std::vector<std::vector<float>> turned;  // values that are ordered anew

  std::uint64_t source_bytes() const;
};

/// Whether the embedder of sounds goes where the vision tower goes: a matrix that projector files
/// and folders hold beside it. An audio tower does not yet.
bool has_sound_embedder(const Checkpoint& source);

/// What `source`'s tower, which is there, becomes, and its embedder of sounds. `matrices`: the type
/// of its matrices; nothing: as in the source. Clip bounds that the source does not have are left
/// out. Throws Error that names the tensor and the type that `container` cannot hold.
TowerPlan plan_tower(const Checkpoint& source, std::optional<DType> matrices, Container container);

/// Writes the data of one tensor. Clip bounds may be infinite, which is none, but not NaN; all
/// else must be finite. Throws Error as encode_tensor does.
ErrorSums encode_tower_tensor(const TowerTensor& tensor, const EncodeTask& task,
                              const EncodeStream& stream);

}  // namespace pleiad::convert
