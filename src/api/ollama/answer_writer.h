#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/common/answer_warnings.h"
#include "api/common/cancel_link.h"
#include "api/common/time_text.h"
#include "http/exchange.h"
#include "serving/answer.h"

namespace pleiad::api::ollama {

/// How an answer is worded.
struct AnswerForm {
  bool chat = false;  // /api/chat: "message"; else /api/generate: "response"
  bool stream = true;
  bool reports_drops = false;
  bool thinking_wanted = false;
  std::string model;                  // as it was asked for
  std::vector<std::string> warnings;  // about the request
  std::function<WallTime()> now;
};

/// A line or a whole answer without its parts: model, created_at, an empty message.
Json empty_answer(const AnswerForm& form);

/// Writes an answer as it comes: lines of NDJSON, or one object at the end. What fails
/// before the first line gets its own status, later it is a line {"error": ...}.
class AnswerWriter : public serving::AnswerObserver {
 public:
  AnswerWriter(std::shared_ptr<http::Exchange> exchange, std::shared_ptr<CancelLink> link,
               AnswerForm form);

  void delta(serving::AnswerDelta delta) override;
  void done(const serving::AnswerResult& result) override;
  void failed(const serving::ServiceError& error) override;

 private:
  void add_part(Json& answer, serving::AnswerDelta& delta);
  void add_text(Json& answer, const char* key, std::string text) const;
  void collect(serving::AnswerDelta& delta);
  void add_collected(Json& answer);
  Json last_line(const serving::AnswerResult& result);
  void write(const Json& line);

  std::shared_ptr<http::Exchange> exchange_;
  std::shared_ptr<CancelLink> link_;
  AnswerForm form_;
  AnswerWarnings warnings_;
  bool begun_ = false;
  int calls_ = 0;

  // Of an answer that is not streamed.
  std::string content_, thinking_;
  Json tool_calls_ = Json::array();
  Json logprobs_ = Json::array();
};

}  // namespace pleiad::api::ollama
