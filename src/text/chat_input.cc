#include "text/chat_input.h"

#include <fmt/format.h>

#include "base/text_format.h"
#include "text/begun_reply.h"
#include "text/python_text.h"
#include "text/tool_declaration.h"

namespace pleiad::text {
namespace {

constexpr int kMaxDepth = 200;
constexpr std::int64_t kMostMedia = 1'000'000;  // more are no places of anything

bool is_too_deep(const Json& value, int depth = 0) {
  if (!value.is_structured()) return false;
  if (depth >= kMaxDepth) return true;
  for (const Json& element : value) {
    if (is_too_deep(element, depth + 1)) return true;
  }
  return false;
}

/// Null and absent are the same almost everywhere.
const Json* given(const Json& object, std::string_view key) {
  const Json* value = find_field(object, key);
  return value && !value->is_null() ? value : nullptr;
}

/// Fills a ChatInput; the first complaint is kept.
class ChatReader {
 public:
  ChatInput input;
  std::string failure;

  void read(const Json& json) {
    if (!json.is_object()) return fail("expected a JSON object with \"messages\"");
    const Json* messages = given(json, "messages");
    if (!messages || !messages->is_array()) return fail("messages: expected a list");
    if (is_too_deep(json)) return fail("more than {} levels of nesting", kMaxDepth);
    for (std::size_t i = 0; i < messages->size(); ++i) {
      input.messages.push_back(message((*messages)[i], fmt::format("messages[{}]", i)));
    }
    read_tools(json);
    flag(json, "enable_thinking", input.options.enable_thinking);
    flag(json, "add_generation_prompt", input.options.add_generation_prompt);
    flag(json, "preserve_thinking", input.options.preserve_thinking);
    flag(json, "continue_final_message", input.options.continue_final_message);
    if (input.options.continue_final_message) check_continuation(json);
  }

 private:
  template <typename... Args>
  void fail(fmt::format_string<Args...> format, Args&&... args) {
    if (failure.empty()) failure = fmt::format(format, std::forward<Args>(args)...);
  }

  void flag(const Json& json, std::string_view key, bool& out) {
    const Json* value = given(json, key);
    if (!value) return;
    if (!value->is_boolean()) return fail("{}: expected true or false", key);
    out = value->get<bool>();
  }

  void check_continuation(const Json& json) {
    if (given(json, "add_generation_prompt") && input.options.add_generation_prompt) {
      return fail("add_generation_prompt: cannot be true where continue_final_message is");
    }
    input.options.add_generation_prompt = false;
    if (!input.messages.empty() && is_text_of_model(input.messages.back())) return;
    fail("continue_final_message: the last message is none of the assistant's, or calls tools");
  }

  std::string text(const Json& object, std::string_view key, const std::string& where) {
    const Json* value = given(object, key);
    if (!value) return {};
    if (!value->is_string()) {
      fail("{}.{}: expected a string", where, key);
      return {};
    }
    return value->get<std::string>();
  }

  std::string required_text(const Json& object, std::string_view key, const std::string& where) {
    if (!given(object, key)) fail("{}.{}: missing; expected a string", where, key);
    return text(object, key, where);
  }

  /// A list, or nullptr for none.
  const Json* list(const Json& object, std::string_view key, const std::string& where) {
    const Json* value = given(object, key);
    if (!value) return nullptr;
    if (value->is_array()) return value;
    fail("{}{}{}: expected a list", where, where.empty() ? "" : ".", key);
    return nullptr;
  }

  void read_tools(const Json& json) {
    const Json* tools = list(json, "tools", "");
    if (!tools) return;
    for (std::size_t i = 0; i < tools->size(); ++i) {
      Result<Prompt> tool = declare_tool((*tools)[i], fmt::format("tools[{}]", i));
      if (!tool) return fail("{}", tool.message());
      input.tools.push_back(std::move(tool).value());
    }
  }

  ChatMessage message(const Json& json, const std::string& where) {
    ChatMessage message;
    if (!json.is_object()) {
      fail("{}: expected an object", where);
      return message;
    }
    message.role = required_text(json, "role", where);
    message.content = content(json, where);
    message.reasoning = reasoning(json, where);
    if (const Json* calls = list(json, "tool_calls", where)) {
      for (std::size_t i = 0; i < calls->size(); ++i) {
        message.tool_calls.push_back(
            tool_call((*calls)[i], fmt::format("{}.tool_calls[{}]", where, i)));
      }
    }
    if (const Json* responses = list(json, "tool_responses", where)) {
      for (std::size_t i = 0; i < responses->size(); ++i) {
        message.tool_responses.push_back(
            tool_response((*responses)[i], fmt::format("{}.tool_responses[{}]", where, i)));
      }
    }
    if (const Json* id = given(json, "tool_call_id")) message.tool_call_id = *id;
    message.name = text(json, "name", where);
    return message;
  }

