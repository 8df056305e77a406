#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "apps/serve/config.h"

namespace pleiad::apps {

/// The server with everything that belongs to it. What stands further down uses what
/// stands above.
class ServeProgram {
 public:
  /// Binds the address; throws Error where that cannot be done.
  ServeProgram(const ServeConfig& config, const Environment& environment);
  ~ServeProgram();
  ServeProgram(const ServeProgram&) = delete;
  ServeProgram& operator=(const ServeProgram&) = delete;

  /// Answers until SIGTERM or SIGINT, then lets running answers end within the grace
  /// period; a second signal stops at once. `models` are loaded at the start. Returns
  /// the exit status.
  int run(const std::vector<std::string>& models);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pleiad::apps
