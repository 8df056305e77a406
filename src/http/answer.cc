#include "http/answer.h"

#include <fmt/format.h>

#include <utility>

#include "http/response_head.h"

namespace pleiad::http {
namespace {

constexpr std::size_t kJoinedBytes = 16U << 10;  // pieces up to this size are put together
constexpr std::size_t kWarningBytes = 1U << 10;  // of a header

/// "one; another", in the characters that a header may have; what is too long ends in "...".
std::string header_text(const std::vector<std::string>& warnings) {
  std::string text;
  for (const std::string& warning : warnings) {
    if (!text.empty()) text += "; ";
    for (const char c : warning) text += c >= ' ' && c <= '~' ? c : '?';
    if (text.size() > kWarningBytes) {
      text.resize(kWarningBytes);
      return text + "...";
    }
  }
  return text;
}

/// A callback's failure is its owner's; the connection has to go on.
void call(const std::function<void()>& callback) {
  try {
    callback();
  } catch (...) {
  }
}

}  // namespace

Answer::Answer(AnswerTraits traits, std::function<void()> wake)
    : traits_(std::move(traits)), wake_(std::move(wake)) {}

void Answer::wake() {
  if (awake_ || gone_) return;
  awake_ = true;
  wake_();
}

void Answer::push(std::string piece) {
  unsent_ += piece.size();
  if (!pieces_.empty() && pieces_.back().size() + piece.size() <= kJoinedBytes) {
    pieces_.back() += piece;
  } else if (!piece.empty()) {
    pieces_.push_back(std::move(piece));
  }
}

void Answer::cut() {
  cut_ = true;
  awake_ = false;  // a connection that waits for its client has not looked since
  wake();
}

void Answer::respond_locked(Response response) {
  status_ = response.status;
  BodyFraming framing;
  if (has_body(response.status)) framing.length = response.body.size();
  framing.close = !traits_.keep_alive || traits_.stopping->load();
  traits_.keep_alive = !framing.close;
  push(response_head(response.status, has_body(response.status) ? response.content_type : "",
                     response.headers, traits_.headers, traits_.request_id, framing));
  if (!traits_.head_only && has_body(response.status)) push(std::move(response.body));
  phase_ = Phase::finished;
  wake();
}

void Answer::respond(Response response) {
  const std::lock_guard lock(mutex_);
  if (take_turn(Phase::waiting)) respond_locked(std::move(response));
}

void Answer::begin(int status, std::string content_type, Headers headers) {
  const std::lock_guard lock(mutex_);
  if (!take_turn(Phase::waiting)) return;
  status_ = status;
  bodiless_ = traits_.head_only || !has_body(status);
  chunked_ = traits_.may_be_chunked && has_body(status);
  if (*traits_.stopping || (!chunked_ && !bodiless_)) traits_.keep_alive = false;
  const BodyFraming framing = {
      .length = std::nullopt, .chunked = chunked_, .close = !traits_.keep_alive};
  push(response_head(status, content_type, headers, traits_.headers, traits_.request_id, framing));
  phase_ = Phase::streaming;
  wake();
}

void Answer::write(std::string piece) {
  const std::lock_guard lock(mutex_);
  // An empty chunk would be the last one.
  if (!take_turn(Phase::streaming) || bodiless_ || piece.empty()) return;
  if (unsent_ > traits_.unsent_bytes) return cut();
  if (!chunked_) {
    push(std::move(piece));
  } else if (piece.size() <= kJoinedBytes) {
    push(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece));
  } else {
    push(fmt::format("{:x}\r\n", piece.size()));
    push(std::move(piece));
    push("\r\n");
  }
  wake();
}

void Answer::end() {
  const std::lock_guard lock(mutex_);
  if (!take_turn(Phase::streaming)) return;
  if (chunked_ && !bodiless_) push("0\r\n\r\n");
  phase_ = Phase::finished;
  wake();
}

void Answer::fail(int status, const std::string& message, std::string cause) {
  const std::lock_guard lock(mutex_);
  if (!cause.empty()) cause_ = std::move(cause);
  if (take_turn(Phase::waiting)) {
    respond_locked(traits_.on_error(status, message));
  } else if (take_turn(Phase::streaming)) {
    cut();
  }
}

void Answer::warn(const std::vector<std::string>& warnings) {
  const std::lock_guard lock(mutex_);
  if (!take_turn(Phase::waiting) || warnings.empty()) return;
  warnings_ = warnings;
  traits_.headers.emplace_back("X-Pleiad-Warnings", header_text(warnings));
}

bool Answer::gone() const {
  const std::lock_guard lock(mutex_);
  return gone_ || cut_;
}

void Answer::on_gone(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!gone_) {
      if (phase_ != Phase::finished) callbacks_.push_back(std::move(callback));
      return;
    }
  }
  call(callback);
}

Answer::Output Answer::take() {
  const std::lock_guard lock(mutex_);
  awake_ = false;
  return {.pieces = std::exchange(pieces_, {}), .finished = phase_ == Phase::finished};
}

void Answer::sent(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  unsent_ -= bytes;
}

void Answer::invite_body() {
  const std::lock_guard lock(mutex_);
  if (!take_turn(Phase::waiting)) return;
  push("HTTP/1.1 100 Continue\r\n\r\n");
  wake();
}

void Answer::close_after() {
  const std::lock_guard lock(mutex_);
  traits_.keep_alive = false;
}

bool Answer::closes() const {
  const std::lock_guard lock(mutex_);
  return !traits_.keep_alive;
}

bool Answer::is_finished() const {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::finished;
}

bool Answer::is_cut() const {
  const std::lock_guard lock(mutex_);
  return cut_;
}

int Answer::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::vector<std::string> Answer::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

std::string Answer::cause() const {
  const std::lock_guard lock(mutex_);
  return cause_;
}

void Answer::client_gone() {
  std::vector<std::function<void()>> callbacks;
  std::vector<std::string> pieces;
  std::function<void()> wake;  // holds the connection
  {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    wake.swap(wake_);
    callbacks.swap(callbacks_);
    pieces.swap(pieces_);
  }
  for (const auto& callback : callbacks) call(callback);
}

void Answer::complete() {
  // They may hold the exchange, which asks this answer as it dies: not under the lock.
  std::vector<std::function<void()>> callbacks;
  std::function<void()> wake = [] {};
  {
    const std::lock_guard lock(mutex_);
    callbacks.swap(callbacks_);
    wake.swap(wake_);
  }
}

AnswerExchange::~AnswerExchange() { answer_->fail(500, "internal error"); }

}  // namespace pleiad::http
