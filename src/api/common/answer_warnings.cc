#include "api/common/answer_warnings.h"

#include <fmt/format.h>

#include <utility>

namespace pleiad::api {

AnswerWarnings::AnswerWarnings(std::vector<std::string> of_request, bool thinking_wanted)
    : noted_(std::move(of_request)), thinking_wanted_(thinking_wanted) {}

void AnswerWarnings::note(const text::ReplyEvent& event) {
  if (event.kind != text::ReplyEvent::Kind::broken_tool_call) return;
  noted_.push_back(
      fmt::format("a tool call could not be used ({}); it is shown as content", event.problem));
}

std::vector<std::string> AnswerWarnings::all(const serving::AnswerResult& result) const {
  std::vector<std::string> all = noted_;
  all.insert(all.end(), result.warnings.begin(), result.warnings.end());
  if (result.dropped_thinking_bytes > 0 && !thinking_wanted_) {
    all.push_back(fmt::format("{} bytes of thinking are left out, since thinking is off",
                              result.dropped_thinking_bytes));
  }
  return all;
}

}  // namespace pleiad::api
