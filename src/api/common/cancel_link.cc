#include "api/common/cancel_link.h"

#include <utility>

namespace pleiad::api {

std::shared_ptr<CancelLink> CancelLink::on(http::Exchange& exchange) {
  auto link = std::make_shared<CancelLink>();
  exchange.on_gone([link] { link->cancel(); });
  return link;
}

void CancelLink::hold(std::shared_ptr<serving::Ticket> ticket) {
  {
    const std::lock_guard lock(mutex_);
    if (released_) return;
    if (!cancelled_) {
      ticket_ = std::move(ticket);
      return;
    }
  }
  ticket->cancel();
}

// The ticket is called without the lock: it may call the observer, which releases.
void CancelLink::cancel() {
  std::shared_ptr<serving::Ticket> ticket;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    ticket.swap(ticket_);
  }
  if (ticket) ticket->cancel();
}

void CancelLink::release() {
  std::shared_ptr<serving::Ticket> ticket;  // let go after the lock
  const std::lock_guard lock(mutex_);
  released_ = true;
  ticket.swap(ticket_);
}

}  // namespace pleiad::api
