#include "api/anthropic/thread_field.h"

namespace pleiad::api::anthropic {
namespace {

constexpr const char* kThreadNotFound = "thread_not_found";

}  // namespace

void read_thread(FieldReader& body, RequestNotes& notes) {
  constexpr std::string_view kWhy =
      "no conversation is held here, every request has to bring its own";
  const Json* given = body.value("thread");
  if (!given) return;
  // Other clients send a word by this name.
  if (!given->is_object()) return notes.left_out("thread", kWhy);
  FieldReader thread(*given, "thread");
  const auto type = thread.one_of("type", {"create", "continue"});
  if (!type) thread.refuse("type", "\"create\" or \"continue\"");
  if (*type == "continue") {
    (void)thread.required_text("previous_message_id");
    throw RequestError(thread.path_of("previous_message_id"),
                       "no conversation is held here: send all of its messages", kThreadNotFound);
  }
  notes.left_out("thread", kWhy);
  notes.unknown(thread);
}

std::string_view thread_error_code(const RequestError& error) {
  if (error.code() == kThreadNotFound) return kThreadNotFound;
  if (error.field() == "thread" && error.code() == "unsupported_parameter") {
    return "thread_unsupported_request";
  }
  return {};
}

}  // namespace pleiad::api::anthropic
