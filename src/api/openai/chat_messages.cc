#include "api/openai/chat_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/common/media.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/tool_messages.h"
#include "api/openai/legacy_functions.h"
#include "api/openai/media_part.h"
#include "api/openai/shared_fields.h"
#include "api/openai/tools.h"

namespace pleiad::api::openai {
namespace {

Json read_part(const Json& json, const std::string& path, TextTypes text_types, RequestNotes& notes,
               const ReadMedia& read_media) {
  FieldReader part(json, path);
  const std::string type = part.required_text("type");
  if (read_media && is_media_part(type)) return read_media(part, path);
  if (std::find(text_types.begin(), text_types.end(), type) == text_types.end()) {
    const std::string expected = fmt::format("\"{}\"", fmt::join(text_types, "\" or \""));
    if (const auto kind = media_kind(type); !kind.empty()) {
      if (!read_media) refuse_media(path, kind);
      // It may stand here; it is called otherwise.
      part.refuse(
          "type",
          expected + R"(, "image_url", "input_image", "input_audio", "video_url" or "file")");
    }
    part.refuse("type", expected);
  }
  // What comes beside it marks where to cache (which happens anyhow) or echoes an answer.
  for (const std::string_view key :
       {"cache_control", "prompt_cache_breakpoint", "annotations", "logprobs"}) {
    (void)part.value(key);
  }
  Json text = {{"type", "text"},
               {"text", part.required_text(type == "refusal" ? "refusal" : "text")}};
  notes.unknown(part);
  return text;
}

Json read_custom_call(FieldReader& call, RequestNotes& notes) {
  auto custom = call.child("custom");
  if (!custom) call.refuse("custom", "an object");
  Json read = Json::object();
  if (const auto id = call.text("id"); id && !id->empty()) read["id"] = *id;
  read["type"] = "function";
  read["function"] = {{"name", custom->required_text("name")},
                      {"arguments", custom_arguments(custom->required_text("input"))}};
  notes.unknown(*custom);
  notes.unknown(call);
  return read;
}

Json read_tool_call(const Json& json, const std::string& path, RequestNotes& notes) {
  FieldReader call(json, path);
  (void)call.value("index");  // clients leave it from a stream's chunks
  const std::string type = call.one_of("type", {"function", "custom"}).value_or("function");
  if (type == "custom") return read_custom_call(call, notes);
  auto function = call.child("function");
  if (!function) call.refuse("function", "an object");
  Json read = Json::object();
  if (const auto id = call.text("id"); id && !id->empty()) read["id"] = *id;
  read["type"] = "function";
  read["function"] = {{"name", function->required_text("name")},
                      {"arguments", read_arguments(*function, "arguments")}};
  notes.unknown(*function);
  notes.unknown(call);
  return read;
}

void read_assistant(FieldReader& message, Json& read, RequestNotes& notes) {
  auto reasoning = message.text("reasoning");
  const auto also = message.text("reasoning_content");
  if (!reasoning || reasoning->empty()) reasoning = also;
  if (reasoning && !reasoning->empty()) read["reasoning"] = *reasoning;
  if (const auto refusal = message.text("refusal"); refusal && read["content"].is_null()) {
    read["content"] = *refusal;
  }
  refuse_given(message, "audio", "answers are text");
  (void)message.list("annotations");
  if (Json call = legacy_call(message, notes); !call.is_null()) {
    read["tool_calls"] = std::move(call);
    return;
  }
  const Json* calls = message.list("tool_calls");
  if (!calls || calls->empty()) return;
  Json& read_calls = read["tool_calls"] = Json::array();
  for (std::size_t i = 0; i < calls->size(); ++i) {
    read_calls.push_back(
        read_tool_call((*calls)[i], element_path(message.path_of("tool_calls"), i), notes));
  }
}

/// What a function gave, as clients wrote it before there were tools.
Json read_function_message(FieldReader& message, RequestNotes& notes) {
  const std::string name = message.required_text("name");
  Json content = read_content(message, "content", {"text"}, notes);
  if (content.is_null()) content = "";
  notes.unknown(message);
  return {{"role", "tool"},
          {"name", name},
          {"content", std::move(content)},
          {"tool_call_id", legacy_call_id(name)}};
}

Json read_message(const Json& json, const std::string& path, MediaReader& media,
                  RequestNotes& notes) {
  FieldReader message(json, path);
  if (!message.has("role")) message.refuse("role", "a string");
  const std::string role =
      *message.one_of("role", {"system", "developer", "user", "assistant", "tool", "function"});
  if (role == "function") return read_function_message(message, notes);
  const bool is_assistant = role == "assistant";
  Json read = {{"role", role == "developer" ? "system" : role}};
  ReadMedia read_media;
  if (role == "user" || role == "tool") {
    read_media = [&](FieldReader& part, const std::string& part_path) {
      return read_media_part(part, part_path, media, notes);
    };
  }
  read["content"] = is_assistant ? read_content(message, "content", {"text", "refusal"}, notes)
                                 : read_content(message, "content", {"text"}, notes, read_media);
  const auto name = message.text("name");  // the models' template has no place for others than
  if (name && role == "tool") read["name"] = *name;  // a tool's
  (void)message.value("cache_control");
  if (is_assistant) read_assistant(message, read, notes);
  if (role == "tool") {
    if (const auto id = message.text("tool_call_id"); id && !id->empty()) {
      read["tool_call_id"] = *id;
    }
  }
  const bool says_else = read.contains("tool_calls") || read.contains("reasoning");
  if (read["content"].is_null() && !says_else) {
    message.refuse("content", is_assistant ? "a string, a list of parts, or tool_calls"
                                           : "a string or a list of parts");
  }
  notes.unknown(message);
  return read;
}

}  // namespace

Json read_content(FieldReader& message, std::string_view key, TextTypes text_types,
                  RequestNotes& notes, const ReadMedia& read_media) {
  const Json* content = message.value(key);
  if (!content) return nullptr;
  if (content->is_string()) return *content;
  if (!content->is_array()) message.refuse(key, "a string or a list of parts");
  Json parts = Json::array();
  for (std::size_t i = 0; i < content->size(); ++i) {
    parts.push_back(read_part((*content)[i], element_path(message.path_of(key), i), text_types,
                              notes, read_media));
  }
  return parts;
}

Json read_arguments(FieldReader& call, std::string_view key) {
  const Json* arguments = call.value(key);
  if (!arguments) return Json::object();
  if (arguments->is_object()) return *arguments;
  if (!arguments->is_string()) call.refuse(key, "a string that holds a JSON object");
  const auto& spelled = arguments->get_ref<const std::string&>();
  if (spelled.empty()) return Json::object();
  Result<Json> read = read_json(spelled, kRequestLimits);
  if (!read) throw RequestError(call.path_of(key), fmt::format("the text is {}", read.message()));
  if (!read.value().is_object()) {
    throw RequestError(call.path_of(key),
                       fmt::format("expected JSON of an object, found {}", describe(read.value())));
  }
  return std::move(read).value();
}

Json read_messages(FieldReader& body, MediaReader& media, RequestNotes& notes) {
  const Json* list = body.list("messages", kMaxMessages);
  if (!list || list->empty()) body.refuse("messages", "a list with at least one message");
  Json messages = Json::array();
  for (std::size_t i = 0; i < list->size(); ++i) {
    messages.push_back(
        read_message((*list)[i], element_path(body.path_of("messages"), i), media, notes));
  }
  settle_tool_messages(
      messages, CallIds::expected,
      [&](std::size_t i) { return element_path(body.path_of("messages"), i); }, notes);
  return messages;
}

}  // namespace pleiad::api::openai
