#pragma once

#include <string>
#include <vector>

#include "serving/answer.h"

namespace pleiad::api {

/// What there is to tell about one answer beside its text.
class AnswerWarnings {
 public:
  /// `of_request`: what reading the request found.
  AnswerWarnings(std::vector<std::string> of_request, bool thinking_wanted);

  /// Remembers a call that cannot be used: it comes as content.
  void note(const text::ReplyEvent& event);

  /// Of the request, the calls, and the answer's end.
  std::vector<std::string> all(const serving::AnswerResult& result) const;

 private:
  std::vector<std::string> noted_;
  bool thinking_wanted_;
};

}  // namespace pleiad::api