  /// Three names are in use. "reasoning" counts when it has text, then
  /// "reasoning_content", which transformers fills from the other two.
  std::string reasoning(const Json& json, const std::string& where) {
    std::string own = text(json, "reasoning", where);
    if (!own.empty()) return own;
    for (const std::string_view key : {"reasoning_content", "thinking"}) {
      if (given(json, key)) return text(json, key, where);
    }
    return {};
  }

  MessageContent content(const Json& json, const std::string& where) {
    using Form = MessageContent::Form;
    MessageContent content;
    const Json* value = given(json, "content");
    if (!value) return content;
    if (value->is_string()) {
      content.form = Form::text;
      content.parts.push_back({.kind = ContentPart::Kind::text, .text = value->get<std::string>()});
    } else if (value->is_array()) {
      content.form = Form::parts;
      for (std::size_t i = 0; i < value->size(); ++i) {
        content.parts.push_back(part((*value)[i], fmt::format("{}.content[{}]", where, i)));
      }
    } else {
      fail("{}.content: expected a string, a list of parts or null", where);
    }
    return content;
  }

  ContentPart part(const Json& json, const std::string& where) {
    using Kind = ContentPart::Kind;
    if (!json.is_object()) {
      fail("{}: expected an object with \"type\"", where);
      return {};
    }
    const std::string type = required_text(json, "type", where);
    if (type == "text") return {.kind = Kind::text, .text = required_text(json, "text", where)};
    if (type == "image" || type == "image_url") {
      return {.kind = Kind::image, .text = {}, .media = media_index(json, where)};
    }
    if (type == "audio" || type == "input_audio") {
      return {.kind = Kind::audio, .text = {}, .media = media_index(json, where)};
    }
    if (type == "video") {
      return {.kind = Kind::video, .text = {}, .media = media_index(json, where)};
    }
    if (type == "document") {
      return {.kind = Kind::document, .text = {}, .media = media_index(json, where)};
    }
    fail("{}.type: \"{}\" is none of text, image, image_url, audio, input_audio, video, document",
         where, printable(type));
    return {};
  }

  int media_index(const Json& json, const std::string& where) {
    const Json* value = given(json, "media");
    if (!value) return -1;
    const auto index = value->is_number_integer() ? value->get<std::int64_t>() : -1;
    if (index >= 0 && index < kMostMedia) return static_cast<int>(index);
    fail("{}.media: expected the place of a medium in the request", where);
    return -1;
  }

  ToolCallInput tool_call(const Json& json, const std::string& where) {
    ToolCallInput call;
    const Json* function = find_field(json, "function");
    if (!function || !function->is_object()) {
      fail("{}.function: expected an object", where);
      return call;
    }
    if (const Json* id = given(json, "id")) call.id = *id;
    call.name = required_text(*function, "name", where + ".function");
    call.arguments = arguments(*function, where + ".function.arguments");
    return call;
  }

  Json arguments(const Json& function, const std::string& where) {
    const Json* value = given(function, "arguments");
    if (!value) return Json::object();
    if (value->is_object()) return *value;
    if (value->is_string()) {
      const auto& spelled = value->get_ref<const std::string&>();
      if (spelled.empty()) return Json::object();
      Json parsed = json_or_discarded(spelled);
      if (parsed.is_object() && !is_too_deep(parsed)) return parsed;
    }
    fail("{}: expected a JSON object, or a string that holds one", where);
    return Json::object();
  }

  ToolResponseInput tool_response(const Json& json, const std::string& where) {
    ToolResponseInput response;
    if (!json.is_object()) {
      fail("{}: expected an object", where);
      return response;
    }
    response.name = text(json, "name", where);
    if (const Json* value = find_field(json, "response")) {
      response.response = *value;
    } else {
      fail("{}.response: missing", where);
    }
    if (const Json* media = list(json, "media", where)) {
      for (std::size_t i = 0; i < media->size(); ++i) {
        response.media.push_back(part((*media)[i], fmt::format("{}.media[{}]", where, i)));
      }
    }
    return response;
  }
};

}  // namespace

Result<ChatInput> parse_chat_input(const Json& input) {
  ChatReader reader;
  reader.read(input);
  if (!reader.failure.empty()) return Failure{reader.failure};
  return std::move(reader.input);
}

std::vector<MediaPlace> media_places(const ChatInput& chat) {
  std::vector<MediaPlace> places;
  for (std::size_t i = 0; i < chat.messages.size(); ++i) {
    const auto add = [&](const std::vector<ContentPart>& parts, const std::string& list) {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        if (parts[k].kind == ContentPart::Kind::text) continue;
        places.push_back({&parts[k], i, fmt::format("messages[{}].{}[{}]", i, list, k)});
      }
    };
    const ChatMessage& message = chat.messages[i];
    for (std::size_t k = 0; k < message.tool_responses.size(); ++k) {
      add(message.tool_responses[k].media, fmt::format("tool_responses[{}].media", k));
    }
    add(message.content.parts, "content");
  }
  return places;
}

}  // namespace pleiad::text
