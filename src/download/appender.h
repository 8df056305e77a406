#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "download/partial_file.h"
#include "download/trouble.h"
#include "download/window.h"

namespace pleiad::download {

/// The thread that writes what comes into a window to the file, and hashes it.
class Appender {
 public:
  /// `on_change` is called from the thread when there is room in the window, or a problem.
  Appender(Window& window, PartialFile& file, std::function<void()> on_change);
  ~Appender();
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  /// A disk that is full, say; from then on nothing is appended.
  std::optional<Problem> problem() const;

  /// Closes the window and waits until all that can be appended is.
  std::optional<Problem> finish();

 private:
  void run();

  Window& window_;
  PartialFile& file_;
  const std::function<void()> on_change_;
  mutable std::mutex mutex_;
  std::optional<Problem> problem_;
  std::thread thread_;
};

}  // namespace pleiad::download
