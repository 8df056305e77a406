#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/media/media_prompt.h"
#include "engine/session.h"
#include "engine/thought_limit.h"
#include "sampling/token_constraint.h"
#include "text/reply_parser.h"

namespace pleiad {

/// What ends thoughts and replies that their reader would not want to wait for.
struct ReplyLimits {
  std::optional<std::int64_t> thinking_budget;  // tokens, see ThoughtRules; empty: any number
  std::string thinking_level;     // the budget is this word's: as much of it as there is room for
  bool repetition_guard = false;  // what repeats itself is ended: a thought, or else the reply
};

/// A conversation as the user's side has it, and how to answer.
struct ChatRequest {
  Json messages = Json::array();  // as in OpenAI's chat completions
  Json tools = Json::array();     // declarations, may be empty
  /// What parts {"type": "image", "media": N} (or "audio", "video") of the messages stand for.
  std::vector<ShownMedia> media;
  bool think = false;
  GenerationOptions generation;
  ReplyLimits limits;
  std::vector<std::string> stop;  // stop strings, looked for in the content
  Json format = nullptr;          // null: any text; "json" or a JSON schema: what the content is
};

/// Makes what holds a reply to ChatRequest::format, and its calls to their tools; null where
/// nothing does. `reply`: how it will be read. A Failure says what is wrong with the format, or
/// with a tool.
using ConstraintMaker = std::function<Result<std::unique_ptr<sampling::TokenConstraint>>(
    const Json& format, const text::ReplyOptions& reply)>;

struct ChatReply {
  text::Reply reply;
  FinishReason reason = FinishReason::stop_token;
  std::optional<std::string> stop_string;  // which one, when it was one
  GenerationStats stats;
  std::optional<std::uint64_t> seed;               // empty where a server did not say
  std::size_t dropped_thinking_bytes = 0;          // thoughts that came although thinking is off
  std::optional<EndedThought> ended_thought;       // one that was ended for the model
  std::optional<sampling::Repetition> repetition;  // of a reply that ended by it
  std::vector<std::string> warnings;               // what was not done as it was asked for
};

/// How a caller follows a reply; all may be empty.
struct ReplyObserver {
  /// Every part of the reply as it comes.
  std::function<void(const text::ReplyEvent&)> on_event = {};
  /// While a long prompt is computed, and while its pictures are encoded.
  std::function<void(const PromptProgress& progress)> on_prompt = {};
  /// Asked before every token and every part of the prompt, also while nothing
  /// comes out (a tool call, a dropped thought); false stops.
  std::function<bool()> wants_more = {};
};

/// Renders the conversation, generates, and splits what comes into thinking,
/// content and tool calls. A Failure says what is wrong with the request. Whoever sends a format
/// brings `make_constraint`; without it calls are as the model writes them.
Result<ChatReply> answer_chat(Session& session, LoadedModel& model, const ChatRequest& request,
                              const ReplyObserver& observer,
                              const ConstraintMaker& make_constraint = {});

/// The reply as the assistant's message in the history.
Json assistant_message(const text::Reply& reply);

/// Continues a text without a template; control tokens that it spells count, and
/// those that the model writes are shown. Everything comes as content. Throws Error where a control
/// token stands for a medium.
ChatReply complete_text(Session& session, LoadedModel& model, std::string_view prompt,
                        const GenerationOptions& options, const ReplyLimits& limits,
                        const std::vector<std::string>& stop, const ReplyObserver& observer);

}  // namespace pleiad
