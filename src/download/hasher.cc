#include "download/hasher.h"

namespace pleiad::download {

Hasher::Hasher(PartialFile& file) : file_(file), thread_([this] { run(); }) {}

Hasher::~Hasher() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Hasher::begin(std::span<const std::byte> bytes) {
  {
    const std::lock_guard lock(mutex_);
    bytes_ = bytes;
  }
  changed_.notify_all();
}

void Hasher::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return bytes_.empty(); });
}

void Hasher::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !bytes_.empty() || ends_; });
    if (bytes_.empty()) return;
    const std::span<const std::byte> bytes = bytes_;
    lock.unlock();
    file_.add_to_sum(bytes);
    lock.lock();
    bytes_ = {};
    changed_.notify_all();
  }
}

}  // namespace pleiad::download
