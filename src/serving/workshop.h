#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/work_pool.h"
#include "serving/active_work.h"
#include "serving/answer.h"
#include "serving/answers/reply_limits.h"
#include "serving/media/media_tools.h"
#include "serving/observer.h"
#include "serving/pool/model_pool.h"

namespace pleiad::serving {

/// A model by its name; a Failure says what was looked for.
using FindModel = std::function<Result<store::ModelEntry>(const std::string& name)>;

/// What requests are worked on with; outlives them all.
struct Workshop {
  FindModel find;
  ModelPool& pool;
  WorkPool& workers;
  WorkPool& media_workers;  // of requests with pictures, which wait for those who read them
  ServingObserver& observer;
  std::function<double()> clock;
  double timeout_seconds;   // of requests that name none
  std::size_t max_waiting;  // requests that have not come to an engine yet
  MediaTools media;
  /// What the prompts of a model that may not be loaded know of its towers; throws LoadError.
  std::function<PromptTowers(const store::ModelEntry& entry)> towers;
  ReplyDefaults replies;
  std::atomic<std::size_t> n_waiting = 0;
  std::atomic<std::size_t> n_waiting_with_media = 0;  // of those

  /// Counts a request among those that wait; false, and uncounted, where there are enough, unless
  /// it goes on with what others began.
  bool begin_waiting(bool has_media, bool goes_on = false);
  /// Once for each that begin_waiting() counted.
  void end_waiting(bool has_media);

  /// Throws RequestError: not found, or not usable.
  store::ModelEntry find_usable(const std::string& name) const;
};

}  // namespace pleiad::serving
