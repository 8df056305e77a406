#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <exception>
#include <utility>
#include <variant>

#include "base/clock.h"
#include "base/error.h"
#include "base/text_format.h"
#include "http/connection.h"
#include "http/handling.h"

namespace pleiad::http {
namespace {

constexpr std::size_t kReadBytes = 64U << 10;
/// What a client may send ahead of the answer it waits for.
constexpr std::size_t kPipelineBytes = 64U << 10;
/// A body that brings less within body_seconds_without_progress makes none.
constexpr std::uint64_t kProgressBytes = 1024;
constexpr std::uint64_t kLongBodyProgressBytes = 64U << 10;  // while it takes of the memory for all

}  // namespace

void Connection::want_input() {
  if (reading_ || closed_ || at_end_) return;
  if (phase_ == Phase::handling && input_.size() >= kPipelineBytes) return;
  reading_ = true;
  // Without a buffer of its own: thousands of idle connections would each keep one.
  socket_.async_wait(Socket::wait_read,
                     [self = shared_from_this()](const Error& error) { self->on_readable(error); });
}

void Connection::on_readable(const Error& error) {
  reading_ = false;
  if (closed_) return;
  if (error) return close();
  std::array<char, kReadBytes> buffer;
  Error failure;
  const std::size_t count = socket_.read_some(boost::asio::buffer(buffer), failure);
  if (failure == boost::asio::error::would_block || failure == boost::asio::error::try_again) {
    return want_input();
  }
  if (failure) return on_input_end();
  if (phase_ != Phase::linger) input_.append(buffer.data(), count);
  advance();
}

void Connection::on_input_end() {
  if (phase_ != Phase::handling || !answer_->is_finished()) return close();
  at_end_ = true;
}

void Connection::advance() {
  switch (phase_) {
    case Phase::head:
      return read_head();
    case Phase::body:
      return read_body();
    case Phase::handling:
    case Phase::linger:
      return want_input();
  }
}

void Connection::read_head() {
  if (!parser_) {
    // Empty lines before a request are allowed.
    const std::size_t begin = std::min(input_.find_first_not_of("\r\n"), input_.size());
    input_.erase(0, begin);
    if (input_.empty()) return want_input();
    parser_ =
        std::make_unique<MessageParser>(core_->limits.header_bytes, core_->limits.header_fields);
    read_deadline_ = after(core_->limits.header_seconds);
    arm_timer();
  }
  std::vector<std::string_view> none;
  const std::size_t used = parser_->put(input_, none);
  input_.erase(0, used);
  record_.bytes_in += used;
  if (parser_->refusal()) return refuse(*parser_->refusal());
  if (parser_->has_head()) return on_head();
  want_input();
}

void Connection::on_head() {
  core_->connections.works(this);
  received_ = monotonic_seconds();
  auto judged = judge_head(std::move(parser_->head()), Core::make_request_id());
  if (auto* refusal = std::get_if<Refusal>(&judged)) return refuse(*refusal);
  head_ = std::move(std::get<RequestHead>(judged));
  const Whence from = whence(head_.request.headers, peer_, core_->proxies);
  from_ = from.text;
  head_.request.peer = from_;
  head_.request.received = received_;
  admission_ = admit(head_, core_->router, core_->gate, from);
  start_answer();
  if (admission_.answer) {
    unread_body_ = head_.has_body();
    if (unread_body_) answer_->close_after();
    phase_ = Phase::handling;
    read_deadline_.reset();
    answer_->respond(std::move(*admission_.answer));
    return want_input();
  }
  head_.request.caller = admission_.caller;
  if (!open_sink()) return;
  if (parser_->is_done()) return dispatch();
  phase_ = Phase::body;
  core_->connections.waits_for_body(this);
  bytes_since_deadline_ = 0;
  read_deadline_ = after(core_->limits.body_seconds_without_progress);
  arm_timer();
  if (head_.expects_continue && input_.empty()) answer_->invite_body();
  read_body();
}

bool Connection::open_sink() {
  if (!admission_.route->open_sink) return true;
  head_.request.arguments = admission_.arguments;
  try {
    head_.request.sink = admission_.route->open_sink(head_.request);
    return true;
  } catch (const pleiad::Error& error) {
    refuse({400, error.what()});
  } catch (const std::exception& error) {
    record_.error = error.what();
    refuse({500, "internal error"});
  }
  return false;
}

void Connection::read_body() {
  if (input_.empty()) return want_input();
  std::vector<std::string_view> pieces;
  const std::size_t used = parser_->put(input_, pieces);
  record_.bytes_in += used;
  for (const std::string_view piece : pieces) {
    if (!take_piece(piece)) return;
  }
  input_.erase(0, used);
  if (parser_->refusal()) return refuse(*parser_->refusal());
  if (parser_->is_done()) return dispatch();
  bytes_since_deadline_ += used;
  const bool is_long = !head_.request.sink && body_bytes_ > core_->limits.light_body_bytes;
  if (bytes_since_deadline_ >= (is_long ? kLongBodyProgressBytes : kProgressBytes)) {
    bytes_since_deadline_ = 0;
    read_deadline_ = after(core_->limits.body_seconds_without_progress);
    core_->connections.waits_for_body(this);
  }
  want_input();
}

/// Of the body; false where the request has ended because of it.
bool Connection::take_piece(std::string_view piece) {
  body_bytes_ += piece.size();
  if (body_bytes_ > admission_.max_body_bytes) {
    refuse({413, fmt::format("the body is longer than {} bytes, the most that is accepted",
                             admission_.max_body_bytes)});
    return false;
  }
  Request& request = head_.request;
  if (!request.sink) {
    if (body_bytes_ > core_->limits.light_body_bytes &&
        !core_->bodies.grow(body_share_, body_bytes_)) {
      refuse({503, fmt::format("the bodies of requests that wait to be read take {} already; try "
                               "again",
                               format_bytes(core_->limits.waiting_body_bytes))});
      return false;
    }
    request.body.append(piece);
    return true;
  }
  try {
    request.sink->write(piece);
    return true;
  } catch (const pleiad::Error& error) {
    refuse({507, error.what()});
  } catch (const std::exception& error) {
    record_.error = error.what();
    refuse({500, "internal error"});
  }
  return false;
}

void Connection::dispatch() {
  phase_ = Phase::handling;
  core_->connections.works(this);
  read_deadline_.reset();
  Request request = std::move(head_.request);
  head_.request = {};
  request.arguments = std::move(admission_.arguments);
  input_.shrink_to_fit();  // thousands may wait for their answers
  const Route& route = *admission_.route;
  if (!route.heavy && request.body.size() <= core_->limits.light_body_bytes) {
    run_handler(route, std::move(request), {}, answer_);
    return want_input();
  }
  try {
    run_handler_later(*core_->workers, route, std::move(request), std::move(body_share_), answer_);
  } catch (const std::exception& error) {
    answer_->fail(500, "internal error", error.what());
  }
  want_input();
}

/// Ends the request, and after it the connection: what follows on it may be a part
/// of what was not understood.
void Connection::refuse(const Refusal& refusal) {
  core_->connections.works(this);
  if (!answer_) start_answer();
  head_.request.sink.reset();
  head_.request.body = {};
  body_share_ = {};
  unread_body_ = true;
  phase_ = Phase::handling;
  read_deadline_.reset();
  answer_->close_after();
  answer_->fail(refusal.status, refusal.message);
  want_input();
}

void Connection::start_answer() {
  if (received_ == 0) received_ = monotonic_seconds();
  const Request& request = head_.request;
  record_.id = request.id.empty() ? Core::make_request_id() : request.id;
  record_.peer = from_.empty() ? peer_.text : from_;
  record_.method = request.method;
  record_.path = request.path;
  record_.route = admission_.route == nullptr ? "" : admission_.route->pattern;
  AnswerTraits traits = {.request_id = record_.id,
                         .head_only = request.method == "HEAD",
                         .may_be_chunked = head_.may_be_chunked,
                         .keep_alive = head_.keep_alive,
                         .headers = std::move(admission_.headers),
                         .on_error = admission_.on_error ? admission_.on_error : plain_error,
                         .unsent_bytes = core_->limits.unsent_bytes,
                         .stopping = core_->stopping};
  // Until it is complete or the client gone, the answer keeps its connection: one that
  // reads nothing meanwhile has no other owner.
  answer_ = std::make_shared<Answer>(std::move(traits),
                                     [self = shared_from_this()] { self->post_flush(); });
}

void Connection::on_read_timeout() {
  read_deadline_.reset();
  if (phase_ == Phase::head && parser_) {
    return refuse({408, fmt::format("the request's head did not come within {} s",
                                    core_->limits.header_seconds)});
  }
  if (phase_ == Phase::body) {
    return refuse({408, fmt::format("the request's body made no progress for {} s",
                                    core_->limits.body_seconds_without_progress)});
  }
  close();
}

}  // namespace pleiad::http
