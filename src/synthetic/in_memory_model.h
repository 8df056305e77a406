#pragma once

#include <string>

#include "synthetic/dimensions.h"
#include "synthetic/spec.h"
#include "synthetic/write.h"

namespace pleiad::synthetic {

/// A synthetic model that is in memory and nowhere else, as a file that a
/// checkpoint can be opened from. Its table of per-layer embeddings is zeros
/// and takes no memory but for rows that were read.
///
///   const InMemoryModel model(parse_spec("e4b:q4_0"));
///   LoadedModel loaded(model.path(), backend, options);
class InMemoryModel {
 public:
  /// Writes the model with options.n_threads; what options.progress throws ends
  /// that. Throws Error where there is not enough memory, before it is used up.
  explicit InMemoryModel(const Spec& spec, const WriteOptions& options = {});
  /// One of other sizes.
  InMemoryModel(const Spec& spec, const Dimensions& dimensions, const WriteOptions& options);
  ~InMemoryModel();
  InMemoryModel(const InMemoryModel&) = delete;
  InMemoryModel& operator=(const InMemoryModel&) = delete;

  /// "/proc/self/fd/5": good within this process while the object lives. What
  /// was opened from it stays good after that.
  std::string path() const;

 private:
  int file_ = -1;
};

}  // namespace pleiad::synthetic
