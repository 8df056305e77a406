#include "media/helper/helper_pool.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/clock.h"

namespace pleiad::media {

HelperPool::HelperPool(HelperProgram program, const Limits& limits, int max_processes,
                       double idle_seconds)
    : program_(std::move(program)),
      limits_(limits),
      idle_seconds_(idle_seconds),
      turns_(max_processes) {}

HelperPool::~HelperPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_all();
  if (keeper_.joinable()) keeper_.join();
}

std::unique_ptr<HelperProcess> HelperPool::start(HelperKind kind) const {
  return std::make_unique<HelperProcess>(program_,
                                         HelperTask{kind, limits_[static_cast<std::size_t>(kind)]});
}

std::optional<HelperPool::Lease> HelperPool::take(HelperKind kind,
                                                  const std::function<bool()>& stop) {
  std::optional<Turns::Turn> turn = turns_.take(stop);
  if (!turn) return std::nullopt;
  std::unique_ptr<HelperProcess> process = take_spare(kind);
  // While it waited, the system may have wanted its memory.
  if (process && process->has_ended()) process.reset();
  if (!process) process = start(kind);
  return Lease(*this, std::move(*turn), std::move(process));
}

std::unique_ptr<HelperProcess> HelperPool::take_spare(HelperKind kind) {
  std::unique_ptr<HelperProcess> process;
  {
    const std::lock_guard lock(mutex_);
    if (!keeper_.joinable()) keeper_ = std::thread([this] { keep(); });
    Spare& spare = spares_[static_cast<std::size_t>(kind)];
    process = std::move(spare.process);
    spare.is_wanted = true;
    last_use_ = monotonic_seconds();
  }
  work_.notify_all();
  return process;
}

void HelperPool::give_back(Used used) {
  used.process->kill();
  {
    const std::lock_guard lock(mutex_);
    ending_.push_back(std::move(used));
    last_use_ = monotonic_seconds();
  }
  work_.notify_all();
}

std::optional<Confinement> HelperPool::confinement() const {
  const std::lock_guard lock(mutex_);
  return confinement_;
}

void HelperPool::note(const Confinement& confinement) {
  const std::lock_guard lock(mutex_);
  confinement_ = confinement;
}

bool HelperPool::wants_spares() const { return std::ranges::any_of(spares_, &Spare::is_wanted); }

void HelperPool::start_spares(std::unique_lock<std::mutex>& lock) {
  for (int i = 0; i < kHelperKinds && !closing_; ++i) {
    Spare& spare = spares_[static_cast<std::size_t>(i)];
    if (!std::exchange(spare.is_wanted, false) || spare.process) continue;
    lock.unlock();
    std::unique_ptr<HelperProcess> started;
    try {
      started = start(static_cast<HelperKind>(i));
    } catch (const std::exception&) {  // no process, no memory
      // Whoever has the next file tries again, and is told.
    }
    lock.lock();
    spare.process = std::move(started);
  }
}

void HelperPool::end_those_given_back(std::unique_lock<std::mutex>& lock) {
  if (ending_.empty()) return;
  std::vector<Used> ending = std::exchange(ending_, {});
  lock.unlock();
  ending.clear();  // waits for each
  lock.lock();
}

void HelperPool::keep() {
  std::unique_lock lock(mutex_);
  const auto has_work = [&] { return closing_ || wants_spares() || !ending_.empty(); };
  const auto has_spare = [](const Spare& spare) { return spare.process != nullptr; };
  while (!closing_) {
    if (turns_.n_taken() == 0 && std::ranges::any_of(spares_, has_spare)) {
      const std::chrono::duration<double> left(last_use_ + idle_seconds_ - monotonic_seconds());
      if (!work_.wait_for(lock, left, has_work)) end_spares();
    } else {
      work_.wait(lock, has_work);
    }
    end_those_given_back(lock);
    start_spares(lock);
  }
  end_those_given_back(lock);
  end_spares();
}

void HelperPool::end_spares() {
  for (Spare& spare : spares_) spare.process.reset();
}

}  // namespace pleiad::media
