#include "apps/run/chat_file.h"

#include <span>
#include <string>

#include "apps/run/pictures/saved_pictures.h"
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

Json read_pictures(const Json& messages, std::vector<AttachedPicture>& pictures,
                   const fs::path& path) {
  try {
    return take_pictures(messages, pictures, path.parent_path());
  } catch (const Error& error) {
    throw Error("{}: {}", path.string(), error.what());
  }
}

PictureBudget read_budget(const Json& content, const fs::path& path) {
  const Json value = content.value("image_tokens", Json());
  if (value.is_null()) return {};
  const auto budget =
      read_picture_budget(value.is_string() ? value.get<std::string>() : to_text(value));
  if (!budget) throw Error("{}: image_tokens: {}", path.string(), budget.message());
  return budget.value();
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
  Json content = {{"system", state.system},
                  {"messages", with_pictures(state.messages, state.pictures)},
                  {"tools", state.tools},
                  {"think", state.think},
                  {"format", state.format}};
  if (state.picture_budget.automatic) content["image_tokens"] = "auto";
  if (state.picture_budget.tokens) content["image_tokens"] = *state.picture_budget.tokens;
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
  std::vector<AttachedPicture> pictures;
  Json messages = read_pictures(content.at("messages"), pictures, path);
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
  const PictureBudget picture_budget = read_budget(content, path);
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
  state.pictures = std::move(pictures);
  state.waiting.clear();
  state.picture_budget = picture_budget;
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
