#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/common/id_source.h"
#include "api/openai/tools.h"
#include "base/json.h"
#include "serving/answer.h"

namespace pleiad::api::openai {

/// Puts the output items of a response together from an answer's deltas, and tells of
/// each change by the events of OpenAI's stream.
class OutputBuilder {
 public:
  /// Takes an event without its type and number ("response.output_text.delta", {...}).
  using OnEvent = std::function<void(std::string_view type, Json event)>;

  /// `ids` must outlive the builder. Calls of custom tools come as their text.
  OutputBuilder(IdSource& ids, bool wants_logprobs, ToolNames names, OnEvent on_event);

  void delta(const serving::AnswerDelta& delta);
  /// The last item ends. `complete`: the model had no more to say. A call that is not complete was
  /// told, and is no part of the output.
  void finish(bool complete);

  /// What there is so far.
  const Json& output() const { return output_; }
  bool has_reasoning() const { return has_reasoning_; }

 private:
  enum class Open { nothing, reasoning, message, call };

  void open(Open kind);
  void close(std::string_view status);
  void close_reasoning(Json& item);
  void close_message(Json& item);
  void add_reasoning(const std::string& text);
  void add_text(const serving::AnswerDelta& delta);
  void open_call(const serving::AnswerDelta& delta);
  void add_arguments(const std::string& text);
  void add_call(const serving::AnswerDelta& delta);
  void close_call(Json& item, bool is_complete);
  /// Whether the call that a delta is a part of is the item that is open.
  bool is_open(const serving::AnswerDelta& of_call) const;
  /// What is open ends as whatever comes behind it.
  void close_before_next() { close(open_ == Open::call ? "incomplete" : "completed"); }
  /// An event that names the item at the end of the output.
  Json event_of_item() const;

  IdSource& ids_;
  bool wants_logprobs_;
  ToolNames names_;
  OnEvent on_event_;
  Json output_ = Json::array();
  Open open_ = Open::nothing;
  std::string text_;  // of the item that is open
  Json logprobs_ = Json::array();
  bool has_reasoning_ = false;
};

}  // namespace pleiad::api::openai
