#pragma once

#include "serving/service.h"

namespace pleiad::serving {

/// A service as its owner has it.
class EndableService : public Service {
 public:
  /// Refuses what comes from now on, lets what runs end for so many seconds, then
  /// cancels it. Returns when nothing is left; may be called again.
  virtual void shutdown(double grace_seconds) = 0;
};

}  // namespace pleiad::serving
