#pragma once

#include <atomic>

#include "http/router.h"
#include "serving/service.h"

namespace pleiad::apps {

/// Whether the server can answer, for GET /health. Threads may share it.
class Health {
 public:
  explicit Health(const serving::Service& service) : service_(service) {}

  /// Models that were asked for at the start: until all are loaded, or have failed,
  /// the server is not ready.
  void expect(int models) { awaited_ += models; }
  void settled() { --awaited_; }
  void shut_down() { shutting_down_ = true; }
  /// None of them is awaited any more.
  bool is_ready() const { return awaited_ == 0; }

  /// 200 {"status":"ok"}, or 503 "loading" or "shutting down".
  http::Response answer() const;

 private:
  const serving::Service& service_;
  std::atomic<int> awaited_ = 0;
  std::atomic<bool> shutting_down_ = false;
};

}  // namespace pleiad::apps
