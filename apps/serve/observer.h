#pragma once

#include "apps/serve/log.h"
#include "apps/serve/metrics.h"
#include "http/server.h"
#include "serving/observer.h"

namespace pleiad::apps {

/// Carries what happens in the server to the log and to /metrics.
class ServerObserver final : public serving::ServingObserver {
 public:
  ServerObserver(Log& log, Metrics& metrics) : log_(log), metrics_(metrics) {}

  void request_finished(const http::AccessRecord& record);

  void first_token(const std::string& model, double seconds) override;
  void token_gap(const std::string& model, double seconds) override;
  void finished(const Finished& answer) override;
  void load_started(const std::string& model) override;
  void load_finished(const std::string& model, double seconds, const std::string& error) override;
  void unloaded(const std::string& model) override;

 private:
  Log& log_;
  Metrics& metrics_;
};

}  // namespace pleiad::apps
