#pragma once

#include <memory>

#include "base/json.h"
#include "http/exchange.h"
#include "serving/service_error.h"

namespace pleiad::api::openai {

/// The stream of a completion. It begins with its first event, so that what fails
/// before has a status of its own.
class EventStream {
 public:
  explicit EventStream(std::shared_ptr<http::Exchange> exchange);

  void send(const Json& data);
  /// "[DONE]", and the end.
  void finish();
  /// The error: as the whole answer, or as the last event.
  void fail(const serving::ServiceError& error);

 private:
  void begin();

  std::shared_ptr<http::Exchange> exchange_;
  bool has_begun_ = false;
};

}  // namespace pleiad::api::openai
