#include "download/appender.h"

#include <utility>

#include "download/hasher.h"

namespace pleiad::download {

Appender::Appender(Window& window, PartialFile& file, std::function<void()> on_change)
    : window_(window), file_(file), on_change_(std::move(on_change)), thread_([this] { run(); }) {}

Appender::~Appender() { static_cast<void>(finish()); }

void Appender::run() {
  Hasher hasher(file_);
  while (const std::optional<Window::Ready> ready = window_.next()) {
    hasher.begin(ready->bytes);
    std::optional<Problem> problem = file_.write(ready->bytes);
    hasher.wait();
    if (problem) {
      const std::lock_guard lock(mutex_);
      problem_ = std::move(problem);
      break;
    }
    if (window_.take(*ready)) on_change_();
  }
  on_change_();
}

std::optional<Problem> Appender::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

std::optional<Problem> Appender::finish() {
  window_.close();
  if (thread_.joinable()) thread_.join();
  return problem();
}

}  // namespace pleiad::download
