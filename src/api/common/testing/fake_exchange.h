#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "http/exchange.h"

namespace pleiad::api {

/// Records what a handler answers, and holds it to the exchange's rules.
class FakeExchange : public http::Exchange {
 public:
  void respond(http::Response response) override {
    const std::lock_guard lock(mutex_);
    if (gone_) return;
    CHECK(!answered_ && !begun_, "answered twice");
    status_ = response.status;
    content_type_ = std::move(response.content_type);
    headers_ = std::move(response.headers);
    pieces_ = {std::move(response.body)};
    answered_ = true;
    changed_.notify_all();
  }

  void begin(int status, std::string content_type, http::Headers headers = {}) override {
    const std::lock_guard lock(mutex_);
    if (gone_) return;
    CHECK(!answered_ && !begun_, "begun twice");
    status_ = status;
    content_type_ = std::move(content_type);
    headers_ = std::move(headers);
    begun_ = true;
  }

  void write(std::string piece) override {
    const std::lock_guard lock(mutex_);
    if (gone_) return;
    CHECK(begun_ && !answered_, "write() outside begin() and end()");
    pieces_.push_back(std::move(piece));
  }

  void end() override {
    const std::lock_guard lock(mutex_);
    if (gone_) return;
    CHECK(begun_ && !answered_, "end() without begin()");
    answered_ = true;
    changed_.notify_all();
  }

  void warn(const std::vector<std::string>& warnings) override {
    const std::lock_guard lock(mutex_);
    CHECK(!answered_ && !begun_, "warned after the answer");
    warnings_ = warnings;
  }

  bool gone() const override {
    const std::lock_guard lock(mutex_);
    return gone_;
  }

  void on_gone(std::function<void()> callback) override {
    {
      const std::lock_guard lock(mutex_);
      if (!gone_) {
        on_gone_.push_back(std::move(callback));
        return;
      }
    }
    callback();
  }

  /// The client closes its connection.
  void go_away() {
    std::vector<std::function<void()>> callbacks;
    {
      const std::lock_guard lock(mutex_);
      gone_ = true;
      callbacks.swap(on_gone_);
      changed_.notify_all();
    }
    for (const auto& callback : callbacks) callback();
  }

  /// Until the answer is complete, or the client gone.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return answered_ || gone_; });
  }

  bool complete() const {
    const std::lock_guard lock(mutex_);
    return answered_;
  }
  bool streamed() const { return begun_; }
  int status() const { return status_; }  // 0: nothing yet
  const std::string& content_type() const { return content_type_; }
  const http::Headers& headers() const { return headers_; }
  const std::vector<std::string>& warnings() const { return warnings_; }  // of the request
  /// What was written, piece by piece; respond()'s body as one.
  std::vector<std::string> pieces() const {
    const std::lock_guard lock(mutex_);
    return pieces_;
  }
  std::string body() const {
    std::string all;
    for (const std::string& piece : pieces()) all += piece;
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 0;
  std::string content_type_;
  http::Headers headers_;
  std::vector<std::string> warnings_;
  std::vector<std::string> pieces_;
  bool begun_ = false;
  bool answered_ = false;
  bool gone_ = false;
  std::vector<std::function<void()>> on_gone_;
};

}  // namespace pleiad::api
