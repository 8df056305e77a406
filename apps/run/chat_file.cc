#include "apps/run/chat_file.h"

#include <span>
#include <string>

#include "apps/run/reply_format.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "text/chat_input.h"

namespace pleiad::apps {

namespace fs = std::filesystem;

namespace {

void check_chat(const Json& messages, const Json& tools, const fs::path& path) {
  const auto checked = text::parse_chat_input({{"messages", messages}, {"tools", tools}});
  if (!checked) throw Error("{}: {}", path.string(), checked.message());
}

}  // namespace

Json read_json_file(const fs::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  return parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

fs::path typed_path(std::string_view text, const fs::path& home) {
  if (!text.starts_with("~/") || home.empty()) return fs::path(text);
  return home / text.substr(2);
}

void save_chat(const ChatState& state, const fs::path& path) {
  const Json content = {{"system", state.system},
                        {"messages", state.messages},
                        {"tools", state.tools},
                        {"think", state.think},
                        {"format", state.format}};
  // Replies may hold bytes that are no UTF-8; a conversation must be savable.
  const std::string text = to_text(content, 2) + "\n";
  OutputFile file(path, 0600);
  file.write(std::as_bytes(std::span(text)));
  file.finish();
}

void load_chat(ChatState& state, const fs::path& path) {
  const Json content = read_json_file(path);
  if (!content.is_object() || !content.contains("messages")) {
    throw Error("{}: expected a JSON object with \"messages\"", path.string());
  }
  Json messages = content.at("messages");
  Json tools = content.value("tools", Json::array());
  check_chat(messages, tools, path);
  const Json system = content.value("system", Json(""));
  const Json think = content.value("think", Json(false));
  if (!system.is_string()) throw Error("{}: system: expected a string", path.string());
  if (!think.is_boolean()) throw Error("{}: think: expected true or false", path.string());
  const Json format = content.value("format", Json());
  if (!is_reply_format(format)) {
    throw Error("{}: format: expected null, \"json\" or a JSON schema", path.string());
  }
  std::string system_text = system.get<std::string>();
  // Of other origin: the system turn is the first message.
  if (system_text.empty() && !messages.empty() && messages[0].value("role", "") == "system" &&
      messages[0].contains("content") && messages[0]["content"].is_string()) {
    system_text = messages[0]["content"].get<std::string>();
    messages.erase(messages.begin());
  }
  state.system = std::move(system_text);
  state.system_is_set = true;
  state.messages = std::move(messages);
  state.tools = std::move(tools);
  state.think = think.get<bool>();
  state.format = format;
}

Json load_tools(const fs::path& path) {
  Json tools = read_json_file(path);
  if (tools.is_object() && tools.contains("tools")) tools = Json(tools.at("tools"));
  if (!tools.is_array()) throw Error("{}: expected a JSON list of tools", path.string());
  check_chat(Json::array(), tools, path);
  return tools;
}

}  // namespace pleiad::apps
