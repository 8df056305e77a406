#include "api/openai/responses/response_builder.h"

#include <fmt/format.h>

#include <utility>

#include "api/common/request_json.h"
#include "api/openai/answer_json.h"

namespace pleiad::api::openai {
namespace {

using EventKind = text::ReplyEvent::Kind;

Json summary_part(std::string text) {
  return {{"type", "summary_text"}, {"text", std::move(text)}};
}

Json text_part(std::string text, Json logprobs) {
  return {{"type", "output_text"},
          {"text", std::move(text)},
          {"annotations", Json::array()},
          {"logprobs", std::move(logprobs)}};
}

/// What the two kinds of calls are called.
struct CallNames {
  const char* type;
  const char* id_prefix;
  const char* text;  // what it is called with
  const char* event;
};
constexpr CallNames kFunctionCall = {"function_call", "fc_", "arguments",
                                     "response.function_call_arguments"};
constexpr CallNames kCustomCall = {"custom_tool_call", "ctc_", "input",
                                   "response.custom_tool_call_input"};

}  // namespace

OutputBuilder::OutputBuilder(IdSource& ids, bool wants_logprobs, ToolNames names, OnEvent on_event)
    : ids_(ids),
      wants_logprobs_(wants_logprobs),
      names_(std::move(names)),
      on_event_(std::move(on_event)) {}

void OutputBuilder::delta(const serving::AnswerDelta& delta) {
  if (delta.event.kind == EventKind::thinking) {
    add_reasoning(delta.event.text);
  } else if (delta.event.kind == EventKind::call_begun) {
    // The text of a custom tool comes whole.
    if (!names_.custom.contains(delta.event.name)) open_call(delta);
  } else if (delta.event.kind == EventKind::call_arguments) {
    if (is_open(delta)) add_arguments(delta.event.text);
  } else if (delta.event.kind == EventKind::tool_call) {
    add_call(delta);
  } else {
    add_text(delta);
  }
}

void OutputBuilder::finish(bool complete) {
  close(complete && open_ != Open::call ? "completed" : "incomplete");
  // What is left of calls that are broken is no part of a conversation that goes on.
  for (std::size_t i = output_.size(); i > 0; --i) {
    const Json& item = output_[i - 1];
    if (item["type"] == kFunctionCall.type && item["status"] == "incomplete") output_.erase(i - 1);
  }
}

bool OutputBuilder::is_open(const serving::AnswerDelta& of_call) const {
  return open_ == Open::call && output_.back()["call_id"] == of_call.tool_call_id;
}

Json OutputBuilder::event_of_item() const {
  return {{"item_id", output_.back()["id"]}, {"output_index", output_.size() - 1}};
}

void OutputBuilder::open(Open kind) {
  if (open_ == kind) return;
  close_before_next();
  open_ = kind;
  text_.clear();
  logprobs_ = Json::array();
  if (kind == Open::reasoning) {
    output_.push_back(
        {{"id", ids_.make("rs_")}, {"type", "reasoning"}, {"summary", Json::array()}});
  } else {
    output_.push_back({{"id", ids_.make("msg_")},
                       {"type", "message"},
                       {"status", "in_progress"},
                       {"role", "assistant"},
                       {"content", Json::array()}});
  }
  on_event_("response.output_item.added",
            {{"output_index", output_.size() - 1}, {"item", output_.back()}});
  Json event = event_of_item();
  if (kind == Open::reasoning) {
    event["summary_index"] = 0;
    event["part"] = summary_part("");
    on_event_("response.reasoning_summary_part.added", std::move(event));
  } else {
    event["content_index"] = 0;
    event["part"] = text_part("", Json::array());
    on_event_("response.content_part.added", std::move(event));
  }
}

void OutputBuilder::add_reasoning(const std::string& text) {
  has_reasoning_ = true;
  open(Open::reasoning);
  text_ += text;
  Json event = event_of_item();
  event["summary_index"] = 0;
  event["delta"] = text;
  on_event_("response.reasoning_summary_text.delta", std::move(event));
}

void OutputBuilder::add_text(const serving::AnswerDelta& delta) {
  open(Open::message);
  text_ += delta.event.text;
  Json logprobs = wants_logprobs_ ? logprobs_json(delta.logprobs) : Json::array();
  for (const Json& logprob : logprobs) logprobs_.push_back(logprob);
  Json event = event_of_item();
  event["content_index"] = 0;
  event["delta"] = delta.event.text;
  event["logprobs"] = std::move(logprobs);
  on_event_("response.output_text.delta", std::move(event));
}

void OutputBuilder::open_call(const serving::AnswerDelta& delta) {
  close_before_next();
  open_ = Open::call;
  text_.clear();
  const CallNames& words = names_.custom.contains(delta.event.name) ? kCustomCall : kFunctionCall;
  const auto spaced = names_.namespaced.find(delta.event.name);
  const bool is_spaced = spaced != names_.namespaced.end();
  Json& item =
      output_.emplace_back(Json{{"id", ids_.make(words.id_prefix)},
                                {"type", words.type},
                                {"status", "in_progress"},
                                {"call_id", delta.tool_call_id},
                                {"name", is_spaced ? spaced->second.name : delta.event.name},
                                {words.text, ""}});
  if (is_spaced) item["namespace"] = spaced->second.space;
  on_event_("response.output_item.added", {{"output_index", output_.size() - 1}, {"item", item}});
}

void OutputBuilder::add_arguments(const std::string& text) {
  text_ += text;
  const bool is_custom = output_.back()["type"] == kCustomCall.type;
  Json event = event_of_item();
  event["delta"] = text;
  on_event_(fmt::format("{}.delta", (is_custom ? kCustomCall : kFunctionCall).event),
            std::move(event));
}

/// The whole of a call, or the end of one that came in pieces.
void OutputBuilder::add_call(const serving::AnswerDelta& delta) {
  if (!is_open(delta)) {
    open_call(delta);
    const bool is_custom = names_.custom.contains(delta.event.name);
    add_arguments(is_custom ? custom_input(delta.event.arguments) : to_text(delta.event.arguments));
  }
  close("completed");
}

void OutputBuilder::close(std::string_view status) {
  if (open_ == Open::nothing) return;
  Json& item = output_.back();
  if (open_ == Open::reasoning) {
    close_reasoning(item);
  } else {
    open_ == Open::call ? close_call(item, status == "completed") : close_message(item);
    item["status"] = status;
  }
  open_ = Open::nothing;
  on_event_("response.output_item.done", {{"output_index", output_.size() - 1}, {"item", item}});
}

void OutputBuilder::close_reasoning(Json& item) {
  Json event = event_of_item();
  event["summary_index"] = 0;
  event["text"] = text_;
  on_event_("response.reasoning_summary_text.done", event);
  event.erase("text");
  event["part"] = summary_part(text_);
  on_event_("response.reasoning_summary_part.done", std::move(event));
  item["summary"].push_back(summary_part(std::move(text_)));
}

/// What is not complete is no JSON: an event that says it is done would have clients read it.
void OutputBuilder::close_call(Json& item, bool is_complete) {
  const bool is_custom = item["type"] == kCustomCall.type;
  const CallNames& words = is_custom ? kCustomCall : kFunctionCall;
  Json event = event_of_item();
  if (!is_custom) event["name"] = item["name"];
  event[words.text] = text_;
  if (is_complete) on_event_(fmt::format("{}.done", words.event), std::move(event));
  item[words.text] = std::move(text_);
}

void OutputBuilder::close_message(Json& item) {
  Json part = text_part(text_, std::move(logprobs_));
  Json event = event_of_item();
  event["content_index"] = 0;
  event["text"] = std::move(text_);
  event["logprobs"] = part["logprobs"];
  on_event_("response.output_text.done", event);
  event.erase("text");
  event.erase("logprobs");
  event["part"] = part;
  on_event_("response.content_part.done", std::move(event));
  item["content"].push_back(std::move(part));
}

}  // namespace pleiad::api::openai
