#include "api/openai/responses/response_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/common/field_reader.h"
#include "api/common/options.h"
#include "api/common/request_error.h"
#include "api/common/request_json.h"
#include "api/common/tool_messages.h"
#include "api/openai/chat_messages.h"
#include "api/openai/media_part.h"
#include "api/openai/responses/compaction_item.h"
#include "api/openai/responses/tool_items.h"
#include "api/openai/shared_fields.h"
#include "api/openai/tools.h"

namespace pleiad::api::openai {
namespace {

constexpr std::string_view kOfOtherTool = "the models cannot be shown what such a tool did";
constexpr std::string_view kOfOtherServer = "it is not a summary that was made here";

/// A content's text in the parts of a response, whatever the client called them.
Json as_parts(Json content, std::string_view type) {
  if (content.is_string()) {
    return Json::array({{{"type", type}, {"text", std::move(content)}}});
  }
  for (Json& part : content) {
    if (part["type"] == "text") part["type"] = type;
  }
  return content;
}

Json read_message_item(FieldReader& item, IdSource& ids, RequestNotes& notes) {
  if (!item.has("role")) item.refuse("role", "a string");
  const std::string role = *item.one_of("role", {"user", "assistant", "system", "developer"});
  ReadMedia keep;
  if (role == "user") {
    keep = [&](FieldReader& part, const std::string&) { return keep_media_part(part, notes); };
  }
  Json content = role == "assistant"
                     ? read_content(item, "content", {"output_text", "text", "refusal"}, notes)
                     : read_content(item, "content", {"input_text", "text"}, notes, keep);
  if (content.is_null()) item.refuse("content", "a string or a list of parts");
  skip_status(item);
  (void)item.text("phase");
  const std::string_view part = role == "assistant" ? "output_text" : "input_text";
  return {{"id", item_id(item, "msg_", ids)},
          {"type", "message"},
          {"status", "completed"},
          {"role", role},
          {"content", as_parts(std::move(content), part)}};
}

Json read_call_item(FieldReader& item, IdSource& ids) {
  const std::string id = item_id(item, "fc_", ids);
  Json arguments = read_arguments(item, "arguments");
  skip_status(item);
  Json read = {{"id", id},
               {"type", "function_call"},
               {"status", "completed"},
               {"call_id", item.text("call_id").value_or("")},
               {"name", item.required_text("name")},
               {"arguments", to_text(arguments)}};
  if (auto space = item.text("namespace")) read["namespace"] = *space;
  return read;
}

/// The texts of a list of {"type", "text"}, one after the other.
std::string joined_texts(FieldReader& item, std::string_view key) {
  std::string joined;
  const Json* parts = item.list(key, kMaxMessages);
  for (std::size_t i = 0; parts && i < parts->size(); ++i) {
    FieldReader part((*parts)[i], element_path(item.path_of(key), i));
    (void)part.text("type");
    if (!joined.empty()) joined += "\n";
    joined += part.required_text("text");
  }
  return joined;
}

Json read_reasoning_item(FieldReader& item, IdSource& ids) {
  std::string text = joined_texts(item, "content");
  const std::string summary = joined_texts(item, "summary");
  if (text.empty()) text = summary;
  (void)item.text("encrypted_content");  // never ours: reasoning is given in the clear
  skip_status(item);
  return {{"id", item_id(item, "rs_", ids)},
          {"type", "reasoning"},
          {"summary", Json::array({{{"type", "summary_text"}, {"text", std::move(text)}}})}};
}

/// A summary that POST /v1/responses/compact made, or null where another server did.
Json read_compaction_item(FieldReader& item, IdSource& ids, RequestNotes& notes) {
  const auto summary = summary_of(item.required_text("encrypted_content"));
  (void)item.text("created_by");
  std::string id = item_id(item, "cmp_", ids);
  if (summary) return compaction_item(std::move(id), *summary);
  notes.left_out(item.path_of("encrypted_content"), kOfOtherServer);
  return nullptr;
}

/// {"type": "item_reference", "id": ...}, where the type may be missing.
Json read_reference(FieldReader& item, RequestNotes& notes, const FindItem& find) {
  const std::string id = item.required_text("id");
  notes.unknown(item);
  Json found = find ? find(id) : Json();
  if (found.is_null()) {
    throw RequestError(item.path_of("id"),
                       fmt::format("no item {} is kept: its response was not stored, was deleted, "
                                   "or was given up; send the item itself",
                                   describe(Json(id))),
                       "item_not_found");
  }
  return found;
}

/// Null where it is left out, which is told.
Json read_item(const Json& json, const std::string& path, IdSource& ids, RequestNotes& notes,
               const FindItem& find) {
  FieldReader item(json, path);
  const bool says_nothing = !item.has("type") && !item.has("role") && item.has("id");
  const std::string type = item.text("type").value_or(says_nothing ? "item_reference" : "message");
  if (type == "item_reference") return read_reference(item, notes, find);
  Json read;
  if (type == "message") {
    read = read_message_item(item, ids, notes);
  } else if (type == "function_call") {
    read = read_call_item(item, ids);
  } else if (type == "custom_tool_call") {
    read = read_custom_call_item(item, ids);
  } else if (type == "function_call_output" || type == "custom_tool_call_output") {
    read = read_output_item(item, type, ids, notes);
  } else if (type == "reasoning") {
    read = read_reasoning_item(item, ids);
  } else if (type == "compaction") {
    read = read_compaction_item(item, ids, notes);
  } else if (is_of_other_tools(type)) {
    notes.left_out(item.path_of("type"), kOfOtherTool);
    return nullptr;
  } else {
    item.refuse("type",
                "\"message\", \"function_call\", \"custom_tool_call\", their outputs, "
                "\"reasoning\", \"compaction\" or \"item_reference\"");
  }
  notes.unknown(item);
  return read;
}

/// Puts messages together from items. Reasoning belongs to the message or the calls
/// that follow it, calls of one turn to one message, the last one of the turn: unless nothing but
/// texts follow it there, and no result.
class MessageMaker {
 public:
  MessageMaker(MediaReader& media, RequestNotes& notes) : media_(media), notes_(notes) {}

