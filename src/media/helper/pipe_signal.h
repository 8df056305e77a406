#pragma once

#include <csignal>

namespace pleiad::media {

/// While it lives, a write of this thread to a pipe that nobody reads is an error (EPIPE) and no
/// signal, whatever the program does with SIGPIPE.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal();
  ~WithoutPipeSignal();
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sigset_t before_;
  bool was_pending_;
};

}  // namespace pleiad::media
