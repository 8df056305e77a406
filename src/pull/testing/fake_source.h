#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "pull/source.h"

namespace pleiad::pull {

/// What a test lets a host have, and sees of what it was asked. Threads may share it.
class FakeHost {
 public:
  /// Offered under any name; fetch() tells of `bytes` in ten steps.
  explicit FakeHost(std::uint64_t bytes = 1000) : bytes_(bytes) {}

  /// From now on a fetch waits before its last step until let_go() or its end.
  void hold() { set(held_, true); }
  void let_go() { set(held_, false); }
  /// From now on fetches fail, with this message.
  void fail(std::string why) { set(failure_, std::move(why)); }
  /// From now on fetches leave this out.
  void leave_out(std::string what) { set(left_out_, std::move(what)); }
  /// From now on offers fail, with this message.
  void refuse(std::string why) { set(refusal_, std::move(why)); }

  /// From now on a fetch that is stopped takes its time, a moment or until another one has begun.
  void end_slowly() { set(slow_end_, true); }

  int n_fetches() const { return get(n_fetches_); }
  /// The most that were under way at a time.
  int most_at_once() const { return get(most_at_once_); }
  int n_stopped() const { return get(n_stopped_); }
  bool insecure() const { return get(insecure_); }
  std::string pushed() const { return get(pushed_); }

  /// Waits until so many fetches wait, or have ended by being stopped.
  void await_held(int n) const {
    await([&] { return n_held_ >= n; });
  }
  void await_stopped(int n) const {
    await([&] { return n_stopped_ >= n; });
  }

  std::unique_ptr<Source> source(bool insecure = false);
  std::unique_ptr<Destination> destination();

 private:
  friend class FakeSource;
  friend class FakeDestination;

  template <typename T, typename V>
  void set(T& place, V value) {
    const std::lock_guard lock(mutex_);
    place = std::move(value);
    changed_.notify_all();
  }
  template <typename T>
  T get(const T& place) const {
    const std::lock_guard lock(mutex_);
    return place;
  }
  template <typename Condition>
  void await(Condition condition) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
  }

  const std::uint64_t bytes_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool held_ = false, slow_end_ = false;
  bool insecure_ = false;
  std::string failure_, refusal_, left_out_, pushed_;
  int n_fetches_ = 0, n_held_ = 0, n_stopped_ = 0;
  int n_under_way_ = 0, most_at_once_ = 0;
};

class FakeSource : public Source {
 public:
  explicit FakeSource(FakeHost& host) : host_(host) {}

  Result<Offer> offer(const ModelReference& reference, const Stop& /*stop*/) override {
    if (const std::string why = host_.get(host_.refusal_); !why.empty()) return Failure{why};
    Offer offer;
    offer.name = reference.text();
    offer.host = reference.host();
    offer.license = "apache-2.0";
    offer.type = "Q4_K_M";
    offer.destination = "/models";
    offer.files = {{"model", kDigest, host_.bytes_, 0}};
    return offer;
  }

  Result<TransferResult> fetch(const Offer& offer, const ProgressSink& sink,
                               const Stop& stop) override {
    constexpr std::uint64_t kSteps = 10;
    const UnderWay under_way(host_);
    for (std::uint64_t step = 1; step <= kSteps; ++step) {
      if (step == kSteps && !wait_while_held(stop)) {
        end();
        return Failure{"stopped"};
      }
      sink({"pulling aaaaaaaaaaaa", kDigest, host_.bytes_, host_.bytes_ * step / kSteps});
    }
    if (const std::string why = host_.get(host_.failure_); !why.empty()) return Failure{why};
    sink({.status = "verifying sha256 digest"});
    sink({.status = "writing manifest"});
    TransferResult result{offer.name, {}};
    if (std::string what = host_.get(host_.left_out_); !what.empty()) {
      result.left_out.push_back(std::move(what));
    }
    return result;
  }

  static inline const std::string kDigest = "sha256:" + std::string(64, 'a');

 private:
  /// False where it was stopped.
  bool wait_while_held(const Stop& stop) {
    std::unique_lock lock(host_.mutex_);
    if (!host_.held_) return true;
    ++host_.n_held_;
    host_.changed_.notify_all();
    while (host_.held_) {
      if (stop()) return false;
      host_.changed_.wait_for(lock, std::chrono::milliseconds(1));
    }
    return true;
  }

  /// Counts a fetch while it lives.
  class UnderWay {
   public:
    explicit UnderWay(FakeHost& host) : host_(host) {
      const std::lock_guard lock(host_.mutex_);
      ++host_.n_fetches_;
      host_.most_at_once_ = std::max(host_.most_at_once_, ++host_.n_under_way_);
      host_.changed_.notify_all();
    }
    ~UnderWay() {
      const std::lock_guard lock(host_.mutex_);
      --host_.n_under_way_;
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

   private:
    FakeHost& host_;
  };

  void end() {
    constexpr std::chrono::milliseconds kMoment(200);
    std::unique_lock lock(host_.mutex_);
    ++host_.n_stopped_;
    host_.changed_.notify_all();
    if (host_.slow_end_) {
      host_.changed_.wait_for(lock, kMoment, [&] { return host_.n_under_way_ > 1; });
    }
  }

  FakeHost& host_;
};

class FakeDestination : public Destination {
 public:
  explicit FakeDestination(FakeHost& host) : host_(host) {}

  Result<bool> push(const store::ModelEntry& model, const ModelReference& reference,
                    const ProgressSink& sink, const Stop& /*stop*/) override {
    if (const std::string why = host_.get(host_.failure_); !why.empty()) return Failure{why};
    sink({"pushing aaaaaaaaaaaa", FakeSource::kDigest, host_.bytes_, host_.bytes_});
    sink({.status = "pushing manifest"});
    host_.set(host_.pushed_, model.name + " as " + reference.text());
    return true;
  }

 private:
  FakeHost& host_;
};

inline std::unique_ptr<Source> FakeHost::source(bool insecure) {
  set(insecure_, insecure);
  return std::make_unique<FakeSource>(*this);
}

inline std::unique_ptr<Destination> FakeHost::destination() {
  return std::make_unique<FakeDestination>(*this);
}

}  // namespace pleiad::pull
