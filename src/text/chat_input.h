#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/prompt.h"

namespace pleiad::text {

struct RenderOptions {
  bool enable_thinking = false;
  bool add_generation_prompt = true;
  bool preserve_thinking = false;       // keep the reasoning of earlier turns that called tools
  bool continue_final_message = false;  // the prompt ends inside the last message, the model's
};

struct ContentPart {
  enum class Kind { text, image, audio, video, document };
  Kind kind = Kind::text;
  std::string text;
  int media = -1;  // but for text: which of the request's media it is; -1: not said
};

/// What "content" may be: nothing, one text, or a list of parts.
struct MessageContent {
  enum class Form { none, text, parts };
  Form form = Form::none;
  std::vector<ContentPart> parts;  // exactly one for `text`
};

struct ToolCallInput {
  Json id;  // null when absent
  std::string name;
  Json arguments;  // an object, maybe empty
};

struct ToolResponseInput {
  std::string name;
  Json response;
  std::vector<ContentPart> media;  // printed behind the response, as those of a tool's message are
};

struct ChatMessage {
  std::string role;
  MessageContent content;
  std::string reasoning;
  std::vector<ToolCallInput> tool_calls;
  std::vector<ToolResponseInput> tool_responses;
  Json tool_call_id;  // null when absent
  std::string name;
};

struct ChatInput {
  std::vector<ChatMessage> messages;
  std::vector<Prompt> tools;  // declarations, ready to be placed
  RenderOptions options;
};

/// Reads {"messages": [...], "tools": [...], "enable_thinking": ..,
/// "add_generation_prompt": .., "preserve_thinking": .., "continue_final_message": ..} in the
/// form of OpenAI's chat completions; other keys are not looked at. A Failure names the field.
/// A picture is {"type": "image", "media": N}, N being its place among the request's media, sound
/// "audio", a video "video" and a document "document"; without N the part only prints its token (a
/// document nothing).
/// More lenient than the official templates in two places: arguments may be a
/// string that holds a JSON object, and may be missing.
Result<ChatInput> parse_chat_input(const Json& input);

/// Every part of the chat that is no text, with where it stands ("messages[2].content[1]"), in the
/// order of the messages.
struct MediaPlace {
  const ContentPart* part = nullptr;  // of the chat
  std::size_t message = 0;
  std::string path;
};
std::vector<MediaPlace> media_places(const ChatInput& chat);

}  // namespace pleiad::text