  /// `path` names the item in errors.
  void add(const Json& item, const std::string& path) {
    path_ = path;
    const std::string& type = item["type"].get_ref<const std::string&>();
    if (type == "reasoning") {
      for (const Json& part : item["summary"]) reasoning_ += part["text"].get<std::string>();
    } else if (type == "function_call") {
      add_call(item, item["arguments"]);
    } else if (type == "custom_tool_call") {
      add_call(item, custom_arguments(item["input"].get<std::string>()));
    } else if (type == "function_call_output" || type == "custom_tool_call_output") {
      add_output(item);
    } else if (type == "compaction") {
      add_text("user", shown_summary(
                           summary_of(item["encrypted_content"].get<std::string>()).value_or("")));
    } else {
      add_message(item);
    }
  }

  void add_text(std::string_view role, const Json& content) {
    put_texts_behind();
    messages_.push_back({{"role", role}, {"content", content}});
  }

  Json take() {
    put_texts_behind();
    if (!reasoning_.empty()) take_reasoning(messages_.emplace_back(assistant_text("")));
    return std::move(messages_);
  }

 private:
  static Json assistant_text(Json content) {
    return {{"role", "assistant"}, {"content", std::move(content)}};
  }

  /// What stands in an item's `key`.
  Json content_of(const Json& item, std::string_view key) {
    const Json& parts = *find_member(item, key);
    if (parts.is_string()) return parts;
    Json content = Json::array();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (is_media_part(parts[i]["type"].get_ref<const std::string&>())) {
        const std::string path = element_path(fmt::format("{}.{}", path_, key), i);
        FieldReader part(parts[i], path);
        content.push_back(read_media_part(part, path, media_, notes_));
      } else {
        content.push_back({{"type", "text"}, {"text", parts[i]["text"]}});
      }
    }
    if (content.size() == 1 && content[0]["type"] == "text") return content[0]["text"];
    return content;
  }

