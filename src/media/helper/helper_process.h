#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "media/helper/answer.h"
#include "media/helper/confinement.h"
#include "media/helper/helper_task.h"
#include "media/reader.h"
#include "sandbox/descriptor.h"

namespace pleiad::media {

/// How long something may take, and whether it is still wanted.
struct Patience {
  double deadline = 0;              // of monotonic_seconds()
  std::function<bool()> stop = {};  // may be empty; asked several times a second

  bool is_over() const;
  bool is_stopped() const { return stop && stop(); }
};

/// A helper: a process of this program's own file, with two pipes and nothing else of ours: no
/// memory, no environment, no other descriptors once it reads, a session of its own. It is killed
/// with this object. One thread at a time.
class HelperProcess {
 public:
  /// Starts it, and does not wait until it is ready. Throws Error.
  HelperProcess(const HelperProgram& program, const HelperTask& task);
  /// Kills it and waits for its end, which does not take long.
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  /// Waits until it has confined itself; before that nothing is sent. Throws Error where it cannot,
  /// ends or says something else; a Failure where `stop` was true.
  Result<Confinement> await_ready(const Patience& patience);

  /// Sends a file and waits for what comes of it, once. Afterwards the process is worth nothing.
  /// A Failure is for whom the file came from; `seconds`, what Patience began with, is told there.
  Result<PreparedPicture> read(std::span<const std::byte> bytes, const PictureOptions& options,
                               const DecodeLimits& limits, const Patience& patience,
                               double seconds);
  Result<PreparedSound> read(std::span<const std::byte> bytes, const SoundOptions& options,
                             const SoundLimits& limits, const Patience& patience, double seconds);
  Result<PreparedVideo> read(std::span<const std::byte> bytes, const VideoOptions& options,
                             const VideoLimits& limits, const Patience& patience, double seconds);

  /// It has ended by itself.
  bool has_ended();
  /// Kills it and does not wait.
  void kill() const;

  pid_t id() const { return child_; }

 private:
  enum class Wait : std::uint8_t { ready, closed, late, stopped };

  HelperProcess(const HelperProgram& program, const HelperTask& task, sandbox::Pipe input,
                sandbox::Pipe output);
  template <typename Prepared, typename Options, typename Limits>
  Result<Prepared> ask(std::span<const std::byte> bytes, const Options& options,
                       const Limits& limits, const Patience& patience, double seconds);
  Wait wait_for(int fd, short events, const Patience& patience) const;
  bool read_exactly(std::span<std::byte> into, const Patience& patience);
  /// Sends until all is sent, or the other side answers or is gone.
  void send(std::span<const std::byte> bytes, const Patience& patience);
  /// In words for whom the file came from.
  Failure failure_of(NoAnswer why, double seconds);
  int end();

  sandbox::Descriptor to_child_;
  sandbox::Descriptor from_child_;
  pid_t child_ = -1;
  std::optional<int> status_;  // of waitpid, once it has ended
  Wait last_wait_ = Wait::ready;
  std::optional<Confinement> confinement_;
};

}  // namespace pleiad::media
