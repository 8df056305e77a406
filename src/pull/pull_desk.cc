#include "pull/pull_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/error.h"

namespace pleiad::pull {
namespace {

constexpr const char* kStopped =
    "the server is shutting down; what has come is resumed the next time";

}  // namespace

/// One who hears. He leaves on any thread.
struct PullDesk::Member {
  std::shared_ptr<TransferListener> listener;
  std::atomic<bool> gone = false;
};

/// One download or upload with its thread, and who listens to it.
class PullDesk::Transfer {
 public:
  using MemberPtr = std::shared_ptr<Member>;

  Transfer(std::string key, TransferPtr before)
      : key_(std::move(key)), before_(std::move(before)) {}
  ~Transfer() { wait(); }

  /// Until its thread has ended. Who gives up the last reference on another thread than that one
  /// has called it before, or knows that ended().
  void wait() {
    if (thread_.joinable()) thread_.join();
  }

  const std::string& key() const { return key_; }
  bool ended() const { return ended_; }

  void start(Work work) {
    thread_ = std::thread([this, work = std::move(work)] { run(work); });
  }

  /// Tells of the end of the program.
  void stop() { stopped_ = true; }

  /// False where it has ended, or is being stopped: nobody can join any more.
  bool join(const MemberPtr& member) {
    const std::lock_guard calls(calls_);
    {
      const std::lock_guard lock(mutex_);
      if (stopped_ || closed_) return false;
      members_.push_back(member);
    }
    if (offer_) member->listener->offered(*offer_);
    for (const Progress& file : files_) member->listener->progress(file);
    if (!last_.status.empty() && last_.total == 0) member->listener->progress(last_);
    return true;
  }

  void leave(const MemberPtr& member) {
    member->gone = true;
    const std::lock_guard lock(mutex_);
    std::erase(members_, member);
    if (members_.empty()) stopped_ = true;
  }

  void tell(const Offer& offer) {
    const std::lock_guard calls(calls_);
    offer_ = offer;
    for (const MemberPtr& member : present()) {
      if (!member->gone) member->listener->offered(offer);
    }
  }

  void tell(const Progress& progress) {
    const std::lock_guard calls(calls_);
    last_ = progress;
    if (progress.total > 0) remember(progress);
    for (const MemberPtr& member : present()) {
      if (!member->gone) member->listener->progress(progress);
    }
  }

  ProgressSink sink() {
    return [this](const Progress& progress) { tell(progress); };
  }
  Stop stop_asked() {
    return [this] { return stopped_.load(); };
  }

 private:
  void run(const Work& work) {
    wait_for_the_one_before();
    Result<TransferResult> outcome = Failure{kStopped};
    if (!stopped_) {
      try {
        outcome = work(*this);
      } catch (const std::exception& error) {
        outcome = Failure{error.what()};
      }
      if (!outcome && stopped_) outcome = Failure{kStopped};
    }
    tell_end(outcome);
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    ended_changed_.notify_all();
  }

  void tell_end(const Result<TransferResult>& outcome) {
    const std::lock_guard calls(calls_);
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    for (const MemberPtr& member : present()) {
      if (!member->gone) member->listener->done(outcome);
    }
  }

  /// Two must not write the same files: the one that was stopped ends first.
  void wait_for_the_one_before() {
    if (!before_) return;
    {
      std::unique_lock lock(before_->mutex_);
      before_->ended_changed_.wait(lock, [&] { return before_->ended_.load(); });
    }
    before_.reset();
  }

  std::vector<MemberPtr> present() {
    const std::lock_guard lock(mutex_);
    return members_;
  }

  void remember(const Progress& progress) {
    const auto known = std::ranges::find_if(
        files_, [&](const Progress& file) { return file.digest == progress.digest; });
    if (known == files_.end()) {
      files_.push_back(progress);
    } else {
      *known = progress;
    }
  }

  const std::string key_;
  TransferPtr before_;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> ended_ = false;  // also its last call

  std::mutex mutex_;  // members_, closed_; held for moments, never while somebody is called
  std::condition_variable ended_changed_;
  std::vector<MemberPtr> members_;
  bool closed_ = false;  // nobody joins any more

  std::mutex calls_;  // one call at a time, in order; offer_, files_, last_
  std::optional<Offer> offer_;
  std::vector<Progress> files_;  // the latest of each
  Progress last_;

