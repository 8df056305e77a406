#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "serving/service.h"

namespace pleiad::serving {

/// What is under way, so that a server can end without leaving anybody unanswered.
class ActiveWork {
 public:
  /// Lives as long as a piece of work.
  class Entry {
   public:
    explicit Entry(ActiveWork& work);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    /// Who can end it before its time.
    void set_ticket(const std::shared_ptr<Ticket>& ticket);

   private:
    friend class ActiveWork;
    ActiveWork& work_;
    std::weak_ptr<Ticket> ticket_;
  };

  /// Null once closed.
  std::unique_ptr<Entry> begin();
  /// Nothing begins any more.
  void close();
  /// True when nothing is left; at most so many seconds (infinity: as long as it takes).
  bool wait_idle(double seconds);
  void cancel_all();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry*> entries_;
  bool closed_ = false;
};

}  // namespace pleiad::serving
