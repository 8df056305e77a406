#include "api/anthropic/message_blocks.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/anthropic/text_blocks.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/tool_messages.h"

namespace pleiad::api::anthropic {
namespace {

constexpr std::string_view kRedacted = "such thoughts can be read by Anthropic's servers alone";

/// Turns messages with blocks into messages of OpenAI's form, in the order of the
/// blocks: one message may become several.
class MessageReader {
 public:
  MessageReader(MediaReader& media, CitedSources& sources, RequestNotes& notes)
      : media_(media), sources_(sources), notes_(notes) {}

  void read_system(FieldReader& body) {
    Json content = read_texts(body, "system", notes_);
    if (!content.is_null()) add("system", std::move(content), "system");
  }

  void read(const Json& json, const std::string& path) {
    FieldReader message(json, path);
    if (!message.has("role")) message.refuse("role", "a string");
    const std::string role = *message.one_of("role", {"user", "assistant", "system"});
    const Json* content = message.value("content");
    // An answer may have begun with nothing.
    const bool has_blocks =
        content && content->is_array() && (!content->empty() || role == "assistant");
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
      add(role, read_texts(message, "content", notes_), path);
    }
    notes_.unknown(message);
  }

  Json take() {
    check_end();
    settle_tool_messages(
        messages_, CallIds::expected, [this](std::size_t i) { return paths_[i]; }, notes_);
    return std::move(messages_);
  }

 private:
  /// Of an answer that is begun: words seldom go on behind a space, so there is none at the end.
  void check_end() const {
    const Json& last = messages_.back();
    if (last["role"] != "assistant" || last["content"].is_null()) return;
    const Json& content = last["content"];
    const Json& end = content.is_string() ? content : content.back()["text"];
    const auto& text = end.get_ref<const std::string&>();
    if (text.empty() ||
        std::string_view(" \t\n\v\f\r").find(text.back()) == std::string_view::npos) {
      return;
    }
    throw RequestError(paths_.back(),
                       "the answer goes on with the assistant's last message, which must not end "
                       "in white space");
  }

  Json& add(std::string_view role, Json content, const std::string& path) {
    paths_.push_back(path);
    return messages_.emplace_back(Json{{"role", role}, {"content", std::move(content)}});
  }

  /// Texts beside each other are one message, so that all of it has begun where it is the last.
  void add_part(std::string text, const std::string& path) {
    Json& content = messages_.back()["content"];
    if (content.is_string()) {
      Json parts = Json::array();
      parts.push_back(Json{{"type", "text"}, {"text", std::move(content)}});
      content = std::move(parts);
    }
    content.push_back(Json{{"type", "text"}, {"text", std::move(text)}});
    paths_.back() = path;
  }

  void read_user(const Json& blocks, const std::string& message_path) {
    TextParts texts(&media_, &sources_, notes_);
    const auto flush = [&] {
      if (!texts.empty()) add("user", texts.take(), message_path);
    };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::string path = element_path(message_path + ".content", i);
      FieldReader block(blocks[i], path);
      const std::string type = block_type(block);
      if (type == "tool_result") {
        flush();
        read_tool_result(block, path);
      } else if (!texts.add(block, path, type)) {
        refuse_block(block, path, type,
                     "\"text\", \"image\", \"tool_result\", \"document\" or \"search_result\"");
      }
    }
    flush();
  }

  void read_tool_result(FieldReader& block, const std::string& path) {
    const auto id = block.text("tool_use_id");
    Json content = read_blocks(block, "content", media_, sources_, notes_);
    if (content.is_null()) content = "";
    if (block.flag("is_error").value_or(false)) mark_error(content);
    notes_.unknown(block);
    Json& message = add("tool", std::move(content), path);
    if (id && !id->empty()) message["tool_call_id"] = *id;
  }

  /// The models' template has one kind of result.
  static void mark_error(Json& content) {
    constexpr std::string_view kMark = "Error: ";
    if (content.is_string()) {
      content.get_ref<std::string&>().insert(0, kMark);
    } else if (content[0]["type"] == "text") {
      content[0]["text"].get_ref<std::string&>().insert(0, kMark);
    } else {
      content.insert(content.begin(), Json{{"type", "text"}, {"text", kMark}});
    }
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
        calls.push_back(read_tool_use(block));
      } else if (type == "text") {
        std::string text = read_text_block(block, notes_);
        if (messages_.size() > n_before && thinking.empty()) {
          add_part(std::move(text), path);
        } else {
          add_assistant(std::move(text), path);
        }
      } else if (type == "thinking") {
        (void)block.text("signature");
        thinking += block.required_text("thinking");
        notes_.unknown(block);
      } else if (type == "redacted_thinking") {
        (void)block.text("data");
        notes_.left_out(path, kRedacted);
        notes_.unknown(block);
      } else {
        refuse_block(block, path, type,
                     "\"text\", \"thinking\", \"redacted_thinking\" or \"tool_use\"");
      }
    }
    if (!calls.empty()) add_assistant(nullptr, message_path)["tool_calls"] = std::move(calls);
    // Thoughts alone are a turn too, one that says nothing yet.
    if (!thinking.empty() || messages_.size() == n_before) add_assistant("", message_path);
  }

  Json read_tool_use(FieldReader& block) {
    const Json* input = block.object("input");
    if (!input) block.refuse("input", "an object");
    (void)block.object("caller");
    Json call = Json::object();
    if (const auto id = block.text("id"); id && !id->empty()) call["id"] = *id;
    call["type"] = "function";
    call["function"] = {{"name", block.required_text("name")}, {"arguments", *input}};
    notes_.unknown(block);
    return call;
  }

  MediaReader& media_;
  CitedSources& sources_;
  RequestNotes& notes_;
  Json messages_ = Json::array();
  std::vector<std::string> paths_;  // where each message came from
};

}  // namespace

Json read_messages(FieldReader& body, MediaReader& media, CitedSources& sources,
                   RequestNotes& notes) {
  MessageReader reader(media, sources, notes);
  reader.read_system(body);
  const Json* list = body.list("messages", kMaxMessages);
  if (!list || list->empty()) body.refuse("messages", "a list with at least one message");
  for (std::size_t i = 0; i < list->size(); ++i) {
    reader.read((*list)[i], element_path("messages", i));
  }
  return reader.take();
}

}  // namespace pleiad::api::anthropic
