#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "convert/encode_stream.h"
#include "convert/mix.h"
#include "convert/report.h"
#include "model/checkpoint.h"
#include "model/gemma4/encoder_kind.h"
#include "model/gemma4/tensor_table.h"
#include "tensor/host_tensor.h"

namespace pleiad::convert {

/// One tensor of a tower, or of an embedder, in a new file.
struct TowerTensor {
  gemma4::EncoderTensorSpec spec;
  HostTensor values;  // of the source, in the form of the new file
  DType type = DType::f32;
  std::optional<DType> wanted;  // asked for, and its blocks do not fit the columns

  std::uint64_t bytes() const;  // of data in the new file
};

/// All tensors of a tower in a new file; views of the source but for `made`.
struct TowerPlan {
  std::vector<TowerTensor> tensors;
  std::vector<std::vector<float>> made;  // values whose form is the new file's own

  std::uint64_t source_bytes() const;
};

/// Whether `source` has the tower, and `options` do not leave it out.
bool is_written(const Checkpoint& source, gemma4::EncoderKind kind, const WriteOptions& options);

/// Throws Error where `source` has something that could be a tower, it cannot be used (see
/// EncoderSource::why_unusable), and `options` do not leave the tower out: the new model would lose
/// it. From folder to folder nothing is lost: its tensors go along as they are.
void refuse_lost_towers(const Checkpoint& source, Container container, const WriteOptions& options);

/// "--vision-type" or "--audio-type", for messages.
std::string_view type_flag(gemma4::EncoderKind kind);

/// What a tower of `source`, which is there, becomes. `matrices`: the type of its matrices;
/// nothing: as in the source. Clip bounds that the source does not have are left out. Throws Error
/// that names the tensor and the type, or the size, that `container` cannot hold.
TowerPlan plan_tower(const Checkpoint& source, gemma4::EncoderKind kind,
                     std::optional<DType> matrices, Container container);

/// Writes the data of one tensor. Clip bounds may be infinite, which is none, but not NaN; all
/// else must be finite. Throws Error as encode_tensor does.
ErrorSums encode_tower_tensor(const TowerTensor& tensor, const EncodeTask& task,
                              const EncodeStream& stream);

}  // namespace pleiad::convert