  void add_message(const Json& item) {
    const std::string& role = item["role"].get_ref<const std::string&>();
    if (role != "assistant") {
      reasoning_.clear();  // it led to nothing
      return add_text(role == "developer" ? "system" : role, content_of(item, "content"));
    }
    Json message = assistant_text(content_of(item, "content"));
    take_reasoning(message);
    if (!ends_in_calls()) {
      messages_.push_back(std::move(message));
      return;
    }
    // Results follow the message of their calls: where they come, the text goes before it.
    messages_.insert(messages_.end() - 1, std::move(message));
    ++n_before_calls_;
  }

  /// Calls at the end got no result: what was said behind them stands behind them.
  void put_texts_behind() {
    const auto n = static_cast<std::ptrdiff_t>(std::exchange(n_before_calls_, 0));
    if (n > 0) std::rotate(messages_.end() - n - 1, messages_.end() - 1, messages_.end());
  }

  void add_call(const Json& item, Json arguments) {
    if (!ends_in_calls()) {
      messages_.push_back(
          {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", Json::array()}});
    }
    n_before_calls_ = 0;  // these calls came behind them
    take_reasoning(messages_.back());
    Json& calls = messages_.back()["tool_calls"];
    const std::string name = full_name(item.value("namespace", ""), item.value("name", ""));
    calls.push_back({{"id", item["call_id"]},
                     {"type", "function"},
                     {"function", {{"name", name}, {"arguments", std::move(arguments)}}}});
  }

  void add_output(const Json& item) {
    n_before_calls_ = 0;
    messages_.push_back({{"role", "tool"},
                         {"tool_call_id", item["call_id"]},
                         {"content", content_of(item, "output")}});
  }

  bool ends_in_calls() const {
    return !messages_.empty() && messages_.back().contains("tool_calls");
  }

  void take_reasoning(Json& message) {
    if (reasoning_.empty()) return;
    message["reasoning"] = message.value("reasoning", "") + std::exchange(reasoning_, {});
  }

  MediaReader& media_;
  RequestNotes& notes_;
  std::string path_;  // of the item that is added
  Json messages_ = Json::array();
  std::string reasoning_;           // waits for what it led to
  std::size_t n_before_calls_ = 0;  // messages before the calls at the end that came behind them
};

}  // namespace

Json read_items(const Json& input, const std::string& path, IdSource& ids, RequestNotes& notes,
                std::vector<std::string>& paths, const FindItem& find) {
  Json items = Json::array();
  if (input.is_string()) {
    items.push_back({{"id", ids.make("msg_")},
                     {"type", "message"},
                     {"status", "completed"},
                     {"role", "user"},
                     {"content", as_parts(input, "input_text")}});
    paths.push_back(path);
    return items;
  }
  if (!input.is_array() || input.empty() || input.size() > kMaxMessages) {
    throw RequestError(path, fmt::format("expected a string or a list of 1 to {} items, found {}",
                                         kMaxMessages, describe(input)));
  }
  for (std::size_t i = 0; i < input.size(); ++i) {
    std::string item_path = element_path(path, i);
    Json item = read_item(input[i], item_path, ids, notes, find);
    if (item.is_null()) continue;
    items.push_back(std::move(item));
    paths.push_back(std::move(item_path));
  }
  return items;
}

Json items_to_messages(const std::string& instructions, const Json& items,
                       std::span<const std::string> paths, MediaReader& media,
                       RequestNotes& notes) {
  MessageMaker maker(media, notes);
  if (!instructions.empty()) maker.add_text("system", instructions);
  // What has no path came with earlier turns, which stand before.
  const std::size_t n_earlier = items.size() - paths.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    maker.add(items[i], i < n_earlier ? "previous_response_id" : paths[i - n_earlier]);
  }
  Json messages = maker.take();
  settle_tool_messages(
      messages, CallIds::expected, [](std::size_t) { return "input"; }, notes);
  return messages;
}

}  // namespace pleiad::api::openai
