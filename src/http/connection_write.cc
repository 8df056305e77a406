#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <utility>

#include "base/clock.h"
#include "http/connection.h"

namespace pleiad::http {
namespace {

constexpr std::size_t kPiecesAtOnce = 64;
/// A client whose body was refused may still be sending it, and would lose the
/// answer were the connection closed under it.
constexpr double kLingerSeconds = 10;
constexpr double kLingerSecondsWhenStopping = 1;
/// Nothing was answered: its client had gone.
constexpr int kClientClosedRequest = 499;

}  // namespace

void Connection::flush() {
  if (closed_ || !answer_) return;
  if (answer_->is_cut()) return close();
  if (writing_) return;
  Answer::Output output = answer_->take();
  if (output.pieces.empty()) {
    if (output.finished) finish_request();
    return;
  }
  output_ = std::move(output.pieces);
  output_piece_ = output_offset_ = 0;
  writing_ = true;
  write_some();
}

void Connection::write_some() {
  std::vector<boost::asio::const_buffer> buffers;
  const std::size_t end = std::min(output_.size(), output_piece_ + kPiecesAtOnce);
  for (std::size_t piece = output_piece_; piece < end; ++piece) {
    buffers.push_back(boost::asio::buffer(output_[piece]));
  }
  buffers.front() += output_offset_;
  write_deadline_ = after(core_->limits.write_seconds_without_progress);
  arm_timer();
  socket_.async_write_some(buffers,
                           [self = shared_from_this()](const Error& error, std::size_t bytes) {
                             self->on_written(error, bytes);
                           });
}

void Connection::on_written(const Error& error, std::size_t bytes) {
  if (closed_) return;
  if (error) return close();
  record_.bytes_out += bytes;
  answer_->sent(bytes);
  output_offset_ += bytes;
  while (output_piece_ < output_.size() && output_offset_ >= output_[output_piece_].size()) {
    output_offset_ -= output_[output_piece_++].size();
  }
  if (output_piece_ < output_.size()) return write_some();
  output_.clear();
  writing_ = false;
  write_deadline_.reset();
  flush();
}

void Connection::finish_request() {
  const bool closes = answer_->closes() || *core_->stopping || at_end_;
  record(false);
  answer_->complete();
  answer_.reset();
  if (!closes) return next_request();
  if (at_end_ || (!unread_body_ && input_.empty())) return close();
  linger(*core_->stopping ? kLingerSecondsWhenStopping : kLingerSeconds);
}

void Connection::next_request() {
  parser_.reset();
  head_ = {};
  admission_ = {};
  record_ = {};
  received_ = 0;
  body_bytes_ = 0;
  body_share_ = {};
  from_.clear();
  phase_ = Phase::head;
  core_->connections.waits_for_head(this);
  read_deadline_ = after(core_->limits.idle_seconds);
  arm_timer();
  read_head();
}

/// Sends the end, and reads what comes until the client has seen it.
void Connection::linger(double seconds) {
  Error ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  phase_ = Phase::linger;
  core_->connections.waits_for_head(this);  // there is nothing more to do for it
  input_ = {};
  read_deadline_ = after(seconds);
  arm_timer();
  want_input();
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  if (answer_) {
    record(true);
    const std::shared_ptr<Answer> answer = std::move(answer_);
    answer->client_gone();  // before the client can know: what has not begun for it, never does
  }
  Error ignored;
  socket_.close(ignored);
  timer_.cancel();
  head_ = {};
  admission_ = {};
  body_share_ = {};
  parser_.reset();
  input_ = {};
  output_ = {};
  core_->connections.remove(this);
}

void Connection::record(bool client_gone) {
  const int status = answer_->status();
  record_.status = status == 0 ? kClientClosedRequest : status;
  record_.seconds = monotonic_seconds() - received_;
  record_.client_gone = client_gone;
  if (record_.error.empty()) record_.error = answer_->cause();
  record_.warnings = answer_->warnings();
  if (!core_->on_finished) return;
  try {
    core_->on_finished(record_);
  } catch (...) {  // whoever counts requests must not end them
  }
}

}  // namespace pleiad::http
