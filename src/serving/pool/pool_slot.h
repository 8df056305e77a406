#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "serving/pool/file_stamp.h"
#include "serving/pool/model_runtime.h"
#include "store/model_entry.h"

namespace pleiad::serving {

/// A model in memory and who uses it; guarded by the pool's mutex.
struct PoolSlot {
  store::ModelEntry entry;  // of the latest request
  std::optional<FileStamp> stamp;
  std::unique_ptr<ModelRuntime> runtime;
  std::uint64_t weight_bytes = 0;
  std::uint64_t kv_bytes = 0;
  std::uint64_t media_bytes = 0;  // for its towers and for media
  double keep_alive_seconds = 0;
  double last_used = 0;
  int users = 0;
  bool retired = false;   // nobody may use it any more; goes when it is idle
  bool draining = false;  // the same, as long as another model waits for its room
  std::vector<std::function<void()>> when_gone;

  bool idle() const { return users == 0; }
  double expires() const { return last_used + keep_alive_seconds; }
};

}  // namespace pleiad::serving
