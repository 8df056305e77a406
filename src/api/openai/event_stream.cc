#include "api/openai/event_stream.h"

#include <string>
#include <utility>

#include "api/common/stream_text.h"
#include "api/openai/openai_error.h"

namespace pleiad::api::openai {

EventStream::EventStream(std::shared_ptr<http::Exchange> exchange)
    : exchange_(std::move(exchange)) {}

void EventStream::begin() {
  if (has_begun_) return;
  has_begun_ = true;
  exchange_->begin(200, std::string(kEventStream), {{"Cache-Control", "no-cache"}});
}

void EventStream::send(const Json& data) {
  begin();
  exchange_->write(sse_event(data));
}

void EventStream::finish() {
  begin();
  exchange_->write(std::string(kSseDone));
  exchange_->end();
}

void EventStream::fail(const serving::ServiceError& error) {
  if (!has_begun_) return exchange_->respond(error_response(error));
  exchange_->write(sse_event(error_body(error)));
  exchange_->end();
}

}  // namespace pleiad::api::openai
