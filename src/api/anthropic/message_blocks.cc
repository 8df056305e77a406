#include "api/anthropic/message_blocks.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "api/common/media.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/tool_messages.h"

namespace pleiad::api::anthropic {
namespace {

Json text_part(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

/// One text block is a text, several are parts.
Json as_content(const Json& parts) { return parts.size() == 1 ? parts[0]["text"] : parts; }

std::string block_type(FieldReader& block) {
  (void)block.object("cache_control");  // prompts are cached anyhow
  return block.required_text("type");
}

[[noreturn]] void refuse_block(FieldReader& block, const std::string& path, const std::string& type,
                               std::string_view expected) {
  if (const auto kind = media_kind(type); !kind.empty()) refuse_media(path, kind);
  block.refuse("type", expected);
}

std::string read_text_block(FieldReader& block, RequestNotes& notes) {
  (void)block.list("citations");
  std::string text = block.required_text("text");
  notes.unknown(block);
  return text;
}

/// A string, or a list of text blocks, as parts.
Json read_texts(FieldReader& holder, std::string_view key, RequestNotes& notes) {
  Json parts = Json::array();
  const Json* content = holder.value(key);
  if (!content) return parts;
  if (content->is_string()) {
    parts.push_back(text_part(content->get<std::string>()));
    return parts;
  }
  if (!content->is_array()) holder.refuse(key, "a string or a list of blocks");
  for (std::size_t i = 0; i < content->size(); ++i) {
    const std::string path = element_path(holder.path_of(key), i);
    FieldReader block((*content)[i], path);
    const std::string type = block_type(block);
    if (type != "text") refuse_block(block, path, type, "\"text\"");
    parts.push_back(text_part(read_text_block(block, notes)));
  }
  return parts;
}

/// Turns messages with blocks into messages of OpenAI's form, in the order of the
/// blocks: one message may become several.
class MessageReader {
 public:
  explicit MessageReader(RequestNotes& notes) : notes_(notes) {}

  void read_system(FieldReader& body) {
    const Json parts = read_texts(body, "system", notes_);
    if (!parts.empty()) add("system", as_content(parts), "system");
  }

  void read(const Json& json, const std::string& path) {
    FieldReader message(json, path);
    if (!message.has("role")) message.refuse("role", "a string");
    const std::string role = *message.one_of("role", {"user", "assistant", "system"});
    const Json* content = message.value("content");
    const bool has_blocks = content && content->is_array() && !content->empty();
    if (!content || !(content->is_string() || has_blocks)) {
      message.refuse("content", "a string or a list of blocks");
    }
    if (content->is_string()) {
      add(role, *content, path);
    } else if (role == "user") {
      read_user(*content, path);
    } else if (role == "assistant") {
      read_assistant(*content, path);
    } else {
      add(role, as_content(read_texts(message, "content", notes_)), path);
    }
    notes_.unknown(message);
  }

  Json take() {
    check_tool_messages(messages_, [this](std::size_t i) { return paths_[i]; });
    if (messages_.back()["role"] == "assistant") {
      throw RequestError(paths_.back(),
                         "the last message is the assistant's: an answer that is begun already is "
                         "not supported",
                         "unsupported_parameter");
    }
    return std::move(messages_);
  }

 private:
  Json& add(std::string_view role, Json content, const std::string& path) {
    paths_.push_back(path);
    return messages_.emplace_back(Json{{"role", role}, {"content", std::move(content)}});
  }

  void read_user(const Json& blocks, const std::string& message_path) {
    Json texts = Json::array();
    const auto flush = [&] {
      if (!texts.empty()) add("user", as_content(texts), message_path);
      texts = Json::array();
    };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::string path = element_path(message_path + ".content", i);
      FieldReader block(blocks[i], path);
      const std::string type = block_type(block);
      if (type == "text") {
        texts.push_back(text_part(read_text_block(block, notes_)));
      } else if (type == "tool_result") {
        flush();
        read_tool_result(block, path);
      } else {
        refuse_block(block, path, type, "\"text\" or \"tool_result\"");
      }
    }
    flush();
  }

  void read_tool_result(FieldReader& block, const std::string& path) {
    const std::string id = block.required_text("tool_use_id");
    Json parts = read_texts(block, "content", notes_);
    if (parts.empty()) parts.push_back(text_part(""));
    if (block.flag("is_error").value_or(false)) {
      // The models' template has one kind of result.
      parts[0]["text"] = "Error: " + parts[0]["text"].get<std::string>();
    }
    notes_.unknown(block);
    add("tool", as_content(parts), path)["tool_call_id"] = id;
  }

  void read_assistant(const Json& blocks, const std::string& message_path) {
    std::string thinking;
    const auto add_assistant = [&](Json content, const std::string& path) -> Json& {
      Json& message = add("assistant", std::move(content), path);
      if (!thinking.empty()) message["reasoning"] = std::exchange(thinking, {});
      return message;
    };
    // The template shows results behind the last message of the turn: calls go there,
    // wherever texts stand.
    Json calls = Json::array();
    const std::size_t n_before = messages_.size();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::string path = element_path(message_path + ".content", i);
      FieldReader block(blocks[i], path);
      const std::string type = block_type(block);
      if (type == "tool_use") {
        if (calls.size() == kMaxCalls) {
          throw RequestError(path, fmt::format("a message has at most {} calls", kMaxCalls));
        }
        calls.push_back(read_tool_use(block));
      } else if (type == "text") {
        add_assistant(read_text_block(block, notes_), path);
      } else if (type == "thinking") {
        (void)block.text("signature");
        thinking += block.required_text("thinking");
        notes_.unknown(block);
      } else {
        refuse_block(block, path, type, "\"text\", \"thinking\" or \"tool_use\"");
      }
    }
    if (!calls.empty()) add_assistant(nullptr, message_path)["tool_calls"] = std::move(calls);
    // Thoughts alone are a turn too, one that says nothing.
    if (!thinking.empty() || messages_.size() == n_before) add_assistant("", message_path);
  }

  Json read_tool_use(FieldReader& block) {
    const Json* input = block.object("input");
    if (!input) block.refuse("input", "an object");
    (void)block.object("caller");
    Json call = {{"id", block.required_text("id")},
                 {"type", "function"},
                 {"function", {{"name", block.required_text("name")}, {"arguments", *input}}}};
    notes_.unknown(block);
    return call;
  }

  RequestNotes& notes_;
  Json messages_ = Json::array();
  std::vector<std::string> paths_;  // where each message came from
};

}  // namespace

Json read_messages(FieldReader& body, RequestNotes& notes) {
  MessageReader reader(notes);
  reader.read_system(body);
  const Json* list = body.list("messages", kMaxMessages);
  if (!list || list->empty()) body.refuse("messages", "a list with at least one message");
  for (std::size_t i = 0; i < list->size(); ++i) {
    reader.read((*list)[i], element_path("messages", i));
  }
  return reader.take();
}

}  // namespace pleiad::api::anthropic