  std::thread thread_;  // last: what it uses stands above
};

namespace {

/// The same for names of the same model: case does not count in a registry's names and in those of
/// repositories, but in revisions and files.
std::string key_of(const ModelReference& reference) {
  ModelReference same = reference;
  if (same.place == Place::registry) return ascii_lower(same.text());
  same.repository = ascii_lower(same.repository);
  return same.text();
}

class Part : public Participation {
 public:
  explicit Part(std::function<void()> leave) : leave_(std::move(leave)) {}
  ~Part() override { leave(); }
  void leave() override {
    if (!left_.exchange(true) && leave_) leave_();
  }

 private:
  std::function<void()> leave_;
  std::atomic<bool> left_ = false;
};

}  // namespace

PullDesk::PullDesk(MakeSource make_source, MakeDestination make_destination)
    : make_source_(std::move(make_source)), make_destination_(std::move(make_destination)) {}

PullDesk::~PullDesk() { stop(); }

void PullDesk::stop() {
  std::list<TransferPtr> transfers;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    transfers.swap(transfers_);
  }
  for (const TransferPtr& transfer : transfers) transfer->stop();
  // Its own thread may hold a reference for a moment, which must not be the last one.
  for (const TransferPtr& transfer : transfers) transfer->wait();
}

std::shared_ptr<Participation> PullDesk::pull(const ModelReference& reference, bool insecure,
                                              std::shared_ptr<TransferListener> listener) {
  const auto work = [this, reference, insecure](Transfer& transfer) -> Result<TransferResult> {
    transfer.tell(Progress{.status = "pulling manifest"});
    auto source = make_source_(reference, insecure);
    if (!source) return Failure{source.message()};
    const auto offer = source.value()->offer(reference, transfer.stop_asked());
    if (!offer) return Failure{offer.message()};
    transfer.tell(offer.value());
    return source.value()->fetch(offer.value(), transfer.sink(), transfer.stop_asked());
  };
  return begin((insecure ? "http " : "") + key_of(reference), work, std::move(listener));
}

std::shared_ptr<Participation> PullDesk::push(const store::ModelEntry& model,
                                              const ModelReference& reference, bool insecure,
                                              std::shared_ptr<TransferListener> listener) {
  const auto work = [this, model, reference,
                     insecure](Transfer& transfer) -> Result<TransferResult> {
    transfer.tell(Progress{.status = "retrieving manifest"});
    auto destination = make_destination_(reference, insecure);
    if (!destination) return Failure{destination.message()};
    const auto pushed =
        destination.value()->push(model, reference, transfer.sink(), transfer.stop_asked());
    if (!pushed) return Failure{pushed.message()};
    return TransferResult{reference.text(), {}};
  };
  return begin({}, work, std::move(listener));
}

std::shared_ptr<Participation> PullDesk::begin(std::string key, Work work,
                                               std::shared_ptr<TransferListener> listener) {
  auto member = std::make_shared<Member>();
  member->listener = std::move(listener);
  const auto part_of = [&](const TransferPtr& transfer) {
    // Weak: a part that is kept does not keep the thread of what has ended.
    return std::make_shared<Part>([weak = std::weak_ptr(transfer), member] {
      if (const TransferPtr still = weak.lock()) still->leave(member);
    });
  };
  const std::lock_guard lock(mutex_);
  forget_ended();
  TransferPtr before;
  for (const TransferPtr& transfer : transfers_) {
    if (key.empty() || transfer->key() != key) continue;
    if (transfer->join(member)) return part_of(transfer);
    before = transfer;
  }
  if (stopping_ || transfers_.size() >= kMaxTransfers) {
    member->listener->done(Failure{
        stopping_ ? kStopped
                  : fmt::format("{} models are being pulled or pushed already; try again later",
                                transfers_.size())});
    return std::make_shared<Part>(nullptr);
  }
  const auto transfer = std::make_shared<Transfer>(std::move(key), std::move(before));
  transfer->join(member);
  transfers_.push_back(transfer);
  transfer->start(std::move(work));
  return part_of(transfer);
}

void PullDesk::forget_ended() {
  std::erase_if(transfers_, [](const TransferPtr& transfer) { return transfer->ended(); });
}

}  // namespace pleiad::pull
