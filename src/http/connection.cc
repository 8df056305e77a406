#include "http/connection.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

namespace pleiad::http {
namespace {

constexpr double kRefusedSeconds = 1;

}  // namespace

Connection::Connection(std::shared_ptr<Core> core, Socket socket, Peer peer)
    : core_(std::move(core)),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      peer_(std::move(peer)) {}

/// Closed already, unless a handler of ours failed (no memory).
Connection::~Connection() { close(); }

void Connection::start() {
  core_->connections.waits_for_head(this);
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    Error ignored;
    self->socket_.non_blocking(true, ignored);
    if (!self->peer_.is_unix()) {
      self->socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    }
    self->read_deadline_ = after(self->core_->limits.header_seconds);
    self->arm_timer();
    self->want_input();
  });
}

void Connection::start_refusing(Response answer) {
  boost::asio::post(socket_.get_executor(), [self = shared_from_this(), answer] {
    Error ignored;
    self->socket_.non_blocking(true, ignored);
    self->start_answer();
    self->answer_->close_after();
    self->unread_body_ = true;
    self->phase_ = Phase::handling;
    self->read_deadline_ = after(kRefusedSeconds);
    self->arm_timer();
    self->answer_->respond(answer);
  });
}

void Connection::give_way() {
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->closed_) return;
    const bool waits = self->phase_ != Phase::handling;
    if (!waits) return self->core_->connections.stays(self.get());
    if (self->answer_) self->record_.error = "made no progress, and gave way to others";
    self->close();
  });
}

void Connection::stop() {
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (!self->answer_) self->close();
  });
}

void Connection::cut() {
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] { self->close(); });
}

void Connection::post_flush() {
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] { self->flush(); });
}

Connection::Clock::time_point Connection::after(double seconds) {
  // A year is for ever, and fits.
  const std::chrono::duration<double> wait(std::min(seconds, 365.0 * 86400));
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
}

/// The timer is set anew only for a nearer deadline; one that moved on is found to
/// have done so when the timer fires.
void Connection::arm_timer() {
  auto next = read_deadline_;
  if (write_deadline_ && (!next || *write_deadline_ < *next)) next = write_deadline_;
  if (!next || closed_ || (timer_set_for_ && *timer_set_for_ <= *next)) return;
  timer_set_for_ = next;
  timer_.expires_at(*next);
  timer_.async_wait([self = shared_from_this()](const Error& error) { self->on_timer(error); });
}

void Connection::on_timer(const Error& error) {
  if (closed_ || error) return;
  timer_set_for_.reset();
  const auto now = Clock::now();
  if (write_deadline_ && now >= *write_deadline_) return close();
  if (read_deadline_ && now >= *read_deadline_) on_read_timeout();
  arm_timer();
}

}  // namespace pleiad::http
