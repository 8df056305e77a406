#pragma once

#include <memory>
#include <string>

#include "http/server.h"
#include "serving/observer.h"
#include "serving/service.h"

namespace pleiad::apps {

/// What /metrics shows, in Prometheus' text format. Threads may share it.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void request_finished(const http::AccessRecord& record);

  void first_token(const std::string& model, double seconds_since_request);
  void token_gap(const std::string& model, double seconds);
  void answer_finished(const serving::ServingObserver::Finished& answer);
  void load_finished(const std::string& model, double seconds, bool ok);

  /// With the gauges of the loaded models as they are now.
  std::string text(const std::vector<serving::LoadedInfo>& loaded, std::size_t open_connections);

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace pleiad::apps
