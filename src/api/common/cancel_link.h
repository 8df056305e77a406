#pragma once

#include <memory>
#include <mutex>

#include "http/exchange.h"
#include "serving/service.h"

namespace pleiad::api {

/// Cancels an answer when its client goes away. Stands between exchange and ticket,
/// which must not own each other: it holds the ticket only until the answer ends.
/// Threads may share it.
class CancelLink {
 public:
  /// A link that `exchange` pulls when its client is gone.
  static std::shared_ptr<CancelLink> on(http::Exchange& exchange);

  /// The ticket, once there is one; cancelled at once where the client is gone already.
  void hold(std::shared_ptr<serving::Ticket> ticket);
  void cancel();
  /// The answer has ended: the ticket is let go. The observer says so, in done() and failed().
  void release();

 private:
  std::mutex mutex_;
  std::shared_ptr<serving::Ticket> ticket_;
  bool cancelled_ = false;
  bool released_ = false;
};

}  // namespace pleiad::api
