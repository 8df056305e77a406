#pragma once

#include <string>

#include "convert/folder_plan.h"
#include "convert/report.h"
#include "model/checkpoint.h"
#include "model/gemma4/encoder_kind.h"
#include "model/stored_tensors.h"

namespace pleiad::convert {

/// Adds the towers of a model to the plan of its new folder. Borrows all.
class FolderTowers {
 public:
  /// Plans those that are written, see FolderPlan::towers. Throws Error as plan_tower does.
  FolderTowers(const Checkpoint& source, const WriteOptions& options, FolderPlan& plan);

  /// Any is written.
  bool any() const;
  /// The source folder gets one that it does not have.
  bool brings_any() const;

  /// Adds a tensor that lies among the source folder's own, unless another file's tower takes its
  /// place, or it is left out, which is counted.
  void add_own(const StoredTensor& stored, gemma4::EncoderKind kind);

  /// Adds those that are not among the source folder's tensors.
  void add_others();

  /// Counts those of a GGUF file's model that are left out, whichever file they lie in.
  void count_left_out();

 private:
  bool is_written(gemma4::EncoderKind kind) const;
  bool is_own(gemma4::EncoderKind kind) const;
  void add(const std::string& name, const TowerTensor& values, gemma4::EncoderKind kind);

  const Checkpoint& source_;
  const WriteOptions& options_;
  FolderPlan& plan_;
};

}  // namespace pleiad::convert
