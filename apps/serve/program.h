#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/common/environment.h"
#include "apps/serve/config.h"
#include "apps/serve/signals.h"
#include "media/reader.h"

namespace pleiad::apps {

/// The server with everything that belongs to it. What stands further down uses what
/// stands above.
class ServeProgram {
 public:
  /// How processes that read media and documents are started.
  struct Helpers {
    media::HelperProgram media;
    media::HelperProgram documents;
  };

  /// Binds the address; throws Error where that cannot be done.
  ServeProgram(const ServeConfig& config, const Environment& environment, const Helpers& helpers);
  ~ServeProgram();
  ServeProgram(const ServeProgram&) = delete;
  ServeProgram& operator=(const ServeProgram&) = delete;

  /// Answers until SIGTERM or SIGINT, then lets running answers end within the grace
  /// period; a second signal stops at once. `models` are loaded at the start. Returns
  /// the exit status. `signals` were made before any thread, this object's among them.
  int run(const std::vector<std::string>& models, const StopSignals& signals);

  /// Answers from now on, on threads of its own, and loads the models: for a program that waits for
  /// something else. Throws store::ModelNotFound where one of them is not there, Error where it
  /// cannot be used. `load_failed` is told why one cannot be loaded, on such a thread.
  void start(const std::vector<std::string>& models,
             const std::function<void(const std::string& error)>& load_failed);
  /// All models of start() are loaded, or have failed.
  bool is_ready() const;
  /// "http://127.0.0.1:11434"
  std::string address() const;
  /// Accepts no more, lets running answers end for so many seconds, then ends them. May be called
  /// again.
  void stop(double grace_seconds);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pleiad::apps
